package infer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/plan"
)

// TestLimits: a limit that the engine ignores throughout is proposed as one that it is
// without, whatever else is wrong, and one that it gets wrong by one is not. Nothing more is proposed for an
// engine that changes finished work.
func TestLimits(t *testing.T) {
	larger := func(by int) func(int) *int { return func(n int) *int { return new(n + by) } }
	for _, tc := range []struct {
		dialect, defect, limit string
		change                 func(int) *int
		want                   []string
	}{
		{"operations", "no-step-limit", "", nil, []string{"max_plan_steps"}},
		{"planpatch", "off-by-one-limit", "", nil, nil},
		{"operations", "modifies-completed", "max_reply_bytes", unlimited, []string{"max_reply_bytes"}},
		{"todos", "blind-overwrite", "max_depth", larger(1), nil},
	} {
		m, d := all.Mutant(tc.defect), all.Find(tc.dialect)
		if m == nil {
			t.Fatalf("no defect %s", tc.defect)
		}
		hello, err := m.Hello(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(d, hello, 1)
		s.ask = func(c harness.Case) (*harness.Outcome, error) {
			if tc.change != nil {
				c, _ = relimited(c, tc.limit, tc.change)
			}
			out, err := m.Eval(t.Context(), c)
			return &out, err
		}
		list, err := s.abilities()
		if err != nil {
			t.Fatal(err)
		}
		if got := lacking(list); !slices.Equal(got, tc.want) {
			t.Errorf("%s %s: without %v, want %v: %+v", tc.defect, tc.limit, got, tc.want, list)
		}
	}
}

// TestCodes: exact codes are proposed only if no code differs.
func TestCodes(t *testing.T) {
	r := Result{Dialect: "operations", Refused: 100, SameCode: 99}
	if got := r.Proposed().Codes; got != "" {
		t.Errorf("99 of 100 equal codes: proposed %s", got)
	}
	r.SameCode = 100
	if got := r.Proposed().Codes; got != harness.ExactCodes {
		t.Errorf("100 of 100 equal codes: proposed %s", got)
	}
	r.Failed = 1
	if got := r.Proposed().Codes; got != "" {
		t.Errorf("an invalid answer: proposed %s", got)
	}
}

// TestRareKnobs: an engine that works by a value that no generator draws, and does not declare it, is found out.
func TestRareKnobs(t *testing.T) {
	for dialect, settings := range map[string][]string{
		"planpatch": {"dependents=reset"}, "operations": {"text=trim"}, "todos": {"max_text=60", "active_form=required"},
	} {
		d := all.Find(dialect)
		for _, setting := range settings {
			truth := harness.Reference()
			if err := truth.Apply(setting, d.Judging.Knobs...); err != nil {
				t.Fatal(err)
			}
			s := newSearch(d, harness.Hello{Dialects: map[string]harness.Declaration{d.Name: d.Declare(harness.Reference())}}, 1)
			s.ask = func(c harness.Case) (*harness.Outcome, error) {
				out := d.Eval(c, truth)
				return &out, nil
			}
			s.vary()
			if err := s.cut(); err != nil {
				t.Fatal(err)
			}
			name, value, _ := strings.Cut(setting, "=")
			k := s.knobs[slices.IndexFunc(s.knobs, func(k knob) bool { return k.Name == name })]
			told, err := s.tell(k)
			if err != nil || !told.Told() || told.Found() != value {
				t.Errorf("%s %s: said %q of %d probes, sure %v: %v", dialect, setting, told.Found(), told.Probes, told.Sure, err)
			}
		}
	}
}

// TestMembers: members that no plan of the engine shows are proposed, also if several are missing in the same cases,
// if most answers are right because the members do not matter, and if done steps lose them. What it loses at times
// is a bug.
func TestMembers(t *testing.T) {
	bare := func(step *plan.Step) { step.Extra = nil }
	for _, tc := range []struct {
		name, dialect string
		lose          func(step *plan.Step)
		every         int // of so many answers, one loses the members
		want          []string
	}{
		{"never kept", "todos", bare, 1, []string{"priority", "active form"}},
		{"lost at times", "todos", bare, 2, nil},
		{"a graph without edges", "planpatch", func(step *plan.Step) {
			step.Dependencies, step.ToolsExpected = nil, nil
		}, 1, []string{"dependencies", "tools_expected"}},
	} {
		d := all.Find(tc.dialect)
		s := newSearch(d, harness.Hello{Dialects: map[string]harness.Declaration{d.Name: d.Declare(harness.Reference())}}, 1)
		asked := 0
		s.ask = func(c harness.Case) (*harness.Outcome, error) {
			out := d.Eval(c, harness.Reference())
			if asked++; out.Verdict == harness.Applied && asked%tc.every == 0 {
				for i := range out.Plan.Steps {
					tc.lose(&out.Plan.Steps[i])
				}
			}
			return &out, nil
		}
		missing, err := s.missing()
		if err != nil {
			t.Fatal(err)
		}
		more, err := s.abilities()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, append(lacking(missing), lacking(more)...)); diff != "" {
			t.Errorf("%s: without (-want +got)\n%s", tc.name, diff)
		}
	}
}
