package todos

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// scored tries one rewrite after the other: a retry comes in the place of one that
// was refused.
func scored(c harness.Case, before *plan.Plan, p harness.Profile) dialect.Scored {
	if before == nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	own, similar, sees := account(before, p)
	s := dialect.Tries(c, p, rules.Eval, func(raw harness.Reply) []harness.Danger { return demands(c, own, raw) })
	for _, f := range fates(spec.Items(before), s.First) {
		if f.now == nil || *f.now != f.old {
			s.Named = append(s.Named, f.old.Name())
		}
	}
	if s.First.Tier != harness.TierNone && len(c.Replies) > 0 {
		o := asWritten(c, own, c.Replies[0])
		var added []spec.Item
		if similar {
			added = newItems(o)
		}
		s.Items, s.Similar = counted(fates(spec.Items(before), o), added, sees), similar
	}
	for _, f := range fates(spec.Items(before), s.Last) {
		s.Lost = s.Lost || f.old.Status == plan.Completed && (f.now == nil || *f.now != f.old)
	}
	return s
}

// account returns the rules by which the score follows items: those of the profile, but under
// identity=auto items without ids are matched by similar text. Otherwise a reworded item would
// count as a lost one. sees reports whether rewordings show.
func account(before *plan.Plan, p harness.Profile) (rules harness.Profile, similar, sees bool) {
	identity := spec.SettingsOf(p).Identity
	ids := slices.ContainsFunc(before.Steps, func(s plan.Step) bool { return s.ID != "" })
	if identity != spec.Auto || ids || len(before.Steps) == 0 {
		return p, false, ids || identity == spec.Auto || identity == spec.Similar
	}
	return p.With(spec.Knobs(), "identity=similar"), true, true
}

// asWritten is what would come of a rewrite if every knob that protects items
// allowed it.
func asWritten(c harness.Case, p harness.Profile, raw harness.Reply) harness.Outcome {
	c.Replies, c.Limits.MaxPlanSteps = []harness.Reply{raw}, nil
	return rules.Eval(c, p.With(spec.Knobs(), "omitted_done=drop", "omitted_open=drop", "clear=allow", "reopen=allow",
		"unchanged=allow", "duplicates=first", "in_progress=any", "extra_fields=drop"))
}

// demands lists what a rewrite asks of completed items. One that cannot be read then
// either asks for nothing.
func demands(c harness.Case, p harness.Profile, raw harness.Reply) (list []harness.Danger) {
	o := asWritten(c, p, raw)
	before, err := plan.DecodeList(c.Plan)
	if err != nil {
		return nil
	}
	for _, f := range fates(spec.Items(before), o) {
		switch {
		case f.old.Status != plan.Completed:
		case f.now == nil:
			list = append(list, harness.Danger{Kind: harness.DangerRemoval, Step: f.old.Name()})
		case f.now.Status != plan.Completed:
			list = append(list, harness.Danger{Kind: harness.DangerEdit, Step: f.old.Name()})
		case spec.Normal(f.now.Content) != spec.Normal(f.old.Content):
			list = append(list, harness.Danger{Kind: harness.DangerRewrite, Step: f.old.Name()})
		}
	}
	return list
}

// fate is the new state of an item; now is nil if the item is missing.
type fate struct {
	old spec.Item
	now *spec.Item
	at  int // in the new list
}

// fates follows the items of a list; nil where nothing was applied.
func fates(before []spec.Item, o harness.Outcome) []fate {
	was := spec.Origins(&o)
	if was == nil {
		return nil
	}
	list := make([]fate, len(before))
	for i := range before {
		list[i].old = before[i]
	}
	after := spec.Items(o.Plan)
	for i, from := range was {
		if from >= 0 {
			list[from].now, list[from].at = &after[i], i
		}
	}
	return list
}

// newItems returns the items of the new list that the old list does not have.
func newItems(o harness.Outcome) (list []spec.Item) {
	items := spec.Items(o.Plan)
	for i, from := range spec.Origins(&o) {
		if from < 0 {
			list = append(list, items[i])
		}
	}
	return list
}

// The shares of items that rewrites change.
const (
	doneLost  = "done_items_lost"
	openLost  = "open_items_lost"
	reworded  = "items_reworded"
	reopened  = "items_reopened"
	reordered = "items_reordered"
)

// counted counts what a rewrite does to the items of a list, whatever a profile
// puts back. It counts rewordings only if they can be seen. An open item whose words the
// new items say is reworded or split, not lost.
func counted(list []fate, added []spec.Item, sees bool) dialect.Shares {
	share := dialect.Shares{}
	var places []int // of the items that are kept
	for _, f := range list {
		done := f.old.Status == plan.Completed
		switch {
		case done:
			share.Count(doneLost, f.now == nil)
		case f.old.Open():
			said := f.now == nil && says(added, f.old.Content)
			if share.Count(openLost, f.now == nil && !said); said {
				share.Count(reworded, true)
			}
		}
		if f.now == nil {
			continue
		}
		places = append(places, f.at)
		if sees {
			share.Count(reworded, spec.Normal(f.old.Content) != spec.Normal(f.now.Content))
		}
		if done {
			share.Count(reopened, f.now.Status != plan.Completed)
		}
	}
	if len(places) > 0 {
		share[reordered] = dialect.Share{Yes: len(places) - inOrder(places), Of: len(places)}
	}
	return share
}

// says reports whether at least three of four words of a content are in the contents of new
// items. Words of one or two letters do not count.
func says(added []spec.Item, content string) bool {
	said := map[string]bool{}
	for _, item := range added {
		for _, w := range words(item.Content) {
			said[w] = true
		}
	}
	all := words(content)
	found := collect.Count(all, func(w string) bool { return said[w] })
	return len(all) > 1 && 4*found >= 3*len(all)
}

func words(content string) []string {
	list := strings.FieldsFunc(strings.ToLower(spec.Normal(content)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(list, func(w string) bool { return utf8.RuneCountInString(w) < 3 })
}

// inOrder is the length of the longest part of a list that rises: the items that
// stay when the fewest are moved.
func inOrder(list []int) int {
	var ends []int // the least end of a rising part of each length
	for _, x := range list {
		i, _ := slices.BinarySearch(ends, x)
		if i == len(ends) {
			ends = append(ends, x)
		}
		ends[i] = x
	}
	return len(ends)
}
