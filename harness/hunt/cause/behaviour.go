package cause

import (
	"cmp"
	"fmt"

	"replanbench/harness"
	"replanbench/harness/hunt/judge"
)

// CheckProfile is what a cause is put down to by which the engine declares one value
// of a knob, and works by another. No check of a dialect has this name.
const CheckProfile = "profile"

// Without is the name of a behaviour that is no knob: the engine lacks a capability.
const Without = "without"

// Behaviour is such a value, or a capability that the engine lacks and does not declare to lack. It is one cause,
// whatever it breaks; what else is wrong is judged under the value that the engine works by.
type Behaviour struct {
	Knob      string `json:"knob"`
	Declared  string `json:"declared"`
	Found     string `json:"found"`
	Explained uint64 `json:"explained"` // probes that the found value explains
	Probes    uint64 `json:"probes"`    // that tell the values apart
	// Class is the worst of what the probes break under the declared value, and
	// Example the first of them.
	Class   judge.Class   `json:"class"`
	Example *harness.Case `json:"example,omitzero"`
	// Advisory is the sentence of a behaviour that fails nothing, because nothing was declared.
	Advisory string `json:"advisory,omitzero"`
}

// cause is the behaviour as a cause.
func (b Behaviour) cause(dialect string) Cause {
	key := Key{Culprits: []string{}, Check: CheckProfile, Kind: b.Knob + "=" + b.Found}
	id := key.ID(dialect)
	sentence := fmt.Sprintf("Declares %s=%s but behaves like %s", b.Knob, b.Declared, b.Found)
	if b.Knob == Without {
		sentence = fmt.Sprintf("Seems to lack %s and does not declare it", b.Found)
	}
	return Cause{
		Advisory: b.Advisory != "", Family: "declaration",
		ID: id, Class: b.Class, Culprits: key.Culprits, Check: key.Check, Kind: key.Kind,
		Cases: b.Explained, Of: b.Probes,
		Sentence: cmp.Or(b.Advisory, sentence),
		Example:  b.Example, Findings: []string{}, Groups: []string{id},
	}
}
