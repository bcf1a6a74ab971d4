package live

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live/prompt"
	"replanbench/harness/plan"
)

// script is the case as its dialect runs it.
func (p *Plan) script(c *Case) harness.Case {
	return harness.Case{Dialect: p.Dialect.Name, Plan: c.Plan, Limits: c.Limits, Tools: c.Tools, Verify: c.Verify}
}

// question renders a question of a run: results and corrections, then the prompt.
func (r *runner) question(ctx context.Context, c *cell, q harness.Question) (string, error) {
	v := c.c.variables
	if p, err := plan.Decode(q.Plan); err == nil {
		of, _ := prompt.Of(p, c.c.Limits.MaxPlanSteps, q.Step)
		of.Plan, of.Case = q.Plan, v.Case
		v = of
	} else if q.Kind == harness.AskStep {
		goal := "reach the goal without a plan"
		brief := (&plan.Step{ID: q.Step, Description: goal, Status: plan.InProgress}).Brief()
		v.StepID, v.StepDescription, v.StepMD = &q.Step, &goal, &brief
	}
	v.ErrorType, v.ErrorMessage = nil, nil
	if q.Why != nil {
		v = v.WithError(string(q.Why.Code), q.Why.Message)
	}
	template := c.set.Patch
	switch q.Kind {
	case harness.AskStep:
		template = c.set.More[0]
	case harness.AskReplan:
		template = c.set.Retry
	}
	text, err := r.options.Renderer.Render(ctx, template, v)
	return strings.Join(append(slices.Clip(q.Told), text), "\n\n"), err
}

// session lets the model carry out a whole run.
func (r *runner) session(ctx context.Context, res *cellResult) (fatal error) {
	c := res.cell
	var talk []history.Message
	first := ""
	answer := func(q harness.Question) (harness.Reply, bool) {
		attempt := len(res.keys) + 1
		if res.failure != nil || res.full || res.skipped != "" || fatal != nil || attempt >= maxAttempts {
			return "", false
		}
		var text string
		if text, fatal = r.question(ctx, &c, q); fatal != nil {
			return "", false
		}
		if attempt == 1 {
			talk = r.plan.conversation(c.c, text)
		} else {
			talk = append(talk, history.Message{Role: history.User, Content: text})
		}
		var reply harness.Reply
		var ok bool
		reply, ok, fatal = r.exchange(ctx, res, attempt, &first, &talk)
		return reply, ok
	}
	out := r.plan.Dialect.Session(r.plan.script(c.c), r.plan.Profile, answer)
	res.applied = out.Verdict == harness.Applied
	return fatal
}

// firstQuestion renders what a run asks first.
func (r *runner) firstQuestion(ctx context.Context, c *cell) (text string, err error) {
	asked := false
	r.plan.Dialect.Session(r.plan.script(c.c), r.plan.Profile, func(q harness.Question) (harness.Reply, bool) {
		if !asked {
			text, err = r.question(ctx, c, q)
		}
		asked = true
		return "", false
	})
	return text, err
}

// samplePlan is the plan that the prompts of a run are rendered with before it begins.
const samplePlan = `{"title":"t","steps":[{"id":"step_1","description":"d"}]}`

// rehearse renders the prompts that follow the first one, so that a template with an
// error stops the run before anything was sent.
func (r *runner) rehearse(ctx context.Context, c *cell) error {
	sample := harness.Question{Plan: jsontext.Value(samplePlan), Step: "step_1"}
	for _, kind := range []harness.QuestionKind{harness.AskStep, harness.AskReplan} {
		sample.Kind = kind
		if _, err := r.question(ctx, c, sample); err != nil {
			return err
		}
	}
	sample.Why = &harness.Refusal{Code: harness.NoDocument, Message: "…"}
	_, err := r.question(ctx, c, sample)
	return err
}

// part contains what merging needs besides the result of a shard: where things were met first, and
// the latencies, for their quantiles.
type part struct {
	metCounts
	Latencies [][]float64 `json:"latencies"` // of each group

	tally *tally // while results are joined
}

func (t *tally) part() *part {
	p := &part{metCounts: t.metCounts}
	for _, g := range t.groups {
		p.Latencies = append(p.Latencies, g.latencies)
	}
	return p
}

// Join adds the result of another shard to this one, which begins as the zero value.
// [Result.Conclude] must follow the last.
func (r *Result) Join(o *Result) error {
	if o.Part == nil || len(o.Part.Latencies) != len(o.Groups) {
		return errors.New("this result is not a shard, so it cannot be merged (run each part with --shard, or run all " +
			"cases once)")
	}
	if r.Part == nil {
		r.Part = &part{tally: &tally{}}
	}
	t := r.Part.tally
	shard.Join(r, *o)
	shard.Join(&t.metCounts, o.Part.metCounts)
	for i, g := range o.Groups {
		mine := t.group(g.Key)
		shard.Join(&mine.Group, g)
		mine.latencies = append(mine.latencies, o.Part.Latencies[i]...)
	}
	return nil
}

// Conclude makes the figures of what was joined; whole says that all shards were.
func (r *Result) Conclude(whole bool) {
	t := r.Part.tally
	t.conclude(r)
	if r.Part = t.part(); whole {
		r.Part = nil
	}
}
