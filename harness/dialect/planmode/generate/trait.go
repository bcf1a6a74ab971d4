package generate

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

//go:embed traits.json
var table []byte

// row is a trait of the table. What it does besides its calls is in [starts] and [plants] under its name.
type row struct {
	generators.Row
	Who who   `json:"who"` // "" is the main session; anywhere it is anyone
	At  place `json:"at"`
	// Uses are parts that no other trait may spoil, Loses those that it spoils, and Takes both.
	Uses  part `json:"uses"`
	Takes part `json:"takes"`
	Loses part `json:"loses"`
	// Calls are alternatives for a call that it adds. Refused is the code that the call is rejected with.
	Calls   []jsontext.Value `json:"calls"`
	Refused harness.Code     `json:"refused"`
	// Seen recognises the trait: a call with these members; "" matches any value.
	Seen map[string]string `json:"seen"`
	// Begun recognises it, too: a member of the context that is not empty.
	Begun string `json:"begun"`
}

// trait is something unusual about a session.
type trait struct {
	generators.Trait
	who who
	at  place // where it adds calls
	// No trait can stand beside one that spoils what it uses.
	uses, spoils part
	// start changes where the session begins, or how its base makes calls. plant adds calls; nil is nothing.
	start, plant move
}

// move is what a trait does to a session.
type move = func(s *scripter)

// who is in whose context something can happen.
type who string

const (
	anyone who = "anyone"
	users  who = "users" // the main session
	agents who = "agents"
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

// UnmarshalText reads the name of a place.
func (p *place) UnmarshalText(text []byte) error {
	i := slices.Index([]string{"nowhere", "before", "early", "late", "after", "anywhere"}, string(text))
	if i < 0 {
		return fmt.Errorf("%q is no place", text)
	}
	*p = place(i)
	return nil
}

// calls is how many calls a base must have that has the place.
func (p place) calls() int { return [...]int{1, 1, 2, 3, 3, 1}[p] }

// uses are the parts of a session that calls at the place use.
func (p place) uses() part {
	return [...]part{0, aEntry, aMode, aMode | aPlan, aMode | aPlan | anEnd, aMode}[p]
}

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

// UnmarshalText reads the names of parts, in the order of the constants.
func (p *part) UnmarshalText(text []byte) (err error) {
	*p, err = generators.Bits[part](text, "script", "entry", "mode", "plan", "end", "exit", "phase", "name", "blank",
		"context", "files", "agent", "answer", "case")
	return err
}

// Clashes reports whether the two cannot stand in one sample.
func (f trait) Clashes(g trait) bool {
	return f.who != g.who && f.who != anyone && g.who != anyone || f.uses&g.spoils != 0 || f.spoils&g.uses != 0
}

// traits lists the traits of the dialect. Built once; never modified.
var traits = sync.OnceValue(func() (list []trait) {
	starts, plants, seen := starts(), plants(), recognised()
	for _, r := range generators.Rows[row](table) {
		list = append(list, r.trait(starts[r.Name], plants[r.Name], seen[r.Name]))
	}
	return list
})

// trait returns the trait of the row with its functions.
func (r row) trait(start, plant move, seen func(harness.Case) bool) trait {
	t := trait{
		Trait: r.Trait(nil), who: cmp.Or(r.Who, users), at: r.At, uses: r.Uses | r.Takes, spoils: r.Takes | r.Loses,
		start: start, plant: plant,
	}
	if r.At == anywhere {
		t.who = cmp.Or(r.Who, anyone)
	}
	if r.Calls != nil {
		t.plant = r.call
	}
	switch {
	case t.who == agents:
		t.uses |= aScript
	case t.plant != nil:
		t.uses |= aScript | r.At.uses()
	default:
		t.uses |= r.At.uses()
	}
	switch {
	case r.Seen != nil:
		t.Seen = r.seen
	case r.Begun != "":
		t.Seen = r.begun
	default:
		t.Seen = seen
	}
	return t
}

// call adds one of the row's calls.
func (r row) call(s *scripter) {
	s.refused(generators.Raw(string(generators.Pick(&s.Choices, r.Calls))), r.Refused)
}

// seen reports whether a case has a call with the members by which the trait is recognised.
func (r row) seen(c harness.Case) bool {
	return calling(c, func(call *strictjson.Value) bool {
		for name, value := range r.Seen {
			if m := call.Get(name); m == nil || value != "" && m.Str() != value {
				return false
			}
		}
		return true
	}) > 0
}

// begun reports whether the member of the context is not empty.
func (r row) begun(c harness.Case) bool {
	m := document(c.Context).Get(r.Begun)
	return m != nil && (m.Text != "" || len(m.Items) > 0)
}

// calling counts the calls of a case that are so.
func calling(c harness.Case, is func(call *strictjson.Value) bool) (n int) {
	calls := document(c.Calls)
	for i := 0; calls != nil && i < len(calls.Items); i++ {
		if is(&calls.Items[i]) {
			n++
		}
	}
	return n
}

// document reads a document of a case; nil if it is none.
func document(data []byte) *strictjson.Value {
	d, err := strictjson.Parse(data, 1000)
	if err != nil {
		return nil
	}
	return &d.Root
}

// recognised are the traits that neither a call nor the context shows.
func recognised() map[string]func(c harness.Case) bool {
	return map[string]func(c harness.Case) bool{
		"link-to-plan":    func(c harness.Case) bool { return strings.Contains(string(c.Files), `"link"`) },
		"context-missing": func(c harness.Case) bool { return len(c.Context) == 0 },
		"files-missing":   func(c harness.Case) bool { return len(c.Files) == 0 },
		"enters-again": func(c harness.Case) bool {
			return calling(c, func(call *strictjson.Value) bool { return call.Get("tool").Str() == "EnterPlanMode" }) > 1
		},
	}
}
