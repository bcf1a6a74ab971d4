package generators

import (
	"slices"
	"strings"

	"replanbench/harness"
)

// Trait is one thing that is unusual in a sample: a fault planted in the edit, or
// something in the data that the edit meets, on which careless engines stumble.
// What it must lead to depends on the rules of the case, and is part of every
// [Sample] that it was planted in.
type Trait struct {
	Name   string
	Family string // what it is about: ids, text, plan …
	// Text is one line: a clause for what is unusual, a colon, and the outcome, such as
	// "an added step depends on itself: dependency_cycle".
	Text string
	// Theme and Place group traits of one kind: the fault (cycle, blank id, fence) and
	// its place (add, update, full plan, text, plan).
	Theme string
	Place string
	// Base says that it stands in the data of the case, and not in the edit.
	Base   bool
	Weight int // how often it is drawn beside the others; 0 is [Usual]
	// Needs are the capabilities without which an engine is not asked; see
	// [Options].
	Needs []string
	// Under reports whether it can show under these rules, where they are given;
	// nil is under all.
	Under func(harness.Profile) bool
	// Seen recognises the trait in a case that was made smaller; nil is that it
	// cannot be told from the case alone.
	Seen func(harness.Case) bool
}

// Family returns a function that makes traits of the family by name and text.
func Family(family string) func(name, text string) Trait {
	return func(name, text string) Trait { return Trait{Name: name, Family: family, Text: text} }
}

// Weigh returns the trait with a weight.
func (t Trait) Weigh(weight int) Trait {
	t.Weight = weight
	return t
}

// Says returns the trait with the words for sentences about it.
func (t Trait) Says(theme, place string) Trait {
	t.Theme, t.Place = theme, place
	return t
}

// When returns the clause of the text: "an added step depends on itself".
func (t Trait) When() string {
	when, _, _ := strings.Cut(t.Text, ": ")
	return when
}

// Needing returns the trait with capabilities that it needs.
func (t Trait) Needing(capabilities ...string) Trait {
	t.Needs = append(slices.Clip(t.Needs), capabilities...)
	return t
}

// InBase returns the trait as one of the data that the edit meets.
func (t Trait) InBase() Trait {
	t.Base = true
	return t
}

// Entry is the trait itself: what a dialect's type gets by embedding it.
func (t Trait) Entry() Trait { return t }

// String returns the trait as "list traits" prints it.
func (t Trait) String() string { return t.Name + "  " + t.Text }
