package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Dangers lists every demand of a reply on finished steps: updates, removals, new steps with their ids, and full plans
// that leave them out or change them. It reads all objects, also of a rejected reply and after its first error.
func (g *Ground) Dangers(raw harness.Reply) []harness.Danger {
	w := watch{names: g.names, done: map[string]*plan.Step{}}
	for i := range g.old.Steps {
		if g.old.Steps[i].Status == plan.Done {
			w.done[g.old.Steps[i].ID] = &g.old.Steps[i]
		}
	}
	if len(w.done) == 0 || g.refusal != nil {
		return nil
	}
	text := g.textOf(raw)
	for _, declared := range []*document.Value{spec.Reply(false, ""), spec.Reply(true, "")} {
		for _, root := range text.Objects(declared) {
			w.patch(root)
			if isFullPlan(root) {
				w.whole(root.Get("steps"))
			}
		}
	}
	return w.dangers
}

// watch collects dangers.
type watch struct {
	names   names
	done    map[string]*plan.Step
	dangers []harness.Danger
}

func (w *watch) note(kind, id string) {
	if id = w.names.spell(id); w.done[id] != nil {
		w.dangers = harness.AddDangers(w.dangers, harness.Danger{Kind: kind, Step: id})
	}
}

func (w *watch) patch(root *strictjson.Value) {
	for _, list := range []struct{ name, kind string }{
		{"remove_steps", harness.DangerRemoval}, {"update_steps", harness.DangerEdit}, {"add_steps", harness.DangerReuse},
	} {
		for _, item := range root.Get(list.name).List() {
			w.note(list.kind, idOf(&item))
		}
	}
}

// idOf returns the id of a list item: the item itself, or its member id.
func idOf(item *strictjson.Value) string {
	if item.Kind == strictjson.String {
		return item.Text
	}
	return item.Get("id").Str()
}

// whole checks the steps of a full plan.
func (w *watch) whole(steps *strictjson.Value) {
	stands := map[string]bool{}
	for _, item := range steps.List() {
		id := w.names.spell(idOf(&item))
		stands[id] = true
		if done := w.done[id]; done != nil && w.rewrites(&item, done) {
			w.note(harness.DangerRewrite, id)
		}
	}
	for i := range w.names.Steps {
		if id := w.names.Steps[i].ID; !stands[id] {
			w.note(harness.DangerRemoval, id)
		}
	}
	slices.SortFunc(w.dangers, func(a, b harness.Danger) int { return strings.Compare(a.Kind+a.Step, b.Kind+b.Step) })
}

// rewrites reports whether a step of a full plan differs from the finished step.
func (w *watch) rewrites(item *strictjson.Value, done *plan.Step) bool {
	differs := func(name string, list []string, spell func(string) string) bool {
		texts, ok := item.Given(name).Strings()
		if !ok {
			return false
		}
		for i := range texts {
			texts[i] = spell(texts[i])
		}
		return !slices.Equal(collect.Unique(texts), collect.Unique(list))
	}
	text, status := item.Given("description"), plan.Status(item.Get("status").Str())
	return text != nil && strings.TrimSpace(text.Str()) != strings.TrimSpace(done.Description) ||
		status != plan.Done && slices.Contains(plan.Statuses(), status) ||
		differs("dependencies", done.Dependencies, w.names.spell) ||
		differs("tools_expected", done.ToolsExpected, strings.Clone)
}
