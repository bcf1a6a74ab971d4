package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Eval applies the updates of a case to its plan, one per reply, under a
// profile. It changes neither, and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome {
	options, refusal := reply.NewOptions(c.Limits, p)
	if refusal != nil {
		return refused(refusal)
	}
	s, err := newSession(c, p)
	defer s.parser.Release()
	if err != nil {
		return refused(harness.Refuse(harness.InvalidPlan, "the plan is unsound: %s", err))
	}
	if len(c.Replies) == 0 {
		return refused(harness.Refuse(harness.RepliesExhausted, "the case holds no reply"))
	}
	out := harness.Outcome{
		Verdict: harness.Rejected, Operations: []harness.OperationResult{},
		Repairs: []harness.Repair{}, Warnings: []harness.Warning{},
	}
	var k kinds
	for _, raw := range c.Replies {
		s.update(raw, options, &out, &k)
	}
	if out.Verdict == harness.Applied {
		out.Code, out.At, out.Message, out.Plan = "", nil, "", s.plan
	}
	results := strictjson.Value{Kind: strictjson.Object, Members: s.results}
	out.Results, out.UpdateType = results.AppendJSON(make([]byte, 0, len("{}")+len(c.Results))), k.String()
	return out
}

func refused(r *harness.Refusal) harness.Outcome {
	out := r.OutcomeOfReply()
	out.UpdateType, out.Operations = kinds{}.String(), []harness.OperationResult{}
	return out
}

// maxDepth bounds the nesting of members that are kept as they are.
const maxDepth = 10_000

func newSession(c harness.Case, p harness.Profile) (*session, error) {
	s := &session{
		profile: p, reorderDone: spec.ReorderDone().Get(p), limit: c.Limits.MaxPlanSteps,
		stored: knob.Stored(&p, knob.Keep),
		given:  map[string]bool{},
	}
	var err error
	s.plan, err = plan.DecodeRecordAnd(c.Plan, func(root *strictjson.Value) error {
		err := checkSteps(root)
		if err == nil {
			s.results, err = s.readResults(c.Results)
		}
		for i, old := range root.Get("history").List() {
			if err == nil && !s.remember(&old) {
				err = fmt.Errorf("/history/%d: an old version of the plan holds no list of steps", i)
			}
		}
		return err
	})
	return s, err
}

// checkSteps checks the members that only steps of this dialect have, in the document of a sound plan.
func checkSteps(root *strictjson.Value) error {
	steps := root.Get("steps").Items
	fields := (&data{}).fields()
	for i := range steps {
		step := &steps[i]
		if step.Given("description") == nil && step.Given("name") == nil {
			return fmt.Errorf(`/steps/%d: the members "name" and "description" are missing; one of them is needed`, i)
		}
		for _, f := range fields {
			if m := step.Given(f.name); m != nil && m.Kind != f.kind {
				return fmt.Errorf("/steps/%d/%s: %s must be %s, not %s", i, f.name, f.name, f.kind, m.Kind)
			}
		}
	}
	return nil
}

// remember notes the ids of a plan in the history: they are never free again. It reports false for one that has no
// list of steps.
func (s *session) remember(old *strictjson.Value) bool {
	steps := old.Get("steps")
	if steps == nil || steps.Kind != strictjson.Array {
		return false
	}
	for i := range steps.Items {
		if id := steps.Items[i].Get("id"); id != nil && id.Kind == strictjson.String {
			s.given[strings.TrimSpace(id.Text)] = true
		}
	}
	return true
}

// update reads and applies one reply, and adds its result to the outcome.
func (s *session) update(raw harness.Reply, options reply.Options, out *harness.Outcome, k *kinds) {
	text := reply.NewText(raw, options)
	defer text.Release()
	r := reply.ReadText(text, &declared, decode, func(a, b *update) bool { return strictjson.Same(a.root, b.root) })
	out.Repairs = append(out.Repairs, r.Repairs...)
	warn(out, r.Warnings)
	refusal := r.Refusal
	if refusal == nil {
		c := s.newChange()
		refusal = c.run(r.Doc)
		out.Operations = slices.Grow(out.Operations, len(c.log))
		for _, e := range c.log {
			out.Operations = append(out.Operations, e.OperationResult)
			warn(out, e.warnings)
		}
		if refusal == nil {
			s.commit(c, r.Doc)
			*k = kinds{k.metadata || c.metadata, k.structure || c.structure, k.content || c.content}
			out.Verdict, out.Tier = harness.Applied, r.Tier
			return
		}
	}
	refusal.In(r.Where(refusal.At))
	out.Code, out.At, out.Message = refusal.Code, refusal.At, refusal.Message
	if out.Verdict != harness.Applied {
		out.Tier = r.Tier
	}
}

// warn adds warnings, one per code.
func warn(out *harness.Outcome, list []harness.Warning) {
	for _, w := range list {
		i := slices.IndexFunc(out.Warnings, func(o harness.Warning) bool { return o.Code == w.Code })
		if i < 0 {
			out.Warnings = append(out.Warnings, harness.Warning{Code: w.Code})
			i = len(out.Warnings) - 1
		}
		out.Warnings[i].IDs = append(out.Warnings[i].IDs, w.IDs...)
	}
}

// run applies the operations. It refuses an update in which nothing applied, by the policy abort one in which an
// operation failed, and by the policy stop one in which none applied before the failure.
func (c *change) run(u *update) *harness.Refusal {
	c.log = make([]entry, 0, len(u.ops))
	for i := range u.ops {
		op, malformed := decodeOperation(&u.ops[i], &c.profile)
		f := c.operate(op, malformed)
		if f == nil || c.profile.OnError == harness.Skip {
			continue
		}
		for j := i + 1; j < len(u.ops); j++ {
			left, _ := decodeOperation(&u.ops[j], &c.profile)
			c.note(left, c.asked(left), spec.NotRun, nil)
		}
		if c.profile.OnError == harness.Stop && c.kinds != (kinds{}) {
			break
		}
		for j := range c.log[:i] {
			if c.profile.OnError == harness.Abort {
				c.log[j].Result = spec.Undone
			}
		}
		return harness.RefuseAt(f.Code, fmt.Sprintf("/operations/%d%s", i, f.Pointer), "%s", f.Message)
	}
	rec := c.plan.Record
	c.metadata = u.name != "" && c.stored(u.name) != rec.Name || strings.TrimSpace(u.description) != "" &&
		c.stored(u.description) != rec.Description
	if c.kinds == (kinds{}) {
		return harness.RefuseAt(harness.EmptyPatch, "", "no operation applied")
	}
	return nil
}

// told is the record of an operation in the history: the request, the reason and the
// result.
func (c *change) told() jsontext.Value {
	list := make([]harness.OperationResult, len(c.log))
	for i, e := range c.log {
		list[i] = e.OperationResult
		list[i].Warnings = nil
	}
	return strictjson.Encode(list)
}

// commit makes the changed plan the plan, files the old one in the history and
// clears the results of the steps that changed.
func (s *session) commit(c *change, u *update) {
	old := s.plan
	rec := new(*old.Record)
	rec.History = append(slices.Clip(rec.History), old.Snapshot(u.reason, c.told()))
	rec.Version++
	if u.name != "" {
		rec.Name = s.stored(u.name)
	}
	if strings.TrimSpace(u.description) != "" {
		rec.Description = s.stored(u.description)
	}
	s.plan = &plan.Plan{Steps: make([]plan.Step, len(c.steps)), Record: rec}
	for i, step := range c.steps {
		s.plan.Steps[i] = *step
	}
	if knob.Sorts(&s.profile) {
		s.plan.Steps = plan.Sorted(s.plan.Steps)
	}
	gone := collect.Set(c.cleared)
	s.results = slices.DeleteFunc(s.results, func(m strictjson.Member) bool { return gone[m.Name] })
}
