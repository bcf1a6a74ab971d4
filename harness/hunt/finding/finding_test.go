package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/scenarios"
)

func aCase(plan, reply string) harness.Case {
	p := harness.Reference()
	return harness.Case{
		Dialect: "planpatch", Profile: &p, Plan: jsontext.Value(plan),
		Replies: []harness.Reply{harness.Reply(reply)},
	}
}

func theFinding() finding.Finding {
	c := aCase(`{"title":"","steps":[{"id":"a","description":"","status":"done"}]}`, `{"remove_steps":["a"]}`)
	return finding.Finding{
		V: finding.Version, Fingerprint: "0123456789ab", Dialect: "planpatch", Invariant: check.DoneImmutable,
		Kind: finding.Violation, Message: "the done step \"a\"\nis gone\u2028", Got: "applied",
		Faults: []string{"done_removed"},
		Seed:   7, CaseIndex: 99, Engine: "mine 1", Reproduced: "3/3", Case: c,
		Answer: harness.Outcome{Verdict: harness.Rejected, Code: harness.DoneImmutable},
	}
}

func TestFingerprint(t *testing.T) {
	print := func(c harness.Case) string { return finding.Fingerprint("done-immutable", "status", "", "applied", c) }
	base := print(aCase(`{"title":"T","steps":[{"id":"a","description":"d"}]}`, `{"remove_steps":["a"]}`))
	same := []harness.Case{
		aCase(`{"title":"Other","steps":[{"id":"x","description":"words"}]}`, `{"remove_steps":["x"]}`),
		aCase(`{"title" : "T", "steps":[{"id":"步","description":"d"}]}`, "{\"remove_steps\":\n[\"步\"]}"),
	}
	for i, c := range same {
		if print(c) != base {
			t.Errorf("case %d has another fingerprint", i)
		}
	}
	limit := 3
	limited := aCase(`{"title":"T","steps":[{"id":"a","description":"d"}]}`, `{"remove_steps":["a"]}`)
	limited.Limits.MaxPlanSteps = &limit
	other := []harness.Case{
		limited,
		aCase(`{"title":"T","steps":[{"id":"a","description":"d"}]}`, `{"remove_steps":["b"]}`),
		aCase(`{"title":"T","steps":[{"id":"a","description":"d","status":"done"}]}`, `{"remove_steps":["a"]}`),
		aCase(`{"title":"T","steps":[{"id":"a","description":"d"}]}`, `{"update_steps":["a"]}`),
		aCase(`{"title":"T","steps":[{"id":"a","description":"d"}]}`, `{"remove_steps":["a"`),
	}
	for i, c := range other {
		if print(c) == base {
			t.Errorf("other case %d has the same fingerprint", i)
		}
	}
	if finding.Fingerprint("progress", "status", "", "applied", aCase(`{}`, "")) == finding.Fingerprint("progress", "",
		"", "applied", aCase(`{}`, "")) {
		t.Error("the field does not matter")
	}
}

// TestWrite: a finding is a scenario that the loader reads, and comes back as
// it was. Writing it again changes nothing.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	f := theFinding()
	for range 2 {
		if err := f.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	var kept finding.Finding
	data, err := os.ReadFile(filepath.Join(dir, f.Fingerprint, finding.JSONFile))
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = kept.Case.Plan.Compact()
	if diff := cmp.Diff(f, kept); diff != "" {
		t.Error(diff)
	}
	loaded, err := scenarios.Load(filepath.Join(dir, f.Fingerprint, finding.ReproFile))
	if err != nil {
		t.Fatal(err)
	}
	_ = loaded[0].Case.Plan.Compact()
	if diff := cmp.Diff(f.Case, loaded[0].Case); diff != "" {
		t.Error(diff)
	}
	if seed, index, ok := finding.Origin(loaded[0].Source); !ok || seed != f.Seed || index != f.CaseIndex {
		t.Errorf("the scenario comes from seed %d, case %d: %v", seed, index, ok)
	}
	if got := loaded[0].Match(harness.Outcome{Verdict: harness.Applied}); len(got) == 0 {
		t.Error("the scenario is content with the wrong answer")
	}
	if got := loaded[0].Match(f.Answer); len(got) > 0 {
		t.Errorf("the scenario is not content with the right answer: %v", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, f.Fingerprint, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("files left over: %v, %v", files, err)
	}
}

func TestDistinct(t *testing.T) {
	early, late, flaky := theFinding(), theFinding(), theFinding()
	early.CaseIndex = 3
	flaky.Kind, flaky.Fingerprint = finding.Flaky, "another"
	got := finding.Distinct([]finding.Finding{flaky, late, early})
	if len(got) != 2 || got[0].CaseIndex != 3 || got[1].Kind != finding.Flaky {
		t.Errorf("got %+v", got)
	}
}

func TestMeasure(t *testing.T) {
	c := aCase(`{"title":"","steps":[{"id":"a","description":""}]}`,
		"```\n{\"remove_steps\":[\"a\",\"b\"],\"add_steps\":[{}]}\n```")
	c.Replies = append(c.Replies, "{ not JSON")
	got := finding.Measure(c)
	got.Bytes = 0
	if want := (finding.Size{Steps: 1, Operations: 3, Replies: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestKindOf(t *testing.T) {
	tests := map[finding.Kind]judge.Break{
		finding.Crash: {Check: "total", Got: "crash"}, finding.Hang: {Check: "total", Got: "hang"},
		finding.Protocol: {Check: "total", Got: "protocol"}, finding.Violation: {Check: "atomic", Got: "applied"},
		finding.Divergence: {Check: "reference", Got: "applied"},
	}
	for want, b := range tests {
		if got := finding.KindOf(b); got != want {
			t.Errorf("%+v: got %s, want %s", b, got, want)
		}
	}
	if finding.KindOf(judge.Break{Check: "total", Got: "applied"}) != finding.Violation {
		t.Error("a malformed answer is a violation")
	}
}

// TestWritten: a list that is written has one entry for each cause, in short lines, and knows
// every name.
func TestWritten(t *testing.T) {
	var also []string
	for i := range 40 {
		also = append(also, fmt.Sprintf("d/%s/%012x", []string{"crash", "loss"}[i%2], i), fmt.Sprintf("d/scenario_%d", i))
	}
	list := []finding.Entry{
		{Pattern: "d/crash/ffffffffffff", Reason: "a: \"b\"", Also: also}, {Pattern: "d/x", Reason: "why"},
	}
	for _, name := range []string{"known.txt", "known.yaml"} {
		text := finding.Written(name, harness.JudgeSafety, list)
		b, err := finding.ParseBaseline(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range append(also, "d/crash/ffffffffffff") {
			if e, ok := b.Find(n); !ok || e.Reason != list[0].Reason {
				t.Errorf("%s: %s: got %+v, %v", name, n, e, ok)
			}
		}
		if e, ok := b.Find("d/x"); !ok || e.Reason != "why" {
			t.Errorf("got %+v, %v", e, ok)
		}
		if _, ok := b.Find("d/y"); ok {
			t.Error("d/y is known")
		}
		for line := range strings.Lines(string(text)) {
			if len(line) > 110 {
				t.Errorf("%s: %q", name, line)
			}
		}
		if n := strings.Count(string(text), "\n"); n > 25 {
			t.Errorf("%s: %d lines for two entries:\n%s", name, n, text)
		}
	}
}

func TestBaseline(t *testing.T) {
	b, err := finding.ParseBaseline("known.txt",
		[]byte("# heading\n\nplanpatch/total/*  # reason\r\nscenarios/**/x # https://example.com/1#part\nexact # "+
			"why\nplanpatch/differs/0123456789ab # a cause\n  scenarios/{c,d}/y\n\tz  # own"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"planpatch/total/abc": "reason", "planpatch/total/abc/d": "", "planpatch/total": "", "exact": "why", "exactly": "",
		"scenarios/x": "https://example.com/1#part", "scenarios/a/b/c/x": "https://example.com/1#part", "scenarios/a/xy": "",
		"planpatch/loss/0123456789ab": "a cause", "todos/differs/0123456789ab": "", "planpatch/loss/0123456789ac": "",
		"scenarios/c/y": "a cause", "scenarios/d/y": "a cause", "scenarios/e/y": "", "z": "own",
	}
	for name, reason := range tests {
		e, ok := b.Find(name)
		if e.Reason != reason || ok != (reason != "") {
			t.Errorf("%s: got %+v, %v; want %q", name, e, ok, reason)
		}
	}
	unused := b.Unused([]string{"exact", "planpatch/total/1", "planpatch/loss/0123456789ab", "scenarios/d/y", "z"})
	if len(unused) != 2 || unused[0].Line != 4 || unused[1].Line != 7 || unused[1].Pattern != "scenarios/c/y" {
		t.Errorf("unused: %+v", unused)
	}
	for _, text := range []string{"a/b", "a/b #", "ok # fine\n[ # no pattern", "a b # two words", "a # b\nc", "  a"} {
		if _, err := finding.ParseBaseline("known.txt", []byte(text)); err == nil ||
			!strings.HasPrefix(err.Error(), "known.txt:") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	many, err := finding.ParseBaseline("known.txt", []byte(strings.Repeat("**/", 40)+"z # slow?"))
	if _, ok := many.Find(strings.Repeat("a/", 400) + "y"); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}
