package protocols

import (
	"fmt"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"pgregory.net/rapid"

	"replanbench/harness/strictjson"
)

// TestPatch holds what applies a JSON Patch to the library.
func TestPatch(t *testing.T) {
	document := `{"title":"t","a/b":{"~":1},"steps":[{"id":"a","tools":["x","y"]},{"id":"b"},7]}`
	paths := rapid.SampledFrom([]string{
		"/title", "/a~1b", "/a~1b/~0", "/steps", "/steps/0", "/steps/1", "/steps/3", "/steps/4", "/steps/-", "/steps/0/id", "/steps/0/tools/1",
		"/steps/0/tools/-", "/new", "/new/deeper", "/title/0", "/steps/x", "steps",
	})
	applied := 0
	rapid.Check(t, func(t *rapid.T) {
		patch := "["
		for i := range rapid.IntRange(1, 3).Draw(t, "operations") {
			if i > 0 {
				patch += ","
			}
			op := rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test", "swap"}).Draw(t, "op")
			path, from := paths.Draw(t, "path"), paths.Draw(t, "from")
			value := rapid.SampledFrom([]string{`"t"`, `{"id":"n"}`, `[1]`, `["x","y"]`}).Draw(t, "value")
			// The library lets a value move into itself; what is null breaks it.
			if strings.HasPrefix(path, from+"/") {
				from = path
			}
			patch += fmt.Sprintf(`{"op":%q,"path":%q,"from":%q,"value":%s}`, op, path, from, value)
		}
		patch += "]"
		got, gotErr := applyPatch([]byte(document), []byte(patch))
		var want []byte
		p, wantErr := jsonpatch.DecodePatch([]byte(patch))
		if wantErr == nil {
			want, wantErr = p.Apply([]byte(document))
		}
		if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !strictjson.Equal(got, want) {
			t.Fatalf("%s: got %s, %v, want %s, %v", patch, got, gotErr, want, wantErr)
		}
		if gotErr == nil {
			applied++
		}
	})
	if applied == 0 {
		t.Error("no patch could be applied")
	}
}
