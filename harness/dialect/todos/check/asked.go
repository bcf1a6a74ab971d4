package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// nothingInvented: contents, ids, priorities, active forms and statuses come from
// somewhere.
func nothingInvented(x *judge.Examination, v *view) judge.Result {
	if !v.plain {
		return judge.Skip()
	}
	sources := slices.Clip(v.old)
	for _, r := range v.requests {
		sources = append(sources, r.items...)
	}
	texts := contents(sources)
	for i := range v.now {
		item := &v.now[i]
		for _, kind := range [...]string{"content", "id", "priority", "active_form"} {
			text := member(kind, item, v.nowTexts[i])
			found := text == "" || kind == "id" && v.IDs == spec.ByEngine && isGenerated(x, text)
			for k := 0; k < len(sources) && !found; k++ {
				found = member(kind, &sources[k], texts[k]) == text
			}
			found = found || slices.ContainsFunc(v.requests, func(r *request) bool { return r.says(kind, text) })
			if !found {
				return judge.Brokef(kind, item.ID, kind,
					"the %s of item %d is %q, which is neither in the old list nor in the reply", kind, i+1, judge.Brief(text))
			}
		}
		if !said(x, i, sources, texts) {
			return judge.Brokef("status", item.ID, "status",
				"item %d is %s, a status that neither the old list nor the reply gives it", i+1, judge.Brief(string(item.Status)))
		}
	}
	return judge.Held()
}

// member returns a member of an item whose content is in normal form.
func member(kind string, item *spec.Item, content string) string {
	switch kind {
	case "content":
		return content
	case "id":
		return item.ID
	case "priority":
		return item.Priority
	}
	return item.ActiveForm
}

// said reports whether the status of the i-th item is one that something says of it, or
// the pending of one that gives way.
func said(x *judge.Examination, i int, sources []spec.Item, texts []string) bool {
	v := viewOf(x)
	item, text := &v.now[i], v.nowTexts[i]
	if item.Status == plan.Pending && v.InProgress != harness.Any && (!warns(x) || names(x, spec.WarnDemoted) != nil) {
		return true
	}
	for k := range sources {
		if s := &sources[k]; s.Status == item.Status && (texts[k] == text || s.ID != "" && s.ID == item.ID) {
			return true
		}
	}
	return v.Identity == spec.Similar && slices.ContainsFunc(sources, func(s spec.Item) bool {
		return s.Status == item.Status && similar(s.Content, item.Content)
	})
}

// noSilentLoss: what the reply asks for is there, or named.
func noSilentLoss(x *judge.Examination, v *view) judge.Result {
	r, now, texts := only(x), v.now, v.nowTexts
	if r == nil || len(r.items) == 0 {
		return judge.Skip()
	}
	taken := make([]bool, len(now))
	for i := range r.items {
		item := &r.items[i]
		if leftOut(x, item) {
			continue
		}
		text := spec.Normal(item.Content)
		at := slices.Index(texts, text)
		for at >= 0 && taken[at] {
			next := slices.Index(texts[at+1:], text)
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
		switch other := otherText(v, r, i, text); {
		case other == "":
			return judge.Brokef("gone", item.ID, "items",
				"the item %q of the reply is missing from the new list, and no warning names it", judge.Brief(item.Name()))
		case cutOff(text, other):
			return judge.Brokef("cut", item.ID, "items", "the new list has only the beginning of the item %q: %q",
				judge.Brief(item.Name()), judge.Brief(other))
		default:
			return judge.Brokef("changed", item.ID, "items", "the item %q of the reply is in the new list as %q",
				judge.Brief(item.Name()), judge.Brief(other))
		}
	}
	return judge.Held()
}

// otherText returns the text that an engine made of the text of item i: its beginning, or a text in its
// place that neither list has. It is "" if there is none.
func otherText(v *view, r *request, i int, text string) string {
	known := func(t string) bool {
		return slices.Contains(v.oldTexts, t) || slices.Contains(contents(r.items), t)
	}
	for _, t := range v.nowTexts {
		if t != "" && cutOff(text, t) && !known(t) {
			return t
		}
	}
	if len(v.now) == len(r.items) && v.nowTexts[i] != "" && !known(v.nowTexts[i]) {
		return v.nowTexts[i]
	}
	return ""
}

// cutOff reports whether a text is the beginning of another, possibly with an ellipsis.
func cutOff(text, beginning string) bool {
	return strings.HasPrefix(text, strings.TrimRight(beginning, ".… "))
}

// leftOut reports whether an item of the reply may be missing, and is named where
// the engine names such.
func leftOut(x *judge.Examination, item *spec.Item) bool {
	if warns(x) {
		return slices.Contains(names(x, spec.WarnDuplicateDropped, harness.WarnTruncated), item.Name())
	}
	s := viewOf(x)
	return x.Item.Case.Limits.MaxPlanSteps != nil && item.Status != plan.Completed || s.Duplicates == spec.First ||
		s.Duplicates == harness.Last
}

// orderKept: the reply's order, and restored items where they belong.
func orderKept(x *judge.Examination, v *view) judge.Result {
	r, old, now := only(x), v.old, v.now
	if r == nil || len(r.items) == 0 || names(x, spec.WarnReworded) != nil || knob.Sorts(&x.Profile) {
		return judge.Skip()
	}
	if !distinct(old, now, r.items) || !warns(x) && rewords(r.items, old) {
		return judge.Skip()
	}
	has := slices.Contains[[]string]
	was, is, asked := v.oldTexts, v.nowTexts, contents(r.items)
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
	return collect.Map(items, func(x spec.Item) string { return spec.Normal(x.Content) })
}

func keep(list []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(t string) bool { return !is(t) })
}
