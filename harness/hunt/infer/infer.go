// Package infer infers the rules that an engine follows from its answers.
//
// It asks probes: small cases to which the reference gives another answer under
// another value of one knob. The engine seems to have the value under which the
// reference answers as the engine does. Knobs hide each other: an engine that does
// not read a reply says nothing about what it would do with it. So the knobs are
// tried in rounds, each under the values that the others seem to have, until
// nothing changes, and then in pairs.
//
// Probes are found among the generated cases. The package knows no dialect and no
// engine.
package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/engine/guard"
	"replanbench/harness/hunt/judge"
)

// A value is proposed if it explains so many of at least so many probes, and each other
// value explains less than half of the probes that distinguish the two. It is also proposed
// if it explains so many probes, more than half of the probes that distinguish it from any
// other value, and no other value explains one of them.
const (
	Enough  = 10
	Percent = 95
)

// Value is one value of a knob, or several that no probe distinguishes.
type Value struct {
	Names     []string // as in profiles
	Explained int      // probes that the reference answers as the engine does
}

// String returns the names of the value, joined by "or".
func (v Value) String() string { return strings.Join(v.Names, " or ") }

// Knob is what was found out about one knob.
type Knob struct {
	Name     string
	Declared string
	Probes   int // answers that distinguish some values
	// Values are the values that the probes distinguish, the likeliest first.
	Values []Value
	// Sure says that the first of the values explains the answers, and no other does.
	Sure bool
	// Class is, of a value that is not the declared one, the worst of what the answers
	// break under the declared one, and Example the first of them.
	Class   judge.Class
	Example *harness.Case
}

// Found is the value of a knob that explains the answers, by preference the
// declared one; "" if none does.
func (k Knob) Found() string {
	switch {
	case !k.Sure:
		return ""
	case slices.Contains(k.Values[0].Names, k.Declared):
		return k.Declared
	}
	return k.Values[0].Names[0]
}

// Told reports whether the engine seems to have another value than it declares.
func (k Knob) Told() bool { return k.Sure && k.Found() != k.Declared }

// Ability is what was found out about a capability.
type Ability struct {
	Name     string
	Probes   int
	Answered int // of the probes, as the rules want it
	// Ignored counts the probes of a limit that are answered as they are without the limit, and with half of it.
	Ignored int
	// Unsafe says that an answer to a probe breaks a safety check: the engine has a bug, and
	// does not lack the capability, unless plans show it.
	Unsafe  bool
	Without bool
	// Class is, of a capability that the engine lacks, the worst of what the answers break
	// if it is not declared, and Example the first of them.
	Class   judge.Class
	Example *harness.Case

	probes  []*probe
	shown   bool     // plans show the capability
	applied int      // probes that the engine applies
	all     []string // capabilities that all probes need
}

// Given is what was found out about an optional member of outcomes.
type Given struct {
	Name   string
	Probes int // answers for which the rules have the member
	Given  int
	Right  int // of those, as the rules want it
}

// Result is what was found out about an engine in one dialect.
type Result struct {
	Dialect   string
	Declared  harness.Declaration
	Asked     int // probes
	Failed    int // that the engine gave no answer to
	Profile   harness.Profile
	Knobs     []Knob
	Abilities []Ability
	Given     []Given
	Refused   int // probes that the engine and the rules refuse
	SameCode  int // of those, with the same code
	Explained int // probes that the believed profile explains
}

// Options say how to look.
type Options struct {
	Seed uint64
	// Deadline is how long the engine may take for one probe, where it keeps no
	// deadline of its own; 0 is ten seconds.
	Deadline time.Duration
	// Asked is called after each probe with the number of probes so far; nil is allowed.
	Asked func(probes int)
}

// Run finds out about an engine in one dialect, which it must declare. The error
// says that the context ended, or that the engine was given up.
func Run(ctx context.Context, engine harness.Engine, hello harness.Hello, d *dialect.Dialect, o Options) (Result,
	error,
) {
	declared, ok := hello.Dialects[d.Name]
	if !ok {
		return Result{}, fmt.Errorf("the engine does not declare the dialect %s", d.Name)
	}
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Second
	}
	g := guard.Shared(engine, o.Deadline)
	defer g.Close()
	s := newSearch(d, hello, o.Seed)
	asked := 0
	s.ask = func(c harness.Case) (*harness.Outcome, error) {
		out, err := g.Eval(ctx, c)
		if asked++; o.Asked != nil {
			o.Asked(asked)
		}
		switch {
		case err == nil:
			return &out, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, harness.ErrStopped):
			return nil, err
		}
		return nil, nil
	}
	missing, err := s.missing()
	if err != nil {
		return Result{}, err
	}
	excused, err := s.excuse()
	if err != nil {
		return Result{}, err
	}
	r := Result{Dialect: d.Name, Declared: declared, Abilities: slices.Concat(missing, excused)}
	for {
		if err := s.settle(); err != nil {
			return Result{}, err
		}
		found, err := s.abilities()
		if err != nil {
			return Result{}, err
		}
		missing := lacking(found)
		if missing == nil {
			r.Abilities = append(r.Abilities, found...)
			break
		}
		// A missing capability hides rules of the engine, so cases that do not need it look for them again.
		s.lack(missing...)
		r.Abilities = append(r.Abilities, slices.DeleteFunc(found, func(a Ability) bool { return !a.Without })...)
	}
	r.Profile = s.believed
	for _, k := range s.knobs {
		told, err := s.tell(k)
		if err != nil {
			return Result{}, err
		}
		r.Knobs = append(r.Knobs, told)
	}
	declared.Profile = s.believed
	for i := range r.Abilities {
		if a := &r.Abilities[i]; a.Without {
			a.Class, a.Example = s.blame(declared, a.probes)
		}
	}
	s.count(&r)
	return r, nil
}
