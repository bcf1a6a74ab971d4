package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
)

// want is the part of want.json that coverage is counted by.
type want struct {
	Verdict  string           `json:"verdict"`
	Code     *string          `json:"code"`
	Tier     *string          `json:"tier"`
	Rung     *string          `json:"rung"`
	Repairs  []map[string]any `json:"repairs"`
	Warnings []map[string]any `json:"warnings"`
	Events   []map[string]any `json:"events"`
}

// Whatever these dialects can say, some scenario wants it said. The tables are written out:
// taken from the engine's lists they would shrink with them.
func TestEverythingIsWantedSomewhere(t *testing.T) {
	type words = map[string][]string
	for dialect, must := range map[string]words{
		"planpatch": {
			"verdict": {"applied", "rejected"},
			"code": {
				"no_document", "wrong_document", "invalid_utf8", "reply_too_large", "too_deep", "duplicate_key", "extra_field",
				"missing_field", "bad_type", "empty_id",
				"bad_limit", "invalid_plan", "id_conflict", "duplicate_id", "unknown_step", "done_immutable", "over_capacity",
				"missing_dependency", "dependency_cycle", "empty_patch", "empty_plan",
				"replan_failed", "replies_exhausted",
			},
			"tier": {"strict", "extracted", "repaired", "coerced", "none"},
			"rung": {"patch", "retry", "fullplan", "react"},
			"repair": {
				"remove_update", "remove_add", "replace", "update_add", "all_three", "duplicate_update",
				"comment", "trailing_comma", "quotes", "unquoted_name", "python_literal", "unclosed",
				"json_string", "one_element_array", "wrapper", "wrapped_list", "stripped_member",
			},
			"warning": {
				"unknown_field", "status_forced", "confusable_id", "ambiguous_reply", "unknown_remove", "duplicate_remove",
				"duplicate_dependency", "truncated", "detached", "bridged", "done_restored", "duplicate_key", "replies_unused",
			},
			"event": {
				"replan_requested", "plan_patch_applied", "patch_rejected", "retry_requested", "full_plan_used",
				"full_plan_rejected",
				"react_used", "replan_failed",
			},
		},
		"tasks": {
			"verdict": {"applied", "rejected"},
			"code": {
				"no_document", "invalid_utf8", "reply_too_large", "too_deep", "duplicate_key", "extra_field", "missing_field",
				"bad_type", "empty_id", "bad_limit", "invalid_plan", "duplicate_id", "unknown_step", "done_immutable",
				"over_capacity", "missing_dependency", "dependency_cycle", "empty_patch", "unknown_operation",
				"dependents_exist", "replies_exhausted", "too_many_in_progress", "duplicate_content", "blocked",
			},
			"tier": {"strict", "extracted", "repaired", "coerced"},
			"repair": {
				"comment", "trailing_comma", "quotes", "unquoted_name", "python_literal", "unclosed", "json_string",
				"one_element_array", "wrapper", "wrapped_list", "stripped_member", "bare_array", "single_call",
			},
			"warning": {
				"unknown_field", "duplicate_key", "ambiguous_reply", "reply_refused", "dropped", "early", "demoted", "cascaded",
				"unchanged",
			},
		},
	} {
		wanted := wordsWanted(t, dialect)
		for kind, names := range must {
			for _, name := range names {
				if !slices.Contains(wanted[kind], name) {
					t.Errorf("no scenario of %s wants the %s %s", dialect, kind, name)
				}
			}
			for _, name := range wanted[kind] {
				if !slices.Contains(names, name) {
					t.Errorf("a scenario wants the %s %s, which %s does not have", kind, name, dialect)
				}
			}
		}
	}
}

// wordsWanted collects the words that the scenarios of a dialect want, by kind.
func wordsWanted(t *testing.T, dialect string) map[string][]string {
	wanted := map[string][]string{}
	for _, s := range builtin(t) {
		if s.Case.Dialect != dialect {
			continue
		}
		var w want
		if err := json.Unmarshal(s.Want, &w); err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		note(wanted, "verdict", w.Verdict)
		for kind, v := range map[string]*string{"code": w.Code, "tier": w.Tier, "rung": w.Rung} {
			if v != nil {
				note(wanted, kind, *v)
			}
		}
		for kind, list := range map[string][]map[string]any{"repair": w.Repairs, "warning": w.Warnings, "event": w.Events} {
			member := map[string]string{"repair": "rule", "warning": "code", "event": "event"}[kind]
			for _, item := range list {
				note(wanted, kind, item[member])
			}
		}
	}
	return wanted
}

func note(wanted map[string][]string, kind string, v any) {
	name, _ := v.(string)
	if !slices.Contains(wanted[kind], name) {
		wanted[kind] = append(wanted[kind], name)
	}
}

// Every value of every knob that the dialect knows is set by some scenario.
func TestEveryKnobValueIsSetSomewhere(t *testing.T) {
	must := map[string][]string{
		"conflicts":         {"reject", "keep", "replace"},
		"duplicate_updates": {"reject", "last"},
		"duplicate_keys":    {"reject", "last"},
		"extra_fields":      {"reject", "drop"},
		"orphans":           {"reject", "detach", "bridge"},
		"carry_over":        {"restore", "by_id"},
		"ladder":            {"patch,retry,fullplan", "patch,retry,react", "patch", "patch,retry", "fullplan", "react"},
		"reading.extract":   {"true", "false"},
		"reading.repair":    {"true", "false"},
		"reading.coerce":    {"true", "false"},
	}
	set, sets := map[string]bool{}, map[string]bool{}
	for _, s := range builtin(t) {
		if s.Case.Profile == nil || s.Case.Dialect != "planpatch" {
			continue
		}
		sets[s.Case.Profile.Name()] = true
		for _, k := range harness.Knobs() {
			set[k.Name+"="+k.Get(*s.Case.Profile)] = true
		}
	}
	for knob, values := range must {
		for _, v := range values {
			if !set[knob+"="+v] {
				t.Errorf("no scenario sets %s=%s", knob, v)
			}
		}
	}
	for _, name := range []string{"reference", "documented", "strict", "lenient"} {
		if !sets[name] {
			t.Errorf("no scenario runs under the profile %s", name)
		}
	}
}

// Whatever a run can come to, and every event of its trace, some scenario of
// the dialect orchestrator wants.
func TestEveryEventOfARunIsWantedSomewhere(t *testing.T) {
	must := map[string][]string{
		"code": {
			"bad_limit", "invalid_plan", "missing_field", "extra_field",
			"max_replans_reached", "dependency_deadlock", "replan_failed", "replies_exhausted", "verification_failed",
		},
		"trace": {
			"INTAKE", "PLANNING", "EXECUTING", "VERIFYING", "RECOVERING", "BLOCKED", "DONE",
			"plan_generated", "plan_rejected", "planning_retry", "plan_parse_failed", "plan_step_start", "tool_called",
			"reply_invalid",
			"control_protocol_legacy", "replan_asked", "replan_triggered", "step_done", "step_failed", "step_reopened",
			"final_verify", "verify_cached", "resumed", "run_failed",
			"replan_requested", "plan_patch_applied", "patch_rejected", "retry_requested", "full_plan_used",
			"full_plan_rejected",
			"react_used", "replan_failed",
		},
	}
	wanted := map[string][]string{}
	for _, s := range builtin(t) {
		if s.Case.Dialect != "orchestrator" {
			continue
		}
		var w struct {
			Code  string `json:"code"`
			Trace []any  `json:"trace"`
		}
		if err := json.Unmarshal(s.Want, &w); err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		note(wanted, "code", w.Code)
		for _, item := range w.Trace {
			short, _ := item.(string) // others are items in full
			event, _, _ := strings.Cut(short, " ")
			note(wanted, "trace", event)
		}
	}
	for kind, names := range must {
		for _, name := range names {
			if !slices.Contains(wanted[kind], name) {
				t.Errorf("no scenario wants the %s %s", kind, name)
			}
		}
	}
}

// Whatever a session of the dialect planmode can come to, some scenario wants.
func TestEverySessionIsWantedSomewhere(t *testing.T) {
	must := []string{
		"invalid_utf8", "too_deep", "duplicate_key", "extra_field", "missing_field", "bad_type", "replies_exhausted",
		"bad_arguments", "agent_context",
		"already_in_plan_mode", "not_in_plan_mode", "tool_forbidden", "empty_plan_file", "slug_exhausted",
		"plan.enter", "plan.exit", "plan.approved", "plan.denied",
	}
	n, wanted := 0, map[string]bool{}
	for _, s := range builtin(t) {
		if s.Case.Dialect != "planmode" {
			continue
		}
		n++
		for _, name := range must {
			wanted[name] = wanted[name] || strings.Contains(string(s.Want), `"`+name+`"`)
		}
	}
	for _, name := range must {
		if !wanted[name] {
			t.Errorf("no scenario of the dialect planmode wants %s", name)
		}
	}
	if n < 50 {
		t.Errorf("%d scenarios of the dialect planmode", n)
	}
}
