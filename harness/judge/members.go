package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// compareMembers finds the first difference between two outcomes in the members
// that only some dialects have, of what both give; nil if there is none.
func (r *Rules) compareMembers(want, got *harness.Outcome) *Difference {
	if r.Compare != nil {
		return r.Compare(want, got)
	}
	switch {
	case len(want.Results) > 0 && len(got.Results) > 0 && !SameJSON(want.Results, got.Results):
		return Differs("results", "the results are %s and not %s", Brief(string(got.Results)), Brief(string(want.Results)))
	case want.Operations != nil && got.Operations != nil && !slices.EqualFunc(want.Operations, got.Operations, sameOperation):
		return operationsDifference(want.Operations, got.Operations)
	case want.UpdateType != "" && got.UpdateType != "" && want.UpdateType != got.UpdateType:
		return Differs("update_type", "the update type is %s and not %s", got.UpdateType, want.UpdateType)
	case want.Trace != nil && got.Trace != nil && !slices.EqualFunc(want.Trace, got.Trace, sameItem):
		return traceDifference(want.Trace, got.Trace)
	case want.Trace != nil && len(want.Messages) > 0 && len(got.Messages) > 0:
		return rolesDifference(want.Messages, got.Messages)
	case len(want.Messages) > 0 && len(got.Messages) > 0 && !SameJSON(want.Messages, got.Messages):
		return Differs("messages", "the messages are others")
	case want.Tokens != nil && got.Tokens != nil && *want.Tokens != *got.Tokens:
		return Differs("tokens", "the tokens are %v and not %v", *got.Tokens, *want.Tokens)
	case want.Dropped != nil && got.Dropped != nil && !slices.Equal(want.Dropped, got.Dropped):
		return Differs("dropped", "the messages dropped are %v and not %v", got.Dropped, want.Dropped)
	case want.Cut != nil && got.Cut != nil && !slices.Equal(want.Cut, got.Cut):
		return Differs("cut", "the messages cut are %v and not %v", got.Cut, want.Cut)
	}
	return compareTexts(want, got)
}

// compareTexts compares where a session ended that does not tell its mode.
func compareTexts(want, got *harness.Outcome) *Difference {
	for _, m := range []struct{ name, want, got string }{
		{"phase", want.Phase, got.Phase},
		{"path", want.Path, got.Path},
		{"content", want.Content, got.Content},
	} {
		if m.want != "" && m.got != "" && m.want != m.got {
			return Differs(m.name, "the %s is %q and not %q", m.name, Brief(m.got), Brief(m.want))
		}
	}
	return nil
}

// operationsDifference says which operation came to something else.
func operationsDifference(want, got []harness.OperationResult) *Difference {
	for i := range min(len(want), len(got)) {
		if w, g := want[i], got[i]; !sameOperation(w, g) {
			return &Difference{
				g.StepID, "operations",
				fmt.Sprintf("operation %d came to %s and not to %s", i+1, operationInWords(g, w), operationInWords(w, g)),
			}
		}
	}
	return Differs("operations", "the results of %d operations are given and not of %d", len(got), len(want))
}

// operationInWords is what became of an operation, with as much of it as the
// other one has too.
func operationInWords(o, other harness.OperationResult) string {
	words := []string{o.Result, "(" + cmp.Or(o.Type, "no type")}
	if o.StepID != "" && other.StepID != "" {
		words = append(words, strconv.Quote(o.StepID))
	}
	text := strings.Join(words, " ") + ")"
	if o.Warnings == nil || other.Warnings == nil || slices.Equal(o.Warnings, other.Warnings) {
		return text
	}
	if len(o.Warnings) == 0 {
		return text + " without a warning"
	}
	return text + " with " + strings.Join(o.Warnings, ", ")
}

// sameOperation compares what became of an operation. Its step and its
// warnings are compared where both are given.
func sameOperation(a, b harness.OperationResult) bool {
	return a.Type == b.Type && a.Result == b.Result && (a.StepID == "" || b.StepID == "" || a.StepID == b.StepID) &&
		(a.Warnings == nil || b.Warnings == nil || slices.Equal(a.Warnings, b.Warnings))
}

func sameItem(a, b harness.TraceItem) bool {
	return a.State == b.State && a.Step == b.Step && a.Event == b.Event && a.Code == b.Code && sameData(a.Data, b.Data)
}

// traceDifference says where two traces part.
func traceDifference(want, got []harness.TraceItem) *Difference {
	for i := range min(len(want), len(got)) {
		if !sameItem(want[i], got[i]) {
			return ItemDifference(i, want[i], got[i])
		}
	}
	if n := len(got); n < len(want) {
		return Differs("trace", "the trace has %d items, and should go on with %q", n, itemName(want[n]))
	}
	return Differs("trace", "the trace has %d items, and should end before %q", len(got), itemName(got[len(want)]))
}

// ItemDifference says how an item of a trace differs.
func ItemDifference(i int, want, got harness.TraceItem) *Difference {
	is, should := itemName(got), itemName(want)
	if is == should { // then in what a name leaves out
		is, should = itemWhole(got), itemWhole(want)
	}
	return &Difference{got.Step, "trace", fmt.Sprintf("item %d of the trace is %q and not %q", i+1, is, should)}
}

// itemName is an item of a trace in short: the state where one is entered,
// otherwise event, step and code.
func itemName(i harness.TraceItem) string {
	if i.Event == entered && i.Step == "" && i.Code == "" {
		return i.State
	}
	return strings.Join(strings.Fields(i.Event+" "+i.Step+" "+string(i.Code)), " ")
}

// itemWhole is an item of a trace with its state and its data.
func itemWhole(i harness.TraceItem) string {
	return strings.TrimSpace(i.State + " " + itemName(i) + " " + Brief(string(i.Data)))
}

// sameData compares what two items of a trace have beside their names, where
// both have something. A message is for people.
func sameData(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	x, y := Parsed(a), Parsed(b)
	if x == nil || y == nil {
		return false
	}
	for _, v := range []*strictjson.Value{x, y} {
		v.Members = slices.DeleteFunc(v.Members, func(m strictjson.Member) bool { return m.Name == "message" })
	}
	return strictjson.Same(x, y)
}

// rolesDifference compares the messages of two runs by their roles: how a model
// is asked is a matter of taste, who speaks is not.
func rolesDifference(want, got jsontext.Value) *Difference {
	if w, g := Roles(want), Roles(got); !slices.Equal(w, g) {
		return Differs("messages", "the roles of the messages are %v and not %v", g, w)
	}
	return nil
}

// Roles are those of a list of messages, in order.
func Roles(messages jsontext.Value) []string {
	v := Parsed(messages)
	if v == nil {
		return nil
	}
	list := make([]string, len(v.Items))
	for i := range v.Items {
		if role := v.Items[i].Get("role"); role != nil {
			list[i] = role.Text
		}
	}
	return list
}

// entered is the event of a trace that only says which state was entered.
const entered = "entered"
