package scenarios_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/testdata/golden"
	"replanbench/scenarios"
)

func builtin(t *testing.T) []scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestBuiltinIdentity(t *testing.T) {
	all := builtin(t)
	if len(all) < 140 {
		t.Errorf("%d built-in scenarios are embedded, want at least 140", len(all))
	}
	ids, docs := map[string]bool{}, map[string]string{}
	for _, s := range all {
		if ids[s.ID] {
			t.Errorf("the id %s stands twice", s.ID)
		}
		ids[s.ID] = true
		if other, ok := docs[s.Doc]; ok {
			t.Errorf("%s and %s exist for the same reason: %s", other, s.ID, s.Doc)
		}
		docs[s.Doc] = s.ID
		if dialect, rest, _ := strings.Cut(s.ID, "/"); dialect != s.Case.Dialect || strings.Count(rest, "/") != 1 {
			t.Errorf("%s: the path of a scenario is dialect/group/name", s.ID)
		}
		if len(strings.Fields(s.Doc)) < 5 || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s: %q does not say why the scenario exists", s.ID, s.Doc)
		}
	}
}

// The documented regression cases and the traps must be findable by name.
func TestBuiltinNames(t *testing.T) {
	have := map[string]bool{}
	for _, s := range builtin(t) {
		have[strings.TrimPrefix(s.ID, "planpatch/")] = true
	}
	for _, name := range []string{
		"documented/done_status_preserved", "documented/update_of_done_refused", "documented/missing_dependency_refused",
		"documented/existing_dependency_accepted", "documented/additions_over_limit_truncated",
		"documented/no_truncation_mark_within_limit", "documented/valid_patch_read",
		"documented/full_plan_not_misread_as_patch", "documented/pending_step_removed", "documented/done_step_not_removed",
		"incident/conflicts_reject_fails", "incident/conflicts_keep_applied", "incident/conflicts_replace_applied",
		"incident/react_ladder_goes_on",
		"conflicts/keep_remove_add_existing", "conflicts/replace_remove_add_existing", "conflicts/replace_remove_add_done",
		"conflicts/replace_remove_add_unknown", "conflicts/replace_all_three",
		"graph/self_dependency_by_add", "graph/two_cycle_by_add", "graph/two_cycle_by_update",
		"graph/duplicate_dependency_in_add",
		"plans/status_capital_done", "plans/status_completed", "limits/truncation_leaves_dangling_update",
		"fullplan/forged_done", "fullplan/drops_done_step", "fullplan/renames_done_step", "fullplan/reuses_done_id",
		"fullplan/limit_cuts_open_steps_only", "repair/strings_stay_as_they_are", "reading/control_object_before_patch",
		"reading/brackets_100000", "reading/word_of_one_mebibyte", "reading/lone_surrogate",
	} {
		if !have[name] {
			t.Errorf("there is no scenario %s", name)
		}
	}
}

// Files in canonical form keep the diffs of rewritten expectations small.
func TestBuiltinIsCanonical(t *testing.T) {
	for _, s := range builtin(t) {
		golden.Check(t, filepath.FromSlash(s.File), s.Format())
	}
}

// The expectations are written by hand from the rules, so this checks the
// reference as much as the scenarios.
func TestReferenceMeetsBuiltin(t *testing.T) {
	engine := reference.New()
	for _, s := range builtin(t) {
		out, err := engine.Eval(t.Context(), s.Case)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		report := t.Errorf
		if s.Level == scenarios.Should {
			report = t.Logf
		}
		for _, d := range s.Match(out) {
			report("%s (%s): %v", s.ID, s.Level, d)
		}
		if names := s.Unchecked(out); len(names) > 0 {
			t.Errorf("%s: the reference does not tell %v", s.ID, names)
		}
	}
}

// A scenario without a profile of its own runs under whatever an engine
// declares. So it must hold whichever knob is turned, as long as the ladder
// begins with a patch and a refusal stays a refusal.
func TestScenariosWithoutProfileHoldUnderAll(t *testing.T) {
	ladders := []string{"patch", "patch,retry", "patch,fullplan"}
	list := builtin(t)
	usual := make([]harness.Outcome, len(list)) // under the reference's own profile
	for i, s := range list {
		out, err := reference.New().Eval(t.Context(), s.Case)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		usual[i] = out
	}
	own := all.Words().Own
	for _, k := range harness.Knobs(own...) {
		values := k.Values
		switch k.Name {
		case "ladder":
			values = ladders
		case "planning":
			continue // runs that are not planned have nothing in common with those that are
		}
		for _, v := range values {
			p := harness.Reference()
			if err := p.Set(k.Name, v, own...); err != nil {
				t.Fatal(err)
			}
			engine := reference.WithProfile(p)
			for i, s := range list {
				if s.Case.Profile != nil || s.Level == scenarios.Should {
					continue
				}
				out, err := engine.Eval(t.Context(), s.Case)
				if err != nil {
					t.Fatalf("%s: %v", s.ID, err)
				}
				if reflect.DeepEqual(out, usual[i]) {
					continue // TestReferenceMeetsBuiltin has matched it
				}
				for _, d := range s.Match(out) {
					t.Errorf("%s depends on %s=%s, so it needs a profile line: %v", s.ID, k.Name, v, d)
				}
			}
		}
	}
}

// The checks find nothing in what the reference makes of the scenarios, but for
// the policy that is kept to show how it loses finished work; and whoever judges a
// scenario leaves its case as it was.
func TestChecksHoldForBuiltin(t *testing.T) {
	engine := reference.New()
	hello, err := engine.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judges := map[string]*judge.Judge{}
	for _, d := range all.Names() {
		judges[d] = judge.New(engine, hello, all.Rules(d), judge.Options{Reference: engine, Every: 1})
	}
	fresh := builtin(t)
	for i, s := range builtin(t) {
		verdict, err := judges[s.Case.Dialect].Judge(t.Context(), judge.Item{Case: s.Case})
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		for _, b := range verdict.Breaks {
			if p := s.Case.Profile; p == nil || p.CarryOver != harness.ByID || b.Check != "done-immutable" {
				t.Errorf("%s: %s: %s", s.ID, b.Check, b.Message)
			}
		}
		if d := cmp.Diff(fresh[i].Case, s.Case); d != "" {
			t.Errorf("%s: judging changes the case (-before +after):\n%s", s.ID, d)
		}
	}
}
