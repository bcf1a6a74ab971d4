// Package spec contains the names that the rules, generators and checks of the dialect
// orchestrator share. It contains no rule.
package spec

import (
	"slices"
	"strings"

	"replanbench/harness"
)

// What can lead to another plan without being asked for, by the knob replan_on.
const (
	OnVerification = "verification"
	OnTool         = "tool"
	OnEnvironment  = "environment"
)

const off = "off"

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return []harness.Knob{planning(), replanOn()} }

func planning() harness.Knob {
	return harness.Knob{
		Name: "planning", Text: "whether steps run with a plan, or without one from the start",
		Values: []string{"on", off}, Default: "on",
	}
}

func replanOn() harness.Knob {
	return harness.Knob{
		Name: "replan_on", Text: "the events that lead to a replan while replans are left: a failed verification, a " +
			"failed tool, a changed environment",
		Values: []string{OnVerification, OnTool, OnEnvironment, "none"}, List: true, Default: OnVerification,
	}
}

// Plans reports whether runs have a plan under these rules.
func Plans(p harness.Profile) bool { return planning().Get(p) != off }

// ReplansOn reports whether a thing leads to another plan under these rules.
func ReplansOn(p harness.Profile, what string) bool {
	return slices.ContainsFunc(strings.Split(replanOn().Get(p), ","),
		func(v string) bool { return strings.TrimSpace(v) == what })
}
