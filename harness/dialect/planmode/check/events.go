package check

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// eventsComplete: calls and trace go together, and each call has its events.
func eventsComplete(x *judge.Examination) judge.Result {
	v := session(x)
	if v == nil {
		return judge.Skip()
	}
	calls := x.Parsed(x.Item.Case.Calls).Items
	if !v.whole {
		return judge.Result{Exercised: true, Broken: v.broken(len(v.steps), "items", "trace",
			"the trace does not have exactly one item per call (%d calls)", len(calls))}
	}
	for i, s := range v.each {
		if s.item.Step != nameOf(s.call) {
			return judge.Result{Exercised: true, Broken: v.broken(i, "order", "trace", "its trace item has the step %.40q",
				s.item.Step)}
		}
		if s.made() {
			if b := v.eventsOf(i, s); b != nil {
				return judge.Result{Exercised: true, Broken: b}
			}
		}
	}
	return judge.Held()
}

// wants lists the events that the call must have if it is made.
func (s *sessionStep) wants() []string {
	switch {
	case s.tool == "EnterPlanMode" && s.said() == "deny":
		return []string{spec.EventPlanDenied}
	case s.tool == "EnterPlanMode":
		return []string{spec.EventPlanEnter}
	case s.tool == "ExitPlanMode" && s.said() == "keep_planning":
		return []string{spec.EventPlanExit, spec.EventPlanDenied}
	case s.tool == "ExitPlanMode":
		return []string{spec.EventPlanExit, spec.EventPlanApproved}
	}
	return nil
}

func eventNames(list []harness.TraceItem) []string {
	return collect.Map(list, func(e harness.TraceItem) string { return e.Event })
}

// eventsOf compares the events of a call that was made with those that it must
// have.
func (v *sessionView) eventsOf(i int, s *sessionStep) *judge.Break {
	want, got := s.wants(), eventNames(s.events)
	if !slices.Equal(want, got) {
		return v.broken(i, otherEvents(want, got), "event", "it emits the events %q instead of %q", got, want)
	}
	for _, e := range s.events {
		data := v.parsed(e.Data)
		for _, name := range eventMembers(e.Event) {
			if data.Get(name) == nil {
				return v.broken(i, "data:"+name, "data", "its event %s lacks %s", e.Event, name)
			}
		}
		if told := data.Get("timestamp"); e.Event == spec.EventPlanEnter && v.timestamp != nil &&
			(told == nil || !strictjson.Same(v.timestamp, told)) {
			return v.broken(i, "data:timestamp", "data", "its event %s lacks the timestamp %s of the case", e.Event,
				judge.Brief(v.timestamp.Text))
		}
	}
	if guidance := v.parsed(s.item.Data).Get("guidance"); guidance != nil &&
		!strings.Contains(guidance.Text, v.out.Path) {
		return v.broken(i, "guidance", "guidance", "the guidance does not name the plan file %s", v.out.Path)
	}
	return nil
}

// otherEvents is the kind in which events are others than they should be.
func otherEvents(want, got []string) string {
	for _, e := range want {
		if !slices.Contains(got, e) {
			return "missing:" + e
		}
	}
	for i, e := range got {
		if !slices.Contains(want, e) || slices.Contains(got[:i], e) {
			return "extra:" + known(e, spec.Vocabulary().Events)
		}
	}
	return "order"
}

// known returns the name if it is one of the terms.
func known(name string, terms []harness.Term) string {
	if slices.Contains(harness.Names(terms), name) {
		return name
	}
	return "unknown"
}

// eventMembers lists the required members of an event.
func eventMembers(event string) []string {
	switch event {
	case spec.EventPlanEnter:
		return []string{"sessionId", "planFilePath", "planExists"}
	case spec.EventPlanExit:
		return []string{"sessionId", "planFilePath", "planContent", "isAgent"}
	}
	return []string{"sessionId"}
}

// shorterScript cuts the script in the middle.
func shorterScript(x *judge.Examination) judge.Result {
	v := session(x)
	if v == nil || len(v.steps) < 2 || !v.whole {
		return judge.Skip()
	}
	n := 1 + int(judge.Mix(x.Item.Salt)%uint64(len(v.steps)-1))
	calls := x.Parsed(x.Item.Case.Calls)
	c := scripted(x, calls.Items[:n])
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	var before []harness.TraceItem
	for _, s := range v.steps[:n] {
		before = append(append(before, s.item), s.events...)
	}
	want, got := harness.Outcome{Trace: before, Path: x.Out.Path}, harness.Outcome{Trace: out.Trace, Path: out.Path}
	if got.Path == "" {
		got.Path = want.Path
	}
	if d := x.Compare(&want, &got); d != nil {
		return x.Parted(c, out, judge.Broke("", d.Step, d.Field,
			"the first half of the script has a different result than in the whole script: "+d.Words))
	}
	return judge.Held()
}

// extraReads adds a read-only call.
func extraReads(x *judge.Examination) judge.Result {
	v := session(x)
	if v == nil || !v.whole {
		return judge.Skip()
	}
	n := int(judge.Mix(x.Item.Salt) % uint64(len(v.steps)+1))
	calls := x.Parsed(x.Item.Case.Calls)
	look := x.Parsed(jsontext.Value(`{"tool":"ls","args":{}}`))
	c := scripted(x, slices.Insert(slices.Clone(calls.Items), n, *look))
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	whole := out
	place := 0
	for _, s := range v.steps[:n] {
		place += 1 + len(s.events)
	}
	if place < len(out.Trace) {
		out.Trace = slices.Delete(slices.Clone(out.Trace), place, place+1)
	}
	out.At = nil // the calls after it are one place later
	if d := x.Compare(&x.Out, &out); d != nil || out.Code != x.Out.Code || out.Verdict != x.Out.Verdict {
		words := "the response differs"
		if d != nil {
			words = d.Words
		}
		return x.Parted(c, whole, judge.Broke("", "", "trace", "an additional call of ls changes the result of the others: "+
			words))
	}
	return judge.Held()
}

// scripted returns the case with other calls.
func scripted(x *judge.Examination, items []strictjson.Value) harness.Case {
	c := x.Item.Case
	list := strictjson.Value{Kind: strictjson.Array, Items: items}
	c.Calls = list.AppendJSON(nil)
	return c
}
