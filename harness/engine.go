package harness

import (
	"context"
	"slices"
	"time"
)

// Engine applies model-made edits to plans. Implementations are the built-in
// reference, engines with a known defect, and whatever a user brings: a Go
// value, a subprocess, an HTTP endpoint.
type Engine interface {
	// Hello says who the engine is and what it can do.
	Hello(ctx context.Context) (Hello, error)
	// Eval evaluates one case. An error means that the engine itself failed
	// (crash, hang, garbage), never that a reply was refused: that is an
	// outcome with the verdict rejected.
	Eval(ctx context.Context, c Case) (Outcome, error)
	Close() error
}

// Bounded is an engine that keeps to a deadline by itself: past it, Eval returns
// a Failure. Nobody needs to guard it, and Eval may take longer than the
// deadline where other cases are under way.
type Bounded interface {
	Engine
	// Deadline is the time for one case.
	Deadline() time.Duration
}

// Hello is an engine's declaration of itself.
type Hello struct {
	Name     string
	Version  string
	Window   int // requests that may be under way at once; 0 is 1
	Dialects map[string]Declaration
}

// Declaration is what an engine says of one dialect: the profile that it
// implements and the features that it has.
type Declaration struct {
	Profile  Profile  `json:"profile,omitzero"`
	Features []string `json:"features,omitzero"`
}

// The features.
const (
	FeatureLadder   = "ladder"   // takes more than one reply
	FeatureProfiles = "profiles" // takes any profile
)

// Has reports whether the feature is declared.
func (d Declaration) Has(feature string) bool {
	return slices.Contains(d.Features, feature)
}

// Resolve says under which profile the engine evaluates the case, and whether
// it can: a case of an undeclared dialect, with a profile that the engine does
// not have, or with a ladder that it cannot climb is unsupported, never a
// failure. needs are the features that the dialect says the case needs. The reason is "" where the case is supported.
func (h Hello) Resolve(c Case, needs ...string) (p Profile, reason string) {
	d, ok := h.Dialects[c.Dialect]
	if !ok {
		return Profile{}, "the engine does not declare the dialect " + c.Dialect
	}
	for _, feature := range needs {
		if !d.Has(feature) {
			return Profile{}, "the case needs the feature " + feature + ", which the engine does not declare"
		}
	}
	if c.Profile == nil {
		return d.Profile, ""
	}
	if !d.Has(FeatureProfiles) && !c.Profile.Equal(d.Profile) {
		return Profile{}, "the case has a profile of its own and the engine does not declare the feature " + FeatureProfiles
	}
	return *c.Profile, ""
}
