package outcome

import (
	"iter"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Plan is the plan after the edit, with a title.
func Plan() Member {
	return planOf([]string{"title", "steps", "verification_policy"},
		func(p *plan.Plan) bool { return p.Record == nil && !p.Listed && !p.Tasks },
		"title", `the plan has no title (the plans of this dialect have "title" and "steps")`)
}

// Record is the plan after the edit, with a name and versions.
func Record() Member {
	return planOf([]string{"id", "name", "description", "version", "steps", "history"},
		func(p *plan.Plan) bool { return p.Record != nil }, "version",
		`the plan has no name (the plans of this dialect have "name", "description", "version", "steps" and "history")`)
}

// filedAlike reports whether an entry of the history, which stands there as the
// engine wrote it, says the same by leaving a member out: then a step is pending, and the
// version is the first. Of operations only the reasons count.
func filedAlike(at string, want, got any) bool {
	is := func(pattern string) bool {
		ok, err := path.Match("/plan/history/*/"+pattern, at)
		return ok && err == nil
	}
	either := func(v any) bool { return want == nil && got == v || got == nil && want == v }
	switch {
	case is("steps/*/status"):
		return either(string(plan.Pending))
	case is("version"):
		return either(Number("1"))
	case is("operations"):
		return slices.Equal(reasons(want), reasons(got))
	}
	return false
}

// reasons returns the reasons of operations; nil if none has one.
func reasons(operations any) []string {
	list, _ := operations.([]any)
	texts := collect.Map(list, func(o any) string { return word(o, "reason") })
	if !slices.ContainsFunc(texts, func(text string) bool { return text != "" }) {
		return nil
	}
	return texts
}

// Items is the list after the edit.
func Items() Member {
	return planOf([]string{"items"}, func(p *plan.Plan) bool { return p.Listed },
		"items", `the plan is no list (the plans of this dialect have "items")`)
}

// Tasks is the graph of tasks after the calls.
func Tasks() Member {
	return planOf([]string{"tasks"}, func(p *plan.Plan) bool { return p.Tasks },
		"tasks", `the plan is no graph of tasks (the plans of this dialect have "tasks")`)
}

// planOf is a plan with these members. Another one, for which is reports false, lacks the member, in
// these words.
func planOf(names []string, is func(*plan.Plan) bool, lacks, words string) Member {
	m := pointer("plan", "The plan after the edit.", func(o *harness.Outcome) **plan.Plan { return &o.Plan },
		(*plan.Plan).Equal)
	m.Names, m.Differ, m.Content = names, PlanDifference, true
	m.Malformed = func(o *harness.Outcome) (string, string) {
		if is(o.Plan) {
			return "", ""
		}
		return lacks, words
	}
	return m
}

// PlanDifference compares plans also where one has none. A refusal may show the plan
// that it left behind, which another check looks at.
func PlanDifference(want, got *harness.Outcome) *Difference {
	switch {
	case want.Plan != nil && got.Plan == nil && want.Verdict == harness.Rejected:
		return nil // only who likes gives the plan of a failed run
	case want.Plan != nil && got.Plan == nil:
		return Differs("plan", "there is no plan, and should be one")
	case want.Plan != nil:
		return Plans(want.Plan, got.Plan)
	case got.Plan != nil && got.Verdict != harness.Rejected:
		return Differs("plan", "there is a plan, and should be none")
	}
	return nil
}

// Rung is the rung of the ladder that gave the plan.
func Rung() Member {
	m := Text("rung", "The rung of the ladder that gave the plan.",
		func(o *harness.Outcome) *harness.Rung { return &o.Rung })
	m.Closed = Closed{"rung", func(v harness.Vocabulary) []harness.Term { return v.Rungs }}
	return optional(m)
}

// GaveUp says that planning was given up.
func GaveUp() Member {
	return optional(field("gave_up", "true: planning was given up, and the work goes on without a plan.",
		func(o *harness.Outcome) *bool { return &o.GaveUp }, func(b bool) bool { return b }, equal))
}

// Tier is how far reading had to go.
func Tier() Member {
	m := Text("tier", "How far reading had to go to get a document out of the reply.",
		func(o *harness.Outcome) *harness.Tier { return &o.Tier })
	m.Closed = Closed{"tier", func(v harness.Vocabulary) []harness.Term { return v.Tiers }}
	return optional(m)
}

// At is the place to blame.
func At() Member {
	at := func(o *harness.Outcome) **string { return &o.At }
	return optional(pointer("at", "JSON Pointer into the reply's document, to what is to blame.", at,
		func(a, b *string) bool { return *a == *b }))
}

// Repairs are the acts of repairing and coercing, in order.
func Repairs() Member {
	at := func(o *harness.Outcome) *[]harness.Repair { return &o.Repairs }
	m := list("repairs", "One record for each act of mending, of bending and of settling a conflict.", at,
		func(a, b harness.Repair) bool { return a.Rule == b.Rule && slices.Equal(a.IDs, b.IDs) })
	m.Names = []string{"rule", "ids"}
	m.Closed = Closed{"repair", func(v harness.Vocabulary) []harness.Term { return v.Repairs }}
	m.Words = each(at, func(r harness.Repair) string { return r.Rule })
	return optional(m)
}

// Warnings are a set: there is one a code, and which comes first means nothing.
func Warnings() Member {
	at := func(o *harness.Outcome) *[]harness.Warning { return &o.Warnings }
	same := func(a, b harness.Warning) bool { return a.Code == b.Code && slices.Equal(a.IDs, b.IDs) }
	sorted := func(o *harness.Outcome) []harness.Warning {
		return slices.SortedStableFunc(slices.Values(o.Warnings),
			func(a, b harness.Warning) int { return strings.Compare(a.Code, b.Code) })
	}
	m := list("warnings", "One for each code, each id once.", at, same)
	m.Same = func(want, got *harness.Outcome) bool {
		return slices.EqualFunc(want.Warnings, got.Warnings, same) ||
			len(want.Warnings) == len(got.Warnings) && slices.EqualFunc(sorted(want), sorted(got), same)
	}
	m.first, m.Key, m.Names = nil, "code", []string{"code", "ids"}
	m.Closed = Closed{"warning", func(v harness.Vocabulary) []harness.Term { return v.Warnings }}
	m.Words = each(at, func(w harness.Warning) string { return w.Code })
	return optional(m)
}

// Meta counts what an accepted reply did.
func Meta() Member {
	m := pointer("meta", "What an accepted reply did to the plan.",
		func(o *harness.Outcome) **harness.Meta { return &o.Meta }, sameMeta)
	m.Names = []string{"added", "updated", "removed", "reworded", "truncated_add", "dropped"}
	return optional(m)
}

func sameMeta(a, b *harness.Meta) bool {
	return a.Added == b.Added && a.Updated == b.Updated && a.Removed == b.Removed && a.Reworded == b.Reworded &&
		a.TruncatedAdd == b.TruncatedAdd && slices.Equal(a.Dropped, b.Dropped)
}

// Events is the log of the ladder. Messages in it are for people.
func Events() Member {
	at := func(o *harness.Outcome) *[]harness.Event { return &o.Events }
	m := list("events", "The log of the ladder.", at, func(a, b harness.Event) bool {
		return a.Event == b.Event && a.Code == b.Code && a.Reason == b.Reason &&
			(a.Meta == nil) == (b.Meta == nil) && (a.Meta == nil || sameMeta(a.Meta, b.Meta))
	})
	m.Copy = func(to, from *harness.Outcome) {
		to.Events = slices.Clone(from.Events)
		for i := range to.Events {
			to.Events[i].Message = ""
		}
	}
	m.Names = []string{"event", "code", "reason", "meta"}
	m.Closed, m.Words = codes(), each(at, func(e harness.Event) string { return string(e.Code) })
	return optional(m)
}

// Operations is what became of each operation. Its step and its warnings are
// compared where both are given.
func Operations() Member {
	at := func(o *harness.Outcome) *[]harness.OperationResult { return &o.Operations }
	m := list("operations", "What became of each operation.", at, func(a, b harness.OperationResult) bool {
		return a.Type == b.Type && sameResult(a.Result, b.Result) && a.Reason == b.Reason &&
			(a.StepID == "" || b.StepID == "" || a.StepID == b.StepID) &&
			(a.Warnings == nil || b.Warnings == nil || slices.Equal(a.Warnings, b.Warnings))
	})
	m.Step, m.Names = "step_id", []string{"type", "step_id", "result", "reason", "warnings"}
	m.Closed = Closed{ResultOfOperation, func(v harness.Vocabulary) []harness.Term { return v.Results }}
	m.Words = each(at, func(o harness.OperationResult) string { return o.Result })
	m.Short = func(item any) string { return word(item, "result") }
	m.ShortWords = Closed{"result", m.Closed.Terms}
	return m
}

// ResultOfOperation names the closed list of results of operations. In addition to these words
// an engine may give the code [harness.Refused].
const ResultOfOperation = "result of an operation"

// sameResult compares the expected result of an operation with the one that an engine gives.
// An engine that does not report why it refused an operation agrees with every code.
func sameResult(want, got string) bool {
	switch want {
	case got:
		return true
	case "applied", "unchanged", "undone", "not_run":
		return false
	}
	return got == string(harness.Refused)
}

// UpdateType is what an update was about.
func UpdateType() Member {
	m := Text("update_type", "What the update was about.", func(o *harness.Outcome) *string { return &o.UpdateType })
	m.Closed = Closed{"type of update", func(v harness.Vocabulary) []harness.Term { return v.Updates }}
	return m
}

// Trace is what happened, in order. In short an item is the state that was
// entered, or an event with its step and its code.
func Trace(same func(a, b harness.TraceItem) bool) Member {
	at := func(o *harness.Outcome) *[]harness.TraceItem { return &o.Trace }
	m := list("trace", "What happened, in order.", at, same)
	m.Step, m.Names = "step", []string{"state", "step", "event", "code", "data"}
	m.Closed, m.Words = codes(), each(at, func(t harness.TraceItem) string { return string(t.Code) })
	m.Short = func(item any) string {
		if word(item, "event") == "state" {
			return word(item, "state")
		}
		words := []string{word(item, "event"), word(item, "step"), word(item, "code")}
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
	}
	m.ShortWords = Closed{"event", func(v harness.Vocabulary) []harness.Term { return slices.Concat(v.Marks, v.Events) }}
	m.Required = Always
	return m
}

// Messages are the messages of a chat. A message without calls equals one with an empty list of them.
func Messages() Member {
	m := content(Raw("messages", "The messages sent to the model, or those kept.",
		func(o *harness.Outcome) *jsontext.Value { return &o.Messages }))
	equal := m.Same
	m.Same = func(want, got *harness.Outcome) bool {
		return equal(want, got) || len(want.Messages) > 0 && len(got.Messages) > 0 &&
			reflect.DeepEqual(calling(want.Messages), calling(got.Messages))
	}
	return m
}

// calling returns messages without empty lists of calls.
func calling(messages jsontext.Value) any {
	return pruned("", Tree(messages), func(at string, v any) bool {
		return strings.HasSuffix(at, "/tool_calls") && strings.Count(at, "/") == 2 && isDefault(v)
	})
}

// Tokens are counted before and after.
func Tokens() Member {
	at := func(o *harness.Outcome) **harness.TokenChange { return &o.Tokens }
	return pointer("tokens", "The tokens before and after.", at, func(a, b *harness.TokenChange) bool { return *a == *b })
}

// Dropped are the places of the messages that were left out.
func Dropped() Member {
	return list("dropped", "The places of the messages that were left out.",
		func(o *harness.Outcome) *[]int { return &o.Dropped }, equal)
}

// Cut lists the messages that were shortened.
func Cut() Member {
	return list("cut", "The messages that were shortened.",
		func(o *harness.Outcome) *[]harness.Cut { return &o.Cut }, equal)
}

// More is a member for which outcomes have no field.
func More(name, text string) Member {
	return Member{
		Name: name, Text: text, Further: true,
		Given: func(o *harness.Outcome) bool { return len(o.More[name]) > 0 },
		Same:  func(want, got *harness.Outcome) bool { return strictjson.Equal(want.More[name], got.More[name]) },
		Copy: func(to, from *harness.Outcome) {
			if v := from.More[name]; len(v) > 0 {
				if to.More == nil {
					to.More = map[string]jsontext.Value{}
				}
				to.More[name] = v
			}
		},
	}
}

// Raw is a member that is any JSON.
func Raw(name, text string, at func(*harness.Outcome) *jsontext.Value) Member {
	return field(name, text, at, func(v jsontext.Value) bool { return len(v) > 0 },
		func(want, got jsontext.Value) bool { return strictjson.Equal(want, got) })
}

// Always requires a member of every applied outcome.
func Always(Asked) bool { return true }

// Optionally returns the member as one that engines need not give.
func Optionally(m Member) Member { return optional(m) }

func content(m Member) Member {
	m.Content = true
	return m
}

func optional(m Member) Member {
	m.Optional = true
	return m
}

// field is a member that is a field of the outcome.
func field[T any](name, text string, at func(*harness.Outcome) *T, given func(T) bool,
	same func(want, got T) bool,
) Member {
	return Member{
		Name: name, Text: text,
		Given: func(o *harness.Outcome) bool { return given(*at(o)) },
		Same:  func(want, got *harness.Outcome) bool { return same(*at(want), *at(got)) },
		Copy:  func(to, from *harness.Outcome) { *at(to) = *at(from) },
	}
}

func equal[T comparable](want, got T) bool { return want == got }

// Text is a member that is a text.
func Text[T ~string](name, text string, at func(*harness.Outcome) *T) Member {
	m := field(name, text, at, func(s T) bool { return s != "" }, equal)
	m.Words = func(o *harness.Outcome) iter.Seq[string] {
		return func(yield func(string) bool) { yield(string(*at(o))) }
	}
	return m
}

func pointer[T any](name, text string, at func(*harness.Outcome) **T, same func(a, b *T) bool) Member {
	return field(name, text, at, func(p *T) bool { return p != nil }, same)
}

func list[T any](name, text string, at func(*harness.Outcome) *[]T, same func(a, b T) bool) Member {
	m := field(name, text, at, func(l []T) bool { return l != nil },
		func(want, got []T) bool { return slices.EqualFunc(want, got, same) })
	m.List = true
	m.first = func(want, got *harness.Outcome) int { return firstOther(*at(want), *at(got), same) }
	m.empty = func(o *harness.Outcome) bool { return len(*at(o)) == 0 }
	return m
}

// firstOther is the place of the first item of which the other list has none, or
// another.
func firstOther[T any](want, got []T, same func(a, b T) bool) int {
	n := min(len(want), len(got))
	for i := range n {
		if !same(want[i], got[i]) {
			return i
		}
	}
	return n
}

func each[T any](at func(*harness.Outcome) *[]T, word func(T) string) func(*harness.Outcome) iter.Seq[string] {
	return func(o *harness.Outcome) iter.Seq[string] {
		return func(yield func(string) bool) {
			for _, item := range *at(o) {
				if !yield(word(item)) {
					return
				}
			}
		}
	}
}

func codes() Closed {
	return Closed{"code", func(v harness.Vocabulary) []harness.Term { return v.Codes }}
}
