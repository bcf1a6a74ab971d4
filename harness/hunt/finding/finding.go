// Package finding defines what a campaign finds: one break of a check, the small
// case that shows it, and a fingerprint that is the same for the same bug. It also
// reads and writes the directory of findings and the list of known failures.
package finding

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// Version is the version of finding.json.
const Version = 2

// Kind says what a finding means.
type Kind string

// The kinds.
const (
	Violation  Kind = "violation"  // something broke that must hold for every engine
	Divergence Kind = "divergence" // the answer differs from the one under the rules
	Crash           = Kind(harness.Crash)
	Hang            = Kind(harness.Hang)
	Protocol        = Kind(harness.ProtocolFailure)
	Flaky           = Kind(harness.Flaky) // it does not show each time
)

// Finding is one break of one check. Its many fields are the members of a finding file.
type Finding struct {
	V           int    `json:"v"`
	Fingerprint string `json:"fingerprint"`
	Dialect     string `json:"dialect"`
	Invariant   string `json:"invariant"`
	Kind        Kind   `json:"kind"`
	// Cause is the id of the cause that it is an example of. Class is the class of the break,
	// and CheckKind the way in which the check breaks.
	Cause     string      `json:"cause,omitzero"`
	Class     judge.Class `json:"class"`
	CheckKind string      `json:"check_kind"`
	Message   string      `json:"message"` // one sentence
	Step      string      `json:"step,omitzero"`
	Field     string      `json:"field,omitzero"`
	Want      string      `json:"want,omitzero"` // the right answer, where one is known
	Got       string      `json:"got"`
	// Also are the other checks that the case as generated breaks.
	Also []string `json:"also,omitempty"`

	Faults           []string `json:"faults"` // the traits of the case
	Seed             uint64   `json:"seed"`
	CaseIndex        uint64   `json:"case_index"`
	GeneratorVersion string   `json:"generator_version"`
	Engine           string   `json:"engine"`
	Reproduced       string   `json:"reproduced"` // 3/3, or [Unexamined]
	// Before are the indices of the requests behind which the case fails, where it does
	// not fail in a process that has had no other.
	Before []uint64 `json:"before,omitempty"`
	Shrunk Shrunk   `json:"shrunk"`
	// Diff shows what differs between two plans: the wanted and the given one,
	// or, where none is known, the plan before and after.
	Diff   string `json:"diff,omitzero"`
	Stderr string `json:"stderr,omitzero"` // the end of what the engine wrote there

	// Case shows the break, with the profile that it is judged by; Answer is
	// what it should give, as far as known.
	Case   harness.Case    `json:"case"`
	Answer harness.Outcome `json:"answer"`
	// Given is what the engine answered: verdict, code, place, plan, and the
	// member that differs from the reference's; absent if there was no answer.
	// At is the place in the last reply that the right answer blames.
	Given *harness.Outcome `json:"given,omitzero"`
	At    *string          `json:"at,omitzero"`
}

// Minimized returns a line on how the case was shrunk.
func (f Finding) Minimized() string {
	from, to := f.Shrunk.From, f.Shrunk.To
	if f.Kind == Flaky {
		return fmt.Sprintf("%s breaks only sometimes (%s), so the case stays as it is", f.Invariant, f.Reproduced)
	}
	return fmt.Sprintf("%s: %s (%d → %d steps, %d → %d operations, %d → %d bytes)", f.Invariant, f.Message,
		from.Steps, to.Steps, from.Operations, to.Operations, from.Bytes, to.Bytes)
}

// Unexamined is what Reproduced says of a finding whose campaign was interrupted
// before the case could be asked for again and shrunk.
const Unexamined = "0/0"

// ID is the finding's name: dialect/invariant/fingerprint.
func (f Finding) ID() string { return f.Dialect + "/" + f.Invariant + "/" + f.Fingerprint }

// Shrunk says how large the case was and how small it became.
type Shrunk struct {
	From Size `json:"from"`
	To   Size `json:"to"`
}

// Size is how large a case is.
type Size struct {
	Steps      int `json:"steps"`      // of the plan
	Operations int `json:"operations"` // items of the lists in the replies, and of the other lists of the case
	Replies    int `json:"replies"`
	Bytes      int `json:"bytes"` // of all documents and replies
}

// Measure returns the size of a case. Operations are counted only in replies
// that hold one JSON object.
func Measure(c harness.Case) Size {
	s := Size{Replies: len(c.Replies)}
	if p, err := all.Plan(c); err == nil {
		s.Steps = len(p.Steps)
	}
	d := all.Find(c.Dialect)
	if d == nil {
		d = &dialect.Dialect{Layout: &document.Layout{}}
	}
	for _, doc := range d.Documents {
		if doc.Counted {
			s.Operations += len(parsed(c.Document(doc.Name)).Items)
		}
	}
	for _, value := range c.Documents() {
		s.Bytes += len(value)
	}
	for _, r := range c.Replies {
		s.Bytes += len(r)
		for _, m := range parsed([]byte(objectIn(string(r)))).Members {
			if slices.Contains(d.Layout.Counted, m.Name) {
				s.Operations += len(m.Value.Items)
			}
		}
	}
	return s
}

// parsed returns the JSON value of a text, an empty value for invalid JSON.
func parsed(text []byte) strictjson.Value {
	doc, err := strictjson.Parse(text, 1000)
	if err != nil {
		return strictjson.Value{}
	}
	return doc.Root
}

// KindOf says what a break means.
func KindOf(b judge.Break) Kind {
	switch b.Check {
	case judge.Expected, judge.Reference:
		return Divergence
	case judge.Total:
		if k := Kind(b.Got); k == Crash || k == Hang || k == Protocol {
			return k
		}
	}
	return Violation
}

// sort orders findings, the worst first, then by their names.
func sort(list []Finding) {
	order := []Kind{Crash, Hang, Protocol, Violation, Divergence, Flaky}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)),
			cmp.Compare(a.ID(), b.ID()),
			cmp.Compare(a.CaseIndex, b.CaseIndex),
		)
	})
}

// Distinct returns one finding for each fingerprint, the one with the lowest case index.
func Distinct(list []Finding) []Finding {
	best := map[string]int{}
	var out []Finding
	for _, f := range list {
		i, ok := best[f.ID()]
		switch {
		case !ok:
			best[f.ID()] = len(out)
			out = append(out, f)
		case f.CaseIndex < out[i].CaseIndex:
			out[i] = f
		}
	}
	out = slices.Clip(out)
	sort(out)
	return out
}

// Status is what a report says of a finding of this kind.
func (k Kind) Status() harness.Status {
	if k == Violation || k == Divergence {
		return harness.Fail
	}
	return harness.Status(k)
}
