package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/check"
	"replanbench/harness/judge"
	"replanbench/harness/strictjson"
)

// wish is one operation that a reply asks for, read leniently and for itself.
type wish struct {
	kind string   // "" if it has none
	ids  []string // trimmed, of the step to change, by whatever name
	id   string   // trimmed, of the step to add; "" if it is to be made up
	wire bool     // it writes dependencies

	reason string
}

// names reports whether the wish is about the step.
func (w *wish) names(id string) bool { return slices.Contains(w.ids, strings.TrimSpace(id)) }

// wishes returns what all replies ask for, where no reader could see it
// otherwise; false where one could.
func wishes(x *judge.Examination) ([]wish, bool) {
	list := updates(x)
	if list == nil {
		return nil, false
	}
	var all []wish
	for _, r := range list {
		all = append(all, r.wishes...)
	}
	return all, true
}

// updates reads all replies; nil if one of them is not sure.
func updates(x *judge.Examination) []*update {
	return judge.Remembered(x, func() []*update {
		var list []*update
		for _, text := range x.Item.Case.Replies {
			r := readUpdate(x, string(text))
			if r == nil {
				return nil
			}
			list = append(list, r)
		}
		return list
	})
}

// update is what a reply asks for by operations.
type update struct {
	*check.Request
	wishes []wish
}

// modified counts the modifications of each step by its trimmed id; nil if that
// cannot be told.
func modified(x *judge.Examination) map[string]int {
	wishes, ok := wishes(x)
	if !ok {
		return nil
	}
	count := map[string]int{}
	for _, w := range wishes {
		if w.kind != "modify" {
			continue
		}
		for _, id := range w.ids {
			count[id]++
		}
	}
	return count
}

// readUpdate reads a reply that holds exactly one object, which is an update;
// nil if it does not.
func readUpdate(x *judge.Examination, text string) *update {
	r := check.FindObject(x, text)
	if r == nil {
		return nil
	}
	ops := r.Root.Get("operations")
	if ops == nil || ops.Kind != strictjson.Array {
		return nil
	}
	u := &update{Request: r}
	for i := range ops.Items {
		u.wishes = append(u.wishes, readWish(&ops.Items[i]))
	}
	return u
}

func readWish(v *strictjson.Value) (w wish) {
	if r := v.Given("reason"); r != nil && v.Kind == strictjson.Object && r.Kind == strictjson.String {
		w.reason = r.Text
	}
	kind := v.Given("type")
	if v.Kind != strictjson.Object || kind == nil {
		return w
	}
	w.kind = kind.Text
	for _, name := range []string{"step_id", "stepID", "stepId", "id"} {
		if id := v.Given(name); id != nil && id.Kind == strictjson.String {
			w.ids = append(w.ids, strings.TrimSpace(id.Text))
		}
	}
	if data := v.Given("step_data"); data != nil {
		w.wire = data.Given("dependencies") != nil
		if id := data.Given("id"); id != nil && w.kind == "add" {
			w.id = strings.TrimSpace(id.Text)
		}
	}
	return w
}

// alignedUpdate returns the outcome with the ids that the engine made up called as
// they are called in the right plan: what a made-up id is, is the engine's
// business.
func alignedUpdate(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	if want.Plan == nil || x.After == nil || len(want.Plan.Steps) != len(x.After.Steps) {
		return &x.Out
	}
	names := map[string]string{}
	for i := range x.After.Steps {
		from, to := x.After.Steps[i].ID, want.Plan.Steps[i].ID
		if from != to && madeUp(x, from) && madeUp(x, to) {
			names[from] = to
		}
	}
	if len(names) == 0 {
		return &x.Out
	}
	return called(x, names)
}

// madeUp reports whether an id is neither the plan's nor written in a reply.
func madeUp(x *judge.Examination, id string) bool {
	return id != "" && x.Old.At(id) < 0 && !slices.ContainsFunc(x.Item.Case.Replies, func(r harness.Reply) bool {
		return strings.Contains(string(r), id)
	})
}
