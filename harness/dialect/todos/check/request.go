package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// request is what a reply asks for, read leniently and for itself. There is one
// only where it is plain what the reply says.
type request struct {
	*check.Request // nil for Markdown
	items          []spec.Item
	list           []strictjson.Value // the items as they are written
	merge          bool
}

// view is what the checks share: lists and replies are read once.
type view struct {
	spec.Settings
	old, now           []spec.Item // before and after the edit
	oldTexts, nowTexts []string    // their contents as they are compared
	requests           []*request  // of all replies; nil if one of them is not plain
	plain              bool
	at                 []int // see match; nil until a check needs it
}

func viewOf(x *judge.Examination) *view {
	return judge.Remembered(x, func() *view {
		v := &view{Settings: spec.SettingsOf(x.Profile), old: spec.Items(x.Before), now: spec.Items(x.After)}
		v.oldTexts, v.nowTexts = contents(v.old), contents(v.now)
		v.requests, v.plain = readRequests(x, v.Settings)
		return v
	})
}

// readRequests reads all replies; false if one of them is not plain.
func readRequests(x *judge.Examination, s spec.Settings) (list []*request, ok bool) {
	for _, raw := range x.Item.Case.Replies {
		r := readRequest(x, string(raw), s)
		if r == nil {
			return nil, false
		}
		list = append(list, r)
	}
	return list, true
}

// only is the request of the only reply; nil if there are several, or if it is not
// plain what it asks for.
func only(x *judge.Examination) *request {
	if list := viewOf(x).requests; len(list) == 1 {
		return list[0]
	}
	return nil
}

func readRequest(x *judge.Examination, text string, s spec.Settings) *request {
	if s.Format == spec.Markdown {
		return readLines(text, s)
	}
	r := check.FindObject(x, text)
	if r == nil {
		return nil
	}
	list := r.Root.Get(s.List())
	if list == nil || list.Kind != strictjson.Array {
		return nil
	}
	q := &request{Request: r, items: make([]spec.Item, len(list.Items)), list: list.Items}
	if m := r.Root.Get("merge"); m != nil && s.Format == spec.Merge {
		q.merge = m.Text == "true"
	}
	textNames := s.TextNames()
	for i := range list.Items {
		v := &list.Items[i]
		text := ""
		for _, name := range textNames {
			if strings.TrimSpace(text) == "" {
				text = v.Get(name).Str()
			}
		}
		if status := v.Get("status").Str(); strings.TrimSpace(text) == "" && !q.merge || status != "" && !spec.IsStatus(plan.Status(status)) {
			return nil
		}
		q.items[i] = spec.Item{Content: s.Stored(text), Status: plan.Status(v.Get("status").Str())}
		if s.HasIDs() {
			q.items[i].ID = strings.TrimSpace(v.Get("id").Str())
			q.items[i].Priority = v.Get("priority").Str()
			if q.items[i].ActiveForm = v.Get("activeForm").Str(); q.items[i].ActiveForm == "" {
				q.items[i].ActiveForm = v.Get("active_form").Str()
			}
			if blank := q.items[i].ID == ""; !blank && s.Texts == knob.Keep {
				q.items[i].ID = v.Get("id").Str()
			}
			if v.Get("id") != nil && q.items[i].ID == "" && v.Get("id").Kind != strictjson.Null {
				return nil // a number, or blank
			}
		}
	}
	return q
}

// says reports whether an item of the reply has a member with this very text, even if the rules
// trim it or prefer another member.
func (q *request) says(member, text string) bool {
	return q.Request != nil && slices.ContainsFunc(q.list, func(v strictjson.Value) bool {
		return v.Get(member).Str() == text
	})
}

// readLines reads Markdown in which every line is an item in its plainest form.
func readLines(text string, s spec.Settings) *request {
	q := &request{}
	marks := map[string]plan.Status{"- [ ] ": plan.Pending, "- [x] ": plan.Completed, "- [-] ": plan.InProgress}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		const head = len("- [ ] ")
		if len(line) < head || marks[line[:head]] == "" || strings.TrimSpace(line[head:]) == "" {
			return nil
		}
		q.items = append(q.items, spec.Item{Content: s.Stored(strings.TrimSpace(line[head:])), Status: marks[line[:head]]})
	}
	return q
}

// distinct reports whether no two items have equal contents.
func distinct(lists ...[]spec.Item) bool {
	return !slices.ContainsFunc(lists, func(items []spec.Item) bool {
		return len(collect.Unique(contents(items))) < len(items)
	})
}

// names are the ids of the warnings of some codes.
func names(x *judge.Examination, codes ...string) (list []string) {
	for _, w := range x.Out.Warnings {
		if slices.Contains(codes, w.Code) {
			list = append(list, w.IDs...)
		}
	}
	return list
}

// warns reports whether the engine gives warnings: of others nothing is asked that
// they would have to name.
func warns(x *judge.Examination) bool { return x.Gives("warnings") }

// applied reports whether a case with a list before and after was applied.
func applied(x *judge.Examination) bool {
	return x.Edited() && x.Out.Verdict == harness.Applied && x.After.Listed
}
