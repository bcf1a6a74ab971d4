package harness_test

import (
	"slices"
	"testing"

	"replanbench/harness"
)

func TestStderrLines(t *testing.T) {
	f := harness.Failure{Stderr: "\n  File \"a.py\", line 1\r\n    f(x, y)\n      ^^ ~~~\n\tend\n"}
	want := []string{`  File "a.py", line 1`, "    f(x, y)", "    end"}
	if got := f.StderrLines(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlace(t *testing.T) {
	python := "Traceback (most recent call last):\n  File \"/home/me/adapter.py\", line 120, in main\n    respond()\n" +
		"  File \"/home/me/plan.py\", line 9, in parse\n    return json.loads(text)\n" +
		"  File \"/usr/lib/python3.12/json/decoder.py\", line 355, in raw_decode\n    raise JSONDecodeError\n" +
		"json.decoder.JSONDecodeError: Expecting value\n"
	node := "file:///home/me/plan.mjs:4\n    throw new TypeError()\n    ^\n\nTypeError: x\n" +
		"    at node:internal/streams:3:1\n    at parse (/home/me/node_modules/a/b.js:1:2)\n" +
		"    at apply (file:///home/me/plan.mjs:4:9)\n    at async /home/me/adapter.mjs:30:5\n"
	golang := "panic: index out of range\n\ngoroutine 1 [running]:\nmain.apply(...)\n\t/home/me/plan.go:17 +0x1d\nmain.main()\n" +
		"\t/home/me/main.go:5 +0x1d\n"
	tests := []struct {
		name string
		f    harness.Failure
		want string
	}{
		{
			"a message of an adapter",
			harness.Failure{
				Kind: harness.Crash, Detail: `answered with the error -32000: "plan.py:9: KeyError: 'a'"`, Stderr: node,
			},
			"plan.py:9",
		},
		{
			"a message without a place, and standard error of any request",
			harness.Failure{Kind: harness.Crash, Detail: `answered with the error -32000: "KeyError: 'a'"`, Stderr: python},
			"",
		},
		{"Python", harness.Failure{Kind: harness.Crash, Detail: "ended with exit status 1", Stderr: python}, "plan.py:9"},
		{"Node", harness.Failure{Kind: harness.Crash, Detail: "ended with exit status 1", Stderr: node}, "plan.mjs:4"},
		{"Go", harness.Failure{Kind: harness.Crash, Detail: "ended with exit status 2", Stderr: golang}, "plan.go:17"},
		{
			"in this process",
			harness.Failure{
				Kind: harness.Crash, Detail: "panic: x",
				Stderr: "planner.go:70 example.org/planner.Apply\nmain.go:9 main.engine.Eval",
			},
			"planner.go:70",
		},
		{"no trace", harness.Failure{Kind: harness.Crash, Detail: "ended with exit status 1", Stderr: "killed"}, ""},
		{"a hang", harness.Failure{Kind: harness.Hang, Detail: "no answer", Stderr: python}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.f.Place(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
