package todos

import (
	"maps"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/words"
	"replanbench/harness/plan"
)

// scored tries one rewrite after the other: a retry comes in the place of one that
// was refused.
func scored(c harness.Case, p harness.Profile) dialect.Scored {
	before, err := plan.DecodeList(c.Plan)
	if err != nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	s := dialect.Tries(c, p, rules.Eval, func(raw harness.Reply) []harness.Danger { return demands(c, p, raw) })
	for _, f := range fates(words.Items(before), s.First) {
		if f.now == nil || *f.now != f.old {
			s.Named = append(s.Named, f.old.Name())
		}
	}
	for _, f := range fates(words.Items(before), s.Last) {
		s.Lost = s.Lost || f.old.Status == plan.Completed && (f.now == nil || *f.now != f.old)
	}
	return s
}

// demands lists what a rewrite asks of completed items: what would come of them if
// every knob that protects them allowed it. A rewrite that cannot be read then either
// asks for nothing.
func demands(c harness.Case, p harness.Profile, raw harness.Reply) (list []harness.Danger) {
	more := maps.Clone(p.More)
	if more == nil {
		more = map[string]string{}
	}
	maps.Copy(more, map[string]string{
		"omitted_done": harness.Drop, "omitted_open": harness.Drop, "clear": words.Allow, "reopen": words.Allow, "unchanged": words.Allow,
		"duplicates": words.First, "in_progress": harness.Any,
	})
	p.More, p.ExtraFields = more, harness.Drop
	c.Replies = []harness.Reply{raw}
	o := rules.Eval(c, p)
	before, err := plan.DecodeList(c.Plan)
	if err != nil {
		return nil
	}
	for _, f := range fates(words.Items(before), o) {
		switch {
		case f.old.Status != plan.Completed:
		case f.now == nil:
			list = append(list, harness.Danger{Kind: harness.DangerRemoval, Step: f.old.Name()})
		case f.now.Status != plan.Completed:
			list = append(list, harness.Danger{Kind: harness.DangerEdit, Step: f.old.Name()})
		case words.Normal(f.now.Content) != words.Normal(f.old.Content):
			list = append(list, harness.Danger{Kind: harness.DangerRewrite, Step: f.old.Name()})
		}
	}
	return list
}

// fate is what became of an item; now is nil where it is gone.
type fate struct {
	old words.Item
	now *words.Item
}

// fates follows the items of a list; nil where nothing was applied.
func fates(before []words.Item, o harness.Outcome) []fate {
	var was []*int
	if o.Plan == nil || json.Unmarshal(o.More[words.Was], &was) != nil {
		return nil
	}
	list := make([]fate, len(before))
	for i := range before {
		list[i].old = before[i]
	}
	after := words.Items(o.Plan)
	for i, from := range was {
		if from != nil && i < len(after) {
			list[*from].now = &after[i]
		}
	}
	return list
}

// why says what refused a rewrite.
func why(o harness.Outcome) *harness.Refusal {
	return &harness.Refusal{Code: o.Code, At: o.At, Message: strings.TrimSpace(o.Message)}
}

// climb asks for one rewrite after the other until one can be applied.
func climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	return dialect.Climb(c, p, ask, rules.Eval, why)
}
