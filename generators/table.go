package generators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Row has the members that every table of traits has. Rows of dialects embed it.
type Row struct {
	Name   string `json:"name"`
	Family string `json:"family"`
	Text   string `json:"text"`
	Theme  string `json:"theme"` // "" is the name in words
	Place  string `json:"place"` // "" is the family
	Base   bool   `json:"base"`
	Weight int    `json:"weight"`
	// Under lists the settings (KNOB=VALUE) that the trait needs.
	Under []string `json:"under"`
	// Needs lists the capabilities that the trait needs.
	Needs []string `json:"needs"`
}

// Trait returns the trait of the row. knobs returns the dialect's own knobs.
func (r *Row) Trait(knobs func() []harness.Knob) Trait {
	return Trait{
		Name: r.Name, Family: r.Family, Text: r.Text, Theme: cmp.Or(r.Theme, strings.ReplaceAll(r.Name, "-", " ")),
		Place: cmp.Or(r.Place, r.Family), Base: r.Base, Weight: r.Weight, Needs: r.Needs,
		Under: func(p harness.Profile) bool {
			return !slices.ContainsFunc(r.Under, func(setting string) bool { return !p.Holds(setting, knobs()...) })
		},
	}
}

// Rows reads a table of traits: {"groups": [{…, "traits": [ROW, …]}, …]}. The other members of a group
// hold for each of its rows that does not have them. JSON values in rows are without white space.
// Rows panics if the table is wrong, which is a bug.
func Rows[R any](table []byte) (rows []R) {
	var doc struct {
		Groups []struct {
			Traits []jsontext.Value `json:"traits"`
			Common jsontext.Value   `json:",embed"`
		} `json:"groups"`
	}
	text := jsontext.Value(slices.Clone(table))
	must(text.Compact())
	must(json.Unmarshal(text, &doc))
	for _, g := range doc.Groups {
		for _, own := range g.Traits {
			var r R
			must(json.Unmarshal(g.Common, &r, json.RejectUnknownMembers(true)))
			must(json.Unmarshal(own, &r, json.RejectUnknownMembers(true)))
			rows = append(rows, r)
		}
	}
	return rows
}

// Bits returns a set with a bit for each word of a text, in the order of the names.
func Bits[S ~uint8 | ~uint16 | ~uint32](text []byte, names ...string) (set S, err error) {
	for word := range strings.FieldsSeq(string(text)) {
		i := slices.Index(names, word)
		if i < 0 {
			return 0, fmt.Errorf("%q is none of %q", word, names)
		}
		set |= 1 << i
	}
	return set, nil
}

func must(err error) {
	if err != nil {
		panic("table of traits: " + err.Error())
	}
}

// Status returns the status that a table abbreviates to p, i, c or x. It returns "" for other texts.
func Status(letter string) plan.Status {
	switch letter {
	case "p":
		return plan.Pending
	case "i":
		return plan.InProgress
	case "c":
		return plan.Completed
	case "x":
		return plan.Cancelled
	}
	return ""
}
