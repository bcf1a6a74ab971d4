package todos

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dustin/go-humanize/english"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/plan"
)

// explanation describes a rewrite: the result for each item, and the reason.
func explanation(s explain.Subject) []explain.Section {
	return slices.Concat(s.Why(), s.Repairs(), changes(s), s.Warnings())
}

// story is the change of a list, as the outcome reports it.
type story struct {
	explain.Section
	settings spec.Settings
	limit    *int
	old, now []spec.Item
	was      []int                      // where an item was; -1 is new
	warned   map[string]map[string]bool // names by the code of the warning
}

// changes tells of each item of the list whether it was kept, reworded, dropped or
// restored, and by which knob.
func changes(s explain.Subject) []explain.Section {
	if s.Unsound != nil || s.Before == nil {
		return nil
	}
	old := spec.Items(s.Before)
	if s.Outcome.Plan == nil {
		return []explain.Section{{Title: fmt.Sprintf("The list is unchanged (%s)", size(old))}}
	}
	t := &story{
		settings: spec.SettingsOf(s.Profile), limit: s.Case.Limits.MaxPlanSteps, old: old,
		now: spec.Items(s.Outcome.Plan), warned: map[string]map[string]bool{},
	}
	for _, w := range s.Outcome.Warnings {
		t.warned[w.Code] = map[string]bool{}
		for _, id := range w.IDs {
			t.warned[w.Code][id] = true
		}
	}
	t.was = origins(&s.Outcome, t.old, t.now)
	t.Title = fmt.Sprintf("List: %s → %s", size(t.old), size(t.now))
	for i := range t.now {
		t.item(i)
	}
	t.gone()
	t.left()
	return t.NonEmpty()
}

func size(items []spec.Item) string {
	done := collect.Count(items, func(i spec.Item) bool { return i.Status == plan.Completed })
	return fmt.Sprintf("%s, %d completed", english.Plural(len(items), "item", ""), done)
}

// origins says where each item of the new list was in the old one, by what the
// engine gives of it, or else by equal content and then by id.
func origins(out *harness.Outcome, old, now []spec.Item) []int {
	was := spec.Origins(out)
	for i, at := range was { // foreign engines give anything
		if at < 0 || at >= len(old) {
			was[i] = -1
		}
	}
	if was != nil {
		return was
	}
	was = slices.Repeat([]int{-1}, len(now))
	for _, same := range []func(a, b *spec.Item) bool{
		func(a, b *spec.Item) bool { return spec.Normal(a.Content) == spec.Normal(b.Content) },
		func(a, b *spec.Item) bool { return a.ID != "" && a.ID == b.ID },
	} {
		for i := range now {
			for j := range old {
				if was[i] < 0 && !slices.Contains(was, j) && same(&now[i], &old[j]) {
					was[i] = j
				}
			}
		}
	}
	return was
}

// item describes an item of the new list.
func (t *story) item(i int) {
	now := &t.now[i]
	if t.was[i] < 0 {
		t.Add("+", 0, style.Good, "%s", line(now))
		return
	}
	old := &t.old[t.was[i]]
	name, mark, tone := old.Name(), "", style.Faint
	why := t.reasons(name, old, now)
	switch {
	case *old != *now || why != nil:
		mark, tone = "~", style.Doubtful
	case now.Status == plan.Completed:
		mark = "✓"
	}
	t.Add(mark, 0, tone, "%s", line(now))
	for _, w := range why {
		t.Add("", 1, style.Plain, "%s", w)
	}
}

// reasons says why an item is as it is. Warnings tell names, which several items may
// have: what cannot have come of this one was said of another.
func (t *story) reasons(name string, old, now *spec.Item) (why []string) {
	because := func(code string, fits bool, format string, args ...any) {
		if fits && t.warned[code][name] {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	stopped := old.Status == plan.InProgress && now.Status == plan.Pending
	because(spec.WarnRestored, old.Status == now.Status || stopped, "restored: the rewrite left it out (%s=%s)",
		t.omitted(old), harness.Restore)
	if spec.Normal(old.Content) != spec.Normal(now.Content) {
		why = append(why, "reworded: previously "+explain.Text(old.Content))
	}
	because(spec.WarnKeptDone, now.Status == plan.Completed,
		"stays completed, although the rewrite reopens it (reopen=keep)")
	because(spec.WarnReopened, now.Status != plan.Completed, "reopened: a done item got another status (reopen=allow)")
	because(spec.WarnDemoted, now.Status == plan.Pending, "pending: another item is in progress (in_progress=%s)",
		t.settings.InProgress)
	if old.Status != now.Status {
		why = append(why, fmt.Sprintf("status: %s → %s", old.Status, now.Status))
	}
	for _, m := range []struct{ name, from, to string }{
		{"id", old.ID, now.ID}, {"priority", old.Priority, now.Priority}, {"active form", old.ActiveForm, now.ActiveForm},
	} {
		if m.from != m.to {
			why = append(why, fmt.Sprintf("%s: %s → %s", m.name, shown(m.from), shown(m.to)))
		}
	}
	if old.ID != "" && t.warned[spec.WarnIDTaken][old.ID] {
		why = append(why, "the rewrite gives its id to another item")
	}
	return why
}

func shown(text string) string {
	if text == "" {
		return "(none)"
	}
	return explain.ID(text)
}

// omitted is the knob for an item that a rewrite leaves out.
func (t *story) omitted(item *spec.Item) string {
	if item.Status == plan.Completed {
		return "omitted_done"
	}
	return "omitted_open"
}

// gone describes the old items that are not in the new list.
func (t *story) gone() {
	for i := range t.old {
		if slices.Contains(t.was, i) {
			continue
		}
		old := &t.old[i]
		t.Add("-", 0, style.Bad, "%s", line(old))
		switch {
		case t.warned[spec.WarnCleared][old.Name()]:
			t.Add("", 1, style.Plain, "cleared: the rewrite is an empty list (clear=%s)", t.settings.Clear)
		case old.Status == plan.Cancelled:
			t.Add("", 1, style.Plain, "dropped: the rewrite left it out, and it was cancelled")
		case t.warned[spec.WarnDropped][old.Name()]:
			t.Add("", 1, style.Plain, "dropped: the rewrite left it out (%s=%s)", t.omitted(old), harness.Drop)
		default:
			t.Add("", 1, style.Bad, "missing, and no warning names it")
		}
	}
}

// left describes the items of the rewrite that are not in the new list.
func (t *story) left() {
	names := func(code string) string { return explain.IDs(slices.Sorted(maps.Keys(t.warned[code]))) }
	if list := names(spec.WarnDuplicateDropped); list != "" {
		t.Add("", 0, style.Doubtful, "left out: %s: duplicate in the rewrite (duplicates=%s)", list, t.settings.Duplicates)
	}
	if list := names(harness.WarnTruncated); list != "" && t.limit != nil {
		t.Add("", 0, style.Doubtful, "left out: %s: the list is limited to %d items", list, *t.limit)
	}
}

func line(item *spec.Item) string {
	const longest = 60
	text := explain.Text(item.Content)
	if len(text) > longest {
		text = explain.ID(text)
	}
	if item.ID != "" {
		text = explain.ID(item.ID) + "  " + text
	}
	return text + "  [" + string(item.Status) + "]"
}
