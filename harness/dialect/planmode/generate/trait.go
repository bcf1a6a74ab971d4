package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// trait is something unusual about a session.
type trait struct {
	generators.Trait
	who who
	at  place // where it adds calls
	// No trait can stand beside one that spoils what it uses.
	uses, spoils part
	// start changes where the session begins, plant adds calls; nil is nothing.
	start, plant func(s *scripter)
}

// who is in whose context something can happen.
type who uint8

const (
	anyone who = iota
	users      // the main session
	agents
)

// place is where in a session the calls of a trait stand.
type place uint8

const (
	nowhere  place = iota
	before         // in the mode normal, before plan mode is entered
	early          // in plan mode, before the plan is written
	late           // in plan mode, with a plan
	after          // in the mode normal, after the plan was approved
	anywhere       // in one of the first three
)

// calls is how many calls a base must have that has the place.
func (p place) calls() int { return [...]int{1, 1, 2, 3, 3, 1}[p] }

// part is what traits use or spoil; a set of bits.
type part uint16

const (
	aScript  part = 1 << iota // calls
	aEntry                    // the mode normal at the beginning
	aMode                     // that plan mode can be entered
	aPlan                     // a plan file that can be written
	anEnd                     // the mode normal after an approval
	anExit                    // what the user says to the base's exit
	aPhase                    // the phase in which the session is
	aName                     // of the plan file, and what stands in its place
	aBlank                    // that there is no plan before one is written
	aContext                  // where the session begins
	aFiles                    // the files of the case
	anAgent                   // who the agent is, and its tools
	anAnswer                  // what the user says to the base's calls, and their arguments
	aCase                     // a document as a whole
)

// Clashes reports whether the two cannot stand in one sample.
func (f trait) Clashes(g trait) bool {
	return f.who != g.who && f.who != anyone && g.who != anyone || f.uses&g.spoils != 0 || f.spoils&g.uses != 0
}

// family makes the traits of a family: their places among the calls, and the words
// of sentences about them.
func family(family string) func(name, theme, where, text string, at place, plant func(*scripter)) trait {
	return func(name, theme, where, text string, at place, plant func(*scripter)) trait {
		t := trait{Trait: generators.Family(family)(name, text, theme, where), at: at, plant: plant, who: users}
		if plant != nil {
			t.uses = aScript
		}
		switch at {
		case before:
			t.uses |= aEntry
		case early:
			t.uses |= aMode
		case late:
			t.uses |= aMode | aPlan
		case after:
			t.uses |= aMode | aPlan | anEnd
		case anywhere:
			t.who, t.uses = anyone, t.uses|aMode
		}
		return t
	}
}

// starts returns the trait with what changes where the session begins.
func (f trait) starts(start func(*scripter)) trait { f.Base, f.start = true, start; return f }

// asks returns the trait with what changes how the base makes its calls.
func (f trait) asks(start func(*scripter)) trait { f.start = start; return f }

// manually returns the trait of a session in which the user approves each edit.
func (f trait) manually() trait {
	return f.asks(func(s *scripter) { s.leaving = "manual" }).takes(anExit).with(aMode | aPlan | anEnd)
}

// of returns the trait of an agent's session, or of anyone's.
func (f trait) of(w who) trait { f.who = w; return f }

// takes returns the trait as the only user of these parts in a sample.
func (f trait) takes(p part) trait {
	f.uses |= p
	f.spoils |= p
	return f
}

// loses returns the trait that spoils parts, and with uses them.
func (f trait) loses(p part) trait { f.spoils |= p; return f }
func (f trait) with(p part) trait  { f.uses |= p; return f }

// seen returns the trait with what recognises it.
func (f trait) seen(is func(c harness.Case) bool) trait { f.Seen = is; return f }

// needs returns the trait with the capabilities that it needs.
func (f trait) needs(capabilities ...string) trait { f.Needs = capabilities; return f }

// traits lists the traits of the dialect. Built once; never modified.
var traits = sync.OnceValue(func() []trait {
	return slices.Concat(arguments(), modes(), tools(), paths(), toggles(), approvals(), agentTraits(), names(),
		contexts(), documents())
})

// document reads a document of a case; nil if it is none.
func document(data []byte) *strictjson.Value {
	d, err := strictjson.Parse(data, 1000)
	if err != nil {
		return nil
	}
	return &d.Root
}

// calling recognises a call of a tool that the user answers so; "" is any answer.
func calling(tool, said string) func(harness.Case) bool { return counting(1, tool, said) }

// counting recognises so many of them.
func counting(n int, tool, said string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		left := n
		if v := document(c.Calls); v != nil {
			for i := range v.Items {
				if call := &v.Items[i]; call.Get("tool").Str() == tool && (said == "" || call.Get("approval").Str() == said) {
					left--
				}
			}
		}
		return left <= 0
	}
}

// having recognises a call with the member.
func having(member string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		v := document(c.Calls)
		return v != nil && slices.ContainsFunc(v.Items, func(call strictjson.Value) bool { return call.Get(member) != nil })
	}
}

// begun recognises a member of the context that is not empty.
func begun(member string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		m := document(c.Context).Get(member)
		return m != nil && (m.Text != "" || len(m.Items) > 0)
	}
}
