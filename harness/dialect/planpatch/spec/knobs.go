package spec

import (
	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// IgnoreUnknown is the value of the knob unknown_removal that only warns.
const IgnoreUnknown = "ignore"

// Knobs lists the knobs that only this dialect has.
func Knobs() []harness.Knob {
	return []harness.Knob{
		UnknownRemoval(), knob.Done(), knob.Dependents(), knob.Order(knob.Topological), knob.Text(knob.Keep), knob.MaxText(),
	}
}

// UnknownRemoval returns the knob that decides what the removal of an unknown step does.
func UnknownRemoval() harness.Knob {
	return harness.Knob{
		Name: "unknown_removal", Text: "the removal of an unknown step", Default: IgnoreUnknown,
		Values: []string{IgnoreUnknown, harness.Reject}, Rare: []string{harness.Reject},
	}
}

// Stored returns how a profile stores descriptions and titles.
func Stored(p *harness.Profile) func(string) string { return knob.Stored(p, knob.Text(knob.Keep)) }
