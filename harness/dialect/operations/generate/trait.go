package generate

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
)

//go:embed traits.json
var table []byte

// row is a trait of the table. What it does is in maps under its name: see [traits].
type row struct {
	generators.Row
	demand
}

// demand is what a trait needs of the case.
type demand struct {
	// Steps are the steps of the plan that are reserved for the trait, whether it is planted or not.
	Steps roles `json:"steps"`
	// Old says that the plan must have an older version.
	Old bool `json:"old"`
	// Knob decides the outcome. If the case has its own rules, its values have equal probability.
	Knob string `json:"knob"`
	// Keeps says that the plain edit adds and removes nothing.
	Keeps  bool               `json:"keeps"`
	Claims claims             `json:"claims"` // held alone
	Bars   claims             `json:"bars"`   // that no other trait may have
	Has    claims             `json:"has"`
	Silent bool               `json:"silent"` // the case has no replies
	Style  generators.IdStyle `json:"style"`  // of all ids; "" is a plain one
}

// trait is one of the dialect's: of an operation, of a reply, or of the case as a whole.
type trait struct {
	generators.Trait
	demand
	// act writes an operation, and perhaps others before it.
	act func(u *updater) act
	// base changes the plan, its results or its limits before anything is done.
	base func(u *updater)
	// reply changes how an update is written.
	reply func(u *updater)
	// spoil changes how the plan is written, and returns the code that the case is refused with.
	spoil func(u *updater) harness.Code
	// before and behind write further replies.
	before, behind func(u *updater) string
	derived        *deform.Trait // of the text and shape of the main reply
}

// claims are what traits lay claim to.
type claims uint16

const (
	ids       claims = 1 << iota // the style of all ids
	limit                        // of steps
	text                         // the text around the document, its syntax, and members of the update
	metadatum                    // plan_metadata
	plain                        // the plain operations
	replies                      // how many there are
	order                        // of the steps of the plan
	statuses                     // of the steps of the plan
	texts                        // of the steps of the plan
	results                      // of steps
	unsound                      // the case is refused as a whole
	listed                       // there are operations
	sized                        // the number of steps changes
	alone                        // an operation has a fault of shape
)

// UnmarshalText reads the names of claims.
func (c *claims) UnmarshalText(text []byte) (err error) {
	*c, err = generators.Bits[claims](text, "ids", "limit", "text", "metadatum", "plain", "replies", "order", "statuses",
		"texts", "results", "unsound", "listed", "sized", "alone")
	return err
}

// UnmarshalText reads the names of roles.
func (r *roles) UnmarshalText(text []byte) error {
	names := []string{"free", "open", "running", "leaf", "done", "needed", "held", "behind", "doneBehind"}
	*r = nil
	for word := range strings.FieldsSeq(string(text)) {
		i := slices.Index(names, word)
		if i < 0 {
			return fmt.Errorf("%q is none of %q", word, names)
		}
		*r = append(*r, role(i))
	}
	return nil
}

// Clashes reports whether both claim the same, or one bars what the other has.
func (f trait) Clashes(g trait) bool {
	return f.Claims&g.Claims != 0 || f.Bars&g.Has != 0 || g.Bars&f.Has != 0
}

// traits are the traits of the dialect, made once and read-only. The derived traits of the main reply precede the
// traits of the plan.
var traits = sync.OnceValue(func() (list []trait) {
	acts, failing, bases, changes, spoils := acts(), failing(), bases(), changes(), spoils()
	before := map[string]func(u *updater) string{"refused-first": unreadable}
	behind := map[string]func(u *updater) string{"second-reply": again, "refused-second": unreadable}
	for _, r := range generators.Rows[row](table) {
		t := trait{
			Trait: r.Trait(nil), demand: r.demand, act: acts[r.Name], base: bases[r.Name], reply: changes[r.Name],
			spoil: spoils[r.Name], before: before[r.Name], behind: behind[r.Name],
		}
		if write := failing[r.Name]; write != nil {
			_, code, _ := strings.Cut(r.Text, ": ")
			t.act = func(u *updater) act { return act{write(u), code} }
		}
		if t.act != nil {
			t.Has |= listed
		}
		list = append(list, t)
	}
	plan := slices.IndexFunc(list, func(t trait) bool { return t.Family == "plan" })
	return slices.Insert(list, plan, derivedTraits()...)
})

// null is a member that is there and says nothing.
var null = generators.Raw("null")

// leaveOut leaves the plain edit out.
func leaveOut(u *updater) { u.bare = true }

// fails makes the record of an operation that fails.
func fails(v generators.Value, code harness.Code) act { return act{v, string(code)} }
