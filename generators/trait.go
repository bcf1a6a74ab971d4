package generators

import (
	"slices"
	"strings"

	"replanbench/harness"
)

// Trait is one unusual property of a sample: a fault in the edit, or unusual data that
// the edit meets. Careless engines fail on it. The expected outcome depends on the rules
// of the case; every [Sample] with the trait has it.
type Trait struct {
	Name   string
	Family string // its topic: ids, text, plan …
	Text   string // one line: a clause (see [Trait.When]), and after ": " the expected outcome
	// Theme and Place group traits for the merging of causes: the fault (cycle, blank id,
	// fence), and its location (add, update, full plan, text, plan).
	Theme string
	Place string
	// Base reports that the trait is in the data of the case and not in the edit.
	Base   bool
	Weight int // how often it is drawn, relative to others; 0 is [Usual]
	// Needs lists the capabilities that the trait requires of an engine; see [Options].
	Needs []string
	// Under reports whether the trait can show under the given rules; nil means under
	// all rules.
	Under func(harness.Profile) bool
	// Seen recognises the trait in a shrunk case; nil if the case alone cannot show it.
	Seen func(harness.Case) bool
}

// When returns the clause of the text: "the patch removes a finished step". It can
// follow the word "when".
func (t Trait) When() string {
	clause, _, _ := strings.Cut(t.Text, ": ")
	return clause
}

// Family returns a constructor of traits of the family.
func Family(family string) func(name, text, theme, place string) Trait {
	return func(name, text, theme, place string) Trait {
		return Trait{Name: name, Family: family, Text: text, Theme: theme, Place: place}
	}
}

// Needing returns a copy of the trait that requires more capabilities.
func (t Trait) Needing(capabilities ...string) Trait {
	t.Needs = append(slices.Clip(t.Needs), capabilities...)
	return t
}

// Entry returns the trait. Types of dialects get the method by embedding it.
func (t Trait) Entry() Trait { return t }

// String returns the name and the text.
func (t Trait) String() string { return t.Name + "  " + t.Text }

// Contradict reports whether two lists of settings (KNOB=VALUE) have different values for a knob.
func Contradict(a, b []string) bool {
	for _, x := range a {
		knob := x[:strings.IndexByte(x, '=')+1]
		for _, y := range b {
			if y != x && strings.HasPrefix(y, knob) {
				return true
			}
		}
	}
	return false
}

// Ability is a set of changes that reading may make to a reply that is not strict JSON.
type Ability uint8

// The changes that reading may make.
const (
	Extract Ability = 1 << iota // takes the document out of the text around it
	Repair                      // repairs the syntax
	Coerce                      // changes the shape
)

// Past reports whether reading makes all these changes; a reply that needs none cannot be read at all.
func (a Ability) Past(r harness.Reading) bool {
	return a != 0 && (r.Extract || a&Extract == 0) && (r.Repair || a&Repair == 0) && (r.Coerce || a&Coerce == 0)
}
