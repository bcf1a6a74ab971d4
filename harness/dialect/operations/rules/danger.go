package rules

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Dangers lists every demand of an update on completed steps of a plan: their
// modification, their removal, and new steps under their ids, whatever became of
// the operation and of those before it. Moving a step is none.
func Dangers(old *plan.Plan, l harness.Limits, p harness.Profile, raw harness.Reply) []harness.Danger {
	completed := map[string]string{} // the plan's spelling by the trimmed id
	for _, s := range old.Steps {
		if s.Status == plan.Completed {
			completed[strings.TrimSpace(s.ID)] = s.ID
		}
	}
	options, refusal := reply.NewOptions(l, p)
	if len(completed) == 0 || refusal != nil {
		return nil
	}
	text := reply.NewText(raw, options)
	defer text.Release()
	var dangers []harness.Danger
	for _, root := range text.Objects(&declared) {
		for _, op := range root.Get("operations").List() {
			kind, ids := demand(&op)
			for _, id := range ids {
				if own, ok := completed[strings.TrimSpace(id)]; ok && kind != "" {
					dangers = harness.AddDangers(dangers, harness.Danger{Kind: kind, Step: own})
				}
			}
		}
	}
	return dangers
}

// demand is the kind of an operation and the ids of its step, from any member that may
// name it.
func demand(op *strictjson.Value) (kind string, ids []string) {
	switch op.Get("type").Str() {
	case kindAdd:
		return harness.DangerReuse, []string{op.Get("step_data").Get("id").Str()}
	case kindModify:
		kind = harness.DangerEdit
	case kindRemove:
		kind = harness.DangerRemoval
	}
	for _, name := range spec.IDNames() {
		ids = append(ids, op.Get(name).Str())
	}
	return kind, ids
}
