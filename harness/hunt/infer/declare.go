package infer

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/byname"
)

// Proposed is the declaration of the engine as it seems to be: what it declares
// itself, with what was found out in its place.
func (r *Result) Proposed() harness.Declaration {
	d := r.Declared
	own := all.Rules(r.Dialect).Knobs
	for _, k := range r.Knobs {
		if k.Told() {
			if err := d.Profile.Set(k.Name, k.Found(), own...); err != nil {
				panic(err) // the values are the knob's own
			}
		}
	}
	d.Profile = d.Profile.For(own)
	if r.Refused >= Enough {
		switch {
		case r.SameCode == r.Refused && r.Failed == 0: // an answer with an unknown code is invalid
			d.Codes = harness.ExactCodes
		case 2*r.SameCode < r.Refused:
			d.Codes = harness.AnyCodes
		}
	}
	for _, a := range r.Abilities {
		if a.Without {
			d.Without = append(slices.Clip(d.Without), a.Name)
		}
	}
	for _, g := range r.Given {
		if g.Probes >= Enough && 100*g.Right >= Percent*g.Probes && !d.GivesMember(g.Name) {
			d.Gives = append(slices.Clip(d.Gives), g.Name)
		}
	}
	return d
}

// Declaration is what the engine could say of itself, as JSON: the member dialects
// of its hello.
func Declaration(results []Result) string {
	dialects := map[string]harness.Declaration{}
	for _, r := range results {
		dialects[r.Dialect] = r.Proposed()
	}
	text, err := json.Marshal(dialects, json.Deterministic(true), jsontext.SpaceAfterComma(true),
		jsontext.SpaceAfterColon(true))
	if err != nil {
		panic(err) // declarations are JSON
	}
	return string(text)
}

// Settings is what a configuration would say of the engine: only what differs from
// its own declaration. Where dialects do not agree on a knob that they share, the
// first one counts.
func Settings(results []Result) byname.Engine {
	var said byname.Engine
	told := slices.ContainsFunc(results, func(r Result) bool { return slices.ContainsFunc(r.Knobs, Knob.Told) })
	seen := map[string]bool{}
	for _, r := range results {
		d := r.Proposed()
		for _, k := range all.Vocabulary(r.Dialect).Settings() {
			if told && !seen[k.Name] && k.Get(d.Profile) != k.Get(harness.Reference()) {
				said.Profile = append(said.Profile, k.Name+"="+k.Get(d.Profile))
			}
			seen[k.Name] = true
		}
		if d.Codes != r.Declared.Codes && (said.Codes == "" || d.Codes == harness.AnyCodes) {
			said.Codes = d.Codes
		}
	}
	if told && said.Profile == nil {
		said.Profile = []string{harness.ProfileReference}
	}
	said.Without = items(results, func(d harness.Declaration) []string { return d.Without })
	said.Gives = items(results, func(d harness.Declaration) []string { return d.Gives })
	return said
}

// items lists the names of all dialects, with the dialect's name if there are several;
// nil if the engine declares them all.
func items(results []Result, of func(harness.Declaration) []string) (list []string) {
	news := false
	for _, r := range results {
		names := of(r.Proposed())
		news = news || !slices.Equal(names, of(r.Declared))
		for _, name := range names {
			if len(results) > 1 {
				name = r.Dialect + "/" + name
			}
			list = append(list, name)
		}
	}
	if !news {
		return nil
	}
	return list
}
