// Package spec contains the names that the rules, generators and checks of the dialect
// orchestrator share. It contains no rule.
package spec

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// What can lead to another plan without being asked for, by the knob replan_on.
const (
	OnVerification = "verification"
	OnTool         = "tool"
	OnEnvironment  = "environment"
)

const off = "off"

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Plans reports whether runs have a plan under these rules.
func Plans(p harness.Profile) bool { return knob.Find(Knobs(), "planning").Get(p) != off }

// ReplansOn reports whether a thing leads to another plan under these rules.
func ReplansOn(p harness.Profile, what string) bool {
	return slices.ContainsFunc(strings.Split(knob.Find(Knobs(), "replan_on").Get(p), ","),
		func(v string) bool { return strings.TrimSpace(v) == what })
}
