package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzQuick holds the quick way to the thorough one: what it takes, both take,
// and alike.
func FuzzQuick(f *testing.F) {
	for _, doc := range []string{
		`{"title":"t","steps":[]}`,
		`{"type":"FullPlan","title":"t","verification_policy":"p","steps":[{"id":"a","description":"d","dependencies":["b",""],"status":"Done","tools_expected":[]}]}`,
		`{"type":null,"title":"t","verification_policy":null,"steps":[{"id":"a","description":"","dependencies":null,"status":null}]}`,
		`{"title":"t","steps":[{"id":"a","description":"d","dependencies":[null]}]}`,
		`{"title":"t","steps":[null]}`,
		`{"title":null,"steps":[]}`,
		`{"title":"t","Title":"u","steps":[]}`,
		`{"title":"t","title":"u","steps":[]}`,
		`{"title":"\ud800","steps":[]}`,
		`{"type":"PlanPatch","title":"t","steps":[]}`,
		`{"title":"t","version":1,"name":"n","steps":[]}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := quick(data)
		if !ok {
			return
		}
		want, err := decode(data, either)
		if err != nil {
			t.Fatalf("quick takes what decode refuses: %v", err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("decode and quick differ:\n%s", d)
		}
	})
}
