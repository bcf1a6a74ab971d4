package cause_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
)

// small is a dialect with a few traits and checks.
func small() *dialect.Dialect {
	trait := generators.Family("test")
	checks := []judge.Check{
		judge.Holds("kept", "steps are kept", nil).Breaking(judge.Says(judge.Loss, "gone", "drops a step"),
			judge.Says(judge.Loss, "cut", "cuts a step"), judge.Says(judge.Loss, "lost:MEMBER", "loses a member (…)")),
		judge.Holds("unique", "ids are unique", nil).Breaking(judge.Says(judge.Unsound, "twice", "repeats an id")),
		judge.Holds(judge.Total, "it answers", nil).Breaking(judge.Says(judge.Crashes, "crash:TEXT", "crashes")),
		judge.Holds(check.Bounded, "time is bounded", nil).Breaking(judge.Says(judge.Crashes, "slow:TEXT", "is slow")),
		judge.Holds(judge.InputUnchanged, "the case stays", nil).Breaking(judge.Says(judge.Loss, "plan", "changes the case")),
		judge.Again(),
		judge.Relates("layout", "layout does not count", nil),
	}
	return &dialect.Dialect{
		Name: "test",
		Traits: []generators.Trait{
			trait("fence", "the reply has a fence: applied", "fence", "text"),
			trait("tilde", "the reply has a tilde fence", "fence", "reply"),
			trait("bom", "the reply has a mark: no_document", "mark", "text"),
			trait("cycle", "an added step depends on itself: cycle", "cycle", "add"),
			trait("blank", "an id is blank: blank_id", "blank id", "update"),
			trait("huge", "the reply is huge: too_large", "size", "budget"),
		},
		Subjects: [][]string{{"size", "cycle"}},
		Judging:  judge.Rules{Checks: append(checks, judge.Oracles()...)},
	}
}

// drawn is a campaign of plain cases, and of each trait alone.
func drawn(d *dialect.Dialect) cause.Campaign {
	none := func(int, int) bool { return false }
	m := generators.NewMaker(d.Traits, none, true, func(generators.Order) generators.Sample { return generators.Sample{} })
	end := uint64(generators.PlainCases + generators.AloneCases*len(d.Traits))
	return cause.Campaign{
		Dialect: d, Source: generators.NewSource(m).Campaign(), End: end,
		Ran: func(uint64) bool { return true }, Unnamed: true,
	}
}

// group is written "culprit+culprit check kind cases", and in which ways its cases part
// from what is right, if any do, an underscore for a blank; "-" is no culprit.
func group(t *testing.T, d *dialect.Dialect, text string) cause.Group {
	t.Helper()
	f := strings.Fields(text)
	k := cause.Key{Check: f[1], Kind: f[2]}
	if f[0] != "-" {
		k.Culprits = strings.Split(f[0], "+")
	}
	g := cause.Group{ID: text, Key: k, Class: d.Judging.Class(k.Check, k.Kind)}
	if g.Class == "" {
		t.Fatalf("there is no kind %s of %s", k.Kind, k.Check)
	}
	var ways []string
	for _, way := range f[4:] {
		ways = append(ways, strings.ReplaceAll(way, "_", " "))
	}
	for i := range uint64(len(f[3])) { // one x a case
		g.Add(cause.Seen{Index: i * 7, Answer: "answer", Departs: ways})
	}
	return g
}

// TestDiagnose makes causes of groups. Each want is one cause: its groups, the one
// that names it first.
func TestDiagnose(t *testing.T) {
	tests := []struct {
		name   string
		groups []string
		want   [][]string
	}{
		{
			"nothing in common",
			[]string{"cycle reference accepts:cycle xx", "blank unique twice xx"},
			[][]string{{"blank unique twice xx"}, {"cycle reference accepts:cycle xx"}},
		},
		{
			"one stimulus, answered in several ways",
			[]string{"cycle reference refuses:bad xx", "cycle kept gone x", "cycle reference differs:plan xxx"},
			[][]string{{"cycle kept gone x", "cycle reference refuses:bad xx", "cycle reference differs:plan xxx"}},
		},
		{
			"a stimulus, and one more",
			[]string{"cycle+bom kept gone x", "cycle kept cut x"},
			[][]string{{"cycle kept cut x", "cycle+bom kept gone x"}},
		},
		{
			"one theme, in the same way",
			[]string{"fence reference refuses:a x", "tilde reference refuses:a x"},
			[][]string{{"fence reference refuses:a x", "tilde reference refuses:a x"}},
		},
		{
			"one place, in the same way",
			[]string{"bom reference refuses:a x", "fence reference refuses:a x"},
			[][]string{{"fence reference refuses:a x", "bom reference refuses:a x"}},
		},
		{
			"one theme, in two ways",
			[]string{"fence reference refuses:a x", "tilde kept gone x"},
			[][]string{{"tilde kept gone x", "fence reference refuses:a x"}},
		},
		{
			"a theme of half",
			[]string{"fence reference refuses:a x", "cycle+bom kept gone x", "tilde+bom kept gone x"},
			[][]string{{"tilde+bom kept gone x", "cycle+bom kept gone x"}, {"fence reference refuses:a x"}},
		},
		{
			"a theme of most",
			[]string{"fence reference refuses:a x", "cycle+bom kept gone x", "tilde+bom kept gone xx"},
			[][]string{{"tilde+bom kept gone xx", "cycle+bom kept gone x"}, {"fence reference refuses:a x"}},
		},
		{
			"two themes about one thing",
			[]string{"cycle reference refuses:a x", "huge unique twice x"},
			[][]string{{"huge unique twice x", "cycle reference refuses:a x"}},
		},
		{
			"a way with three traits",
			[]string{"fence kept gone x", "cycle kept gone x", "blank kept gone x"},
			[][]string{{"fence kept gone x", "cycle kept gone x", "blank kept gone x"}},
		},
		{"codes of a few", []string{
			"fence reference refuses:a x", "cycle reference refuses:b x",
			"blank reference refuses:c x",
		}, [][]string{
			{"blank reference refuses:c x"},
			{"cycle reference refuses:b x"},
			{"fence reference refuses:a x"},
		}},
		{
			"codes of many",
			[]string{
				"fence reference refuses:a x", "bom reference refuses:b x", "cycle reference refuses:c x",
				"blank reference refuses:d x",
			},
			[][]string{
				{"blank reference refuses:d x"},
				{"bom reference refuses:b x"},
				{"cycle reference refuses:c x"},
				{"fence reference refuses:a x"},
			},
		},
		{
			"another plan says little",
			[]string{"fence reference differs:plan x", "cycle reference differs:plan x"},
			[][]string{{"cycle reference differs:plan x"}, {"fence reference differs:plan x"}},
		},
		{
			"a worse class that shows once",
			[]string{"fence kept gone x", "fence reference refuses:a xxxxxxxxxxxx"},
			[][]string{{"fence kept gone x", "fence reference refuses:a xxxxxxxxxxxx"}},
		},
		{
			"a way with all kinds of traits",
			[]string{"fence kept gone x", "cycle kept gone x", "blank kept gone x", "huge kept gone x"},
			[][]string{{"fence kept gone x", "cycle kept gone x", "blank kept gone x", "huge kept gone x"}},
		},
		{
			"a plain failure says what is wrong",
			[]string{"- kept gone xx", "huge kept gone x"},
			[][]string{{"- kept gone xx", "huge kept gone x"}},
		},
		{
			"a plain failure of the oracle does not",
			[]string{"- reference differs:plan xx", "huge reference differs:plan x"},
			[][]string{{"- reference differs:plan xx"}, {"huge reference differs:plan x"}},
		},
		{
			"two plain failures that never meet",
			[]string{"- kept gone xx", "- unique twice xx"},
			[][]string{{"- kept gone xx"}, {"- unique twice xx"}},
		},
		{
			"a relation shows it elsewhere",
			[]string{"- layout layout/refuses:a x", "cycle layout layout/code:b:a x"},
			[][]string{{"- layout layout/refuses:a x", "cycle layout layout/code:b:a x"}},
		},
		{
			"two mistakes that meet in a case",
			[]string{
				"fence kept gone xx", "cycle unique twice xx", "fence+cycle unique twice x",
				"fence+cycle reference differs:plan x",
			},
			[][]string{
				{"fence kept gone xx", "fence+cycle reference differs:plan x"},
				{"cycle unique twice xx", "fence+cycle unique twice x"},
			},
		},
		{
			"a code that is missing",
			[]string{"cycle reference accepts:a x", "blank reference code:a:b x"},
			[][]string{{"cycle reference accepts:a x"}, {"blank reference code:a:b x"}},
		},
		{
			"a code that comes too soon",
			[]string{"cycle reference refuses:b x", "blank reference code:a:b x"},
			[][]string{{"cycle reference refuses:b x", "blank reference code:a:b x"}},
		},
		{
			"slow texts",
			[]string{"fence bounded slow:a x", "huge bounded slow:b x"},
			[][]string{{"fence bounded slow:a x", "huge bounded slow:b x"}},
		},
		{
			"a case that is changed, and asked again",
			[]string{"cycle input-unchanged plan x", "- deterministic history x"},
			[][]string{{"cycle input-unchanged plan x", "- deterministic history x"}},
		},
		{
			"answers that are wrong in one way",
			[]string{"cycle kept gone xx steps_gone", "cycle kept cut x steps_gone"},
			[][]string{{"cycle kept cut x steps_gone", "cycle kept gone xx steps_gone"}},
		},
		{
			"answers that are wrong in other ways",
			[]string{"cycle kept gone xx steps_gone", "blank kept cut x title_other"},
			[][]string{{"cycle kept gone xx steps_gone"}, {"blank kept cut x title_other"}},
		},
		{
			"one theme, wrong in other ways",
			[]string{"fence reference differs:plan x title_other", "tilde kept gone x steps_gone"},
			[][]string{{"tilde kept gone x steps_gone"}, {"fence reference differs:plan x title_other"}},
		},
		{
			"a report of what is wrong",
			[]string{"fence reference refuses:a x", "tilde reference reports:warnings x"},
			[][]string{{"fence reference refuses:a x", "tilde reference reports:warnings x"}},
		},
		{
			"one error",
			[]string{"fence total crash:unknown xx error_E_'a' error_E", "tilde total crash:unknown x error_E_'a' error_E"},
			[][]string{{"fence total crash:unknown xx error_E_'a' error_E", "tilde total crash:unknown x error_E_'a' error_E"}},
		},
		{
			"errors with one text and other names",
			[]string{"fence total crash:unknown x error_E_'a' error_E", "tilde total crash:unknown x error_E_'b' error_E"},
			[][]string{{"fence total crash:unknown x error_E_'a' error_E"}, {"tilde total crash:unknown x error_E_'b' error_E"}},
		},
		{
			"one member, where another bug also changes the plan",
			[]string{"- kept lost:a xxx steps_a_gone", "cycle kept lost:a x steps_added", "cycle unique twice xx steps_added"},
			[][]string{
				{"- kept lost:a xxx steps_a_gone", "cycle kept lost:a x steps_added"},
				{"cycle unique twice xx steps_added"},
			},
		},
		{
			"another member than in plain cases",
			[]string{"- kept lost:a xxx steps_a_gone", "cycle kept lost:b x"},
			[][]string{{"- kept lost:a xxx steps_a_gone"}, {"cycle kept lost:b x"}},
		},
		{
			"an engine that is not steady",
			[]string{"- deterministic history x", "- deterministic again x"},
			[][]string{{"- deterministic again x", "- deterministic history x"}},
		},
	}
	d := small()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var groups []cause.Group
			for _, text := range test.groups {
				groups = append(groups, group(t, d, text))
			}
			var got [][]string
			for _, c := range cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, groups) {
				got = append(got, c.Groups)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			slices.Reverse(groups)
			var again [][]string
			for _, c := range cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, groups) {
				again = append(again, c.Groups)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("in another order: %s", diff)
			}
		})
	}
}

// TestScattered: a group whose traits are not the reason joins what breaks in the same way,
// and nothing else. Each trait has twelve cases.
func TestScattered(t *testing.T) {
	d := small()
	for _, test := range []struct {
		name   string
		groups []string
		want   int
	}{
		{"the same break", []string{"fence kept gone xxxxxxxxxxxx", "blank kept gone x", "cycle kept gone xx"}, 1},
		{"another break", []string{"fence kept gone xxxxxxxxxxxx", "blank reference refuses:a xx"}, 2},
		{"no other", []string{"fence reference differs:plan x", "blank reference differs:plan xx"}, 1},
		{"what the traits of a plain failure show less often", []string{
			"- kept gone xx", "cycle kept gone xx", "cycle reference accepts:cycle x", "blank reference accepts:blank_id xxx",
		}, 2},
		{"a plain failure of the oracle, and what is more frequent", []string{
			"- reference differs:plan xxxxxxxxxx", "huge reference differs:plan xx", "blank reference differs:plan xxxxxxxxxxxx",
		}, 2},
		{"two that are the reason", []string{
			"fence reference differs:plan xxxxxxxxxxxx", "blank reference differs:plan xxxxxxxxxxxx",
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var groups []cause.Group
			for _, text := range test.groups {
				groups = append(groups, group(t, d, text))
			}
			if got := cause.Diagnose(drawn(d), groups); len(got) != test.want {
				t.Errorf("%d causes, want %d: %+v", len(got), test.want, got)
			}
		})
	}
}

// TestCluster separates bugs that another bug hides in many cases. A group is its culprits, class,
// check, kind, cases, the cases with the culprits, and what changed in most of its cases.
func TestCluster(t *testing.T) {
	crash, unsound, accepts := judge.Crashes, judge.Unsound, judge.Accepts
	for name, c := range map[string]struct {
		groups []cause.Fact
		want   [][]int
	}{
		"a crash of one case, with one more trait": {[]cause.Fact{
			fact("cycle", unsound, "unique", "twice", 50, 70, ""),
			fact("cycle+bom", crash, judge.Total, "crash:unknown", 1, 1, ""),
		}, [][]int{{0}, {1}}},
		"a loss, and crashes of the same theme, both in few cases": {[]cause.Fact{
			fact("huge", judge.Loss, "kept", "gone", 15, 70, ""),
			fact("tilde", crash, judge.Total, "crash:unknown", 60, 70, ""),
			fact("huge", crash, judge.Total, "crash:unknown", 8, 70, ""),
		}, [][]int{{0}, {1, 2}}},
		"two traits, each the reason, for a safety check and a wrong answer that change one member": {[]cause.Fact{
			fact("cycle", judge.Loss, "kept", "gone", 60, 70, "steps status other"),
			about(fact("fence", judge.Differs, judge.Reference, "differs:plan", 60, 70, "steps status other"), "fence"),
		}, [][]int{{0}, {1}}},
		"two traits, one of them not the reason, for breaks that change one member": {[]cause.Fact{
			fact("cycle", judge.Loss, "kept", "gone", 60, 70, "steps status other"),
			about(fact("fence", judge.Differs, judge.Reference, "differs:plan", 20, 70, "steps status other"), "fence"),
		}, [][]int{{0, 1}}},
		"crashes of one place with traits of two themes, and of another place with one of them": {[]cause.Fact{
			crashing(fact("fence", crash, judge.Total, "crash:unknown", 60, 70, "error KeyError"), "plan.py:9"),
			crashing(fact("cycle", crash, judge.Total, "crash:unknown", 60, 70, "error TypeError"), "plan.py:9"),
			crashing(fact("huge", crash, judge.Total, "crash:unknown", 60, 70, "error TypeError"), "plan.py:12"),
		}, [][]int{{0, 1}, {2}}},
		"crashes of two places with two errors, where the rules have one test": {[]cause.Fact{
			ruled(crashing(fact("cycle", crash, judge.Total, "crash:unknown", 60, 70, "error KeyError"), "plan.py:9"), "bad_type"),
			ruled(crashing(fact("huge", crash, judge.Total, "crash:unknown", 60, 70, "error TypeError"), "plan.py:12"), "bad_type"),
		}, [][]int{{0}, {1}}},
		"two impossible values that the rules reject with two codes": {[]cause.Fact{
			ruled(about(fact("cycle", unsound, judge.Total, "stores:null as id", 60, 70, ""), "null"), "bad_type"),
			ruled(about(fact("huge", unsound, judge.Total, "stores:half a character as id", 60, 70, ""), "text"), "invalid_utf8"),
			ruled(about(fact("tilde", unsound, judge.Total, "stores:a list as id", 60, 70, ""), "list"), "bad_type"),
		}, [][]int{{0, 2}, {1}}},
		"a member that is not tested, and an impossible value of another member": {[]cause.Fact{
			about(at("/steps/#/status", ruled(fact("tilde", judge.Loss, "kept", "gone", 30, 70, ""), "bad_type")), "word"),
			about(at("/steps/#/status", ruled(fact("cycle", unsound, judge.Total, "stores:null as status", 60, 70, ""), "bad_type")), "type"),
			about(at("/steps/#/id", ruled(fact("huge", unsound, judge.Total, "stores:a number as id", 70, 70, ""), "bad_type")), "number"),
		}, [][]int{{0, 1}, {2}}},
		"two unknown codes, and two errors with one text and other names": {[]cause.Fact{
			erring(fact("fence", crash, judge.Total, "garbage:unknown code", 60, 70, ""), "unknown code", "bad"),
			erring(fact("cycle", crash, judge.Total, "garbage:unknown code", 60, 70, ""), "unknown code", "empty"),
			erring(fact("huge", crash, judge.Total, "crash:unknown", 60, 70, ""), "KeyError", "id"),
			erring(fact("tilde", crash, judge.Total, "crash:unknown", 60, 70, ""), "KeyError", "title"),
		}, [][]int{{0, 1}, {2}, {3}}},
		"themes with one word of several in common": {[]cause.Fact{
			about(fact("fence", judge.Refuses, judge.Reference, "refuses:taken", 60, 70, ""), "a file from an earlier time"),
			about(fact("tilde", judge.Reports, judge.Reference, "reports:trace", 60, 70, ""), "a time"),
		}, [][]int{{0}, {1}}},
		"themes with one word in common, of two at most": {[]cause.Fact{
			about(fact("fence", judge.Refuses, judge.Reference, "refuses:taken", 60, 70, ""), "an earlier time"),
			about(fact("tilde", judge.Reports, judge.Reference, "reports:trace", 60, 70, ""), "a time"),
		}, [][]int{{0, 1}}},
		"an invalid plan, and a valid reply, of the same theme": {[]cause.Fact{
			ruled(fact("blank", accepts, judge.Reference, "accepts:invalid_plan", 60, 70, ""), harness.InvalidPlan),
			fact("tilde", judge.Refuses, judge.Reference, "refuses:refused", 60, 70, ""),
		}, [][]int{{0}, {1}}},
		"no test of any plan, and a test of replies of the same theme": {[]cause.Fact{
			lenient(ruled(fact("blank", accepts, judge.Reference, "accepts:invalid_plan", 60, 70, ""), harness.InvalidPlan)),
			ruled(fact("tilde", judge.Loss, "kept", "gone", 60, 70, ""), harness.BadType),
		}, [][]int{{0}, {1}}},
		"a crash, and an invalid response": {[]cause.Fact{
			fact("fence", crash, judge.Total, "crash:unknown", 60, 70, ""),
			fact("tilde", crash, judge.Total, "garbage:answer", 60, 70, ""),
		}, [][]int{{0}, {1}}},
		"a wrong answer in one case with two traits, like that of a group which joins crashes": {[]cause.Fact{
			ruled(fact("fence", crash, judge.Total, "crash:unknown", 60, 70, "error TypeError"), "bad_type"),
			ruled(fact("tilde", judge.Differs, judge.Reference, "differs:plan", 30, 70, "steps added"), "bad_type"),
			about(ruled(fact("cycle+bom", judge.Differs, judge.Reference, "differs:plan", 1, 1, "steps added"), "cycle"), "order"),
		}, [][]int{{0, 1, 2}}},
		"whole requests rejected with the code with which the rules reject a part": {[]cause.Fact{
			about(ruled(fact("fence", judge.Refuses, judge.Reference, "refuses:bad_type", 5, 70, ""), "bad_type"), "type"),
			about(ruled(fact("cycle", judge.Refuses, judge.Reference, "refuses:blocked", 5, 70, ""), "blocked"), "order"),
			about(ruled(fact("huge", judge.Refuses, judge.Reference, "refuses:late", 60, 70, ""), "over_capacity"), "size"),
		}, [][]int{{0, 1}, {2}}},
		"a look-alike of few cases, a group with it, and plain cases for which the engine tests the opposite": {[]cause.Fact{
			ruled(fact("fence", judge.Loss, "kept", "gone", 60, 70, ""), "taken"),
			ruled(like(fact("fence", accepts, judge.Reference, "accepts:taken", 2, 70, ""), "allows"), "taken"),
			about(ruled(like(fact("huge", judge.OnlyCode, judge.Reference, "code:taken:late", 5, 70, ""), "allows"), "late"), "size"),
			fact("", judge.Refuses, judge.Reference, "refuses:taken", 300, 700, ""),
		}, [][]int{{0, 1, 2, 3}}},
		"four traits, and each with one that breaks nothing alone": {[]cause.Fact{
			fact("fence", judge.Differs, judge.Reference, "differs:plan", 30, 70, ""),
			fact("tilde", judge.Differs, judge.Reference, "differs:plan", 30, 70, ""),
			fact("cycle", judge.Differs, judge.Reference, "differs:plan", 30, 70, ""),
			fact("blank", judge.Differs, judge.Reference, "differs:plan", 30, 70, ""),
			about(fact("fence+bom", judge.Differs, judge.Reference, "differs:plan", 1, 1, ""), "mark"),
			about(fact("tilde+bom", judge.Differs, judge.Reference, "differs:plan", 1, 1, ""), "mark"),
			about(fact("cycle+bom", judge.Differs, judge.Reference, "differs:plan", 1, 1, ""), "mark"),
			about(fact("blank+bom", judge.Differs, judge.Reference, "differs:plan", 1, 1, ""), "mark"),
			about(fact("huge", accepts, judge.Reference, "accepts:late", 60, 70, ""), "size"),
		}, [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {8}}},
		"a wrong answer with a trait, like that of plain cases": {[]cause.Fact{
			asks(fact("", judge.Differs, judge.Reference, "differs:plan", 30, 700, "steps status"), "title", 0.4),
			fact("cycle", judge.Differs, judge.Reference, "differs:plan", 60, 70, "steps status"),
		}, [][]int{{0, 1}}},
		"a wrong answer with a trait, without the feature that such plain cases need": {[]cause.Fact{
			asks(fact("", judge.Differs, judge.Reference, "differs:plan", 30, 700, "steps status"), "title", 0.4),
			lacks(fact("cycle", judge.Differs, judge.Reference, "differs:plan", 60, 70, "steps status"), judge.Reference),
		}, [][]int{{0}, {1}}},
		"what most plain cases show, too": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 900, 1000, "version"),
			fact("blank", accepts, judge.Reference, "accepts:blank_id", 60, 70, "version"),
		}, [][]int{{0}, {1}}},
		"a check that breaks with any trait, which changes what most plain cases change, or more": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 900, 1000, "version"),
			fact("bom", unsound, "alternates", "turn", 10, 70, "version"),
			fact("fence", unsound, "alternates", "turn", 5, 70, "user gone"),
			fact("cycle", unsound, "alternates", "turn", 20, 70, "assistant gone"),
		}, [][]int{{0}, {1, 2, 3}}},
		"a trait that breaks only with others, which break something else alone": {[]cause.Fact{
			about(fact("cycle+fence", accepts, judge.Reference, "accepts:cycle", 1, 1, "trace"), "cycle", "fence"),
			about(fact("cycle+bom", accepts, judge.Reference, "accepts:cycle", 1, 1, "trace"), "cycle", "bom"),
			about(fact("cycle+tilde", judge.Refuses, judge.Reference, "refuses:empty", 1, 1, "trace"), "cycle", "tilde"),
			about(fact("cycle+huge", judge.Refuses, judge.Reference, "refuses:empty", 1, 1, "trace"), "cycle", "huge"),
			about(fact("fence", judge.Reports, judge.Reference, "reports:trace", 60, 60, "trace"), "fence"),
			about(fact("bom", judge.Reports, judge.Reference, "reports:trace", 60, 60, "trace"), "bom"),
			about(fact("tilde", judge.Reports, judge.Reference, "reports:trace", 60, 60, "trace"), "tilde"),
			about(fact("huge", judge.Reports, judge.Reference, "reports:trace", 60, 60, "trace"), "huge"),
		}, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}},
		"a check that breaks in all cases with a trait, and another one with more traits": {[]cause.Fact{
			fact("huge", judge.Loss, "kept", "gone", 57, 57, "steps gone"),
			fact("huge+blank", judge.Loss, "silent", "add", 1, 1, "steps gone"),
			fact("tilde", judge.Loss, "silent", "add", 54, 59, "steps gone"),
		}, [][]int{{0, 1, 2}}},
		"a check that breaks in most cases with a trait, and another one with more traits": {[]cause.Fact{
			fact("huge", judge.Loss, "kept", "gone", 50, 57, "steps gone"),
			fact("huge+blank", judge.Loss, "silent", "add", 1, 1, "steps gone"),
			fact("tilde", judge.Loss, "silent", "add", 54, 59, "steps gone"),
		}, [][]int{{0}, {1, 2}}},
		"two checks that few of the same cases break": {[]cause.Fact{
			beside(fact("tilde", unsound, "alternates", "turn", 12, 70, ""), "fits over", 12),
			fact("bom", unsound, "alternates", "turn", 60, 70, ""),
			beside(fact("tilde", judge.Loss, "fits", "over", 30, 70, ""), "alternates turn", 12),
		}, [][]int{{0, 1}, {2}}},
		"plain cases that are rejected, and some with one feature that have a wrong result": {[]cause.Fact{
			fact("", judge.Refuses, "well-formed", "refuses:empty", 1500, 3000, ""),
			asking(fact("", judge.Differs, judge.Reference, "differs:plan", 230, 3000, "steps gone"), 0.1),
			fact("tilde", judge.OnlyCode, judge.Expected, "code:cycle:empty", 8, 50, ""),
			fact("bom", judge.OnlyCode, judge.Expected, "code:cycle:other", 8, 50, ""),
		}, [][]int{{0, 2}, {1}, {3}}},
		"a trait that shows a lesser effect, too, which other traits show alone": {[]cause.Fact{
			beside(fact("tilde", judge.Refuses, judge.Reference, "refuses:refused", 3, 3, ""), "alternates turn", 3),
			fact("bom", judge.Reports, "alternates", "turn", 3, 3, ""),
			fact("cycle", judge.Reports, "alternates", "turn", 3, 3, ""),
		}, [][]int{{0}, {1, 2}}},
		"some cases with two traits that show a bug in two ways": {[]cause.Fact{
			about(ruled(fact("bom", accepts, judge.Reference, "accepts:empty", 5, 22, ""), "empty"), "items"),
			about(ruled(fact("tilde", accepts, judge.Reference, "accepts:empty", 2, 22, ""), "empty"), "lists"),
			about(fact("fence", judge.Differs, judge.Reference, "differs:plan", 50, 133, "status"), "progress"),
			about(fact("bom", judge.Differs, judge.Reference, "differs:plan", 4, 22, "status"), "items"),
			about(fact("tilde", judge.Differs, judge.Reference, "differs:plan", 3, 22, "status"), "lists"),
			about(ruled(fact("huge", accepts, judge.Reference, "accepts:cycle", 5, 22, ""), "cycle"), "limits"),
		}, [][]int{{0, 1, 2, 3, 4}, {5}}},
		"plain cases that are rejected, and invalid parts of other rejected cases": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:blocked", 109, 4000, ""),
			ruled(fact("bom", judge.Refuses, judge.Expected, "refuses:bad_type", 1, 61, ""), "bad_type"),
			ruled(fact("cycle", judge.Refuses, judge.Expected, "refuses:cycle", 1, 13, ""), "cycle"),
			ruled(fact("blank", judge.Refuses, judge.Reference, "refuses:cycle", 1, 13, ""), "blank_id"),
		}, [][]int{{0, 1, 2}, {3}}},
		"plain cases, most of those with a feature, and all cases with a trait that uses it": {[]cause.Fact{
			asking(fact("", judge.Differs, judge.Reference, "differs:plan", 1430, 4000, "steps gone"), 0.4),
			fact("", judge.Refuses, judge.Reference, "refuses:empty", 313, 4000, ""),
			fact("bom", judge.Differs, judge.Reference, "differs:plan", 35, 35, "steps gone"),
		}, [][]int{{0, 1, 2}}},
		"plain cases, few of those with a feature, and all cases with a trait that uses it": {[]cause.Fact{
			asking(fact("", judge.Differs, judge.Reference, "differs:plan", 1430, 4000, "steps gone"), 0.9),
			fact("", judge.Refuses, judge.Reference, "refuses:empty", 313, 4000, ""),
			fact("bom", judge.Differs, judge.Reference, "differs:plan", 35, 35, "steps gone"),
		}, [][]int{{0, 2}, {1}}},
		"plain cases, and a look-alike of few cases with a trait": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:empty", 200, 1000, ""),
			fact("", judge.Differs, judge.Reference, "differs:plan", 400, 1000, "steps"),
			like(fact("bom", judge.Refuses, judge.Reference, "refuses:empty", 1, 70, ""), "ends-early"),
		}, [][]int{{0, 1, 2}}},
		"cases with a trait of two breaks and another trait": {[]cause.Fact{
			fact("bom", judge.Refuses, judge.Reference, "refuses:extra", 20, 70, ""),
			fact("bom", judge.Differs, judge.Reference, "differs:plan", 30, 70, "status"),
			about(fact("bom+cycle", judge.Refuses, judge.Reference, "refuses:cycle", 1, 1, ""), "theme", "circles"),
			about(fact("bom+fence", judge.Differs, judge.Reference, "differs:plan", 1, 1, "status"), "theme", "blocks"),
		}, [][]int{{0, 1, 2, 3}}},
		"plain cases, and a look-alike of one case with two traits": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:empty", 200, 1000, ""),
			fact("", judge.Differs, judge.Reference, "differs:plan", 400, 1000, "steps"),
			like(fact("bom+fence", judge.Refuses, judge.Reference, "refuses:empty", 1, 1, ""), "ends-early"),
		}, [][]int{{0, 1, 2}}},
		"one code instead of two others, and another code": {[]cause.Fact{
			about(fact("cycle", judge.OnlyCode, judge.Reference, "code:cycle:empty", 60, 70, ""), "circles"),
			about(fact("blank", judge.OnlyCode, judge.Reference, "code:blank_id:empty", 60, 70, ""), "ids"),
			about(fact("fence", judge.OnlyCode, judge.Reference, "code:no_document:bad_type", 60, 70, ""), "fences"),
		}, [][]int{{0, 1}, {2}}},
		"one code for the calls of two tools, and a crash": {[]cause.Fact{
			calling(fact("cycle", accepts, judge.Reference, "accepts:bad_arguments", 60, 70, ""), "write"),
			calling(fact("blank", crash, judge.Total, "crash:unknown", 1, 70, ""), "Task"),
			calling(fact("fence", unsound, "unique", "twice", 60, 70, ""), "write"),
		}, [][]int{{0, 2}, {1}}},
		"an invalid edit that is applied, and a valid one of the same theme with another result": {[]cause.Fact{
			ruled(fact("cycle", unsound, "unique", "twice", 51, 52, "blocked"), "dependency_cycle"),
			fact("blank", judge.Differs, judge.Reference, "differs:plan", 53, 61, "blocked"),
		}, [][]int{{0}, {1}}},
		"a look-alike with few cases of the theme of another group": {[]cause.Fact{
			like(about(fact("bom", accepts, judge.Reference, "accepts:type", 9, 9, ""), "padding"), "ignore=type"),
			like(about(fact("fence", accepts, judge.Reference, "accepts:type", 8, 8, ""), "words"), "ignore=type"),
			like(about(fact("tilde", accepts, judge.Reference, "accepts:type", 8, 8, ""), "words"), "ignore=type"),
			about(fact("blank", judge.Loss, "silent", "remove", 2, 9, "steps added"), "padding"),
		}, [][]int{{0, 1, 2}, {3}}},
		"a test that the engine lacks, by two look-alikes and two checks": {[]cause.Fact{
			unchecked(like(ruled(fact("bom", unsound, "unique", "twice", 60, 70, ""), "duplicate_id"), "twice"), ""),
			unchecked(like(ruled(fact("fence", judge.Loss, "kept", "changed", 60, 70, ""), "duplicate_id"), "overwrites"), ""),
			unchecked(ruled(fact("tilde", unsound, "limit", "grown", 60, 70, ""), "over_capacity"), ""),
		}, [][]int{{0, 1}, {2}}},
		"a test that the engine lacks in some places": {[]cause.Fact{
			unchecked(like(ruled(fact("bom", unsound, "unique", "twice", 60, 70, ""), "duplicate_id"), "twice"), "/add/#"),
			unchecked(like(ruled(fact("fence", judge.Loss, "kept", "changed", 60, 70, ""), "duplicate_id"), "over"), "/add/#"),
			unchecked(like(ruled(fact("tilde", unsound, "limit", "grown", 60, 70, ""), "duplicate_id"), "limit"), "/update/#"),
		}, [][]int{{0, 1}, {2}}},
		"a test that the engine lacks, and a look-alike that explains more than that": {[]cause.Fact{
			unchecked(like(ruled(fact("bom", unsound, "unique", "twice", 60, 70, ""), "duplicate_id"), "twice"), ""),
			unchecked(like(ruled(fact("fence", unsound, "limit", "grown", 60, 70, ""), "duplicate_id"), "one-more"), ""),
			like(fact("tilde", unsound, "limit", "grown", 60, 70, ""), "one-more"),
		}, [][]int{{0}, {1, 2}}},
		"a test that the engine lacks, so that it crashes later": {[]cause.Fact{
			unchecked(ruled(fact("bom", unsound, "unique", "twice", 60, 70, ""), "duplicate_id"), ""),
			unchecked(ruled(fact("bom", crash, judge.Total, "crash:unknown", 8, 70, ""), "duplicate_id"), ""),
		}, [][]int{{0, 1}}},
		"a test of some places that the engine lacks, so that it crashes later in few cases": {[]cause.Fact{
			about(ruled(fact("bom", crash, judge.Total, "crash:unknown", 2, 64, ""), "unknown_step"), "ids"),
			about(ruled(fact("bom", judge.Loss, "kept", "gone", 24, 64, ""), "unknown_step"), "ids"),
			about(ruled(fact("fence", judge.Loss, "kept", "gone", 36, 64, ""), "unknown_step"), "ids"),
			about(ruled(fact("fence+huge", crash, judge.Total, "crash:unknown", 1, 1, ""), "unknown_step"), "ids", "size"),
			about(ruled(fact("tilde+huge", crash, judge.Total, "crash:unknown", 1, 1, ""), "bad_type"), "ids", "size"),
		}, [][]int{{0, 1, 2, 3}, {4}}},
		"an invalid edit that is applied, and one of the same theme that crashes": {[]cause.Fact{
			fact("bom", accepts, judge.Reference, "accepts:missing_field", 30, 58, "tasks added"),
			fact("fence", crash, judge.Total, "crash:unknown", 1, 15, "error AttributeError"),
		}, [][]int{{0, 1}}},
		"a second safety check that one case with more traits breaks, where nearly all with fewer break the first": {[]cause.Fact{
			fact("bom", unsound, "phases", "found", 53, 54, "toggle state"),
			fact("bom+fence", judge.Loss, "kept", "gone", 1, 1, "write data"),
		}, [][]int{{0, 1}}},
		"a second safety check that one case with more traits breaks, where two in three with fewer break the first": {
			[]cause.Fact{
				fact("bom", unsound, "phases", "found", 36, 54, "toggle state"),
				fact("bom+fence", judge.Loss, "kept", "gone", 1, 1, "write data"),
			}, [][]int{{0}, {1}},
		},
		"few plain cases that show what nearly all cases with a trait show": {[]cause.Fact{
			beside(fact("bom", judge.Loss, "silent", "add", 60, 70, ""), "unique twice", 60),
			fact("", unsound, "again", "unique/twice", 14, 2000, ""),
		}, [][]int{{0, 1}}},
		"many plain cases that show what nearly all cases with a trait show": {[]cause.Fact{
			beside(fact("bom", judge.Loss, "silent", "add", 60, 70, ""), "unique twice", 60),
			fact("", unsound, "again", "unique/twice", 1400, 2000, ""),
		}, [][]int{{0}, {1}}},
		"a safety check that the calls of two tools break, so that the outcomes differ in other ways": {[]cause.Fact{
			calling(fact("bom", unsound, "limit", "grown", 60, 70, "write code"), "write"),
			calling(fact("fence", unsound, "limit", "grown", 60, 70, "edit code"), "edit"),
			calling(fact("tilde", accepts, judge.Reference, "accepts:bad_arguments", 60, 70, "read code"), "read"),
		}, [][]int{{0, 1}, {2}}},
		"two look-alikes of one check": {[]cause.Fact{
			like(fact("bom", unsound, "limit", "grown", 60, 70, ""), "no-limit"),
			like(fact("fence", unsound, "limit", "grown", 60, 70, ""), "one-more"),
		}, [][]int{{0, 1}}},
		"a change that few cases of one group show": {[]cause.Fact{
			about(changing(fact("cycle", accepts, judge.Reference, "accepts:size", 43, 54, ""), 0.1), "size"),
			about(changing(fact("fence", unsound, "unique", "twice", 76, 147, ""), 1), "twice"),
		}, [][]int{{0}, {1}}},
		"a look-alike of plain cases, and the same break with a trait": {[]cause.Fact{
			like(fact("", judge.Differs, judge.Reference, "differs:plan", 11, 1500, "steps title"), "forgets"),
			like(fact("", judge.Loss, "kept", "cut", 259, 1500, "steps title"), "forgets"),
			like(fact("huge", judge.Loss, "kept", "gone", 259, 1500, "steps gone"), "forgets"),
			fact("fence", judge.Differs, judge.Reference, "differs:plan", 6, 8, "steps title"),
		}, [][]int{{0, 1, 2, 3}}},
		"three look-alikes of one answer to invalid cases": {[]cause.Fact{
			like(ruled(fact("bom", accepts, judge.Reference, "accepts:bad_type", 14, 23, ""), "bad_type"), "splits"),
			like(ruled(fact("fence", accepts, judge.Reference, "accepts:bad_type", 14, 15, ""), "bad_type"), "coerces"),
			about(like(ruled(fact("huge", accepts, judge.Reference, "accepts:bad_type", 14, 15, ""), "bad_type"), "any"), "x"),
		}, [][]int{{0}, {1}, {2}}},
		"an invalid edit that is applied, and one of its cases with another trait that hides how": {[]cause.Fact{
			ruled(fact("cycle", unsound, "unique", "twice", 33, 81, ""), "duplicate_id"),
			about(ruled(fact("cycle+huge", judge.Loss, "silent", "add", 1, 1, ""), "duplicate_id"), "theme", "limit"),
			about(ruled(fact("bom+huge", judge.Loss, "kept", "gone", 1, 1, ""), "duplicate_id"), "x", "limit"),
		}, [][]int{{0, 1}, {2}}},
		"a test of the opposite, so that a safety check breaks": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:done", 1170, 4000, ""),
			like(ruled(fact("cycle", judge.Loss, "kept", "changed", 8, 12, ""), "done"), "done=replaceable"),
			like(ruled(fact("bom", judge.Loss, "kept", "changed", 3, 12, ""), "done"), "done=replaceable"),
			about(ruled(fact("blank", judge.Loss, "kept", "gone", 8, 12, ""), "blank_id"), "x"),
		}, [][]int{{0, 1, 2}, {3}}},
		"a test of the opposite, so that the engine crashes": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:unknown", 304, 1500, ""),
			ruled(fact("cycle", crash, judge.Total, "crash:unknown", 5, 7, "error KeyError"), "unknown"),
			about(like(fact("bom", judge.Refuses, judge.Reference, "refuses:unknown", 8, 8, ""), "any"), "x"),
		}, [][]int{{0, 1, 2}}},
		"one case of the break of a look-alike that mostly breaks another check": {[]cause.Fact{
			like(about(fact("bom", judge.Loss, "kept", "gone", 22, 55, "items gone"), "done"), "reworded"),
			like(about(fact("fence", judge.Loss, "open", "gone", 190, 400, "items gone"), "open"), "reworded"),
			about(fact("cycle+huge", judge.Loss, "kept", "gone", 1, 1, "items gone"), "empty"),
		}, [][]int{{0, 1, 2}}},
		"plain cases with a loss, as few as chance allows, and others that are rejected": {[]cause.Fact{
			fact("", judge.Loss, "silent", "add", 2, 50, "steps gone"),
			fact("", judge.Refuses, judge.Reference, "refuses:duplicate", 26, 50, ""),
		}, [][]int{{0, 1}}},
		"many plain cases with a break that is rare next to another one": {[]cause.Fact{
			fact("", judge.Loss, "silent", "add", 20, 4000, "steps gone"),
			fact("", judge.Refuses, judge.Reference, "refuses:duplicate", 900, 4000, ""),
		}, [][]int{{0}, {1}}},
		"a test of the opposite, and an advisory group with its look-alike": {[]cause.Fact{
			fact("", judge.Refuses, judge.Reference, "refuses:done", 1170, 4000, ""),
			like(ruled(fact("cycle", judge.Loss, "kept", "changed", 8, 12, ""), "done"), "done=replaceable"),
			advisory(like(fact("bom", judge.OnlyCode, judge.Reference, "code:done:cycle", 9, 12, ""), "done=replaceable")),
		}, [][]int{{0, 1, 2}}},
		"a safety check that the cases of another one break, too": {[]cause.Fact{
			about(fact("bom", judge.Loss, "refused-nothing", "left:steps", 40, 90, "steps"), "circles"),
			beside(fact("cycle", judge.Loss, "kept", "changed:title", 12, 60, "title"), "refused-nothing left:title", 12),
			beside(fact("blank", unsound, "unique", "twice", 60, 70, "title"), "refused-nothing left:title", 12),
		}, [][]int{{0, 1}, {2}}},
		"two reasons of one theme at two places": {[]cause.Fact{
			at("/add/#", ruled(fact("bom", accepts, judge.Reference, "accepts:missing_field", 12, 23, ""), "missing_field")),
			at("/add/#/id", ruled(fact("blank", unsound, "unique", "blank", 12, 23, ""), "empty_id")),
		}, [][]int{{0}, {1}}},
		"two reasons of one theme at one place": {[]cause.Fact{
			at("/add/#", ruled(fact("bom", accepts, judge.Reference, "accepts:missing_field", 12, 23, ""), "missing_field")),
			at("/add/#", ruled(fact("blank", unsound, "unique", "blank", 12, 23, ""), "empty_id")),
		}, [][]int{{0, 1}}},
		"crashes at two lines for one reason at two places": {[]cause.Fact{
			at("/remove/#", ruled(crashing(fact("bom", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:7"), "unknown")),
			at("/add/#", ruled(crashing(fact("blank", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:9"), "unknown")),
		}, [][]int{{0}, {1}}},
		"crashes at two lines for one reason at one place": {[]cause.Fact{
			at("/add/#", ruled(crashing(fact("bom", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:7"), "unknown")),
			at("/add/#", ruled(crashing(fact("blank", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:9"), "unknown")),
		}, [][]int{{0, 1}}},
		"a crash over a list, and a wrong value in a member of its items": {[]cause.Fact{
			at("/steps", ruled(crashing(fact("null", crash, judge.Total, "crash:unknown", 6, 70, ""), "plan.py:9"),
				"bad_type")),
			at("/steps/#/status", ruled(fact("null", unsound, judge.Total, "stores:null as status", 5, 70, ""), "bad_type")),
		}, [][]int{{0}, {1}}},
		"a crash over a list, and wrong values in several members of its items": {[]cause.Fact{
			at("/steps", ruled(crashing(fact("null", crash, judge.Total, "crash:unknown", 6, 70, ""), "plan.py:9"),
				"bad_type")),
			under("/steps/#/", ruled(fact("null", unsound, judge.Total, "stores:null as status", 5, 70, ""), "bad_type")),
		}, [][]int{{0}, {1}}},
		"a crash over a list, and a wrong value from a valid reply": {[]cause.Fact{
			at("/steps", ruled(crashing(fact("null", crash, judge.Total, "crash:unknown", 6, 70, ""), "plan.py:9"),
				"bad_type")),
			fact("blank", unsound, judge.Total, "stores:null as status", 30, 70, ""),
		}, [][]int{{0}, {1}}},
		"a crash over a list, and a wrong item of it": {[]cause.Fact{
			at("/steps", ruled(crashing(fact("null", crash, judge.Total, "crash:unknown", 6, 70, ""), "plan.py:9"),
				"bad_type")),
			at("/steps/#", ruled(fact("null", unsound, judge.Total, "stores:null as step", 5, 70, ""), "bad_type")),
		}, [][]int{{0, 1}}},
		"crashes at two lines for two reasons at one place": {[]cause.Fact{
			at("/add/#", ruled(crashing(fact("bom", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:7"), "unknown")),
			at("/add/#", ruled(crashing(fact("blank", crash, judge.Total, "crash:unknown", 20, 24, ""), "e.py:9"), "conflict")),
		}, [][]int{{0}, {1}}},
		"wrong types of two themes, one of which is stored": {[]cause.Fact{
			about(ruled(fact("bom", unsound, judge.Total, "stores:null as tools", 5, 23, ""), "bad_type"), "null"),
			about(ruled(fact("blank", accepts, judge.Reference, "accepts:bad_type", 15, 23, ""), "bad_type"), "lists"),
		}, [][]int{{0}, {1}}},
		"a member that is ignored in two spellings, and another one": {[]cause.Fact{
			like(fact("bom", judge.Differs, judge.Reference, "differs:plan", 60, 70, "form gone"), "ignore=activeForm"),
			like(fact("fence", judge.Differs, judge.Reference, "differs:plan", 60, 70, "form gone"), "ignore=active_form"),
			like(fact("tilde", judge.Differs, judge.Reference, "differs:plan", 60, 70, "form gone"), "ignore=forms"),
		}, [][]int{{0, 1}, {2}}},
		"two missing tests that let a step through": {[]cause.Fact{
			about(ruled(fact("fence", accepts, judge.Reference, "accepts:taken", 60, 70, "steps added"), "taken"), "id"),
			about(ruled(fact("tilde", accepts, judge.Reference, "accepts:unnamed", 60, 70, "steps added"), "unnamed"), "name"),
		}, [][]int{{0}, {1}}},
		"a missing test, and a loss in plain cases": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 5, 700, "steps added"),
			about(ruled(fact("fence", accepts, judge.Reference, "accepts:taken", 60, 70, "steps added"), "taken"), "id"),
		}, [][]int{{0}, {1}}},
		"a missing test, and a whole request rejected where the same test fails": {[]cause.Fact{
			about(ruled(fact("fence", accepts, judge.Reference, "accepts:bad_type", 60, 70, ""), "bad_type"), "number"),
			about(ruled(fact("tilde", judge.Refuses, judge.Reference, "refuses:refused", 60, 70, ""), "bad_type"), "list"),
		}, [][]int{{0}, {1}}},
		"one case of a missing test, with a trait that breaks something else": {[]cause.Fact{
			ruled(unchecked(fact("fence", accepts, judge.Reference, "accepts:taken", 60, 70, ""), ""), "taken"),
			ruled(unchecked(fact("blank", judge.Loss, "kept", "gone", 1, 70, ""), ""), "taken"),
			ruled(about(fact("blank", accepts, judge.Reference, "accepts:empty", 60, 70, ""), "id"), "empty"),
		}, [][]int{{0, 1}, {2}}},
		"a rare loss in plain cases, and a frequent wrong answer": {[]cause.Fact{
			beside(fact("", judge.Loss, "kept", "gone", 2, 1500, "steps gone"), judge.Reference+" differs:plan", 2),
			fact("", judge.Differs, judge.Reference, "differs:plan", 120, 1500, "steps order"),
		}, [][]int{{0}, {1}}},
		"a worse break with the traits of cases that are wrong as plain ones": {[]cause.Fact{
			fact("fence", unsound, "unique", "twice", 2, 70, ""),
			fact("", judge.Differs, judge.Reference, "differs:plan", 100, 1000, ""),
			fact("fence", judge.Differs, judge.Reference, "differs:plan", 7, 70, ""),
		}, [][]int{{0}, {1, 2}}},
		"two missing tests that would prevent an invalid plan": {[]cause.Fact{
			at("/edges", about(ruled(fact("fence", unsound, "edges", "unknown", 60, 70, ""), "missing"), "edge")),
			at("/id", about(ruled(fact("tilde", unsound, "edges", "unknown", 60, 70, ""), "bad_type"), "type")),
			at("/edges", about(ruled(fact("bom", unsound, "edges", "unknown", 60, 70, ""), "missing"), "edge")),
		}, [][]int{{0, 2}, {1}}},
		"plain cases lose steps, and a case of another bug does so as often": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 20, 1000, "steps gone"),
			beside(fact("fence", judge.Loss, "kept", "gone", 1, 70, "steps added"), "asked call", 1),
			fact("fence", unsound, "asked", "call", 60, 70, "steps added"),
		}, [][]int{{0, 1}, {2}}},
		"plain cases lose steps, and the cases of another bug do so more often": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 20, 1000, "steps gone"),
			beside(fact("fence", judge.Loss, "kept", "gone", 35, 70, "steps added"), "asked call", 35),
			fact("fence", unsound, "asked", "call", 60, 70, "steps added"),
		}, [][]int{{0}, {1, 2}}},
		"two missing tests of one theme": {[]cause.Fact{
			unchecked(ruled(fact("fence", accepts, judge.Reference, "accepts:duplicate_key", 21, 21, ""), "duplicate_key"), ""),
			unchecked(ruled(fact("tilde", accepts, judge.Reference, "accepts:too_deep", 30, 30, ""), "too_deep"), ""),
		}, [][]int{{0}, {1}}},
		"a run that must fail, and another one that ends without a test": {[]cause.Fact{
			about(ruled(fact("fence", unsound, "verified", "not-passed", 12, 12, "DONE added"), "failed"), "failure"),
			about(fact("tilde", unsound, "verified", "untested", 33, 33, "DONE added"), "writes"),
		}, [][]int{{0}, {1}}},
		"most plain cases lose steps, and a look-alike of some": {[]cause.Fact{
			fact("", judge.Loss, "kept", "gone", 860, 1000, "steps gone"),
			like(fact("fence", judge.Loss, "kept", "gone", 31, 31, "steps added"), "squeezes"),
			fact("", judge.Loss, "kept", "read", 860, 1000, "steps gone"),
		}, [][]int{{0, 1, 2}}},
		"a rare crash, and a wrong answer to cases with the same trait": {[]cause.Fact{
			about(fact("fence", judge.Crashes, judge.Total, "crash:unknown", 6, 61, "error"), "null"),
			about(fact("fence", judge.Differs, judge.Reference, "differs:plan", 9, 61, "steps gone"), "null"),
			about(fact("tilde", judge.Differs, judge.Reference, "differs:plan", 58, 70, "steps gone"), "edges"),
		}, [][]int{{0}, {1, 2}}},
		"two ends of a run that breaks a limit": {[]cause.Fact{
			about(ruled(fact("fence", unsound, "limit", "more", 10, 11, ""), "used_up"), "replan"),
			about(ruled(fact("tilde", unsound, "limit", "more", 10, 11, ""), "failed"), "verification"),
		}, [][]int{{0, 1}}},
		"a case with the traits of two bugs, which shows the worse one": {[]cause.Fact{
			about(fact("blank", judge.Loss, "untouched", "gone", 39, 76, ""), "cycle"),
			about(ruled(fact("fence+blank", judge.Loss, "kept", "gone", 1, 1, ""), "missing"), "edge", "cycle"),
			about(ruled(fact("fence", unsound, "edges", "unknown", 60, 70, ""), "missing"), "edge"),
		}, [][]int{{0, 1}, {2}}},
		"advice with the theme of a case that says little": {[]cause.Fact{
			about(fact("fence", judge.Loss, "kept", "gone", 60, 70, ""), "loss"),
			about(fact("fence+tilde", judge.Loss, "kept", "gone", 1, 1, ""), "loss", "padded"),
			advisory(about(fact("bom", accepts, judge.Reference, "accepts:taken", 60, 70, ""), "padded")),
		}, [][]int{{0, 1}, {2}}},
		"a trait that lets several bugs show": {[]cause.Fact{
			about(fact("bom+blank", judge.Loss, "kept", "gone", 1, 1, ""), "loss"),
			about(fact("fence+blank", unsound, "edges", "deleted", 1, 1, ""), "edge"),
			about(fact("tilde+blank", unsound, "edges", "deleted", 1, 1, ""), "edge"),
			about(fact("cycle+blank", unsound, "edges", "deleted", 1, 1, ""), "edge"),
			about(fact("huge", unsound, "edges", "deleted", 60, 70, ""), "edge"),
		}, [][]int{{0}, {1, 2, 3, 4}}},
		"two look-alikes of two checks": {[]cause.Fact{
			like(fact("bom", unsound, "limit", "grown", 60, 70, ""), "no-limit"),
			like(fact("fence", unsound, "unique", "twice", 60, 70, ""), "twice"),
		}, [][]int{{0}, {1}}},
	} {
		got := cause.Cluster(&cause.Evidence{Dialect: "test", Groups: c.groups})
		slices.SortFunc(got, func(a, b []int) int { return a[0] - b[0] })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// crashing gives the cases of a group the place where the engine crashed.
func crashing(f cause.Fact, place string) cause.Fact {
	f.Failing = []cause.Seen{{Answer: "crash", Place: place}}
	return f
}

// calling gives a group the reason of a rejection: a code that several tools have, and the tool. No
// theme is common.
func calling(f cause.Fact, tool string) cause.Fact {
	f.Rule, f.Call, f.Subjects = "bad_arguments", tool, f.Culprits
	return f
}

// lenient makes a group one of an engine that hardly rejects anything.
func lenient(f cause.Fact) cause.Fact {
	f.Lenient = true
	return f
}

// ruled gives a group the code with which the rules reject its cases.
func ruled(f cause.Fact, code harness.Code) cause.Fact {
	f.Rule = code
	return f
}

// asks gives a group of plain cases a feature that all of them use, and a share of the others.
func asks(f cause.Fact, name string, asked float64) cause.Fact {
	f.Asks, f.Asked = []string{name}, asked
	return f
}

// lacks says of a group that it does without the feature that another one asks for.
func lacks(f cause.Fact, other string) cause.Fact {
	f.Lacks = []string{other}
	return f
}

// under gives a group a place that contains all places of its cases.
func under(place string, f cause.Fact) cause.Fact {
	f.Under = place
	return f
}

// at gives a group the place in replies at which the rules reject its cases.
func at(place string, f cause.Fact) cause.Fact {
	f.At = place
	return f
}

// unchecked gives a group a reason that the engine does not test, and no common theme.
func unchecked(f cause.Fact, at string) cause.Fact {
	f.Unchecked, f.Subjects, f.At = at == "", f.Culprits, at
	return f
}

// about gives a group the themes of its traits.
func about(f cause.Fact, subjects ...string) cause.Fact {
	f.Subjects = subjects
	return f
}

// erring gives a group an error message with a quoted name.
func erring(f cause.Fact, message, name string) cause.Fact {
	f.Ways = map[string]float64{"error " + message: 1, "error " + message + " '" + name + "'": 1}
	return f
}

// like gives a group a look-alike.
func like(f cause.Fact, defect string) cause.Fact {
	f.LooksLike = defect
	return f
}

// changing is a group of which a share of the cases changes titles.
func changing(f cause.Fact, titles float64) cause.Fact {
	f.Ways = map[string]float64{"steps title longer": titles}
	return f
}

// asking gives a group the share of the plain cases that use a feature.
func asking(f cause.Fact, share float64) cause.Fact {
	f.Asks, f.Asked = []string{"add"}, share
	return f
}

// advisory makes a group one that fails nothing.
func advisory(f cause.Fact) cause.Fact {
	f.Advisory = true
	return f
}

// beside adds how many cases of a group without a theme break another check.
func beside(f cause.Fact, check string, cases uint64) cause.Fact {
	f.Beside, f.Subjects = map[string]uint64{check: cases}, nil
	return f
}

func fact(culprits string, class judge.Class, check, kind string, cases, held uint64, change string) cause.Fact {
	f := cause.Fact{Held: held, Group: cause.Group{
		ID: culprits + check, Key: cause.Key{Check: check, Kind: kind}, Class: class, Cases: cases,
	}}
	if culprits != "" {
		f.Culprits = strings.Split(culprits, "+")
		f.Subjects = []string{"theme"}
	}
	if change != "" {
		f.Ways = map[string]float64{change: 1}
	}
	return f
}

// TestUnnamed: a look-alike that explains few cases, with more traits than another group, is chance.
func TestUnnamed(t *testing.T) {
	d := small()
	for name, c := range map[string]struct {
		groups []string
		want   string
	}{
		"few cases":       {[]string{"blank unique twice xxxxxx", "blank+cycle kept gone x"}, ""},
		"many cases":      {[]string{"blank unique twice xxxxxx", "blank+cycle kept gone xxxx"}, "drops"},
		"no other cases":  {[]string{"fence unique twice xxxxxx", "blank+cycle kept gone x"}, "drops"},
		"most with trait": {[]string{"fence kept gone xx", "blank kept gone x"}, ""},
	} {
		var groups []cause.Group
		for _, text := range c.groups {
			groups = append(groups, group(t, d, text))
		}
		campaign := drawn(d)
		campaign.Named = map[string]string{c.groups[1]: "drops"}
		for _, f := range cause.Gather(campaign, groups).Groups {
			if f.ID == c.groups[1] && f.LooksLike != c.want {
				t.Errorf("%s: looks like %q, want %q", name, f.LooksLike, c.want)
			}
		}
	}
}

// TestNamedByWhatAllSeedsShow: the group that names a cause is one that shows in the cases
// that are the same for all seeds, however many of the others another has.
func TestNamedByWhatAllSeedsShow(t *testing.T) {
	d := small()
	c := drawn(d)
	early, late := group(t, d, "tilde kept gone xx"), group(t, d, "fence kept gone xxxxxx")
	late.Failing = nil // of the first round with one trait, which belongs to the seed
	for i := range uint64(6) {
		late.Failing = append(late.Failing, cause.Seen{Index: generators.PlainCases + i, Answer: "answer"})
	}
	causes := cause.Diagnose(c, []cause.Group{early, late})
	if len(causes) != 1 || causes[0].ID != early.ID {
		t.Errorf("got %+v, want one with the id %q", causes, early.ID)
	}
}

// TestCountsWhatFails: a failing cause does not count the advisory cases of the same bug.
func TestCountsWhatFails(t *testing.T) {
	d := small()
	lost, coded := group(t, d, "cycle kept gone xx"), group(t, d, "cycle reference code:a:b xxx")
	coded.Advisory = true
	for want, groups := range map[uint64][]cause.Group{2: {lost, coded}, 3: {coded}} {
		causes := cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, groups)
		if len(causes) != 1 || causes[0].Cases != want {
			t.Errorf("got %+v, want %d cases", causes, want)
		}
	}
}

// TestCountsAddUp: a campaign puts a case into one group of those with its traits, so the groups of a cause count
// different cases.
func TestCountsAddUp(t *testing.T) {
	d := small()
	worst, other := group(t, d, "fence kept gone xxxxx"), group(t, d, "fence kept cut xxxx")
	for range 3 { // three of the five show the other break, too, and are not among its four
		worst.Meet("kept", "cut")
	}
	causes := cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, []cause.Group{worst, other})
	if len(causes) != 1 || causes[0].Cases != 9 || causes[0].Traits[0].Cases != 9 {
		t.Errorf("got %+v, want one of 9 cases", causes)
	}
}

// TestBeside: a plain failure that mostly shows beside a worse one is the same thing, and
// one that does so by chance is not.
func TestBeside(t *testing.T) {
	d := small()
	for _, test := range []struct {
		name                           string
		worse, both, alone, end, wants uint64
	}{
		{"mostly", 40, 20, 2, 100, 1},
		{"seldom", 50, 1, 5, 100, 2},
		{"never", 50, 0, 10, 100, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			worse, other := group(t, d, "- kept gone x"), group(t, d, "- unique twice x")
			worse.Cases, other.Cases = test.worse, test.alone
			for range test.both {
				worse.Meet("unique", "twice")
			}
			causes := cause.Diagnose(cause.Campaign{Dialect: d, End: test.end}, []cause.Group{worse, other})
			if uint64(len(causes)) != test.wants {
				t.Errorf("%d causes, want %d", len(causes), test.wants)
			}
		})
	}
}

// TestSentence puts groups in words.
func TestSentence(t *testing.T) {
	d := small()
	c := cause.Campaign{Dialect: d}
	for text, want := range map[string]string{
		"fence+bom kept gone x":                 "Drops a step when the reply has a fence and the reply has a mark",
		"- reference refuses:no_document x":     "Rejects valid updates (no_document)",
		"cycle reference differs:messages x":    "Returns the wrong messages when an added step depends on itself",
		"cycle layout layout/accepts:cycle x":   "Accepts invalid updates (cycle) in a changed case (layout does not count) when an added step depends on itself",
		"huge reference code:too_large:empty x": "Rejects with empty instead of too_large when the reply is huge",
	} {
		g := group(t, d, text)
		if diff := cmp.Diff(want, c.Sentence(&g)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestEach checks the sentence of a cause with two traits in each set.
func TestEach(t *testing.T) {
	d := small()
	groups := []cause.Group{group(t, d, "fence+huge kept gone xx"), group(t, d, "cycle+huge kept gone x")}
	causes := cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, groups)
	if want := "Drops a step when the reply has a fence and the reply is huge, or when an added step depends on itself " +
		"and the reply is huge"; len(causes) != 1 || causes[0].Sentence != want {
		t.Errorf("got %+v, want %s", causes, want)
	}
}

// TestManyTraits: traits that make few cases fail are no condition.
func TestManyTraits(t *testing.T) {
	e := cause.Evidence{Dialect: "test"}
	var members []int
	for i := range 9 {
		e.Groups = append(e.Groups, fact(fmt.Sprint("trait", i), judge.Loss, "kept", "gone", 7, 70, ""))
		members = append(members, i)
	}
	for want, cases := range map[string]uint64{
		"Drops a step in some cases (no single trait explains when)": 7,
		"Drops a step when trait0, or when trait1, and 7 more":       60,
	} {
		e.Groups[0].Cases, e.Groups[1].Cases = cases, cases
		causes := cause.Describe(small(), &e, [][]int{members})
		if len(causes) != 1 || causes[0].Sentence != want {
			t.Errorf("got %+v, want %s", causes, want)
		}
	}
}

// TestFewWithMoreTraits: a few cases with more traits give no condition.
func TestFewWithMoreTraits(t *testing.T) {
	for cases, want := range map[uint64]string{2: "Drops a step when full", 3: "Drops a step when full, or when old and met"} {
		e := cause.Evidence{Dialect: "test", Groups: []cause.Fact{
			fact("full", judge.Loss, "kept", "gone", 30, 30, ""), fact("old", judge.Loss, "kept", "gone", cases, 40, ""),
		}}
		e.Groups[1].Culprits = []string{"old", "met"}
		causes := cause.Describe(small(), &e, [][]int{{0, 1}})
		if len(causes) != 1 || causes[0].Sentence != want {
			t.Errorf("%d cases: got %+v, want %s", cases, causes, want)
		}
	}
}

// TestRarely: traits that make hardly any case fail are not the whole condition, a single case in which another trait
// fails gives none. If the worst effect is a rare one, the sentence says what most cases show.
func TestRarely(t *testing.T) {
	drops := func(trait string, cases uint64) cause.Fact {
		return fact(trait, judge.Loss, "kept", "gone", cases, 30, "")
	}
	for want, groups := range map[string][]cause.Fact{
		"Sometimes drops a step when blank, or when huge": {drops("blank", 1), drops("huge", 1)},
		"Drops a step when blank, or when huge":           {drops("blank", 12), drops("huge", 2)},
		"Drops a step when blank":                         {drops("blank", 12), drops("huge", 1)},
		"Sometimes drops a step, mostly repeats an id when blank": {
			drops("cycle", 2), fact("blank", judge.Unsound, "unique", "twice", 28, 30, ""),
		},
		"Drops a step when cycle": { // four of 30 cases fail, in two ways
			drops("cycle", 2), fact("cycle", judge.Unsound, "unique", "twice", 2, 30, ""),
		},
		"Drops a step when tilde": {
			drops("tilde", 12), advisory(fact("bom", judge.OnlyCode, judge.Reference, "code:late:early", 200, 300, "")),
		},
		"Sometimes drops a step, mostly repeats an id": {
			fact("", judge.Loss, "kept", "gone", 2, 1000, ""), fact("", judge.Unsound, "unique", "twice", 28, 1000, ""),
		},
		"Drops a step": {fact("", judge.Loss, "kept", "gone", 2, 1000, "")},
	} {
		e, members := cause.Evidence{Dialect: "test", Groups: groups}, []int{0, 1}[:len(groups)]
		causes := cause.Describe(&dialect.Dialect{Name: "test", Judging: small().Judging}, &e, [][]int{members})
		if len(causes) != 1 || causes[0].Sentence != want {
			t.Errorf("got %+v, want %s", causes, want)
		}
	}
}

// TestOneCode: one code in place of many others is one bug, and none of the traits explains it.
func TestOneCode(t *testing.T) {
	e := cause.Evidence{Dialect: "test"}
	for i, trait := range []string{"cycle", "blank", "fence"} {
		kind := fmt.Sprintf("code:wanted%d:empty", i)
		e.Groups = append(e.Groups, about(fact(trait, judge.OnlyCode, judge.Reference, kind, 60, 70, ""), trait))
	}
	causes := cause.Describe(small(), &e, cause.Cluster(&e))
	if want := "Rejects with empty instead of 3 other reason codes"; len(causes) != 1 || causes[0].Sentence != want {
		t.Errorf("got %+v, want %s", causes, want)
	}
}

// TestWhere: a cause whose cases are all wrong in one way, or in two, says in which.
func TestWhere(t *testing.T) {
	d := small()
	for text, want := range map[string]string{
		"cycle reference differs:plan xx steps_order": "Returns the wrong plan (steps: wrong order) when an " +
			"added step depends on itself",
		"cycle reference differs:plan xx steps_order title_other": "Returns the wrong plan (steps: wrong order, title: " +
			"wrong) when an added step depends on itself",
		"cycle reference differs:plan xx steps_order title_other steps_gone": "Returns the wrong plan when an added step " +
			"depends on itself",
		"cycle reference reports:trace xx resumed_gone": "Returns the right verdict with the wrong trace (resumed: missing) " +
			"when an added step depends on itself",
		"cycle kept gone xx steps_gone": "Drops a step when an added step depends on itself",
		"cycle reference differs:plan xx error_TypeError_unhashable_type": "Returns the wrong plan when an added step " +
			"depends on itself",
	} {
		causes := cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, []cause.Group{group(t, d, text)})
		if len(causes) != 1 || causes[0].Sentence != want {
			t.Errorf("%s: got %+v, want %s", text, causes, want)
		}
	}
}

// TestOften: a cause names what shows it most, and shows the case that it tells of.
func TestOften(t *testing.T) {
	d := small()
	few, most := group(t, d, "fence kept gone xx"), group(t, d, "cycle kept gone xxx")
	rest, other := group(t, d, "blank kept gone x"), group(t, d, "huge kept gone x")
	other.Also, other.Culprits = nil, most.Culprits
	few.Example, other.Example = &finding.Finding{CaseIndex: 1}, &finding.Finding{CaseIndex: 2}
	causes := cause.Diagnose(cause.Campaign{Dialect: d, End: 100}, []cause.Group{few, most, rest, other})
	if len(causes) != 1 {
		t.Fatalf("%d causes, want 1", len(causes))
	}
	c := causes[0]
	got := []any{c.Sentence, c.Cases, c.First}
	want := []any{
		"Drops a step when an added step depends on itself, or when the reply has a fence, and 1 more",
		uint64(7), uint64(1),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	traits := []cause.Shows{
		{Culprits: []string{"cycle"}, Cases: 4},
		{Culprits: []string{"fence"}, Cases: 2},
		{Culprits: []string{"blank"}, Cases: 1},
	}
	if diff := cmp.Diff(traits, c.Traits); diff != "" {
		t.Error(diff)
	}
}

// TestJoin: what two shards count of a group is what one campaign counts of it.
func TestJoin(t *testing.T) {
	var first, second, whole cause.Group
	for i := range uint64(60) {
		part := &first
		if i%3 == 1 {
			part = &second
		}
		for _, g := range []*cause.Group{part, &whole} {
			g.Add(cause.Seen{Index: i, Answer: "answer"})
			if i%2 == 0 {
				g.Meet("reference", "differs:plan")
			}
		}
	}
	second.Join(first)
	if diff := cmp.Diff(whole, second); diff != "" {
		t.Error(diff)
	}
}

// TestStem: the members of one kind share a group, but not with another kind that has the
// same beginning. Lists of earlier versions name both alike.
func TestReveal(t *testing.T) {
	blank, grown := "ids-unique blank", "within-limit grown"
	plain := cause.Group{ID: "plain", Key: cause.Key{Check: "ids-unique", Kind: "blank"}, Class: judge.Unsound, Cases: 40}
	full := cause.Group{
		ID: "full", Class: judge.Unsound, Cases: 10, Worst: 10,
		Key:     cause.Key{Culprits: []string{"over-capacity"}, Check: "ids-unique", Kind: "blank"},
		Failing: []cause.Seen{{Index: 7}},
	}
	with := func(g cause.Group, beside map[string]uint64) cause.Group {
		g.Beside = beside
		return g
	}
	both := plain
	both.Beside = map[string]uint64{grown: 30}
	for name, tt := range map[string]struct {
		groups []cause.Group
		want   []string
	}{
		"all cases":  {[]cause.Group{plain, with(full, map[string]uint64{grown: 10})}, []string{blank + " 40", grown + " 10"}},
		"most cases": {[]cause.Group{plain, with(full, map[string]uint64{grown: 8})}, []string{blank + " 40", blank + " 2", grown + " 8"}},
		"few cases":  {[]cause.Group{plain, with(full, map[string]uint64{grown: 3})}, []string{blank + " 40", blank + " 10"}},
		"plain cases break both": {
			[]cause.Group{both, with(full, map[string]uint64{grown: 10})}, []string{blank + " 40", blank + " 10"},
		},
		"plain cases break nothing":    {[]cause.Group{with(full, map[string]uint64{grown: 10})}, []string{blank + " 10"}},
		"only an oracle breaks beside": {[]cause.Group{plain, with(full, map[string]uint64{"reference differs:plan": 10})}, []string{blank + " 40", blank + " 10"}},
		"of another level":             {[]cause.Group{plain, with(full, map[string]uint64{"version-once history": 10})}, []string{blank + " 40", blank + " 10"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, g := range cause.Reveal(all.Find("operations"), tt.groups) {
				got = append(got, fmt.Sprint(g.Check, " ", g.Kind, " ", g.Cases))
				if g.Check == "within-limit" && (len(g.Failing) != 1 || g.Class != judge.Unsound || g.Worst != g.Cases) {
					t.Errorf("the revealed group is %+v", g)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("groups differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStem(t *testing.T) {
	rules := judge.Rules{Checks: []judge.Check{judge.Holds("kept", "", nil).Breaking(
		judge.Says(judge.Loss, "add", "drops a step"), judge.Says(judge.Loss, "add:MEMBER", "changes a step (…)"),
		judge.Says(judge.Loss, "lost:MEMBER", "loses a member (…)"))}}
	for kind, want := range map[string]string{
		"add": "add", "add:title": "add:", "add:tools": "add:", "lost:title": "lost",
	} {
		if got := rules.Stem("kept", kind); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
	key := cause.Key{Culprits: []string{"fence"}, Check: "kept", Kind: "add:title"}
	stem := cause.Key{Culprits: key.Culprits, Check: "kept", Kind: "add:"}
	g := cause.Group{ID: stem.ID("test"), Key: key, Class: judge.Loss}
	before := cause.Key{Culprits: key.Culprits, Check: "kept", Kind: "add"}.ID("test")
	if names := g.Names("test"); !slices.Contains(names, "test/loss/"+before) || before == g.ID {
		t.Errorf("got %v, want a name with %s", names, before)
	}
}

// TestRenamedCheck: lists of known failures that name the former check still know the group.
func TestRenamedCheck(t *testing.T) {
	d := small()
	g := group(t, d, "cycle unique twice 1")
	g.Example = &finding.Finding{Dialect: "test", Invariant: "unique", Fingerprint: finding.Fingerprint("unique", "", "", "", harness.Case{})}
	was := g
	was.Check = "not-double"
	was.ID = was.Key.ID("test")
	names := g.Former("test", map[string][]string{"unique": {"not-double"}})
	for _, want := range []string{
		was.Name("test"), "test/not-double/" + finding.Fingerprint("not-double", "", "", "", harness.Case{}),
	} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %q", want, names)
		}
	}
}

// TestFeatures: a safety check that breaks in plain cases with one feature says so, unless the sentence names the feature.
func TestFeatures(t *testing.T) {
	for _, x := range []struct{ dialect, check, kind, feature, want string }{
		{"trim", "trim-no-growth", "message", "clamp", "Makes a message longer when the case uses clamp"},
		{"planpatch", "no-silent-loss", "title", "title", "Silently ignores a new title"},
	} {
		d := all.Find(x.dialect)
		source, err := d.Source(generators.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := cause.Campaign{
			Dialect: d, Source: source.Campaign(), Seed: 1, End: generators.PlainCases, Unnamed: true,
			Ran: func(uint64) bool { return true },
		}
		g := cause.Group{ID: x.check, Key: cause.Key{Culprits: []string{}, Check: x.check, Kind: x.kind}, Class: judge.Unsound}
		for index := range c.End {
			if slices.Contains(d.Needs(c.Source.At(c.Seed, index).Case), x.feature) {
				g.Add(cause.Seen{Index: index, Answer: "x"})
			}
		}
		e := cause.Gather(c, []cause.Group{g})
		if diff := cmp.Diff([]string{x.feature}, e.Groups[0].Asks); diff != "" {
			t.Errorf("%s: features (-want +got):\n%s", x.dialect, diff)
		}
		if causes := cause.Describe(d, &e, cause.Cluster(&e)); len(causes) != 1 || causes[0].Sentence != x.want {
			t.Errorf("%s: %+v, want %q", x.dialect, causes, x.want)
		}
	}
}

// TestLacks: a group whose cases do not use the feature that a bug of plain cases needs is noted, if there are enough
// plain cases to say so.
func TestLacks(t *testing.T) {
	d := all.Find("planpatch")
	source, err := d.Source(generators.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := cause.Campaign{
		Dialect: d, Source: source.Campaign(), Seed: 1, End: 3000, Unnamed: true,
		Ran: func(uint64) bool { return true },
	}
	const titled = "title"
	fails := func(id string, most int, culprits ...string) cause.Group {
		key := cause.Key{Culprits: culprits, Check: judge.Reference, Kind: "differs:plan"}
		g := cause.Group{ID: id, Key: key, Class: judge.Differs}
		for index := uint64(0); index < c.End && len(g.Failing) < most; index++ {
			uses := slices.Contains(d.Needs(c.Source.Keeping(c.Seed, index, culprits).Case), titled)
			if slices.Equal(c.Source.Holds(c.Seed, index), culprits) && uses == (len(culprits) == 0) {
				g.Add(cause.Seen{Index: index, Answer: "x"})
			}
		}
		return g
	}
	for name, x := range map[string]struct {
		plain int
		want  []string
	}{
		"many plain cases": {20, []string{"plain"}},
		"four plain cases": {4, nil},
	} {
		e := cause.Gather(c, []cause.Group{fails("plain", x.plain), fails("trait", 20, "remove-unknown")})
		i := slices.IndexFunc(e.Groups, func(f cause.Fact) bool { return f.ID == "trait" })
		if diff := cmp.Diff(x.want, e.Groups[i].Lacks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPlaces: the place of a group is where the rules reject its cases, or a part of them, or contains all such places.
func TestPlaces(t *testing.T) {
	d := all.Find("tasks")
	source, err := d.Source(generators.Options{Traits: []string{"null-required", "blank-subject"}})
	if err != nil {
		t.Fatal(err)
	}
	c := cause.Campaign{
		Dialect: d, Source: source.Campaign(), Seed: 1, End: 200, Unnamed: true, Ran: func(uint64) bool { return true },
	}
	for trait, want := range map[string]cause.Fact{
		"blank-subject": {At: "/calls/#/subject"}, "null-required": {Under: "/calls"},
	} {
		g := cause.Group{ID: trait, Key: cause.Key{Culprits: []string{trait}, Check: judge.Total}, Verdicts: "applied"}
		for index := range c.End {
			if slices.Equal(c.Source.Holds(c.Seed, index), g.Culprits) {
				g.Add(cause.Seen{Index: index, Answer: "x"})
			}
		}
		got := cause.Gather(c, []cause.Group{g}).Groups[0]
		if got.At != want.At || got.Under != want.Under {
			t.Errorf("%s: at %q, under %q, want %q and %q", trait, got.At, got.Under, want.At, want.Under)
		}
	}
}
