// Package deform derives the traits of reply text and of document shape from the
// declaration of a document: fences, prose, wrappers, malformed JSON, and members that are
// missing, null, unknown or of a wrong type. Every dialect uses the same traits under the
// same names. The code that each must get, its place, and what reading must be able to do to
// get past it, follow from the declaration.
//
// The package has no rules of a dialect: no trait changes what a document asks for.
package deform

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
)

// Trait is a derived trait.
type Trait struct {
	generators.Trait
	plant func(r *reply) bool // false: the reply has no place for it
}

// Reply is a strict reply, to which a trait is applied.
type Reply struct {
	Root     generators.Value // the document, which the trait may change in place
	Document document.Value
	// DuplicateKeys is the policy for duplicate members.
	DuplicateKeys string
	// Lacks names members that the engine does not know: no trait adds one.
	Lacks []string
}

// Effect is a changed reply with what reading makes of it.
type Effect struct {
	Text string
	Root generators.Value // the outermost JSON object of the text
	// Code is the code of a reader without the abilities, "" if every reader reads the reply;
	// At is its place, nil if unknown. No abilities mean that no reader gets past the fault.
	Code  harness.Code
	At    *string
	Takes generators.Ability
	// Around reports that the fault is in the text and hides the document.
	Around bool
	// Open reports that the result is unknown for a reader with the abilities.
	Open bool
	// MaxBytes and MaxDepth are the limits of the reply that the trait needs; 0 for none.
	MaxBytes, MaxDepth int
}

// Limit sets the limits that the trait needs.
func (e *Effect) Limit(l *harness.Limits) {
	if e.MaxBytes > 0 {
		l.MaxReplyBytes = &e.MaxBytes
	}
	if e.MaxDepth > 0 {
		l.MaxDepth = &e.MaxDepth
	}
}

// Past reports whether reading gets past the fault, if there is one.
func (e *Effect) Past(r harness.Reading) bool { return e.Code == "" || e.Takes.Past(r) }

// Refused is the label of a reply that reading does not get past.
func (e *Effect) Refused() generators.Want {
	return generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{e.Code}, At: e.At}
}

// Off switches a trait off in a dialect.
type Off struct{ Name, Reason string }

// reply is a reply that is being changed.
type reply struct {
	*generators.Choices
	Reply
	Effect
	root  generators.Value // of Reply, changed
	style generators.Style
	doc   string // the written document, for traits of text
}

// Traits returns the traits that documents of a declaration can have, without some.
func Traits(v document.Value, off ...Off) (list []Trait) {
	all := append(textTraits(), syntaxTraits()...)
	all = append(all, draftTraits(&v)...)
	for _, s := range shapes() {
		if declared(&v, s.fits) {
			all = append(all, s.trait())
		}
	}
	for _, t := range all {
		if !slices.ContainsFunc(off, func(o Off) bool { return o.Name == t.Name }) {
			list = append(list, t)
		}
	}
	return list
}

// Apply changes a reply. It reports false if the reply has no place for the trait.
func (t Trait) Apply(c *generators.Choices, to Reply) (Effect, bool) {
	r := reply{Choices: c, Reply: to, root: to.Root, style: usual}
	if !t.plant(&r) {
		return Effect{}, false
	}
	if r.Text == "" && r.doc == "" {
		r.Text = r.write()
	}
	if r.Effect.Root.Fields == nil {
		r.Effect.Root = r.root
	}
	return r.Effect, true
}

// usual is the layout of replies.
var usual = generators.Style{Gap: " "}

// Write writes a document as the derived traits do that do not change its layout.
func Write(v generators.Value) string { return v.Text(usual) }

// write writes the document in the style.
func (r *reply) write() string { return r.root.Text(r.style) }

// fault sets the code and its place.
func (r *reply) fault(code harness.Code, at string, takes generators.Ability) {
	r.Code, r.At, r.Takes = code, &at, takes
}

// family returns a constructor of derived traits, whose theme is the name in words.
func family(name string) func(trait, text string) generators.Trait {
	of := generators.Family(name)
	return func(trait, text string) generators.Trait {
		return of(trait, text, strings.ReplaceAll(trait, "-", " "), "text")
	}
}

// Subjects groups themes by subject: the themes of the derived traits among a dialect's traits, and
// the dialect's own groups. A group that begins with a theme of another group extends it.
func Subjects(traits []generators.Trait, own ...[]string) (list [][]string) {
	themes := collect.Map(traits, func(t generators.Trait) string { return t.Theme })
	for _, subject := range [][]string{
		{"fence json", "fence plain", "fence tilde", "fence long", "fence unclosed", "fence inline"},
		{"prose before", "prose after", "prose both", "prose braces"},
		{"think block", "think draft", "think draft fenced"},
		{"tool call wrapper", "tool call string", "tool call tags", "wrapper object"},
		{"comment line", "comment block", "comment hash"},
		{"single quotes", "smart quotes", "unquoted names"},
		{"crlf", "indented"},
		{"too large", "reply at limit"},
		{"too deep", "depth over limit", "depth at limit"},
		{"nul byte", "nul behind"},
		{"empty reply", "blank reply", "refusal", "other json value"},
		{"wrong type", "falsy value"},
		{"null optional", "null list"},
		{"null required", "missing member", "member case", "blank id", "null in list"},
		{"scalar for list", "list in string", "object for list", "nested list"},
	} {
		subject = slices.DeleteFunc(subject, func(theme string) bool { return !slices.Contains(themes, theme) })
		if len(subject) > 1 {
			list = append(list, subject)
		}
	}
	for _, subject := range own {
		i := slices.IndexFunc(list, func(known []string) bool { return slices.Contains(known, subject[0]) })
		if i < 0 {
			list = append(list, subject)
			continue
		}
		list[i] = append(list[i], subject[1:]...)
	}
	return list
}
