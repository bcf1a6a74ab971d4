package corpora

import "github.com/go-json-experiment/json/jsontext"

// codexRules find the calls and results in the lines of a rollout. Lines of older versions
// have no payload. update_plan answers "Plan updated", and any other result is a refusal.
func codexRules() []rule {
	var list []rule
	for _, in := range []string{"payload.", ""} {
		list = append(
			list,
			rule{when: in + "type=function_call", id: in + "call_id", name: in + "name", args: in + "arguments"},
			rule{when: in + "type=function_call_output", id: in + "call_id", refused: in + "output!~Plan updated"},
		)
	}
	return list
}

// readCodex reads a rollout of Codex. The lines session_meta and turn_context name the
// session and the model.
func readCodex(name string, found func(draft) bool) error {
	thread, model := "", ""
	return readLines(name, found, codexRules(), func(doc jsontext.Value, a *answer) {
		switch kind := text(lookup(doc, "type")); {
		case a != nil:
			a.thread, a.Model = thread+"/", model
		case kind == "session_meta":
			thread = text(lookup(doc, "payload", "id"))
		case kind == "turn_context":
			model = text(lookup(doc, "payload", "model"))
		}
	})
}
