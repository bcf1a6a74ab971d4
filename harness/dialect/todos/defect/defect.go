// Package defect lists the ways in which engines for the dialect todos are wrong.
package defect

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(lossDefects(), identityDefects(), memberDefects(), limitDefects(), wireDefects(), boxDefects(),
		replyDefects(), reportDefects())
}

// turned follows other values of knobs than the profile, and does not warn of that.
func turned(name, text, settings string, codes ...string) mutant.Defect {
	return mutant.Follows(name, text, spec.Knobs(), settings, codes...)
}

// edit is an applied rewrite: the list before and after, where its items were, and
// what the replies say.
type edit struct {
	harness.Case
	settings spec.Settings
	old, now []spec.Item
	was      []int // in the list before; -1 is new
	asked    []spec.Item
	out      *harness.Outcome
}

// editing changes the list that comes out.
func editing(name, text string, change func(e *edit)) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		out := r.Eval()
		before, err := spec.Before(r.Case)
		if err != nil || out.Plan == nil {
			return out
		}
		e := &edit{
			Case: r.Case, settings: spec.SettingsOf(r.Profile), old: spec.Items(before), now: spec.Items(out.Plan),
			was: spec.Origins(&out), out: &out,
		}
		if e.was == nil {
			e.was = slices.Repeat([]int{-1}, len(e.now))
		}
		e.asked = asked(r.Case, e.settings)
		change(e)
		out.Plan = spec.Plan(e.now)
		out.More = spec.Places(e.was)
		return out
	})
}

// each changes the items of the list that comes out, one by one.
func each(name, text string, change func(e *edit, i int)) mutant.Defect {
	return editing(name, text, func(e *edit) {
		for i := range e.now {
			change(e, i)
		}
	})
}

// places are the places of the items of the new list.
func (e *edit) places() []int {
	list := make([]int, len(e.now))
	for i := range list {
		list[i] = i
	}
	return list
}

// remove takes items out of the new list.
func (e *edit) remove(is func(i int) bool) { e.reorder(slices.DeleteFunc(e.places(), is)) }

// reorder takes the items of the new list that have these places, in this order.
func (e *edit) reorder(places []int) {
	now, was := make([]spec.Item, len(places)), make([]int, len(places))
	for to, from := range places {
		now[to], was[to] = e.now[from], e.was[from]
	}
	e.now, e.was = now, was
}

// named reports whether a warning names the item.
func (e *edit) named(code, name string) bool { return slices.Contains(e.out.Warned(code), name) }

// before is the old item of a new one, or nil.
func (e *edit) before(i int) *spec.Item {
	if at := e.was[i]; at >= 0 && at < len(e.old) {
		return &e.old[at]
	}
	return nil
}

// saying is the item of the replies that a new item comes from, or nil.
func (e *edit) saying(i int) *spec.Item {
	for k := range e.asked {
		a := &e.asked[k]
		if spec.Normal(a.Content) == spec.Normal(e.now[i].Content) || a.Content == "" && a.ID == e.now[i].ID {
			return a
		}
	}
	return nil
}

// asked are the items of the replies, as they are written.
func asked(c harness.Case, s spec.Settings) (list []spec.Item) {
	for _, r := range c.Replies {
		for _, o := range mutant.Objects(r) {
			v := o.Get(s.List())
			for i := 0; v != nil && i < len(v.Items); i++ {
				item := &v.Items[i]
				list = append(list, spec.Item{
					ID: strings.TrimSpace(item.Get("id").Str()), Content: item.Get(s.Text()).Str(),
					Status:   plan.Status(item.Get("status").Str()),
					Priority: item.Get("priority").Str(), ActiveForm: item.Get("activeForm").Str(),
				})
			}
		}
	}
	return list
}

// saying changes the items of replies before they are read.
func saying(name, text string, change func(item mutant.Object, s spec.Settings, old []spec.Item)) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		before, err := spec.Before(r.Case)
		if err != nil {
			return r.Eval()
		}
		s, old := spec.SettingsOf(r.Profile), spec.Items(before)
		return rewritten(r, func(item mutant.Object) { change(item, s, old) })
	})
}

// rewritten is the outcome of a case with the items of its replies changed.
func rewritten(r mutant.Run, change func(item mutant.Object)) harness.Outcome {
	list := spec.SettingsOf(r.Profile).List()
	return r.Of(mutant.Reread(r.Case, func(reply string) string {
		return mutant.Rewrite(reply, func(o mutant.Object) {
			for _, item := range o.Items(list) {
				change(item)
			}
		})
	}))
}

// lines changes Markdown before it is read.
func lines(name, text string, change func(text string) string) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		if spec.SettingsOf(r.Profile).Format == spec.Markdown {
			r.Case = mutant.Reread(r.Case, change)
		}
		return r.Eval()
	})
}

// without leaves out the lines that are so.
func without(is func(line string) bool) func(text string) string {
	return func(text string) string { return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), is), "\n") }
}
