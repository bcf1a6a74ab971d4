package campaign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// TestLenientInBulk: an engine that rejects hardly anything has one bug, whatever the rules reject. An engine that rejects
// what it cannot read, and nothing else, has others.
func TestLenientInBulk(t *testing.T) {
	plans := []harness.Code{"bad_limit", "invalid_plan", "empty_patch"}
	for name, tc := range map[string]struct {
		codes []harness.Code
		title string // what the engine adds to the title
		says  string
		one   bool
	}{
		"invalid plans":                     {plans, "", "Says applied, with the unchanged plan, instead of rejecting (", true},
		"invalid plans, and changes titles": {plans, "!", "Does not reject invalid updates (", false},
		"unreadable replies, and changes titles": {[]harness.Code{
			"bad_limit", "invalid_plan", "no_document", "too_deep", "reply_too_large", "invalid_utf8",
		}, "!", "", false},
	} {
		c := config(func(c harness.Case, o *harness.Outcome) error {
			p, err := plan.Decode(c.Plan)
			if o.Verdict == harness.Rejected && !slices.Contains(tc.codes, o.Code) && err == nil {
				p.Title += tc.title
				*o = harness.Outcome{Verdict: harness.Applied, Plan: p, Meta: &harness.Meta{}, Warnings: []harness.Warning{}}
			}
			return nil
		})
		c.Generator.Traits, c.Cases, c.ShrinkBudget = nil, 800, -1
		causes := start(t, c).Result.Causes
		bulk := slices.IndexFunc(causes, func(c cause.Cause) bool { return strings.HasSuffix(c.Sentence, " reason codes)") })
		if bulk >= 0 != (tc.says != "") || bulk >= 0 && !strings.HasPrefix(causes[bulk].Sentence, tc.says) ||
			tc.one != (len(causes) == 1) {
			t.Errorf("an engine that rejects only %s: %d causes", name, len(causes))
			for _, c := range causes {
				t.Errorf("%s %s %d", c.Sentence, c.LooksLike, c.Cases)
			}
		}
	}
}

// TestMessagesInBulk: the messages of rejections without a reason code separate the causes, and titles quote them.
func TestMessagesInBulk(t *testing.T) {
	c := config(func(c harness.Case, o *harness.Outcome) error {
		for _, x := range [][2]string{
			{"```", "no JSON in 'reply'"},
			{"\ufeff", "the first character is no {"},
			{"<think>", "begins with: a thought"},
			{"//", "begins with: other words"},
		} {
			if o.Verdict == harness.Applied && strings.Contains(string(c.Replies[0]), x[0]) {
				*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused, Message: x[1]}
			}
		}
		return nil
	})
	c.Generator.Traits, c.Cases, c.ShrinkBudget = nil, 1500, -1
	causes := start(t, c).Result.Causes
	for _, want := range []string{"no JSON in 'reply'", "the first character is no", "begins with a thought"} {
		want = `Rejects valid updates (refused) with "` + want + `" when `
		n := 0
		for _, c := range causes {
			if strings.HasPrefix(c.Sentence, want) {
				n++
			}
		}
		if n != 1 || len(causes) != 3 {
			t.Errorf("%d of %d causes begin with %s: %+v", n, len(causes), want, causes)
		}
	}
}

// TestOneMissingTestInBulk: an engine without one test of a part of the request is not lenient.
func TestOneMissingTestInBulk(t *testing.T) {
	d := all.Find("operations")
	eval := d.Eval
	for _, m := range d.Defects {
		if strings.Contains(m.Name, "cycle") || strings.Contains(m.Name, "itself") {
			eval = m.Wrap(eval)
		}
	}
	open := func() (harness.Engine, error) {
		none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
		return mutant.Engine(d.Name, none, eval, d.Declare(harness.Profile{})), nil
	}
	e, _ := open()
	r := start(t, Config{Dialect: d.Name, Seed: 1, Cases: 1500, Engine: e, Fresh: open, ShrinkBudget: -1}).Result
	evidence, err := r.Evidence()
	if err != nil || len(evidence.Groups) == 0 {
		t.Fatalf("%d groups, %v", len(evidence.Groups), err)
	}
	groups := map[string]string{} // by traits and case
	for _, f := range evidence.Groups {
		if f.Lenient || f.Code != "" {
			t.Errorf("%s is lenient, or rejected as a whole: %v %s %s", f.ID, f.Culprits, f.Kind, f.Code)
		}
		for _, seen := range f.Failing {
			key := fmt.Sprint(f.Culprits, seen.Index)
			if groups[key] != "" {
				t.Errorf("case %d is in two groups with the traits %v: %s and %s", seen.Index, f.Culprits, groups[key], f.ID)
			}
			groups[key] = f.ID
		}
	}
}

// TestRejectedPart: what a wrongly rejected call would have changed does not say why it is rejected.
func TestRejectedPart(t *testing.T) {
	d := all.Find("tasks")
	open := func() (harness.Engine, error) {
		none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
		return mutant.Engine(d.Name, none, func(c harness.Case, p harness.Profile) harness.Outcome {
			c.Replies = collect.Map(c.Replies, func(r harness.Reply) harness.Reply {
				return harness.Reply(strings.ReplaceAll(string(r), `"description":`, `"text":`))
			})
			return d.Eval(c, p)
		}, d.Declare(harness.Profile{})), nil
	}
	e, _ := open()
	r := start(t, Config{
		Dialect: d.Name, Seed: 1, Cases: 400, Engine: e, Fresh: open, ShrinkBudget: -1,
		Judging: judge.Options{Reference: reference.New()},
	}).Result
	n := 0
	for _, g := range r.Groups {
		if g.Class != judge.Refuses {
			continue
		}
		for _, seen := range g.Failing {
			if n++; len(seen.Departs) > 0 {
				t.Errorf("case %d with the traits %v: %q", seen.Index, g.Culprits, seen.Departs)
			}
		}
	}
	if n == 0 {
		t.Error("no case shows that valid calls are rejected")
	}
}

// TestUnknownOperationInBulk: an engine that does not know one operation has one bug, though it does not say what became of
// each operation. One that says that it carried out a call, and does nothing, has one bug, too.
func TestUnknownOperationInBulk(t *testing.T) {
	for dialect, tc := range map[string]struct {
		change    func(string) string
		defect    string
		like      string
		condition string
	}{
		"operations": {
			change: func(s string) string { return strings.ReplaceAll(s, `"remove"`, `"delete"`) },
			like:   "unknown=type:remove", condition: ` when type is "remove"`,
		},
		"tasks": {defect: "idle-update", like: "idle-update"},
	} {
		d := all.Find(dialect)
		bug := mutant.Reads("discards", "", tc.change)
		if tc.defect != "" {
			_, bug, _ = all.Defect(tc.defect)
		}
		r := start(t, giving(d, bug.Wrap(d.Eval), 600)).Result
		if len(r.Causes) != 1 || r.Causes[0].LooksLike != tc.like || !strings.HasSuffix(r.Causes[0].Sentence, tc.condition) {
			t.Errorf("%s: %d causes", dialect, len(r.Causes))
			for _, c := range r.Causes {
				t.Errorf("%s %s", c.Sentence, c.LooksLike)
			}
		}
	}
}

// TestEmptyValuesInBulk: an engine that asks whether a member has a value, and takes an empty one for none, has one bug.
func TestEmptyValuesInBulk(t *testing.T) {
	empty := []string{"[]", `""`, "null", "0", "false", "{}"}
	for dialect, list := range map[string]string{"planpatch": "update_steps", "todos": "todos"} {
		d := all.Find(dialect)
		bug := mutant.Reads("empty", "", func(reply string) string {
			root := strictjson.NewTree(reply, 100)
			if root == nil {
				return reply
			}
			dropped := false
			root.Walk(func(n *strictjson.Node, at []string) {
				if n.Kind == strictjson.Object && slices.Equal(at, []string{list}) {
					dropped = n.Drop(func(m *strictjson.Node) bool { return slices.Contains(empty, m.String()) }) || dropped
				}
			})
			if !dropped {
				return reply
			}
			text := root.String()
			return text + strings.Repeat(" ", max(0, len(reply)-len(text))) // the size does not change
		})
		open := func() (harness.Engine, error) {
			return mutant.Engine(d.Name, bug, d.Eval, d.Declare(harness.Profile{})), nil
		}
		e, _ := open()
		r := start(t, Config{
			Dialect: d.Name, Seed: 1, Cases: 1200, Engine: e, Fresh: open, ShrinkBudget: -1,
			Judging: judge.Options{Reference: reference.New()},
		}).Result
		causes := slices.DeleteFunc(r.Causes, func(c cause.Cause) bool { return c.Advisory })
		if len(causes) != 1 || !strings.HasPrefix(causes[0].LooksLike, "ignore=empty values") {
			t.Errorf("%s: %d causes", dialect, len(causes))
			for _, c := range causes {
				t.Errorf("%s %s %d", c.Sentence, c.LooksLike, c.Cases)
			}
		}
	}
}

// TestAcceptsInBulk: an engine that answers with the unchanged plan whatever its rules reject has one bug, which has
// a name, although some of its answers look as if it lacked a single test.
func TestAcceptsInBulk(t *testing.T) {
	for dialect, defect := range map[string]string{
		"planpatch": "keeps-plan-instead", "operations": "keeps-record-instead", "todos": "keeps-list-instead",
		"tasks": "keeps-graph-instead",
	} {
		d := all.Find(dialect)
		_, bug, ok := all.Defect(defect)
		if !ok {
			t.Fatalf("no defect %s", defect)
		}
		r := start(t, giving(d, bug.Wrap(d.Eval), 600)).Result
		causes := slices.DeleteFunc(r.Causes, func(c cause.Cause) bool { return c.Advisory })
		const want = "Says applied, with the unchanged plan, instead of rejecting ("
		if len(causes) != 1 || causes[0].LooksLike != defect || !strings.HasPrefix(causes[0].Sentence, want) {
			t.Errorf("%s: %d causes", dialect, len(causes))
			for _, c := range causes {
				t.Errorf("%s %s %d", c.Sentence, c.LooksLike, c.Cases)
			}
		}
	}
}
