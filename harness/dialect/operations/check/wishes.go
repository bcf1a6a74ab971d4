package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// wish is one operation of a reply, read leniently.
type wish struct {
	kind string   // "" if absent
	ids  []string // trimmed ids of the step to change, from every member that may name it
	id   string   // trimmed id of the step to add; "" if the engine generates it
	wire bool     // whether it writes dependencies

	reason string
}

// names reports whether the operation names the step.
func (w *wish) names(id string) bool { return slices.Contains(w.ids, strings.TrimSpace(id)) }

// wishes returns the operations of all replies, or false if a reply is
// ambiguous.
func wishes(x *judge.Examination) ([]wish, bool) {
	s := updates(x)
	return s.wishes, s.list != nil
}

// said is what the replies of a case ask for; list is nil if one is ambiguous.
type said struct {
	list   []*update
	wishes []wish // of all
}

// updates reads all replies.
func updates(x *judge.Examination) *said {
	return judge.Remembered(x, func() *said {
		s := &said{}
		for _, text := range x.Item.Case.Replies {
			r := readUpdate(x, string(text))
			if r == nil {
				return &said{}
			}
			s.list, s.wishes = append(s.list, r), append(s.wishes, r.wishes...)
		}
		return s
	})
}

// update is the content of a reply.
type update struct {
	*check.Request
	wishes []wish
}

// readUpdate reads a reply with exactly one object. It returns nil if that object
// is not an update.
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
	w.reason = v.Given("reason").Str()
	kind := v.Given("type")
	if kind == nil {
		return w
	}
	w.kind = kind.Text
	for _, name := range spec.IDNames() {
		if id := v.Given(name); id != nil && id.Kind == strictjson.String {
			w.ids = append(w.ids, strings.TrimSpace(id.Text))
		}
	}
	data := v.Given("step_data")
	w.wire = data.Given("dependencies") != nil
	if id := data.Given("id"); id != nil && w.kind == "add" {
		w.id = strings.TrimSpace(id.Text)
	}
	return w
}

// alignedUpdate returns the outcome with generated ids renamed to the generated ids of the expected plan, because
// engines may choose them freely. An engine without versions or history gets the versions and the history of the
// expected plan.
func alignedUpdate(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	out := renamedUpdate(x, want)
	noVersion, noHistory := x.Lacks(spec.Version), x.Lacks(spec.History)
	recorded := func(o *harness.Outcome) bool { return o.Plan != nil && o.Plan.Record != nil }
	if !noVersion && !noHistory || !recorded(want) || !recorded(out) {
		return out
	}
	o, p, r := *out, *out.Plan, *out.Plan.Record
	if noVersion {
		r.Version = want.Plan.Record.Version
	}
	if noHistory || len(r.History) == len(want.Plan.Record.History) { // entries have versions, too
		r.History = want.Plan.Record.History
	}
	o.Plan, p.Record = &p, &r
	return &o
}

// renamedUpdate returns the outcome with the generated ids of the expected plan.
func renamedUpdate(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	if want.Plan == nil || x.After == nil || len(want.Plan.Steps) != len(x.After.Steps) {
		return &x.Out
	}
	names := map[string]string{}
	for i := range x.After.Steps {
		from, to := x.After.Steps[i].ID, want.Plan.Steps[i].ID
		if from != to && isGenerated(x, from) && isGenerated(x, to) {
			names[from] = to
		}
	}
	if len(names) == 0 {
		return &x.Out
	}
	return withIDs(x, names)
}

// isGenerated reports whether an id is neither in the plan nor in a reply.
func isGenerated(x *judge.Examination, id string) bool {
	return id != "" && x.Old.At(id) < 0 && !slices.ContainsFunc(x.Item.Case.Replies, func(r harness.Reply) bool {
		return strings.Contains(string(r), id)
	})
}
