package check

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// nothingInvented: contents, ids, priorities, active forms and statuses come from
// somewhere.
func nothingInvented(x *judge.Examination) judge.Result {
	if !applied(x) {
		return judge.Skip()
	}
	list, ok := requests(x)
	if !ok {
		return judge.Skip()
	}
	sources := spec.Items(x.Before)
	for _, r := range list {
		sources = append(sources, r.items...)
	}
	for i, item := range spec.Items(x.After) {
		for _, m := range []struct {
			kind, text string
			of         func(*spec.Item) string
		}{
			{"content", spec.Normal(item.Content), func(s *spec.Item) string { return spec.Normal(s.Content) }},
			{"id", item.ID, func(s *spec.Item) string { return s.ID }},
			{"priority", item.Priority, func(s *spec.Item) string { return s.Priority }},
			{"active_form", item.ActiveForm, func(s *spec.Item) string { return s.ActiveForm }},
		} {
			if m.text != "" && !slices.ContainsFunc(sources, func(s spec.Item) bool { return m.of(&s) == m.text }) {
				return judge.Broke(m.kind, item.ID, m.kind,
					fmt.Sprintf("the %s of item %d is %q, which is neither in the old list nor in the reply", m.kind, i+1,
						judge.Brief(m.text)))
			}
		}
		if !said(x, &item, sources) {
			return judge.Broke("status", item.ID, "status",
				fmt.Sprintf("item %d is %s, a status that neither the old list nor the reply gives it", i+1,
					judge.Brief(string(item.Status))))
		}
	}
	return judge.Held()
}

// said reports whether the status of an item is one that something says of it, or
// the pending of one that gives way.
func said(x *judge.Examination, item *spec.Item, sources []spec.Item) bool {
	if item.Status == plan.Pending && spec.SettingsOf(x.Profile).InProgress != harness.Any &&
		(!warns(x) || names(x, spec.WarnDemoted) != nil) {
		return true
	}
	same := func(s spec.Item) bool {
		return spec.Normal(s.Content) == spec.Normal(item.Content) || s.ID != "" && s.ID == item.ID
	}
	similarly := spec.SettingsOf(x.Profile).Identity == spec.Similar
	return slices.ContainsFunc(sources, func(s spec.Item) bool {
		return s.Status == item.Status && (same(s) || similarly && similar(s.Content, item.Content))
	})
}

// noSilentLoss: what the reply asks for is there, or named.
func noSilentLoss(x *judge.Examination) judge.Result {
	r := only(x)
	if !applied(x) || r == nil || len(r.items) == 0 {
		return judge.Skip()
	}
	now := spec.Items(x.After)
	taken := make([]bool, len(now))
	for i := range r.items {
		item := &r.items[i]
		if leftOut(x, item) {
			continue
		}
		at := slices.IndexFunc(now, func(n spec.Item) bool {
			return spec.Normal(n.Content) == spec.Normal(item.Content)
		})
		for at >= 0 && taken[at] {
			next := slices.IndexFunc(now[at+1:], func(n spec.Item) bool {
				return spec.Normal(n.Content) == spec.Normal(item.Content)
			})
			if at += next + 1; next < 0 {
				at = -1
			}
		}
		if at < 0 && r.merge && item.Content == "" {
			at = slices.IndexFunc(now, func(n spec.Item) bool { return n.ID == item.ID })
		}
		if at >= 0 {
			taken[at] = true
			continue
		}
		return judge.Broke("gone", item.ID, "items",
			fmt.Sprintf("the item %q of the reply is missing from the new list, and no warning names it",
				judge.Brief(item.Name())))
	}
	return judge.Held()
}

// leftOut reports whether an item of the reply may be missing, and is named where
// the engine names such.
func leftOut(x *judge.Examination, item *spec.Item) bool {
	if warns(x) {
		return slices.Contains(names(x, spec.WarnDuplicateDropped, harness.WarnTruncated), item.Name())
	}
	s := spec.SettingsOf(x.Profile)
	return x.Item.Case.Limits.MaxPlanSteps != nil && item.Status != plan.Completed || s.Duplicates == spec.First ||
		s.Duplicates == harness.Last
}

// orderKept: the reply's order, and restored items where they belong.
func orderKept(x *judge.Examination) judge.Result {
	r := only(x)
	if !applied(x) || r == nil || len(r.items) == 0 || names(x, spec.WarnReworded) != nil || knob.Sorts(&x.Profile) {
		return judge.Skip()
	}
	old, now := lists(x)
	if !distinct(old, now, r.items) || !warns(x) && rewords(r.items, old) {
		return judge.Skip()
	}
	has := slices.Contains[[]string]
	was, is, asked := contents(old), contents(now), contents(r.items)
	known := func(text string) bool { return has(is, text) }
	var want []string
	if r.merge {
		if slices.Contains(asked, "") {
			return judge.Skip() // it names items by their ids
		}
		want = slices.Concat(keep(was, known), keep(asked, func(t string) bool { return known(t) && !has(was, t) }))
	} else {
		want = keep(asked, known)
	}
	ordered := keep(is, func(t string) bool { return has(want, t) })
	if !slices.Equal(ordered, want) {
		return judge.Broke("reply", "", "items", "the new list does not keep the order of the reply")
	}
	for i, text := range was {
		if !known(text) || has(want, text) {
			continue
		}
		at := 0
		for j := i - 1; j >= 0 && at == 0; j-- {
			at = slices.Index(want, was[j]) + 1
		}
		want = slices.Insert(want, at, text)
	}
	if !slices.Equal(is, want) {
		return judge.Broke("restored", "", "items", "a restored item does not follow its nearest earlier neighbour")
	}
	return judge.Held()
}

// rewords reports whether an item says an old one, which its id names, in other
// words.
func rewords(items, old []spec.Item) bool {
	return slices.ContainsFunc(items, func(i spec.Item) bool {
		return i.ID != "" && slices.ContainsFunc(old, func(o spec.Item) bool {
			return o.ID == i.ID && spec.Normal(o.Content) != spec.Normal(i.Content)
		})
	})
}

func contents(items []spec.Item) []string {
	list := make([]string, len(items))
	for i := range items {
		list[i] = spec.Normal(items[i].Content)
	}
	return list
}

func keep(list []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(t string) bool { return !is(t) })
}
