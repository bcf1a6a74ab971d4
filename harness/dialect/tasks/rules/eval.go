// Package rules is the reference engine of the dialect tasks: one function for each rule, in their order.
//
// The text of the specification leaves some choices open. Within a rule, the tasks of a
// replace are checked one after the other, and so are the items of ids. A call with both id
// and ids has the extra member ids. Under mode open, a removed task is unknown to the edges of
// the same call. Calls are coerced only as a list; a wrong member of a call refuses that call.
package rules

import (
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
)

// session is a store under one reply after the other.
type session struct {
	store    *store
	settings spec.Settings
	options  reply.Options
	limit    *int

	applied  bool
	out      harness.Outcome // of the last refusal
	tier     harness.Tier    // of the last reply with a call that was carried out
	results  []spec.Result
	warnings harness.Notes
	repairs  harness.Notes
	taken    []string // ids that the calls of this reply gave
	unread   []string // numbers of replies that could not be read
}

// Eval carries out the replies of a case, one after the other, under a profile.
func Eval(c harness.Case, p harness.Profile) harness.Outcome {
	options, refusal := reply.NewOptions(c.Limits, p)
	if refusal != nil {
		return refusal.OutcomeOfReply()
	}
	g, err := spec.Decode(c.Plan)
	if err != nil {
		return harness.Refuse(harness.InvalidPlan, "the graph is invalid: %s", err).OutcomeOfReply()
	}
	s := &session{
		store:    &store{Graph: *g, had: map[string]bool{}, normals: map[string]string{}, same: &subjects{}},
		settings: spec.SettingsOf(p), options: options, limit: c.Limits.MaxPlanSteps, results: []spec.Result{},
		out: harness.Refuse(harness.RepliesExhausted, "the case has no reply").OutcomeOfReply(),
	}
	for _, t := range g.Tasks {
		s.store.had[t.ID] = true
	}
	for i, raw := range c.Replies {
		s.turn(raw, i+1)
	}
	return s.outcome()
}

// outcome writes the outcome. A refusal has results too.
func (s *session) outcome() harness.Outcome {
	out := s.out
	if s.applied {
		if s.unread != nil {
			s.warnings.Add(todos.WarnReplyRefused, s.unread...)
		}
		out = harness.Outcome{
			Verdict: harness.Applied, Plan: s.store.Plan(), Tier: s.tier, Warnings: s.warnings.Warnings(),
			Repairs: s.repairs.Repairs(),
		}
	}
	out.Results = strictjson.Encode(s.results)
	out.More = map[string]jsontext.Value{spec.CreatedMember: strictjson.Encode(s.store.created)}
	return out
}

// turn carries out one reply.
func (s *session) turn(raw harness.Reply, number int) {
	text := reply.NewText(raw, s.options)
	defer text.Release()
	r := s.read(text)
	if r.Refusal != nil {
		s.out = r.Refusal.OutcomeOfReply()
		s.out.Tier = r.Tier
		s.unread = append(s.unread, strconv.Itoa(number))
		return
	}
	before, from := s.store, len(s.results)
	if s.settings.Batch == spec.AllOrNone {
		before = s.store.clone(false)
	}
	var warnings harness.Notes
	s.taken = nil
	carried := false
	var bad *harness.Refusal
	for i := range r.Doc {
		if bad != nil && s.settings.Batch != spec.Each {
			s.results = append(s.results, spec.Result{Code: spec.NotRun})
			continue
		}
		result, found, refusal := s.call(&r.Doc[i], strictjson.PathTo("/calls").Item(i))
		if s.results = append(s.results, result); refusal != nil {
			bad = refusal
			continue
		}
		carried = true
		warnings.Warn(found)
	}
	if bad != nil {
		s.out = bad.OutcomeOfReply()
		s.out.Tier = r.Tier
	}
	if bad != nil && s.settings.Batch == spec.AllOrNone {
		s.store.forget(s.taken)
		s.store, carried = before, false
		for i, r := range s.results[from:] {
			if r.OK {
				s.results[from+i] = spec.Result{Code: spec.NotRun}
			}
		}
	}
	if !carried {
		return
	}
	s.applied, s.tier = true, r.Tier
	s.warnings.Warn(r.Warnings)
	s.warnings.Warn(warnings.Warnings())
	s.repairs.Repair(r.Repairs)
}

// call carries out one call.
func (s *session) call(v *strictjson.Value, at path) (spec.Result, []harness.Warning, *harness.Refusal) {
	r := reader{settings: s.settings}
	read, fault := r.call(v, at)
	if fault != nil {
		fault.Pointer = at.String() + fault.Pointer
		return refused(harness.RefuseFault(fault))
	}
	c := &change{call: read, settings: s.settings, limit: s.limit, old: s.store}
	if refusal := c.apply(); refusal != nil {
		c.undo()
		s.store.forget(c.fresh)
		return refused(refusal)
	}
	s.taken = append(s.taken, c.fresh...)
	if r.unknown != nil {
		c.warnings.Add(harness.WarnUnknownField, r.unknown...)
	}
	s.store = c.now
	result := spec.Result{OK: true}
	switch c.name {
	case spec.Create:
		result.ID = c.fresh[0]
	case spec.Replace:
		result.IDs = new(append([]string{}, c.fresh...))
	case spec.Next:
		result.Ready = new(s.store.Ready(s.settings.Cancelled == spec.Blocks))
	}
	return result, c.warnings.Warnings(), nil
}

func refused(r *harness.Refusal) (spec.Result, []harness.Warning, *harness.Refusal) {
	return spec.Result{Code: r.Code, At: r.At}, nil, r
}

// declarations are made once and never written.
type declarations struct{ calls, dropping, call *document.Value }

// declared are the declarations of a list of calls, of one without unknown members, and of one call.
var declared = sync.OnceValue(func() declarations {
	any := document.List(document.Any(""))
	any.Lone = true
	many := document.Object(document.Needs("calls", any))
	many.Bare = "calls"
	dropping, doc := many, spec.Document()
	dropping.Drops = true
	return declarations{&many, &dropping, doc.Member("calls").Item}
})

type reading = reply.Reading[[]strictjson.Value]

// read reads a reply: a list of calls, or one call alone.
func (s *session) read(text *reply.Text) reading {
	r := reply.ReadText(text, declared().calls, s.calls, equal)
	if r.Refusal == nil || !s.options.Reading.Coerce {
		return r
	}
	one := reply.ReadText(text, declared().call, single, equal)
	if one.Refusal != nil {
		return r
	}
	one.Tier = harness.TierCoerced
	one.Repairs = append(one.Repairs, harness.Repair{Rule: spec.RepairSingleCall})
	return one
}

// equal reports whether two lists have the same calls, wherever they are in the text.
func equal(a, b []strictjson.Value) bool {
	return slices.EqualFunc(a, b, func(x, y strictjson.Value) bool { return strictjson.Same(&x, &y) })
}

// calls decodes the list of calls; the calls are read when they are carried out.
func (s *session) calls(root *strictjson.Value) ([]strictjson.Value, []harness.Warning, *harness.Refusal) {
	r := reader{settings: s.settings}
	list := declared().calls
	if s.settings.ExtraFields == harness.Drop {
		list = declared().dropping
	}
	root, fault := r.known(list, root)
	if fault != nil {
		return nil, nil, harness.RefuseFault(fault)
	}
	calls := root.Get("calls").Items
	if len(calls) == 0 {
		return nil, nil, harness.RefuseAt(harness.EmptyPatch, "/calls", "the reply has no calls")
	}
	return calls, harness.UnknownFields(r.unknown), nil
}

// single decodes a call that is the whole document.
func single(root *strictjson.Value) ([]strictjson.Value, []harness.Warning, *harness.Refusal) {
	if root.Get("call") == nil {
		return nil, nil, harness.Refuse(harness.MissingField, "there is no call")
	}
	return []strictjson.Value{*root}, nil, nil
}
