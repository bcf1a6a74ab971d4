package orchestrator

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// members lists the members of outcomes. How a model is asked is a matter of taste, who
// speaks is not; and what an event has beside its names is for people.
func members() outcome.Members {
	trace, messages := outcome.Trace(sameItem), outcome.Messages()
	trace.KeepShort = true
	trace.Strip = func(o *harness.Outcome) {
		o.Trace = slices.Clone(o.Trace)
		for i := range o.Trace {
			o.Trace[i].Data = nil
		}
	}
	messages.Content = false
	messages.Optional, messages.List, messages.Names = true, true, []string{"role"}
	messages.Differ = func(want, got *harness.Outcome) *outcome.Difference {
		w, g := judge.Roles(want.Messages), judge.Roles(got.Messages)
		if len(want.Messages) == 0 || len(got.Messages) == 0 || slices.Equal(w, g) {
			return nil
		}
		return outcome.Differs("messages", "the roles of the messages are %v and not %v", g, w)
	}
	return outcome.Members{
		outcome.Plan(), outcome.Rung(), outcome.GaveUp(), outcome.At(), outcome.Repairs(),
		outcome.Warnings(), trace, messages,
	}
}

func sameItem(a, b harness.TraceItem) bool {
	return a.State == b.State && a.Step == b.Step && a.Event == b.Event && a.Code == b.Code && sameData(a.Data, b.Data)
}

// sameData compares what two items of a trace have beside their names, where
// both have something. A message is for people.
func sameData(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 || string(a) == string(b) {
		return true
	}
	x, y := judge.Parsed(a), judge.Parsed(b)
	if x == nil || y == nil {
		return false
	}
	for _, v := range []*strictjson.Value{x, y} {
		v.Members = slices.DeleteFunc(v.Members, func(m strictjson.Member) bool { return m.Name == "message" })
	}
	return strictjson.Same(x, y)
}
