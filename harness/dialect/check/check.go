// Package check holds the checks that several dialects share: invariants of plans, and
// relations between a case and one derived from it. A dialect's own checks are in its folder.
package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// The names of the checks that several dialects make.
const (
	Atomic        = "atomic"
	IDsUnique     = "ids-unique"
	DepsExist     = "deps-exist"
	DoneImmutable = "done-immutable"
	WithinLimit   = "within-limit"
	NewPending    = "new-pending"
	UntouchedKept = "untouched-kept"
	NoSilentLoss  = "no-silent-loss"
	ReportsMatch  = "reports-match"
	Bounded       = "bounded"
	RenameIDs     = "rename-ids"
	Layout        = "layout"
	ApplyTwice    = "apply-twice"
)

// ShowsBug reports whether a break is a bug, and not only a missing capability: it breaks safety in another way than
// that the engine silently omits a change.
func ShowsBug(b judge.Break) bool {
	return b.Level == harness.JudgeSafety && b.Check != NoSilentLoss && b.Check != ReportsMatch
}

// What a check of several dialects says, each in its own way.
const (
	UntouchedText = "steps that the reply does not name keep their members and their order"
	LossText      = "the outcome names what the reply asked for and did not get"
	RenameText    = "renaming ids renames them in the outcome and changes nothing else"
	TwiceText     = "the same reply on the new plan breaks no safety invariant"
)

// Plans are the checks that look at the plan before and after an edit.
func Plans() []judge.Check {
	list := []judge.Check{judge.Holds(Atomic, "a rejected reply changes nothing", atomic)}
	list = append(list, Steps()...)
	return append(list, judge.Holds(NewPending, "an added step starts as pending, and no reply finishes a step",
		newPending))
}

// Steps returns the checks of plans that also hold for the plan of a run.
func Steps() []judge.Check {
	return []judge.Check{
		judge.Holds(DoneImmutable, "the new plan has every finished step, unchanged and in the same order",
			doneImmutable),
		Sound(IDsUnique, "ids in the new plan are unique and not blank", idsUnique),
		Sound(DepsExist, "every dependency names a step of the new plan", depsExist),
		Sound("deps-acyclic", "no step of the new plan depends on itself, directly or through others", depsAcyclic),
		Sound(WithinLimit, "the new plan has at most max_plan_steps steps or no more than the old plan", withinLimit),
	}
}

// Growth is the check of the time that long replies take.
func Growth() judge.Check {
	return judge.Sampled(judge.Holds(Bounded, "time grows at most linearly with the size of the reply", bounded))
}

// Request is the only object of a reply, read leniently. It exists only if every reader
// must find the same object: nothing around it could be another, and no member occurs
// twice.
type Request struct {
	Text  string // the reply
	Start int    // of the object in the reply
	End   int
	Root  *strictjson.Value
}

// maxRequest is the size of a reply that is still looked into.
const maxRequest = 256 << 10

// FindObject finds the only object of a reply; nil if there is none, or
// perhaps another.
func FindObject(x *judge.Examination, text string) *Request {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if start < 0 || end <= start || len(text) > maxRequest {
		return nil
	}
	for _, around := range []string{text[:start], text[end:]} {
		if strings.ContainsAny(around, "[]") || strings.Contains(around, "<think") {
			return nil
		}
	}
	doc, err := x.Parse(text[start:end], harness.DefaultMaxDepth)
	if err != nil || len(doc.Duplicates) > 0 || len(doc.Surrogates) > 0 {
		return nil
	}
	return &Request{Text: text, Start: start, End: end, Root: &doc.Root}
}

// Rewrite returns the reply with something in its object changed.
func (r *Request) Rewrite(change func(*strictjson.Node)) string { return r.rewrite(change, "", "") }

func (r *Request) rewrite(change func(*strictjson.Node), before, closing string) string {
	n := r.tree()
	change(n)
	b := append(make([]byte, 0, len(r.Text)+len(r.Text)/4), r.Text[:r.Start]...)
	return string(append(n.AppendJSON(b, before, closing), r.Text[r.End:]...))
}

func (r *Request) tree() *strictjson.Node { return r.Root.Tree(r.Text[r.Start:r.End]) }

// PlainIDs reports whether no id in the request is blank or has white space
// round it.
func (r *Request) PlainIDs(l *document.Layout) bool {
	plain := true
	Rename(l, func(id string) string {
		plain = plain && id != "" && strings.TrimSpace(id) == id
		return id
	})(r.tree())
	return plain
}

// Rename returns a change that gives each id another name.
func Rename(l *document.Layout, rename func(string) string) func(*strictjson.Node) {
	id := func(n *strictjson.Node, at []string) {
		switch {
		case n.Kind != strictjson.String:
		case l.IsID(at):
			n.Raw = strictjson.Quote(rename(n.Text()))
		case l.IsAnchor(at):
			side, id, ok := strings.Cut(n.Text(), ":")
			if ok && (side == "before" || side == "after") {
				n.Raw = strictjson.Quote(side + ":" + rename(id))
			}
		}
	}
	return func(n *strictjson.Node) { n.Walk(id) }
}

// ReverseSets returns a change that reverses the lists whose order means nothing.
func ReverseSets(l *document.Layout) func(*strictjson.Node) {
	reverse := func(n *strictjson.Node, at []string) {
		if n.Kind == strictjson.Array && l.IsSet(at) {
			slices.Reverse(n.Kids)
		}
	}
	return func(n *strictjson.Node) { n.Walk(reverse) }
}

// reverseMembers reverses the members of every object.
func reverseMembers(n *strictjson.Node) {
	n.Walk(func(n *strictjson.Node, _ []string) {
		if n.Kind == strictjson.Object {
			slices.Reverse(n.Kids)
		}
	})
}
