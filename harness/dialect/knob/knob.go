// Package knob has the knobs that several dialects declare, and applies their values
// to plans. Generators draw only their defaults; the other values are for engines
// that declare them.
package knob

import (
	"cmp"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// The values of the knobs.
const (
	Keep        = "keep"
	Trim        = "trim"
	None        = "none"
	Given       = "given"
	ActiveFirst = "active_first"
	Protected   = "protected"
	Replaceable = "replaceable"
	Reset       = "reset"
)

// Stored returns how a profile stores a text; reference is the default of the dialect's knob text.
func Stored(p *harness.Profile, reference string) func(string) string {
	trims, limit := cmp.Or(p.More["text"], reference) == Trim, p.More["max_text"]
	return func(s string) string { return Store(s, trims, limit) }
}

// Store returns a text as it is stored: perhaps trimmed, and cut at a number of characters. A limit that is no
// number is none.
func Store(s string, trims bool, limit string) string {
	if trims {
		s = strings.TrimSpace(s)
	}
	if limit == "" || limit == None {
		return s
	}
	n, err := strconv.Atoi(limit)
	if err != nil {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Sorts reports whether the engine sorts the new plan.
func Sorts(p *harness.Profile) bool { return p.More["order"] != "" && p.More["order"] != Given }

// Replaces reports whether edits that name finished steps are applied.
func Replaces(p *harness.Profile) bool { return p.More["done"] == Replaceable }

// Resets reports whether steps that depend on a changed one become pending.
func Resets(p *harness.Profile) bool { return p.More["dependents"] == Reset }

// ToReset returns the indexes of the steps that become pending because they need a changed one. done is the status
// of finished steps.
func ToReset(p *harness.Profile, steps []plan.Step, changed map[string]bool, done plan.Status) (list []int) {
	if !Resets(p) || len(changed) == 0 {
		return nil
	}
	needing := plan.Needing(steps, changed)
	for i := range steps {
		s := &steps[i]
		if needing[s.ID] && !changed[s.ID] && s.Status != plan.Pending && (s.Status != done || Replaces(p)) {
			list = append(list, i)
		}
	}
	return list
}
