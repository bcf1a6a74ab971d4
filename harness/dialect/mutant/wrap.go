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

// Way evaluates a case with access to the correct evaluation.
type Way func(right Eval, c harness.Case, p harness.Profile) harness.Outcome

// By returns a wrapper that evaluates each case with way and keeps no state.
func By(way Way) Wrap {
	return func(right Eval) Eval {
		return func(c harness.Case, p harness.Profile) harness.Outcome { return way(right, c, p) }
	}
}

// Asking changes the case before evaluation. change must not write into its
// documents and lists, which belong to the caller.
func Asking(change func(c *harness.Case)) Wrap {
	return By(func(right Eval, c harness.Case, p harness.Profile) harness.Outcome {
		change(&c)
		return right(c, p)
	})
}

// Following evaluates under other values of knobs (KNOB=VALUE) than the profile has. own are
// the dialect's.
func Following(own []harness.Knob, settings ...string) Wrap {
	return Under(func(p *harness.Profile) { *p = p.With(own, settings...) })
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
			d := New(k.Name+"="+v, "follows "+k.Name+"="+v+" whatever the profile says", Following(words.Own, k.Name+"="+v))
			d.Setting = d.Name
			list = append(list, d)
		}
	}
	return list
}

// Quietly does not warn of what a defect does: it drops the warnings with these codes.
func Quietly(w Wrap, codes ...string) Wrap {
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

// Limit replaces a limit of the case.
func Limit(limit func(*harness.Limits) **int, other func(n int) int) Wrap {
	return Asking(func(c *harness.Case) {
		if n := limit(&c.Limits); *n != nil {
			*n = new(other(**n))
		}
	})
}

// Reading changes the text of every reply before it is read.
func Reading(change func(reply string) string) Wrap {
	return Asking(func(c *harness.Case) { *c = Reread(*c, change) })
}

// Reread returns the case with the text of every reply changed.
func Reread(c harness.Case, change func(reply string) string) harness.Case {
	c.Replies = slices.Clone(c.Replies)
	for i, r := range c.Replies {
		c.Replies[i] = harness.Reply(change(string(r)))
	}
	return c
}

// Decoded returns the case with the objects in its replies changed. old is the
// plan of the case, which decode reads.
func Decoded(c harness.Case, decode func([]byte) (*plan.Plan, error),
	change func(o Object, old *plan.Plan),
) harness.Case {
	old, err := decode(c.Plan)
	if err != nil {
		return c
	}
	return Reread(c, func(reply string) string { return Rewrite(reply, func(o Object) { change(o, old) }) })
}

// Answering changes the outcome.
func Answering(change func(out *harness.Outcome)) Wrap {
	return AnsweringTo(func(_ harness.Case, out *harness.Outcome) { change(out) })
}

// AnsweringTo changes the outcome, and knows the case.
func AnsweringTo(change func(c harness.Case, out *harness.Outcome)) Wrap {
	return By(func(right Eval, c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		change(c, &out)
		return out
	})
}

// Edit is an accepted edit: the plans before and after, the case and the outcome.
type Edit struct {
	Case     harness.Case
	Old, New *plan.Plan
	Out      *harness.Outcome
}

// Editing changes the new plan in place. decode reads the plan of a
// case.
func Editing(decode func([]byte) (*plan.Plan, error), change func(e Edit)) Wrap {
	return AnsweringTo(func(c harness.Case, out *harness.Outcome) {
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

// Restate changes the status of the named steps that have the
// status from ("" for any), and returns their ids.
func Restate(p *plan.Plan, named []string, from, to plan.Status) (ids []string) {
	for _, id := range named {
		if s := Find(p, id); s != nil && (from == "" || s.Status == from) {
			s.Status = to
			ids = append(ids, s.ID)
		}
	}
	return ids
}
