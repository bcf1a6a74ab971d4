package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// takesFull reports whether a full plan that answers the first request finds a
// rung of the ladder, and takesPatch whether a patch does.
func takesFull(l []harness.Rung) bool {
	_, full, _ := rungs(l)
	return full && l[0] != harness.RungReact
}

func takesPatch(l []harness.Rung) bool { return len(l) > 0 && l[0] != harness.RungFullPlan }

// rungs returns how many rungs of a ladder read patches, and whether it has one for full plans
// and ends in react.
func rungs(l []harness.Rung) (patches int, full, react bool) {
	for _, r := range l {
		switch r {
		case harness.RungFullPlan:
			full = true
		case harness.RungReact:
			return patches, full, true
		default:
			patches++
		}
	}
	return patches, full, false
}

// label returns the verdict, code and place that the traits of the sample declare.
func (d *draft) label() generators.Want {
	if d.unsound != "" {
		return generators.Refused(d.unsound)
	}
	patches, full, react := rungs(d.profile.Ladder)
	own, n := d.own(), len(d.before)
	reads := n < patches
	if d.full {
		reads = full && n <= patches
	}
	accepted := own.Verdict == harness.Applied && reads && !d.silent
	switch {
	case own.Loose || accepted:
		return own
	case len(d.after) > 0 && !d.silent:
		return generators.Want{Loose: true} // the other reply may be accepted
	case react:
		return generators.Want{Verdict: harness.Applied, Rung: harness.RungReact}
	case n == 0 && d.silent:
		return generators.Refused(harness.RepliesExhausted)
	case n > 0 && (patches > 1 || full && patches > 0):
		return generators.Refused(harness.ReplanFailed)
	case n > 0:
		return generators.Want{Loose: true} // the code of the first reply
	case !reads:
		return generators.Refused(append(own.Codes, harness.WrongDocument)...)
	}
	return own
}

// own is the label of the draft's reply.
func (d *draft) own() generators.Want {
	e := &d.effect
	if !e.Past(d.profile.Reading) {
		want := e.Refused()
		if d.full && !e.Around && d.mistaken() { // for a patch
			want.At, want.Codes = nil, append(want.Codes, harness.WrongDocument, harness.ExtraField)
		}
		return want
	}
	if e.Code != "" && e.Open {
		return generators.Want{Loose: true}
	}
	var codes []harness.Code
	for _, t := range d.drawn.Traits {
		if !d.ownTrait(t) {
			continue
		}
		if t.Varies && collect.Count(d.drawn.Traits, d.ownTrait) > 1 {
			return generators.Want{Loose: true}
		}
		for _, r := range t.Refuses {
			switch setting, code, _ := strings.Cut(r, ":"); {
			case !d.profile.Holds(setting):
			case code == "":
				return generators.Want{Loose: true}
			default:
				codes = append(codes, harness.Code(code))
			}
		}
	}
	if !d.full && len(d.removes)+len(d.updates)+len(d.adds) == 0 && d.newTitle == "" && codes == nil {
		codes = []harness.Code{harness.EmptyPatch} // the engine can do nothing that the edit could be
	}
	switch {
	case codes != nil:
		return generators.Refused(codes...)
	case !d.full && d.newTitle == "" && d.drawn.Lacks("add"):
		return generators.Want{Loose: true} // what the engine can do may change nothing
	}
	return generators.Want{Verdict: harness.Applied}
}

// ownTrait reports whether a trait is planted and changes the draft itself, not its text.
func (d *draft) ownTrait(t patchTrait) bool {
	return t.derived == nil && slices.Contains(d.planted, t.Name)
}

// mistaken reports whether the changed document of a full plan does not look like one.
func (d *draft) mistaken() bool {
	if d.profile.Ladder[0] == harness.RungFullPlan {
		return false
	}
	kind := d.effect.Root.Get("type")
	return d.effect.Root.Get("steps") == nil || kind != nil && (!kind.IsText || kind.Str != "FullPlan") &&
		kind.Json != "null"
}
