package campaign

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
)

// TestKnownGroupsInBulk checks that known failures do not end a campaign: it goes on
// to as many groups of breaks as are new.
func TestKnownGroupsInBulk(t *testing.T) {
	c := config(func(k harness.Case, o *harness.Outcome) error {
		if strings.Contains(string(k.Replies[0]), "```") { // in no plain case
			return errors.New("a fence")
		}
		return almost(k, o)
	})
	c.MaxFindings = 2
	first := start(t, c).Result
	var known []string
	for _, g := range first.Groups {
		known = append(known, g.Name(c.Dialect))
	}
	c.Known = func(g cause.Group) bool { return slices.Contains(known, g.Name(c.Dialect)) }
	second := start(t, c).Result
	fresh := slices.DeleteFunc(slices.Clone(second.Groups), func(g cause.Group) bool { return g.Advisory || c.Known(g) })
	if len(fresh) == 0 || len(second.Groups) <= len(first.Groups) {
		t.Errorf("with %d known groups %d in all, %d of them new", len(known), len(second.Groups), len(fresh))
	}
	c.Known = func(cause.Group) bool { return true }
	if all := start(t, c).Result; all.Cases != c.Cases || all.Stopped != "" {
		t.Errorf("a campaign in which all is known ended after %d cases: %s", all.Cases, all.Stopped)
	}
}

// TestKnownAgain: a list that another campaign made knows what shows the same again, and no
// group that is new in a known cause.
func TestKnownAgain(t *testing.T) {
	group := func(id string, cases uint64, kind string, culprits ...string) cause.Group {
		return cause.Group{
			ID: id, Cases: cases, Class: judge.Differs, Key: cause.Key{Culprits: culprits, Check: judge.Reference, Kind: kind},
		}
	}
	worse := group("worse", 9, "unsound", "b")
	worse.Class = judge.Loss
	r := Result{Dialect: "planpatch", Coverage: Coverage{Faults: Tally{"a": 9, "b": 90}}, Groups: []cause.Group{
		group("plain", 50, "crash"), group("again", 9, "crash", "a"), group("more", 5, "crash", "a", "b"),
		group("rare", 2, "loss", "a"), group("incidental", 9, "loss", "b"), group("new", 9, "accepts", "a"),
		group("other", 1, "refuses", "a"), worse,
	}, Causes: []cause.Cause{
		{ID: "plain", Groups: []string{"plain", "again", "more", "rare", "incidental", "new", "worse"}},
		{ID: "other", Groups: []string{"other"}},
	}}
	known := r.KnownGroups(func(name string) bool { return strings.HasSuffix(name, "/plain") })
	var fresh []string
	for _, g := range r.Groups {
		if !known(g) {
			fresh = append(fresh, g.ID)
		}
	}
	if diff := cmp.Diff([]string{"new", "other", "worse"}, fresh); diff != "" {
		t.Error(diff)
	}
}

// TestFresh: a known group with few of the cases of a cause does not make the cause a known one.
func TestFresh(t *testing.T) {
	const lost, stored = NewPart + "Drops a finished step", NewPart + "Makes two steps with the same id"
	for name, tt := range map[string]struct {
		known    string
		cases    uint64 // of the lesser group; the other one has 9
		id, says string
	}{
		"nothing is known":        {"", 3, "planpatch/loss/lost", "Loses"},
		"few cases are known":     {"stored", 3, "planpatch/loss/lost", "Loses"},
		"many cases are known":    {"stored", 4, "planpatch/loss/lost", lost},
		"the group that names it": {"lost", 3, "planpatch/unsound/stored", stored},
		"all":                     {"lost stored", 3, "", "Loses"},
	} {
		t.Run(name, func(t *testing.T) {
			c := cause.Cause{ID: "lost", Class: judge.Loss, Sentence: "Loses", Groups: []string{"lost", "stored"}}
			r := Result{Dialect: "planpatch", Causes: []cause.Cause{c}, Groups: []cause.Group{
				{ID: "stored", Class: judge.Unsound, Cases: tt.cases, Key: cause.Key{Check: "ids-unique", Kind: "twice"}},
				{ID: "lost", Class: judge.Loss, Cases: 9, Key: cause.Key{Check: "done-immutable", Kind: "gone"}},
			}}
			lack := cause.Cause{ID: "lack", Class: judge.Unsound, Sentence: "Lacks"} // an undeclared value has no group
			if _, id := r.Fresh(lack, func(cause.Group) bool { return false }); id != "planpatch/unsound/lack" {
				t.Errorf("a cause without groups is %q", id)
			}
			fresh, id := r.Fresh(c, func(g cause.Group) bool { return strings.Contains(tt.known, g.ID) })
			if diff := cmp.Diff([]string{tt.id, tt.says}, []string{id, fresh.Sentence}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestShows: the finding of a cause is the one of its example, and not another one
// that it shows as.
func TestShows(t *testing.T) {
	other, own := finding.Finding{Message: "other", Fingerprint: "8"}, finding.Finding{Message: "own", Fingerprint: "7"}
	r := Result{Groups: []cause.Group{{ID: "g", Example: &other}, {ID: "h"}, {ID: "i", Example: &own}}}
	if got := r.Shows(cause.Cause{
		Groups:   []string{"h", "g", "i"},
		Findings: []string{own.ID(), other.ID()},
	}); got != &own {
		t.Errorf("got %v, want the example's finding", got)
	}
	same := own
	same.CaseIndex, r.Groups[1].Example = 3, &same
	shown := cause.Cause{Groups: []string{"h", "i"}, Findings: []string{own.ID()}}
	if got := r.Shows(shown); got != &own {
		t.Errorf("got case %d, want the one of the cause", got.CaseIndex)
	}
	r.Groups[1].Example = nil
	if got := r.Shows(cause.Cause{Groups: []string{"h"}}); got != nil {
		t.Errorf("got %v of a cause without an example", got)
	}
}
