package mutant

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Run is a case to evaluate under a profile. Ways of evaluation change their copy.
type Run struct {
	harness.Case
	Profile harness.Profile
	right   Eval
}

// Eval evaluates the case correctly.
func (r Run) Eval() harness.Outcome { return r.Of(r.Case) }

// Of evaluates another case correctly, under the same profile.
func (r Run) Of(c harness.Case) harness.Outcome { return r.right(c, r.Profile) }

// Way evaluates a case with access to the correct evaluation.
type Way func(r Run) harness.Outcome

// Does makes a defect that evaluates each case its own way and keeps no state.
func Does(name, text string, way Way) Defect {
	return New(name, text, func(right Eval) Eval {
		return func(c harness.Case, p harness.Profile) harness.Outcome { return way(Run{c, p, right}) }
	})
}

// Asks makes a defect that changes the case before evaluation. change must not write into
// its documents and lists, which belong to the caller.
func Asks(name, text string, change func(c *harness.Case)) Defect {
	d := Does(name, text, func(r Run) harness.Outcome {
		change(&r.Case)
		return r.Eval()
	})
	d.Change = change
	return d
}

// Reads makes a defect that changes the text of every reply before it is read.
func Reads(name, text string, change func(reply string) string) Defect {
	return Asks(name, text, func(c *harness.Case) { *c = Reread(*c, change) })
}

// Answers makes a defect that changes the outcome.
func Answers(name, text string, change func(out *harness.Outcome)) Defect {
	return AnswersTo(name, text, func(_ harness.Case, out *harness.Outcome) { change(out) })
}

// AnswersTo makes a defect that changes the outcome, and knows the case.
func AnswersTo(name, text string, change func(c harness.Case, out *harness.Outcome)) Defect {
	return Does(name, text, func(r Run) harness.Outcome {
		out := r.Eval()
		change(r.Case, &out)
		return out
	})
}

// Accepts makes a defect that says applied, with the plan of the case, instead of rejecting.
func Accepts(name string, decode func(data []byte) (*plan.Plan, error)) Defect {
	d := AnswersTo(name, "says applied, with the unchanged plan, instead of rejecting",
		func(c harness.Case, out *harness.Outcome) {
			if p, err := decode(c.Plan); err == nil && out.Verdict == harness.Rejected {
				out.Verdict, out.Code, out.At, out.Plan = harness.Applied, "", nil, p
			}
		})
	d.Accepts = true
	return d
}

// Follows makes a defect that follows other values of knobs than the profile (KNOB=VALUE, separated
// by blanks), and does not warn of that: it drops the warnings with these codes. own are the
// dialect's knobs.
func Follows(name, text string, own []harness.Knob, settings string, codes ...string) Defect {
	return New(name, text, quietly(following(own, settings), codes...))
}

// Silent makes a defect that drops the warnings with these codes.
func Silent(name, text string, codes ...string) Defect {
	return New(name, text, quietly(func(right Eval) Eval { return right }, codes...))
}

func following(own []harness.Knob, settings string) Wrap {
	return Under(func(p *harness.Profile) { *p = p.With(own, strings.Fields(settings)...) })
}

// Knobs returns a defect for each value of the knobs of a dialect, named by the setting. A number
// is 60: texts of plain cases are shorter.
func Knobs(words harness.Vocabulary) (list []Defect) {
	for _, k := range words.Settings() {
		values := k.Values
		switch {
		case k.List:
			continue
		case values == nil:
			values = []string{"60"}
		}
		for _, v := range values {
			d := New(k.Name+"="+v, "follows "+k.Name+"="+v+" whatever the profile says", following(words.Own, k.Name+"="+v))
			d.Setting = d.Name
			list = append(list, d)
		}
	}
	return list
}

// quietly drops the warnings with these codes.
func quietly(w Wrap, codes ...string) Wrap {
	return func(right Eval) Eval {
		wrong := w(right)
		return func(c harness.Case, p harness.Profile) harness.Outcome {
			out := wrong(c, p)
			out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings),
				func(w harness.Warning) bool { return slices.Contains(codes, w.Code) })
			return out
		}
	}
}

// Under evaluates under a changed profile. It caches the last changed profile for
// all goroutines because changing a knob costs more than most
// cases.
func Under(change func(p *harness.Profile)) Wrap {
	type turned struct{ from, to harness.Profile }
	return func(right Eval) Eval {
		var last atomic.Pointer[turned]
		return func(c harness.Case, p harness.Profile) harness.Outcome {
			t := last.Load()
			if t == nil || !reflect.DeepEqual(p, t.from) {
				t = &turned{p, p}
				change(&t.to)
				last.Store(t)
			}
			return right(c, t.to)
		}
	}
}

// Limit makes a defect that replaces a limit of the case.
func Limit(name, text string, limit func(*harness.Limits) **int, other func(n int) int) Defect {
	return Asks(name, text, func(c *harness.Case) {
		if n := limit(&c.Limits); *n != nil {
			*n = new(other(**n))
		}
	})
}

// Unlimited makes a defect that ignores a valid limit of the case.
func Unlimited(name, text string, limit func(*harness.Limits) **int) Defect {
	return Asks(name, text, func(c *harness.Case) {
		if n := limit(&c.Limits); *n != nil && **n > 0 {
			*n = nil
		}
	})
}

// FirstReply makes a defect that reads only the first reply.
func FirstReply(name, text string) Defect {
	return Asks(name, text, func(c *harness.Case) { c.Replies = c.Replies[:min(len(c.Replies), 1)] })
}

// Reread returns the case with the text of every reply changed.
func Reread(c harness.Case, change func(reply string) string) harness.Case {
	c.Replies = slices.Clone(c.Replies)
	for i, r := range c.Replies {
		c.Replies[i] = harness.Reply(change(string(r)))
	}
	return c
}

// Reply is an object of a reply, or one in it, with the plan of the case.
type Reply struct {
	Object
	Old *plan.Plan
}

// Step returns the step of the plan for an id in the reply, or nil.
func (r Reply) Step(id string) *plan.Step { return Find(r.Old, id) }

// Decoded returns the case with the objects in its replies changed. decode reads the plan.
func Decoded(c harness.Case, decode func([]byte) (*plan.Plan, error), change func(o Reply)) harness.Case {
	old, err := decode(c.Plan)
	if err != nil {
		return c
	}
	return Reread(c, func(reply string) string { return Rewrite(reply, func(o Object) { change(Reply{o, old}) }) })
}

// Edit is an accepted edit: the plans before and after, the case and the outcome.
type Edit struct {
	Case     harness.Case
	Old, New *plan.Plan
	Out      *harness.Outcome
}

// Edits makes a defect that changes the new plan in place. decode reads the plan of a case.
func Edits(name, text string, decode func([]byte) (*plan.Plan, error), change func(e Edit)) Defect {
	return AnswersTo(name, text, func(c harness.Case, out *harness.Outcome) {
		if out.Plan == nil {
			return
		}
		if old, err := decode(c.Plan); err == nil {
			change(Edit{c, old, out.Plan, out})
		}
	})
}

// Steps yields the steps of a plan, which may be nil, for changes in place.
func Steps(p *plan.Plan) iter.Seq[*plan.Step] {
	return func(yield func(*plan.Step) bool) {
		for i := 0; p != nil && i < len(p.Steps); i++ {
			if !yield(&p.Steps[i]) {
				return
			}
		}
	}
}

// Find returns the step of the plan for an id in a reply, or nil.
func Find(p *plan.Plan, id string) *plan.Step {
	for s := range Steps(p) {
		if strings.TrimSpace(s.ID) == strings.TrimSpace(id) {
			return s
		}
	}
	return nil
}

// WithPlan returns the case with another plan.
func WithPlan(c harness.Case, p *plan.Plan) harness.Case {
	if b, err := json.Marshal(p); err == nil {
		c.Plan = jsontext.Value(b)
	}
	return c
}

// Reopened evaluates a case as if the steps that it names were open, not done, and gives them the
// status after in the end. decode reads the plan of the case.
func Reopened(decode func([]byte) (*plan.Plan, error), named func(c harness.Case) []string,
	done, open, after plan.Status,
) Way {
	return func(r Run) harness.Outcome {
		p, err := decode(r.Plan)
		if err != nil {
			return r.Eval()
		}
		ids := restate(p, named(r.Case), done, open)
		if ids == nil {
			return r.Eval()
		}
		out := r.Of(WithPlan(r.Case, p))
		restate(out.Plan, ids, "", after)
		return out
	}
}

// restate changes the status of the named steps that have the
// status from ("" for any), and returns their ids.
func restate(p *plan.Plan, named []string, from, to plan.Status) (ids []string) {
	for _, id := range named {
		if s := Find(p, id); s != nil && (from == "" || s.Status == from) {
			s.Status = to
			ids = append(ids, s.ID)
		}
	}
	return ids
}
