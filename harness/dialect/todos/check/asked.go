package check

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/words"
	"replanbench/harness/judge"
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
	sources := words.Items(x.Before)
	for _, r := range list {
		sources = append(sources, r.items...)
	}
	for i, item := range words.Items(x.After) {
		for _, m := range []struct {
			kind, text string
			of         func(*words.Item) string
		}{
			{"content", words.Normal(item.Content), func(s *words.Item) string { return words.Normal(s.Content) }},
			{"id", item.ID, func(s *words.Item) string { return s.ID }},
			{"priority", item.Priority, func(s *words.Item) string { return s.Priority }},
			{"active_form", item.ActiveForm, func(s *words.Item) string { return s.ActiveForm }},
		} {
			if m.text != "" && !slices.ContainsFunc(sources, func(s words.Item) bool { return m.of(&s) == m.text }) {
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
func said(x *judge.Examination, item *words.Item, sources []words.Item) bool {
	if item.Status == plan.Pending && words.SettingsOf(x.Profile).InProgress != harness.Any &&
		(!warns(x) || names(x, words.WarnDemoted) != nil) {
		return true
	}
	same := func(s words.Item) bool {
		return words.Normal(s.Content) == words.Normal(item.Content) || s.ID != "" && s.ID == item.ID
	}
	similarly := words.SettingsOf(x.Profile).Identity == words.Similar
	return slices.ContainsFunc(sources, func(s words.Item) bool {
		return s.Status == item.Status && (same(s) || similarly && similar(s.Content, item.Content))
	})
}

// noSilentLoss: what the reply asks for is there, or named.
func noSilentLoss(x *judge.Examination) judge.Result {
	r := only(x)
	if !applied(x) || r == nil || len(r.items) == 0 {
		return judge.Skip()
	}
	now := words.Items(x.After)
	taken := make([]bool, len(now))
	for i := range r.items {
		item := &r.items[i]
		if leftOut(x, item) {
			continue
		}
		at := slices.IndexFunc(now, func(n words.Item) bool {
			return words.Normal(n.Content) == words.Normal(item.Content)
		})
		for at >= 0 && taken[at] {
			next := slices.IndexFunc(now[at+1:], func(n words.Item) bool {
				return words.Normal(n.Content) == words.Normal(item.Content)
			})
			if at += next + 1; next < 0 {
				at = -1
			}
		}
		if at < 0 && r.merge && item.Content == "" {
			at = slices.IndexFunc(now, func(n words.Item) bool { return n.ID == item.ID })
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
func leftOut(x *judge.Examination, item *words.Item) bool {
	if warns(x) {
		return slices.Contains(names(x, words.WarnDuplicateDropped, harness.WarnTruncated), item.Name())
	}
	s := words.SettingsOf(x.Profile)
	return x.Item.Case.Limits.MaxPlanSteps != nil && item.Status != plan.Completed || s.Duplicates == words.First ||
		s.Duplicates == harness.Last
}

// orderKept: the reply's order, and restored items where they belong.
func orderKept(x *judge.Examination) judge.Result {
	r := only(x)
	if !applied(x) || r == nil || len(r.items) == 0 || names(x, words.WarnReworded) != nil {
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
func rewords(items, old []words.Item) bool {
	return slices.ContainsFunc(items, func(i words.Item) bool {
		return i.ID != "" && slices.ContainsFunc(old, func(o words.Item) bool {
			return o.ID == i.ID && words.Normal(o.Content) != words.Normal(i.Content)
		})
	})
}

func contents(items []words.Item) []string {
	list := make([]string, len(items))
	for i := range items {
		list[i] = words.Normal(items[i].Content)
	}
	return list
}

func keep(list []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(t string) bool { return !is(t) })
}
