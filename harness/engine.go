package harness

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
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
	Name    string
	Version string
	Window  int  // requests that may be under way at once; 0 is 1
	Remote  bool // it lives outside this process: what it does to a case is not seen
	// Selective says that the engine may answer unsupported to a case that its declaration
	// covers, with the reason as message. It is then not judged on the case.
	Selective bool
	Dialects  map[string]Declaration
}

// Declaration is what an engine says of one dialect: the profile that it
// implements, the features that it has, and what it does and gives. All of it is
// checked, and none of it waives anything in a case that was asked.
type Declaration struct {
	Profile  Profile  `json:"profile,omitzero"`
	Features []string `json:"features,omitzero"`
	// Codes says whether the codes of rejections are compared: [ExactCodes] compares them, ""
	// and [AnyCodes] do not.
	Codes string `json:"codes,omitzero"`
	// Arguments says how the engine gets a reply: [ParsedArguments], or "" or [TextArguments].
	Arguments string `json:"arguments,omitzero"`
	// Without are the capabilities that the engine does not have, by the dialect's
	// list: operations, members of steps, limits, inputs that it does not check.
	Without []string `json:"without,omitzero"`
	// Gives are the optional members of outcomes that the engine gives. Only these
	// are compared, one that is absent as an empty one.
	Gives []string `json:"gives,omitzero"`
}

// How an engine means the codes of its refusals.
const (
	ExactCodes = "exact"
	AnyCodes   = "any"
)

// How an engine gets a reply: as the text that a model wrote, or as a document that a client has
// parsed. Then every reply is one JSON object, and reading is not judged. Types still are.
const (
	TextArguments   = "text"
	ParsedArguments = "parsed"
)

// NeedText is what a case needs whose reply must be read from text.
const NeedText = "text of replies"

// GivesMember reports whether an optional member of outcomes is declared.
func (d Declaration) GivesMember(name string) bool { return slices.Contains(d.Gives, name) }

// The features.
const (
	FeatureLadder   = "ladder"   // takes more than one reply
	FeatureProfiles = "profiles" // takes any profile
	FeatureStore    = "store"    // keeps the plan itself, in a process that can be stopped
)

// IsFeature reports whether a need of a case is a feature, which an engine must
// declare, and not a capability, which an engine has unless it declares to be
// without it.
func IsFeature(need string) bool {
	return need == FeatureLadder || need == FeatureProfiles || need == FeatureStore
}

// Has reports whether the feature is declared.
func (d Declaration) Has(feature string) bool {
	return slices.Contains(d.Features, feature)
}

// Lacks lists what cases must not need: capabilities that the engine is without, and features
// that it does not have. The profile of a case is decided by who makes it.
func (d Declaration) Lacks() []string {
	list := slices.Clone(d.Without)
	if !d.Has(FeatureLadder) {
		list = append(list, FeatureLadder)
	}
	if d.Arguments == ParsedArguments {
		list = append(list, NeedText)
	}
	return list
}

// Takes reports whether the engine is without no capability, and has the features that the form of
// the case may need, so that nobody needs to look at what the case needs.
func (d Declaration) Takes(c Case) bool {
	return len(d.Without) == 0 && d.Arguments != ParsedArguments &&
		(len(c.Replies) <= 1 || d.Has(FeatureLadder)) && (len(c.More) == 0 || d.Has(FeatureStore))
}

// Lack is what a case needs and the engine does not have: its name, and a clause that says why
// the engine cannot get the case. Both are empty if the engine has all.
type Lack struct{ Name, Reason string }

// Resolve says under which profile the engine evaluates the case, and whether
// it can: a case of an undeclared dialect, with a profile that the engine does
// not have, or with a ladder that it cannot climb is unsupported, never a
// failure. own are the knobs that the dialect has of its own, and needs the features
// that it says the case needs. The lack is empty where the case is supported.
func (h Hello) Resolve(c Case, own []Knob, needs ...string) (p Profile, lack Lack) {
	d, ok := h.Dialects[c.Dialect]
	if !ok {
		return Profile{}, Lack{"the dialect " + c.Dialect, "the engine does not declare the dialect " + c.Dialect}
	}
	for _, need := range needs {
		switch {
		case IsFeature(need) && !d.Has(need):
			name := "the feature " + need
			return Profile{}, Lack{name, "the case needs " + name + ", which the engine does not declare"}
		case need == NeedText && d.Arguments == ParsedArguments:
			const why = "a reply of the case must be read from text, and the engine declares that it gets parsed arguments"
			return Profile{}, Lack{"replies as text", why}
		case slices.Contains(d.Without, need):
			return Profile{}, Lack{need, "the case needs " + need + ", which the engine declares to be without"}
		}
	}
	if c.Profile == nil {
		return d.Profile, Lack{}
	}
	if !d.Has(FeatureProfiles) && !c.Profile.Same(d.Profile, own) {
		return Profile{}, Lack{
			"the feature " + FeatureProfiles,
			"the case has a profile of its own and the engine does not declare the feature " + FeatureProfiles,
		}
	}
	return *c.Profile, Lack{}
}

// Failure is the error of an [Engine] that failed on a case.
type Failure struct {
	// Kind is Crash (it ended, panicked or answered with an error), Hang (no
	// answer within its deadline) or ProtocolFailure (an answer that is none).
	Kind   Status `json:"kind"`
	Detail string `json:"detail"` // what happened, in words
	// Site names what failed: the phase of a server, or the wrong part of the answer. It is ""
	// if that is not known. The line of the source is [Failure.Place].
	Site string `json:"-"`
	// Stored reports that Site is a value that no plan can have, which the engine stored.
	Stored bool   `json:"-"`
	Stderr string `json:"stderr,omitzero"` // the end of what the engine wrote to standard error, if anything
}

// gistWords is how many words of a message name an error.
const gistWords = 8

// gistNames is how many quoted names of a message count.
const gistNames = 2

// Gists returns the gists of the engine's message; see [Gists].
func (f *Failure) Gists() []string {
	text, _, _ := strings.Cut(f.Detail, ";")
	if _, message, ok := strings.Cut(f.Detail, `: "`); ok && f.Kind == Crash {
		text = message
	}
	return Gists(text)
}

// Gists returns the first words of an engine's message, with … for words that are quoted or
// contain anything but letters, which may come from the case, and the same with each quoted
// name. Messages from one place of the engine's source have the first one in common.
func Gists(text string) []string {
	var words, names []string
	gap := ""
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimRight(word, `:,.;()"`)
		name := strings.Trim(bare, `'`)
		switch {
		case name == "" || strings.IndexFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) >= 0:
		case name == bare && !strings.Contains(bare, "_"):
			words, gap = append(words, gap+bare), ""
			continue
		case len(bare) == len(name)+2 && !slices.Contains(names, name):
			names = append(names, name)
		}
		if len(words) > 0 {
			gap = "… "
		}
	}
	gist := strings.Join(words[:min(len(words), gistWords)], " ")
	list := []string{gist}
	for _, name := range names[:min(len(names), gistNames)] {
		list = append(list, gist+" '"+name+"'")
	}
	return list
}

// Word names the failure: crash with the place where the engine says that it
// broke, hang, memory, stores with the impossible value, or garbage with the fault of the answer.
func (f *Failure) Word() string {
	switch {
	case f.Kind == Hang:
		return "hang"
	case f.Stored:
		return "stores:" + f.Site
	case f.Kind == ProtocolFailure:
		return "garbage:" + cmp.Or(f.Site, "answer")
	case f.Site == "memory":
		return "memory"
	}
	return "crash:" + cmp.Or(f.Site, "unknown")
}

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// AsFailure makes an error of Eval a Failure. One that is none in itself is a
// crash.
func AsFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Kind: Crash, Detail: err.Error()}
}

// ErrStopped is the error of an engine that was given up: it failed so often
// that it is not asked again. Unlike a [Failure] it blames no case. A run stops
// there and reports what it has.
var ErrStopped = errors.New("the engine was given up")
