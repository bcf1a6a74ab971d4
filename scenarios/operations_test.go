package scenarios_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
)

// Whatever the dialect operations can say, some scenario wants it said. The
// tables are written out: taken from the engine's lists they would shrink with
// them.
func TestOperationsSayEverything(t *testing.T) {
	must := map[string][]string{
		"code": {
			"no_document", "invalid_utf8", "reply_too_large", "too_deep", "duplicate_key", "missing_field", "bad_type",
			"bad_limit", "invalid_plan", "unknown_step", "dependency_cycle", "done_immutable", "empty_patch",
			"replies_exhausted",
		},
		"result": {
			"applied", "unchanged", "undone", "not_run", "extra_field", "missing_field", "bad_type", "empty_id", "duplicate_id",
			"unknown_step", "done_immutable", "over_capacity", "missing_dependency", "dependency_cycle", "unknown_operation",
			"dependents_exist",
		},
		"warning": {
			"unknown_field", "status_forced", "ambiguous_reply", "duplicate_dependency", "duplicate_key",
			"position_ignored",
		},
		"update_type": {"none", "metadata", "structure", "content", "mixed"},
		"knob": {
			"on_error=abort", "on_error=skip", "step_id_names=any", "step_id_names=step_id", "positions=any",
			"positions=integer", "extra_fields=drop",
		},
	}
	wanted := map[string][]string{}
	n := 0
	for _, s := range builtin(t) {
		if s.Case.Dialect != "operations" {
			continue
		}
		n++
		noteUpdate(t, wanted, s.Want)
		for _, k := range harness.Knobs() {
			if s.Case.Profile != nil {
				note(wanted, "knob", k.Name+"="+k.Get(*s.Case.Profile))
			}
		}
	}
	if n < 50 {
		t.Errorf("%d scenarios of operations", n)
	}
	for kind, names := range must {
		for _, name := range names {
			if !slices.Contains(wanted[kind], name) {
				t.Errorf("no scenario of operations wants the %s %s", kind, name)
			}
		}
	}
}

// noteUpdate notes what a want.json of the dialect operations wants.
func noteUpdate(t *testing.T, wanted map[string][]string, want []byte) {
	t.Helper()
	var w struct {
		Code       *string          `json:"code"`
		UpdateType string           `json:"update_type"`
		Operations []any            `json:"operations"`
		Warnings   []map[string]any `json:"warnings"`
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	if w.Code != nil {
		note(wanted, "code", *w.Code)
	}
	note(wanted, "update_type", w.UpdateType)
	for _, o := range w.Operations {
		if object, ok := o.(map[string]any); ok {
			o = object["result"]
		}
		note(wanted, "result", o)
	}
	for _, item := range w.Warnings {
		note(wanted, "warning", item["code"])
	}
}
