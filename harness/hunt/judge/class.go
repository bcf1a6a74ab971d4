package judge

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Class says how bad a break is.
type Class string

// The classes, worst first.
const (
	Crashes  Class = "crash"    // crash, hang, garbage, memory, super-linear time
	Loss     Class = "loss"     // finished work lost or changed, or what was asked silently not done
	Unsound  Class = "unsound"  // a plan or a run that breaks its own rules
	Forged   Class = "forged"   // a reply made something done, or approved, that may not
	Unsteady Class = "unsteady" // the same request gets another answer
	Accepts  Class = "accepts"  // applies what the engine's own rules refuse
	Refuses  Class = "refuses"  // refuses what its own rules accept
	Differs  Class = "differs"  // both apply, to different plans
	Reports  Class = "reports"  // the right plan, and wrong words about it
	OnlyCode Class = "code"     // both refuse, for different reasons
)

// classes in their order.
var classes = [...]Class{Crashes, Loss, Unsound, Forged, Unsteady, Accepts, Refuses, Differs, Reports, OnlyCode}

// Classes returns the classes, worst first.
func Classes() []Class { return classes[:] }

// Rank is the place of the class among all, the worst first.
func (c Class) Rank() int { return slices.Index(classes[:], c) }

// Kind is one way in which a check breaks. The lists are closed: kinds hold no
// names of steps, no numbers and no texts.
type Kind struct {
	// Name is a word, or a word, a colon and a placeholder in capitals: changed:MEMBER.
	Name  string
	Class Class
	Text  string // one line, for lists
	// Level is the level at which it counts; "" is the level of its class.
	Level harness.Level
}

// fits reports whether a break's kind is one of these.
func (k Kind) fits(kind string) bool {
	word, rest, more := strings.Cut(k.Name, ":")
	if more && rest == strings.ToUpper(rest) {
		return strings.HasPrefix(kind, word+":")
	}
	return k.Name == kind || word == strings.ToUpper(word) && !more
}

// pairs returns the kinds for two outcomes: the expected one and the one of the engine.
func pairs() []Kind {
	return slices.Concat(
		Of(Accepts, "accepts:CODE"), Of(Refuses, "refuses:CODE"), Of(Differs, "differs:MEMBER"),
		Of(Reports, "reports:MEMBER"), Of(OnlyCode, "code:WANT:GOT"),
	)
}

// Says returns a kind with what it says of an engine: a sentence without its
// subject's trait, such as "a finished step is gone".
func Says(c Class, name, text string) []Kind { return []Kind{{Name: name, Class: c, Text: text}} }

// At returns the kinds as they count at a level that differs from their class's.
func At(l harness.Level, kinds ...[]Kind) []Kind {
	list := slices.Concat(kinds...)
	for i := range list {
		list[i].Level = l
	}
	return list
}

// level is the level at which breaks of the class count.
func (c Class) level() harness.Level {
	switch c {
	case Crashes, Loss, Unsound, Unsteady:
		return harness.JudgeSafety
	case Reports, OnlyCode:
		return harness.JudgeExact
	}
	return harness.JudgeRules
}

// Level returns the level at which a break of the dialect counts.
func (r *Rules) Level(check, kind string, class Class) harness.Level {
	k, _ := r.Kind(check, kind)
	return cmp.Or(k.Level, class.level())
}

// Kind returns the kind of a check's break.
func (r *Rules) Kind(check, kind string) (Kind, bool) {
	i := r.Place(check)
	if i < 0 {
		return Kind{}, false
	}
	if other, inner, ok := strings.Cut(kind, "/"); ok && r.Checks[i].Borrows {
		if k, is := r.Kind(other, inner); is && other != check {
			return k, true
		}
		kind = inner
	}
	for _, k := range r.Checks[i].Kinds {
		if k.fits(kind) {
			return k, true
		}
	}
	return Kind{}, false
}

// Stem returns a kind without the name of the member that it is about: which member a trait
// meets first differs between seeds. The colon stays if another kind has the rest as its name.
func (r *Rules) Stem(check, kind string) string {
	k, _ := r.Kind(check, kind)
	switch {
	case strings.HasSuffix(k.Name, ":WHAT"):
		kind, _, _ = strings.Cut(kind, " as ")
	case k.Text != "" && strings.HasSuffix(k.Name, ":MEMBER"):
		at := strings.LastIndexByte(kind, ':')
		if other, ok := r.Kind(check, kind[:at]); ok && other.Name == kind[:at] {
			at++
		}
		kind = kind[:at]
	}
	return kind
}

// Of returns kinds of one class, by their names.
func Of(c Class, names ...string) []Kind {
	return collect.Map(names, func(n string) Kind { return Kind{Name: n, Class: c} })
}

// Class returns the class of a break of the dialect; "" where its check has no
// such kind.
func (r *Rules) Class(check, kind string) Class {
	k, _ := r.Kind(check, kind)
	return k.Class
}
