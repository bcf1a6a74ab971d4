package protocols

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
	"replanbench/harness/score/stats"
)

// Question is what a model is asked: to write one change in one protocol.
type Question struct {
	Name   string // unique in a run
	System string
	User   string
}

// asker puts a question to a model and returns its reply.
type asker func(context.Context, Question) (string, error)

// Live has a model write the changes, each protocol those that it can say, and applies
// what comes: so many questions at once, and a question as often as the replies are
// repeated. A question that got no reply is counted as failed; when the context ends
// or the asker gives up with every question, what came until then is the result, beside
// the error.
func Live(ctx context.Context, changes []Change, o Options, workers int, ask asker) (*Result, error) {
	o.Repeats = max(1, o.Repeats)
	r := &Result{Changes: len(changes), Repeats: o.Repeats, Seed: o.Seed}
	var failure error
	var tallies []*tally
	for _, x := range list(o.Profile) {
		t := &tally{Row: Row{Name: x.Name, Text: x.Text, Lacks: x.Lacks}}
		asked := t.questions(x, changes, o)
		replies, err := each(ctx, asked, workers, ask)
		if failure == nil {
			failure = err
		}
		t.judge(x, asked, replies, o)
		r.Rows, tallies = append(r.Rows, t.row()), append(tallies, t)
	}
	r.Pairs = pairs(tallies)
	if ctx.Err() != nil {
		failure = context.Cause(ctx)
	}
	return r, failure
}

// asked is a question with the change that it asks for.
type asked struct {
	Question
	written
	change int
}

func (t *tally) questions(x protocol, changes []Change, o Options) (list []asked) {
	for i, c := range changes {
		w, ok := write(x, c)
		if !ok {
			t.Unsaid++
			continue
		}
		t.Said++
		t.Whole += o.Counter.Count(string(documentOf(w.after)))
		for k := range o.Repeats {
			q := Question{
				Name:   fmt.Sprintf("protocols/%s/%s/%d", x.Name, c.ID, k),
				System: x.Guide + "\nAnswer with the JSON alone: no explanation, no fence.",
				User: fmt.Sprintf("The plan now:\n\n%s\n\nMake these changes and no others:\n\n%s", x.Before(w.before),
					intent(x, w)),
			}
			list = append(list, asked{q, w, i})
		}
	}
	return list
}

// answer is a reply, or the reason for its absence.
type answer struct {
	text string
	err  error
}

// each puts the questions, so many at once; the answers come in their order, and the
// error is the first of them.
func each(ctx context.Context, list []asked, workers int, ask asker) ([]answer, error) {
	answers := make([]answer, len(list))
	places := make(chan int)
	var all sync.WaitGroup
	for range max(1, workers) {
		all.Go(func() {
			for i := range places {
				if answers[i].err = ctx.Err(); answers[i].err == nil {
					answers[i].text, answers[i].err = ask(ctx, list[i].Question)
				}
			}
		})
	}
	for i := range list {
		places <- i
	}
	close(places)
	all.Wait()
	for _, a := range answers {
		if a.err != nil {
			return answers, a.err
		}
	}
	return answers, nil
}

// judge applies the replies of a protocol, change by change.
func (t *tally) judge(x protocol, list []asked, replies []answer, o Options) {
	for from := 0; from < len(list); {
		to, came, counts := from, 0, fates{}
		for ; to < len(list) && list[to].change == list[from].change; to++ {
			if replies[to].err != nil {
				t.Failed++
				continue
			}
			came++
			t.Replies++
			t.Tokens += o.Counter.Count(replies[to].text)
			counts.add(x, list[to].written, []byte(replies[to].text))
		}
		if came > 0 {
			t.put(list[from].change, counts, came)
		}
		from = to
	}
}

// intent is a change in words, of what a protocol has a place for.
func intent(x protocol, w written) string {
	before, after := w.before, w.after
	if x.Carried != nil {
		before, after = x.Carried(before), x.Carried(after)
	}
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, "- "+fmt.Sprintf(format, args...)) }
	if after.Title != before.Title {
		say("Set the title to %s.", strictjson.Quote(after.Title))
	}
	for _, s := range before.Steps {
		now := after.Step(s.ID)
		if now == nil {
			say("Remove the step %s.", strictjson.Quote(s.ID))
			continue
		}
		if now.Description != s.Description {
			say("Set the description of the step %s to %s.", strictjson.Quote(s.ID), strictjson.Quote(now.Description))
		}
		if !slices.Equal(now.Dependencies, s.Dependencies) {
			say("Let the step %s depend on %s.", strictjson.Quote(s.ID), listed(now.Dependencies, "no step"))
		}
		if !slices.Equal(now.ToolsExpected, s.ToolsExpected) {
			say("Let the step %s expect %s.", strictjson.Quote(s.ID), listed(now.ToolsExpected, "no tool"))
		}
		if now.Status != s.Status {
			say("The step %s is %s now.", strictjson.Quote(s.ID), now.Status)
		}
	}
	for _, s := range after.Steps {
		if before.Step(s.ID) != nil {
			continue
		}
		line := fmt.Sprintf("Add a step with the id %s and the description %s", strictjson.Quote(s.ID), strictjson.Quote(s.Description))
		if len(s.Dependencies) > 0 {
			line += ", which depends on " + listed(s.Dependencies, "")
		}
		if len(s.ToolsExpected) > 0 {
			line += ", which expects the tools " + listed(s.ToolsExpected, "")
		}
		if s.Status == plan.Done {
			line += ", and which is done"
		}
		say("%s.", line)
	}
	if got := idsIn(after); !slices.Equal(got, natural(before, after)) {
		say("The order of the steps is then: %s.", listed(got, ""))
	}
	return strings.Join(lines, "\n")
}

// natural returns the order without moves: the steps that stay, in their order, then new ones.
func natural(before, after *plan.Plan) (ids []string) {
	for _, s := range before.Steps {
		if after.Step(s.ID) != nil {
			ids = append(ids, s.ID)
		}
	}
	for _, s := range after.Steps {
		if before.Step(s.ID) == nil {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func idsIn(p *plan.Plan) []string {
	return collect.Map(p.Steps, func(s plan.Step) string { return s.ID })
}

func listed(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	list := collect.Map(names, strictjson.Quote)
	return strings.Join(list, ", ")
}

// fates counts what came of the replies to a change: right, refused, silently wrong,
// and, of the wrong ones, with finished work lost.
type fates [4]int

func (f *fates) add(x protocol, w written, reply []byte) {
	got := x.apply(w.before, reply)
	switch {
	case got == nil:
		f[1]++
	case alike(got, w.want):
		f[0]++
	default:
		f[2]++
		if lostDone(w.before, got, x) {
			f[3]++
		}
	}
}

// put adds what came of the replies to one change.
func (t *tally) put(change int, counts fates, n int) {
	t.changes = append(t.changes, change)
	for i, list := range []*[]stats.Cluster{&t.right, &t.refused, &t.wrong, &t.lost} {
		*list = append(*list, stats.Cluster{Sum: float64(counts[i]), N: n})
	}
}
