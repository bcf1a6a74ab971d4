package plan

import (
	"bytes"
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
		if usual := Usual(data); usual != (ok && len(bytes.TrimRight(data, " \t\r\n")) == len(data)) {
			t.Fatalf("usual: %v, quick takes it: %v", usual, ok)
		}
		if !ok {
			return
		}
		want, err := decodeThoroughly(data, titled)
		if err != nil {
			t.Fatalf("quick takes what the thorough way refuses: %v", err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the thorough way and quick differ:\n%s", d)
		}
		if d := cmp.Diff(must(t)(decodeThoroughly(data, either)), got); d != "" {
			t.Errorf("read as any plan, they differ:\n%s", d)
		}
		// What stands behind the plan is none of its business.
		again, n, ok := Scan(append(bytes.TrimSpace(data), `,"steps":[]}`...))
		if !ok || n != len(bytes.TrimSpace(data)) {
			t.Fatalf("at the beginning of more it takes %d bytes (%v)", n, ok)
		}
		if d := cmp.Diff(want, again); d != "" {
			t.Errorf("at the beginning of more it differs:\n%s", d)
		}
	})
}

func must(t *testing.T) func(*Plan, error) *Plan {
	return func(p *Plan, err error) *Plan {
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}
