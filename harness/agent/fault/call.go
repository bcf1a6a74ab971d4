package fault

import (
	"slices"

	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
)

// call are faults of the call itself.
func call() []Fault {
	return []Fault{
		Intact.fault("many-pieces", "the arguments in forty pieces").on(sse).
			changes(func(s *Shot) { s.Answer.Pieces = 40 }),
		Partial.fault("length-in-call", "the answer ends at its length limit, within the arguments").
			changes(func(s *Shot) { halve(s); s.Answer.Finish = wire.Length }),
		Partial.fault("half-arguments", "half of the arguments, in an answer that claims to be whole").on(notGemini).
			changes(halve),
		Invalid.fault("no-json", "arguments that are not JSON").changes(func(s *Shot) { arguments(s, "not json") }),
		Invalid.fault("no-arguments", "the arguments are empty").on(notGemini).changes(func(s *Shot) { arguments(s, "") }),
		Invalid.fault("array-arguments", "the arguments are a list").changes(func(s *Shot) { arguments(s, "[1]") }),
		Odd.fault("object-arguments", "an object instead of the text of the arguments").
			on(func(r *wire.Request) bool { return r.API == wire.Chat || r.API == wire.Responses }).sends(objectArguments),
		Odd.fault("call-without-id", "the call has no id").changes(func(s *Shot) { setIDs(s, missingID) }).
			sends(func(s *Shot) {
				edit(s, func(n *strictjson.Node, _ []string) {
					if n.Kind == strictjson.Object {
						n.Drop(func(kid *strictjson.Node) bool { return kid.Kind == strictjson.String && kid.Text() == missingID })
					}
				})
			}),
		Odd.fault("call-id-empty", "the id of the call is empty").changes(func(s *Shot) { setIDs(s, "") }),
		Odd.fault("call-id-again", "the id of an earlier, answered call").changes(func(s *Shot) {
			if n := len(s.Last.Calls); n > 0 {
				setIDs(s, s.Last.Calls[n-1].ID)
			}
		}),
		Odd.fault(SameCall, "the same call for the fifth time in a row").alone().changes(func(s *Shot) {
			if n := len(s.Last.Calls); n > 0 {
				arguments(s, s.Last.Calls[n-1].Arguments)
			}
		}),
		Doubled.fault("two-calls", "two plan calls in one turn").changes(second),
		Doubled.fault("two-calls-one-id", "two plan calls in one turn, with one id").
			changes(func(s *Shot) { id := s.call().ID; second(s); setIDs(s, id) }),
		Invalid.fault("unknown-tool", "a call of a tool that was not offered").
			changes(func(s *Shot) { s.call().Name = "rewrite_everything" }),
		Odd.fault("function-call", "the call in the deprecated function_call form").on(isChat).sends(func(s *Shot) {
			edit(s, func(n *strictjson.Node, _ []string) {
				if calls := n.Get("tool_calls"); n.Kind == strictjson.Object && calls != nil && len(calls.Kids) > 0 {
					if f := calls.Kids[0].Get("function"); f != nil {
						function := *f
						n.Drop(func(kid *strictjson.Node) bool { return kid.Key() == "tool_calls" })
						n.Set("function_call", function)
					}
				}
			})
		}),
	}
}

// SameCall is the fault of a model that repeats a call. Agents may take it for a loop.
const SameCall = "same-call"

// missingID marks the ids that are taken away.
const missingID = "replanbench-no-id"

func setIDs(s *Shot, id string) { s.call().ID = id }

func arguments(s *Shot, text string) { s.call().Arguments = text }

// halve removes the second half of the arguments.
func halve(s *Shot) {
	letters := []rune(s.call().Arguments)
	arguments(s, string(letters[:len(letters)/2]))
}

// second adds a second plan call, with the other arguments.
func second(s *Shot) {
	c := *s.call()
	s.Answer.Calls = append(slices.Clip(s.Answer.Calls), wire.Call{ID: c.ID + "b", Name: c.Name, Arguments: s.Second})
}

// objectArguments puts the arguments as a value where their text belongs, in one
// piece.
func objectArguments(s *Shot) {
	edit(s, func(n *strictjson.Node, _ []string) {
		kid := n.Get("arguments")
		if n.Kind != strictjson.Object || kid == nil || kid.Kind != strictjson.String {
			return
		}
		if tree := strictjson.NewTree(kid.Text(), 100); tree != nil {
			n.Set("arguments", *tree)
		}
	})
}
