package rpc

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// FuzzQuickOutcome holds the quick way of reading outcomes to the long one:
// what it takes, both take, and alike.
func FuzzQuickOutcome(f *testing.F) {
	const plan = `"plan": {"title":"t","steps":[{"id":"a","description":"d","dependencies":["b"],"status":"done"}]}`
	for _, s := range []string{
		`{"verdict":"applied",` + plan + `}`,
		`{"verdict": "applied" , ` + plan + ` , "tier": "strict"}`,
		`{` + plan + `,"verdict":"applied"}`,
		`{` + plan + `}`,
		`{` + plan + `,}`,
		`{,` + plan + `}`,
		`{"a":"b",,` + plan + `}`,
		`{"verdict":"applied",` + plan + `,` + plan + `}`,
		`{"verdict":"applied","pl\u0061n":null,` + plan + `}`,
		`{"verdict":"applied","verdict":"rejected",` + plan + `}`,
		`{"verdict":"applied",` + plan + `,"meta":{"added":1},"warnings":[{"code":"truncated","ids":["x"]}]}`,
		`{"meta":{"added":1},` + plan + `}`,
		`{"verdict":"applied",` + plan + `} x`,
		"{\"verdict\":\"\xff\"," + plan + "}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		got, ok := quickOutcome(result)
		if !ok {
			return
		}
		var want harness.Outcome
		if err := json.Unmarshal(result, &want); err != nil {
			t.Fatalf("the quick way takes what the long one refuses: %v", err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-long +quick):\n%s", d)
		}
	})
}

// FuzzQuickEval does the same for what is sent.
func FuzzQuickEval(f *testing.F) {
	for _, s := range []string{
		`{"title":"t","steps":[]}`, `{"title":"t","steps":[{"id":"a","description":"d"}]}`,
		"{\"title\":\"t\",\n\"steps\":[]}", `{"title":"t","steps":[],"x":1}`, `{"title":"t","steps":[]} `, "{\"title\":\"\xff\",\"steps\":[]}", "",
	} {
		f.Add([]byte(s), "reply \xff")
		f.Add([]byte(s), `{"plan":{}}`)
	}
	f.Fuzz(func(t *testing.T, plan []byte, reply string) {
		p := EvalParams{DeadlineMS: 7, Case: harness.Case{Dialect: "planpatch", Plan: plan, Replies: []harness.Reply{harness.Reply(reply)}}}
		quick, ok := quickEval(p)
		if !ok {
			return
		}
		var got EvalParams
		if err := json.Unmarshal(quick, &got); err != nil {
			t.Fatalf("what is sent cannot be read: %v\n%s", err, quick)
		}
		if d := cmp.Diff(p, got); d != "" {
			t.Errorf("(-case +sent):\n%s", d)
		}
	})
}
