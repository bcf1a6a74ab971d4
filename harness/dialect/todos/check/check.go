// Package check contains the properties that outcomes of the dialect todos must have, whatever the profile.
package check

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed kinds.json
var kinds []byte

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	shared := func(names ...string) []judge.Check {
		return slices.DeleteFunc(check.Plans(), func(c judge.Check) bool { return !slices.Contains(names, c.Name) })
	}
	return judge.Rules{
		Checks: check.WithKinds(kinds,
			judge.Answers(), shared(check.Atomic), lossRules(), soundRules(), shared(check.WithinLimit), askedRules(),
			[]judge.Check{
				judge.Again(),
				check.Growth(),
				judge.Relates("repeat", "repeating the same rewrite changes nothing", repeated),
			},
			relatedRules(), judge.Oracles(),
		),
		Plan: spec.Before, Align: aligned,
	}
}

// lossRules look at the items of the old list.
func lossRules() []judge.Check {
	return []judge.Check{
		ofItems("done-kept", "every done item stays completed, or a warning names it as dropped, cleared or reopened",
			func(o *spec.Item) bool { return o.Status == plan.Completed }, doneKept),
		ofItems("open-kept", "every open item stays, or a warning names it as dropped or cleared", (*spec.Item).Open,
			openKept),
		ofApplied("no-silent-clear", "only a permitted empty list clears the list, and warnings name every item",
			noSilentClear),
	}
}

// soundRules look at the new list alone.
func soundRules() []judge.Check {
	return []judge.Check{
		check.Sound(check.IDsUnique, "ids in the new list are unique and not blank", idsUnique),
		check.Sound("statuses-known", "every item has a known status", statusesKnown),
		ofApplied("one-in-progress", "at most one item is in progress", oneInProgress),
	}
}

// askedRules look at what the reply asks for.
func askedRules() []judge.Check {
	return []judge.Check{
		ofApplied("nothing-invented", "every value in the new list comes from the old list or the reply",
			nothingInvented),
		ofApplied(check.NoSilentLoss, "every item of the reply is in the new list, or a warning names it",
			noSilentLoss),
		ofApplied("order-kept", "the items of the reply keep its order, and restored items follow their old neighbours",
			orderKept),
	}
}

// ofApplied returns a check of the list that applied rewrites leave.
func ofApplied(name, text string, look func(x *judge.Examination, v *view) judge.Result) judge.Check {
	return judge.Holds(name, text, func(x *judge.Examination) judge.Result { return look(x, viewOf(x)) }).Where(applied)
}

// ofItems returns a check of some old items. It looks at the place of each in the new list, -1 for none.
func ofItems(name, text string, are func(o *spec.Item) bool,
	look func(x *judge.Examination, v *view, o *spec.Item, at int) judge.Result,
) judge.Check {
	return judge.Holds(name, text, func(x *judge.Examination) judge.Result {
		v, r := viewOf(x), judge.Skip()
		if v.at == nil {
			v.at = v.match(x)
		}
		for i := range v.old {
			if o := &v.old[i]; are(o) {
				if r = look(x, v, o, v.at[i]); r.Broken != nil {
					return r
				}
			}
		}
		return r
	}).Where(followed)
}

// match returns for each old item the index of its new item, used at most once; -1 for a missing item.
func (v *view) match(x *judge.Examination) []int {
	at, taken := slices.Repeat([]int{-1}, len(v.old)), make([]bool, len(v.now))
	pass := func(is func(i, j int, o, n *spec.Item) bool) {
		for i := range v.old {
			for j := range v.now {
				if at[i] < 0 && !taken[j] && is(i, j, &v.old[i], &v.now[j]) {
					at[i], taken[j] = j, true
				}
			}
		}
	}
	equal := func(i, j int, _, _ *spec.Item) bool { return v.oldTexts[i] == v.nowTexts[j] }
	named := func(o *spec.Item) bool { return !warns(x) || slices.Contains(names(x, spec.WarnReworded), o.Name()) }
	byID := func(i, j int, o, n *spec.Item) bool {
		return o.ID != "" && o.ID == n.ID && (v.oldTexts[i] == v.nowTexts[j] || named(o))
	}
	if v.Identity == spec.ID {
		pass(byID)
	}
	pass(func(i, j int, o, n *spec.Item) bool { return equal(i, j, o, n) && o.ID == n.ID && o.Status == n.Status })
	pass(func(i, j int, o, n *spec.Item) bool { return equal(i, j, o, n) && o.ID != "" && o.ID == n.ID })
	pass(func(i, j int, o, n *spec.Item) bool { return equal(i, j, o, n) && o.Status == n.Status })
	pass(equal)
	if v.Identity != spec.Content || v.Format == spec.Merge { // which goes by id alone
		pass(byID)
	}
	if v.Identity == spec.Similar {
		pass(func(_, _ int, o, n *spec.Item) bool { return named(o) && similar(o.Content, n.Content) })
	}
	return at
}

// similar reports whether two contents differ by a fifth at most.
func similar(a, b string) bool {
	const longest = 200
	x, y := []rune(cases.Fold().String(spec.Normal(a))), []rune(cases.Fold().String(spec.Normal(b)))
	if len(x) > longest || len(y) > longest || 5*max(len(x)-len(y), len(y)-len(x)) > max(len(x), len(y)) {
		return false
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return 5*row[len(y)] <= max(len(x), len(y))
}

// followed reports whether old items can be told in the new list: not through
// several rewrites, one of them with a reworded item.
func followed(x *judge.Examination) bool {
	return applied(x) && (len(x.Item.Case.Replies) == 1 || warns(x) && names(x, spec.WarnReworded) == nil)
}

// clears reports whether an empty list may have taken the items.
func clears(x *judge.Examination) bool {
	v := viewOf(x)
	return v.Clear != harness.Reject &&
		(!v.plain || slices.ContainsFunc(v.requests, func(r *request) bool { return len(r.items) == 0 && !r.merge }))
}

// let reports whether an item may be gone: by a knob, and named where the engine
// names what is gone.
func let(x *judge.Examination, item *spec.Item, policy string) bool {
	if !warns(x) {
		return policy == harness.Drop || clears(x)
	}
	return policy == harness.Drop && slices.Contains(names(x, spec.WarnDropped), item.Name()) ||
		slices.Contains(names(x, spec.WarnCleared), item.Name())
}

func doneKept(x *judge.Examination, v *view, o *spec.Item, at int) judge.Result {
	switch {
	case at < 0 && !let(x, o, v.OmittedDone):
		return judge.Brokef("gone", o.Name(), "", "the done item %q is missing", judge.Brief(o.Name()))
	case at < 0 || v.now[at].Status == plan.Completed:
	case v.Reopen == spec.Allow && (!warns(x) || slices.Contains(names(x, spec.WarnReopened), o.Name())):
	default:
		return judge.Brokef("reopened", o.Name(), "status", "the done item %q became %q", judge.Brief(o.Name()),
			judge.Brief(string(v.now[at].Status)))
	}
	return judge.Held()
}

func openKept(x *judge.Examination, v *view, o *spec.Item, at int) judge.Result {
	// Through several rewrites an item may have been done or cancelled before it went.
	if at < 0 && !let(x, o, v.OmittedOpen) &&
		(len(x.Item.Case.Replies) == 1 || !slices.Contains(names(x, spec.WarnDropped), o.Name())) {
		return judge.Brokef("gone", o.Name(), "", "the open item %q is missing", judge.Brief(o.Name()))
	}
	return judge.Held()
}

func noSilentClear(x *judge.Examination, v *view) judge.Result {
	if len(v.old) == 0 || len(v.now) > 0 {
		return judge.Skip()
	}
	open := slices.ContainsFunc(v.old, func(i spec.Item) bool { return i.Open() })
	single := len(x.Item.Case.Replies) == 1
	if !clears(x) || single && open && v.Clear == spec.WhenDone {
		return judge.Broke("forbidden", "", "items", "the list was cleared, but no reply may clear it")
	}
	for i := range v.old {
		if name := v.old[i].Name(); single && warns(x) && !slices.Contains(names(x, spec.WarnCleared), name) {
			return judge.Brokef("not-named", name, "warnings", "the list was cleared, but no warning names %q",
				judge.Brief(name))
		}
	}
	return judge.Held()
}

// idsUnique reports two equal ids under every profile, also under duplicates=keep, whose
// rules store them.
func idsUnique(x *judge.Examination) judge.Result {
	seen := map[string]bool{}
	for i, s := range x.After.Steps {
		switch {
		case s.ID == "":
			continue
		case strings.TrimSpace(s.ID) == "":
			return judge.Brokef("blank", s.ID, "id", "item %d of the new list has a blank id", i+1)
		case seen[s.ID]:
			return judge.Brokef("twice", s.ID, "id", "duplicate id %q in the new list", judge.Brief(s.ID))
		}
		seen[s.ID] = true
	}
	return judge.Held()
}

func statusesKnown(x *judge.Examination) judge.Result {
	for i, s := range x.After.Steps {
		if !spec.IsStatus(s.Status) {
			return judge.Brokef("unknown", s.ID, "status", "item %d of the new list has the unknown status %q", i+1,
				judge.Brief(string(s.Status)))
		}
	}
	return judge.Held()
}

func oneInProgress(x *judge.Examination, v *view) judge.Result {
	if v.InProgress == harness.Any {
		return judge.Skip()
	}
	if r := only(x); r != nil && r.merge && len(r.items) == 0 {
		return judge.Skip() // it changes nothing, whatever the list is like
	}
	var list []string
	for i := range v.now {
		if v.now[i].Status == plan.InProgress {
			list = append(list, v.now[i].Name())
		}
	}
	if len(list) > 1 {
		return judge.Brokef("two", list[1], "status", "%q and %q are both in progress", judge.Brief(list[0]),
			judge.Brief(list[1]))
	}
	return judge.Held()
}
