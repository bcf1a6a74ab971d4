package harness

import (
	"maps"
	"slices"
)

// Vocabulary is what the outcomes of one dialect are made of: closed lists, of
// which coverage says how much was met. A list is empty where the dialect has
// no such thing.
type Vocabulary struct {
	Codes    []Term
	Tiers    []Term
	Rungs    []Term
	Repairs  []Term
	Warnings []Term
	Events   []Term   // of the ladder's log, or of the trace
	Results  []Term   // what can become of a single operation
	Updates  []Term   // what an update of the plan can be about
	Knobs    []string // of the profile, that change a rule of the dialect
	Own      []Knob   // that the dialect declares for itself
	Marks    []Term   // more words of a trace: the states of a run, the calls of a session
	// Capabilities are what an engine can declare to be without: operations,
	// members of steps, limits, inputs that it does not check. The dialect says of
	// a case which of them it needs.
	Capabilities []Term
	// Hints suggest fixes for rejections, by code; see package explain.
	Hints map[string]string
	// Rates are shares of items that the dialect adds to the common rates of scores.
	Rates []Term
	// Formerly has the former names of traits and checks by their names: options and lists of
	// known failures may still contain them.
	Formerly map[string][]string
	// Subjects groups themes of traits about one thing, in addition to those of derived traits.
	Subjects [][]string
}

// Join puts the words of two vocabularies together, each once.
func (v Vocabulary) Join(o Vocabulary) Vocabulary {
	return Vocabulary{
		Codes:        union(v.Codes, o.Codes),
		Tiers:        union(v.Tiers, o.Tiers),
		Rungs:        union(v.Rungs, o.Rungs),
		Repairs:      union(v.Repairs, o.Repairs),
		Warnings:     union(v.Warnings, o.Warnings),
		Events:       union(v.Events, o.Events),
		Results:      union(v.Results, o.Results),
		Updates:      union(v.Updates, o.Updates),
		Marks:        union(v.Marks, o.Marks),
		Knobs:        union(v.Knobs, o.Knobs),
		Own:          joinKnobs(v.Own, o.Own),
		Capabilities: union(v.Capabilities, o.Capabilities),
	}
}

// Settings lists the knobs that change a rule of the dialect.
func (v Vocabulary) Settings() []Knob {
	shared := slices.DeleteFunc(Knobs(), func(k Knob) bool { return !slices.Contains(v.Knobs, k.Name) })
	return append(shared, v.Own...)
}

func union[T comparable](a, b []T) []T { return unionBy(a, b, func(x, y T) bool { return x == y }) }

// joinKnobs joins knobs of two dialects. A knob of both has the values of both.
func joinKnobs(a, b []Knob) []Knob {
	list := slices.Clone(a)
	for _, k := range b {
		if i := slices.IndexFunc(list, func(o Knob) bool { return o.Name == k.Name }); i >= 0 {
			list[i].mixed = list[i].mixed || k.mixed || list[i].Default != k.Default || !maps.Equal(list[i].Named, k.Named)
			list[i].Values, list[i].Rare = union(list[i].Values, k.Values), union(list[i].Rare, k.Rare)
			continue
		}
		list = append(list, k)
	}
	return list
}

func unionBy[T any](a, b []T, same func(x, y T) bool) []T {
	list := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(list, func(y T) bool { return same(x, y) }) {
			list = append(list, x)
		}
	}
	return list
}
