package protocols

import (
	"testing"

	"replanbench/harness/document/strictjson"
)

const patchDocument = `{"title":"t","a/b":{"~":1},"none":null,"steps":[{"id":"a","tools":["x","y"]},{"id":"b"},7]}`

// TestPatch checks every operation of RFC 6902, and the patches that must be rejected.
func TestPatch(t *testing.T) {
	for _, tt := range []struct{ name, patch, want string }{ // want "" is an error
		{"no operation", `[]`, patchDocument},
		{
			"replace", `[{"op":"replace","path":"/title","value":"n"},{"op":"replace","path":"/steps","value":[]}]`,
			`{"title":"n","a/b":{"~":1},"none":null,"steps":[]}`,
		},
		{
			"escapes", `[{"op":"replace","path":"/a~1b/~0","value":2}]`,
			`{"title":"t","a/b":{"~":2},"none":null,"steps":[{"id":"a","tools":["x","y"]},{"id":"b"},7]}`,
		},
		{"add", `[{"op":"add","path":"/steps/1","value":1},{"op":"add","path":"/steps/-","value":null},{"op":"remove","path":"/steps/0"}]`, `{"title":"t","a/b":{"~":1},"none":null,"steps":[1,{"id":"b"},7,null]}`},
		{"move and copy", `[{"op":"move","from":"/steps/2","path":"/steps/0"},{"op":"copy","from":"/title","path":"/none"},{"op":"remove","path":"/a~1b"}]`, `{"title":"t","none":"t","steps":[7,{"id":"a","tools":["x","y"]},{"id":"b"}]}`},
		{"test holds", `[{"op":"test","path":"/steps/0/tools","value":["x", "y"]}]`, patchDocument},
		{"test fails", `[{"op":"test","path":"/title","value":"x"}]`, ""},
		{"moves into itself", `[{"op":"move","from":"/steps","path":"/steps/0"}]`, ""},
		{"below a text", `[{"op":"add","path":"/title/0","value":1}]`, ""},
		{"below null", `[{"op":"add","path":"/none/x","value":1}]`, ""},
		{"missing parent", `[{"op":"add","path":"/new/deeper","value":1}]`, ""},
		{"missing member", `[{"op":"remove","path":"/new"}]`, ""},
		{"index past the end", `[{"op":"add","path":"/steps/4","value":1}]`, ""},
		{"negative index", `[{"op":"remove","path":"/steps/-1"}]`, ""},
		{"path without a slash", `[{"op":"add","path":"steps","value":1}]`, ""},
		{"no path", `[{"op":"add","value":1}]`, ""},
		{"no value", `[{"op":"add","path":"/title"}]`, ""},
		{"no from", `[{"op":"move","path":"/title"}]`, ""},
		{"unknown operation", `[{"op":"swap","path":"/title"}]`, ""},
		{"operation twice", `[{"op":"add","op":"remove","path":"/title","value":1}]`, ""},
		{"an object", `{"op":"remove","path":"/title"}`, ""},
		{"test without a value", `[{"op":"test","path":"/title"}]`, ""},
		{"null operation", `[null]`, ""},
	} {
		got, err := applyPatch([]byte(patchDocument), []byte(tt.patch))
		if (err == nil) != (tt.want != "") || err == nil && !strictjson.Equal(got, []byte(tt.want)) {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

// FuzzPatch applies any bytes: nothing panics, and the result is strict JSON.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`[{"op":"replace","path":"/title","value":"n"}]`, `[{"op":"copy","from":"","path":"/steps/-"}]`,
		`[{"op":"test","path":"/none","value":null}]`,
		`[{"op":"replace","path":"","value":null},{"op":"add","path":"/x","value":1}]`,
		`[{"op":"move","from":"/none","path":"/steps/0"},{"op":"test","path":"/steps/0/x"}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		got, err := applyPatch([]byte(patchDocument), patch)
		if _, parseErr := strictjson.Parse(got, 1000); err == nil && parseErr != nil {
			t.Fatalf("%s gives %s: %v", patch, got, parseErr)
		}
	})
}
