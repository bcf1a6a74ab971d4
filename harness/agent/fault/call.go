package fault

import (
	"slices"

	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
)

// call are faults of the call itself.
func call() []Fault {
	return []Fault{
		{
			Name: "many-pieces", Text: "the arguments in forty pieces", Arrives: Intact, only: sse,
			answer: func(s *Shot) { s.Answer.Pieces = 40 },
		},
		{
			Name: "length-in-call", Text: "the answer ends at its length limit, within the arguments", Arrives: Partial,
			answer: func(s *Shot) { halve(s); s.Answer.Finish = wire.Length },
		},
		{
			Name: "half-arguments", Text: "half of the arguments, in an answer that claims to be whole", Arrives: Partial,
			only:   notGemini,
			answer: halve,
		},
		{
			Name: "no-json", Text: "arguments that are not JSON", Arrives: Invalid,
			answer: func(s *Shot) { arguments(s, "not json") },
		},
		{
			Name: "no-arguments", Text: "the arguments are empty", Arrives: Invalid, only: notGemini,
			answer: func(s *Shot) { arguments(s, "") },
		},
		{
			Name: "array-arguments", Text: "the arguments are a list", Arrives: Invalid,
			answer: func(s *Shot) { arguments(s, "[1]") },
		},
		{
			Name: "object-arguments", Text: "an object instead of the text of the arguments", Arrives: Odd,
			only:   func(r *wire.Request) bool { return r.API == wire.Chat || r.API == wire.Responses },
			events: objectArguments,
		},
		{
			Name: "call-without-id", Text: "the call has no id", Arrives: Odd,
			answer: func(s *Shot) { setIDs(s, missingID) },
			events: func(s *Shot) {
				edit(s, func(n *strictjson.Node, _ []string) {
					if n.Kind == strictjson.Object {
						n.Drop(func(kid *strictjson.Node) bool { return kid.Kind == strictjson.String && kid.Text() == missingID })
					}
				})
			},
		},
		{
			Name: "call-id-empty", Text: "the id of the call is empty", Arrives: Odd,
			answer: func(s *Shot) { setIDs(s, "") },
		},
		{
			Name: "call-id-again", Text: "the id of an earlier, answered call", Arrives: Odd,
			answer: func(s *Shot) {
				if n := len(s.Last.Calls); n > 0 {
					setIDs(s, s.Last.Calls[n-1].ID)
				}
			},
		},
		{
			Name: SameCall, Text: "the same call for the fifth time in a row", Arrives: Odd, Alone: true,
			answer: func(s *Shot) {
				if n := len(s.Last.Calls); n > 0 {
					arguments(s, s.Last.Calls[n-1].Arguments)
				}
			},
		},
		{
			Name: "two-calls", Text: "two plan calls in one turn", Arrives: Doubled,
			answer: second,
		},
		{
			Name: "two-calls-one-id", Text: "two plan calls in one turn, with one id", Arrives: Doubled,
			answer: func(s *Shot) { id := s.call().ID; second(s); setIDs(s, id) },
		},
		{
			Name: "unknown-tool", Text: "a call of a tool that was not offered", Arrives: Invalid,
			answer: func(s *Shot) { s.call().Name = "rewrite_everything" },
		},
		{
			Name: "function-call", Text: "the call in the deprecated function_call form", Arrives: Odd, only: isChat,
			events: func(s *Shot) {
				edit(s, func(n *strictjson.Node, _ []string) {
					if calls := n.Get("tool_calls"); n.Kind == strictjson.Object && calls != nil && len(calls.Kids) > 0 {
						if f := calls.Kids[0].Get("function"); f != nil {
							function := *f
							n.Drop(func(kid *strictjson.Node) bool { return kid.Key() == "tool_calls" })
							n.Set("function_call", function)
						}
					}
				})
			},
		},
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
