package enginetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/suite"
)

// What a test writes: the first failures with their case, and of each so many lines of so many characters.
const (
	most  = 10
	lines = 14
	width = 200
)

// failure is a cause as the command fuzz counts it, with the text that shows it.
type failure struct {
	check, name, text string
	known             string // the reason of the list of known failures
}

// news returns the causes of a campaign that are not advisory, the worst first.
func (r *runner) news(result *campaign.Result) (list []failure) {
	known := func(name string) bool { _, ok := r.known.Find(name); return ok }
	for _, c := range result.Causes {
		if c.Advisory {
			continue
		}
		names := result.Names(c)
		r.met = append(r.met, names...)
		f := failure{check: c.Check, name: c.Name(result.Dialect), text: r.described(result, c)}
		if _, fresh := result.Fresh(c, result.KnownGroups(known)); fresh == "" {
			at := slices.IndexFunc(names, known)
			entry, _ := r.known.Find(names[max(at, 0)])
			f.known = cmp.Or(entry.Reason, "no reason given")
		}
		list = append(list, f)
	}
	return list
}

// ranked returns the checks, those with causes first, in the order of their worst ones.
func ranked(checks []judge.Check, found []failure) []judge.Check {
	rank := func(c judge.Check) int {
		if i := slices.IndexFunc(found, func(f failure) bool { return f.check == c.Name }); i >= 0 {
			return i
		}
		return len(found)
	}
	list := slices.Clone(checks)
	slices.SortStableFunc(list, func(a, b judge.Check) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// check reports the causes that a check shows.
func (r *runner) check(t *testing.T, c judge.Check, found []failure, coverage campaign.Coverage) {
	found = slices.DeleteFunc(slices.Clone(found), func(f failure) bool { return f.check != c.Name })
	switch {
	case len(found) > 0 || coverage.Checks[c.Name] > 0:
	case coverage.Unseen[c.Name] > 0:
		t.Skipf("not observable, the engine does not return what the check reads: %s", c.Text)
	default:
		t.Skipf("not checked, no case applies to it: %s", c.Text)
	}
	for _, f := range found {
		if f.known != "" {
			t.Logf("known (%s): %s", f.known, f.text)
			continue
		}
		switch r.shown++; {
		case r.shown > most:
			f.text, _, _ = strings.Cut(f.text, "\n")
		case r.shown == 1 && r.findings == "":
			f.text += "\nenginetest.Findings(dir) keeps the whole cases"
		}
		t.Error(f.text)
	}
}

// described returns the description of a cause with its example.
func (r *runner) described(result *campaign.Result, c cause.Cause) string {
	text := []string{fmt.Sprintf("%s: %s (%d of %d cases)", c.Class, c.Sentence, c.Cases, c.Of), "name       " +
		c.Name(result.Dialect)}
	f := result.Shows(c)
	if f == nil {
		return short(strings.Join(text, "\n"))
	}
	if c.LooksLike != "" {
		text = append(text, "behaves like the built-in defect or setting "+c.LooksLike)
	}
	text = append(text, f.Message)
	for name, value := range f.Case.Documents() {
		if value != nil {
			text = append(text, fmt.Sprintf("%-9s  %s", name, value))
		}
	}
	for _, reply := range f.Case.Replies {
		text = append(text, "reply      "+string(reply))
	}
	if f.Want != "" {
		text = append(text, "expected   "+f.Want, "got        "+f.Got)
	}
	if f.Stderr != "" {
		text = append(text, "standard error: "+f.Stderr)
	}
	if f.Diff != "" {
		text = append(text, strings.Split(strings.TrimRight(f.Diff, "\n"), "\n")...)
	}
	return short(strings.Join(text[:min(len(text), lines)], "\n"))
}

// short cuts a text to the first lines, and each of them to a width.
func short(text string) string {
	list := strings.Split(harmless(text), "\n")
	for i, line := range list {
		if runes := []rune(line); len(runes) > width {
			list[i] = string(runes[:width-1]) + "…"
		}
	}
	return strings.Join(list[:min(len(list), lines)], "\n")
}

// explaining returns the name of the cause that explains a failing scenario, or "".
func (r *runner) explaining(result suite.Result) string {
	c := result.Scenario.Case
	found := r.results[c.Dialect]
	if found == nil {
		return ""
	}
	var given *harness.Outcome
	if result.Status == harness.Fail {
		given = &result.Outcome
	}
	x := found.Explaining(c, given, result.Status, result.Failed)
	if x == nil || x.Advisory {
		return ""
	}
	return x.Name(c.Dialect)
}
