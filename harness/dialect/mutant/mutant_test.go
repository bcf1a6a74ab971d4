package mutant

import (
	"context"
	"errors"
	"testing"

	"replanbench/harness"
)

// echo applies every case, and says what it was asked.
func echo(c harness.Case, p harness.Profile) harness.Outcome {
	return harness.Outcome{Verdict: harness.Applied, Message: string(c.Replies[0]) + " " + p.Conflicts}
}

// TestDefectsCompose wraps a defect round another one.
func TestDefectsCompose(t *testing.T) {
	loud := Reads("loud", "", func(reply string) string { return reply + "!" }).Wrap
	strict := Under(func(p *harness.Profile) { p.Conflicts = harness.Reject })
	mute := Answers("mute", "", func(out *harness.Outcome) { out.Message = "(" + out.Message + ")" }).Wrap
	replies := []harness.Reply{"hello"}
	out := mute(strict(loud(loud(echo))))(harness.Case{Replies: replies}, harness.Profile{})
	if want := "(hello!! reject)"; out.Message != want || replies[0] != "hello" {
		t.Errorf("%q of %q, want %q", out.Message, replies[0], want)
	}
}

// TestEnginesBeginFresh: what one engine remembers, another does not.
func TestEnginesBeginFresh(t *testing.T) {
	counting := New("counting", "refuses all cases but the first", func(right Eval) Eval {
		n := 0
		return func(c harness.Case, p harness.Profile) harness.Outcome {
			if n++; n > 1 {
				return harness.Outcome{Verdict: harness.Rejected}
			}
			return right(c, p)
		}
	})
	c := harness.Case{Dialect: "toy", Replies: []harness.Reply{"hello"}}
	for range 2 {
		e := Engine("toy", counting, echo, harness.Declaration{Profile: harness.Reference()})
		for _, want := range []harness.Verdict{harness.Applied, harness.Rejected} {
			if out, err := e.Eval(t.Context(), c); err != nil || out.Verdict != want {
				t.Errorf("%s (%v), want %s", out.Verdict, err, want)
			}
		}
	}
	if out, err := Engine("toy", counting, echo, harness.Declaration{Profile: harness.Reference()}).Eval(t.Context(),
		harness.Case{Dialect: "chess"}); err != nil || out.Verdict != harness.Unsupported {
		t.Errorf("of another dialect: %s (%v)", out.Verdict, err)
	}
}

func TestHanging(t *testing.T) {
	e := Engine("toy", Hanging("waits", "waits", func(c harness.Case) bool { return c.Replies[0] == "wait" }), echo,
		harness.Declaration{Profile: harness.Reference()})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Eval(ctx, harness.Case{Dialect: "toy", Replies: []harness.Reply{"go"}}); err != nil {
		t.Error(err)
	}
	_, err := e.Eval(ctx, harness.Case{Dialect: "toy", Replies: []harness.Reply{"wait"}})
	if f := (*harness.Failure)(nil); !errors.As(err, &f) || f.Kind != harness.Hang {
		t.Errorf("%v, want a hang", err)
	}
	if _, ok := e.(harness.Bounded); !ok {
		t.Error("nobody knows how long to wait for the engine")
	}
}

func TestRewrite(t *testing.T) {
	for _, test := range [][2]string{
		{`so: {"a": 1, "b": [2]} and {"c":{}}.`, `so: {"b":[2],"x":"y"} and {"c":{},"x":"y"}.`},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`}, // which cannot be written back
		{"none {", "none {"},
	} {
		got := Rewrite(test[0], func(o Object) {
			o.Drop("a")
			o.Set("x", Text("y"))
		})
		if got != test[1] {
			t.Errorf("%s\nbecomes %s\nwant    %s", test[0], got, test[1])
		}
	}
}
