package live_test

import (
	"bytes"
	"strings"
	"testing"

	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
)

func TestReadCases(t *testing.T) {
	const plan = `{"title":"t","steps":[{"id":"a","description":"x","status":"done"},{"id":"b","description":"y"}]}`
	list, err := live.ReadCases(all.Asked(), "f", strings.NewReader(`{"id":"c1","plan":`+plan+`,"max_plan_steps":3,"failed_step":"b","error":"full","other":1}

{"plan":`+plan+`}
{"id":"reply-9","case":"c1","plan":`+plan+`,"limits":{"max_plan_steps":3},"reply":"x"}
`))
	const other = `{"v":1,"id":"r","case":"o","dialect":"operations","plan":{"title":"t"},"reply":"x"}
{"v":1,"id":"s","dialect":"planpatch","retry_of":"r","reply":"x"}
{"v":1,"id":"t","dialect":"planpatch","case":"c2","plan":` + plan + `,"intent":{"failed_step":"b"},"reply":"x"}
`
	if corpus, err := live.ReadCases(all.Asked(), "f", strings.NewReader(other)); err != nil || corpus.N != 1 ||
		at(t, corpus, 0).ID != "c2" || at(t, corpus, 0).Intent.FailedStep != "b" {
		t.Errorf("of a corpus: %d cases, %v", corpus.N, err)
	}
	if err != nil || list.N != 2 {
		t.Fatalf("%d cases, %v; want two: the record asks the first again", list.N, err)
	}
	first, second := at(t, list, 0), at(t, list, 1)
	v := first.Variables()
	if *v.StepID != "b" || *v.ErrorMessage != "full" || v.ErrorType != nil || *v.MaxPlanSteps != 3 ||
		first.Intent.FailedStep != "b" {
		t.Errorf("%+v", v)
	}
	if id := *second.Variables().StepID; id != "b" || !strings.HasPrefix(second.ID, "plan-") {
		t.Errorf("without a step: %s of %s", id, second.ID)
	}
	for line, want := range map[string]string{
		``: "f: no cases", `{"id":"x"}`: `f:1: "plan" is missing`, `{"id":`: "f:1: ",
		`{"plan":{"title":"t","steps":[]}}`:       "f:1: invalid plan",
		`{"plan":` + plan + `,"failed_step":"z"}`: `f:1: failed_step is "z"`,
	} {
		if _, err := live.ReadCases(all.Asked(), "f", strings.NewReader(line)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

func at(t *testing.T, list live.Cases, i int) live.Case {
	t.Helper()
	c, err := list.At(i)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// FuzzReadCases: whatever a file holds, it gives cases that can be asked, or an
// error that names the file.
func FuzzReadCases(f *testing.F) {
	f.Add([]byte(`{"id":"c1","plan":{"title":"t","steps":[{"id":"a","description":"x"}]},"error":"e"}`))
	f.Add([]byte("{}\n[]\nnull"))
	f.Add([]byte(`{"plan":{"title":"t","steps":[{"id":"a","description":"x"},{"id":"a","description":"x"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := live.ReadCases(all.Asked(), "cases", bytes.NewReader(data))
		if err != nil && !strings.HasPrefix(err.Error(), "cases:") {
			t.Fatalf("the error does not name the file: %v", err)
		}
		for i := range list.N {
			c := at(t, list, i)
			if c.ID == "" || c.Variables().Map()["cur_plan_md"] == "" {
				t.Fatalf("a case without id or plan: %+v", c)
			}
		}
	})
}
