package todos

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// The shares of items that rewrites change.
const (
	doneLost  = "done_items_lost"
	openLost  = "open_items_lost"
	reworded  = "items_reworded"
	reopened  = "items_reopened"
	reordered = "items_reordered"
)

func rates() []harness.Term {
	return []harness.Term{
		{Name: doneLost, Text: "share of the completed items that the rewrite leaves out"},
		{Name: openLost, Text: "share of the open items that the rewrite leaves out"},
		{Name: reworded, Text: "share of the kept items that the rewrite rewords"},
		{Name: reopened, Text: "share of the kept completed items that the rewrite reopens"},
		{Name: reordered, Text: "share of the kept items that the rewrite moves past others"},
	}
}

// counted counts what a rewrite does to the items of a list, whatever a profile
// puts back. It counts rewordings only if they can be seen. An open item whose words the
// new items say is reworded or split, not lost.
func counted(list []fate, added []spec.Item, sees bool) map[string]dialect.Share {
	share := map[string]dialect.Share{}
	count := func(name string, yes bool) {
		s := share[name]
		if s.Of++; yes {
			s.Yes++
		}
		share[name] = s
	}
	var places []int // of the items that are kept
	for _, f := range list {
		done := f.old.Status == plan.Completed
		switch {
		case done:
			count(doneLost, f.now == nil)
		case f.old.Open():
			said := f.now == nil && says(added, f.old.Content)
			if count(openLost, f.now == nil && !said); said {
				count(reworded, true)
			}
		}
		if f.now == nil {
			continue
		}
		places = append(places, f.at)
		if sees {
			count(reworded, spec.Normal(f.old.Content) != spec.Normal(f.now.Content))
		}
		if done {
			count(reopened, f.now.Status != plan.Completed)
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
	all, found := words(content), 0
	for _, w := range all {
		if said[w] {
			found++
		}
	}
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
