package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

// Broken is a break of a session: of a transition, by a check of the dialect, or
// of the session itself.
type Broken struct {
	session.Break
	Dialect  string        `json:"dialect,omitzero"`   // "": of the session itself
	Culprits []string      `json:"culprits,omitempty"` // the traits of the turn, its fault among them
	Setup    bool          `json:"setup,omitzero"`     // the turn only made the plan of the next one
	Advisory bool          `json:"advisory,omitzero"`
	Why      string        `json:"why,omitzero"` // the reason why it is advisory
	Case     *harness.Case `json:"case,omitzero"`
	Want     string        `json:"want,omitzero"`
	Got      string        `json:"got,omitzero"`
	Index    uint64        `json:"index"`
	Field    string        `json:"field,omitzero"` // where the plan differs first from the right one
}

// Judge judges the transitions of a session, and adds what the session itself
// broke. judged is how many transitions there were.
func (s *Subject) Judge(ctx context.Context, p Planned, log session.Log) (list []Broken, judged int, err error) {
	says := s.says(log)
	for _, step := range log.Steps {
		if log.Doubled(step.Turn) {
			continue // the state after it belongs to two calls
		}
		for _, did := range step.Calls {
			turn := p.Script.Turns[step.Turn]
			found, ok, err := s.transition(ctx, says, did, !turn.Setup && turn.Fault == "")
			if err != nil {
				return nil, 0, err
			}
			if ok {
				judged++
			}
			for _, b := range found {
				b.Turn = step.Turn
				list = append(list, b)
			}
		}
	}
	for _, b := range log.Breaks {
		list = append(list, Broken{Break: b})
	}
	for i := range list {
		p.place(&list[i])
	}
	return list, judged, nil
}

// says returns what the agent's requests say about its plan tool.
func (s *Subject) says(log session.Log) statement {
	switch {
	case s.Profile.AsText():
		return statement{} // the schema does not describe the edit
	case s.Profile.Single():
		return newStatements(log)
	}
	says := newStatement(s.Dialect, s.Profile.Schema(log.Learned.Tool.Schema))
	if shown := log.Learned.Shown; shown != nil {
		says.hides = func(member string) bool { return !slices.Contains(shown, member) }
	}
	return says
}

// rules are those by which a transition is judged. Without ids to see, items are the same by their contents.
func (s *Subject) rules(says statement) harness.Profile {
	rules := s.Rules
	if !says.hidden("id") {
		return rules
	}
	for _, setting := range [...]string{"ids=optional", "identity=content"} {
		if rules.Apply(setting, s.Dialect.Judging.Knobs...) != nil {
			return s.Rules // all items of the dialect have ids
		}
	}
	return rules
}

// place notes what the turn of a break is.
func (p Planned) place(b *Broken) {
	turn := p.Script.Turns[b.Turn]
	b.Culprits, b.Setup, b.Index = turn.Names(), turn.Setup, none
	if b.Turn < len(p.Indices) {
		b.Index = p.Indices[b.Turn]
	}
}

// transition judges one call: the plan before it, the edit, and the plan after it. It
// reports whether there was something to judge.
func (s *Subject) transition(ctx context.Context, says statement, d session.Did, losses bool) (list []Broken,
	judged bool, err error,
) {
	switch {
	case d.Before == nil, d.Spoilt == fault.Partial, d.Spoilt == fault.Invalid, d.Spoilt == fault.Nothing:
		return nil, false, nil
	case d.Spoilt == fault.Odd && d.Refused:
		return nil, false, nil // an answer that breaks its form may be refused
	case !d.Refused && d.After == nil:
		return nil, false, nil // the session has a break for this
	case d.Refused && !says.allowsCall(d):
		return nil, true, nil
	case d.Refused && d.Unread:
		return nil, false, nil
	case s.Profile.AsText() && d.Repeats():
		return nil, true, nil // the tool keeps the text of the model as it is
	}
	valid := says.allowsCall(d)
	if d.Refused {
		says.hides = nil // it may refuse what it would not show
	}
	says.verbatim = keepsPadding(d.After)
	d.Edit, d.Before, d.After = says.edit(d.Edit), says.plan(d.Before), says.plan(d.After)
	c := harness.Case{Dialect: s.Dialect.Name, Plan: d.Before, Replies: []harness.Reply{harness.Reply(d.Edit)}}
	before, err := s.Dialect.Judging.Plan(c)
	if err != nil {
		return nil, false, nil // an earlier edit made the plan invalid, and was judged
	}
	if d.Answers != nil && s.idle(c, before, &d) {
		return nil, true, nil
	}
	rules := s.rules(says)
	if d.Unmoved && s.Dialect.Eval(c, rules).Verdict != harness.Applied {
		return nil, true, nil
	}
	out, malformed := s.outcome(c, d)
	if d.OpenBlockers && out.Plan != nil {
		fillEdges(out.Plan, before, cmp.Or(s.Dialect.Eval(c, rules).Plan, before))
	}
	if !d.Refused {
		rules.ExtraFields = harness.Drop // to ignore a member loses nothing
	}
	list, err = s.breaks(ctx, c, out, malformed, rules, true)
	list = slices.DeleteFunc(list, func(b Broken) bool {
		return b.Class == judge.Accepts && strings.HasSuffix(b.Kind, ":"+string(harness.TooDeep)) // agents state no such limit
	})
	if i := slices.IndexFunc(list, func(b Broken) bool { return b.Class == judge.Accepts && valid }); i >= 0 &&
		(says.known != nil || says.tools != nil) && aboutShape(list[i].Kind) {
		list[i].Advisory, list[i].Why = true, "the tool's schema allows it"
	}
	if err == nil && len(list) > 0 && s.open {
		list[0].Why, err = s.explained(ctx, c, out, rules)
		if d.Unmoved && list[0].Why == "" && err == nil {
			list[0].Why, err = s.explained(ctx, c, harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused}, rules)
		}
		list[0].Advisory = list[0].Advisory || list[0].Why != ""
	}
	if err != nil || len(list) > 0 || d.Refused || !losses || d.Answers != nil {
		return list, true, err
	}
	list, err = s.breaks(ctx, c, out, nil, harness.Reference().For(s.Dialect.Judging.Knobs), false)
	for i := range list {
		list[i].Advisory, list[i].Why = true, "the tool replaces the whole list"
	}
	return list, true, err
}

// explained returns a setting of a knob under which an outcome is right; "" if there is none. Nobody has stated the
// rules of an agent whose profile was guessed. A setting that rejects what made the plan explains nothing.
func (s *Subject) explained(ctx context.Context, c harness.Case, out harness.Outcome, rules harness.Profile) (string,
	error,
) {
	setup, _ := s.Dialect.Restate(c.Plan, rules)
	first := harness.Case{Dialect: c.Dialect, Plan: s.Profile.Nothing(), Replies: []harness.Reply{harness.Reply(setup)}}
	own := s.Dialect.Judging.Knobs
	for setting, other := range rules.Variants(harness.Knobs(own...), own...) {
		if out.Results == nil && s.Dialect.Eval(first, other).Verdict != harness.Applied {
			continue
		}
		if breaks, err := s.breaks(ctx, c, out, nil, other, true); err != nil || len(breaks) == 0 {
			return "like " + setting, err
		}
	}
	return "", nil
}

// aboutShape reports whether a kind names a code for the shape of an edit, which a JSON
// Schema can express.
func aboutShape(kind string) bool {
	_, code, _ := strings.Cut(kind, ":")
	return slices.Contains([]harness.Code{
		harness.BadType, harness.MissingField, harness.EmptyID, harness.ExtraField, harness.InvalidUTF8,
	}, harness.Code(code))
}

// outcome is what the agent did, in the terms of the dialect. malformed says why
// what it states is no plan.
func (s *Subject) outcome(c harness.Case, d session.Did) (out harness.Outcome, malformed error) {
	if d.Refused {
		out = harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused, Message: d.Result}
		if d.Answers != nil {
			out.Results = strictjson.Encode(results(d.Answers))
		}
		return out, nil
	}
	given := map[string]any{"verdict": harness.Applied, "plan": d.After}
	if d.Answers != nil {
		given["results"], given["created"] = results(d.Answers), append([]string{}, d.Created...)
	}
	text, err := json.Marshal(given, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return out, err
	}
	return rpc.DecodeOutcome(c, text)
}

// results are the results of single calls as an engine reports them.
func results(answers []toolmap.Report) []map[string]any {
	list := []map[string]any{}
	for _, a := range answers {
		r := map[string]any{"ok": !a.Refused}
		if a.Refused {
			r["code"] = harness.Refused
		} else if len(a.IDs) > 0 {
			r["id"] = a.IDs[0]
		}
		list = append(list, r)
	}
	return list
}

// idle reports whether single calls change nothing, by the rules and in the store: then either answer is right. If
// only the store did not change, calls that the rules reject count as rejected, whatever their result says.
func (s *Subject) idle(c harness.Case, before *plan.Plan, d *session.Did) bool {
	if !bytes.Equal(d.Before, d.After) {
		return false
	}
	want := s.Dialect.Eval(c, s.Rules)
	if d.Refused = d.Refused || want.Verdict != harness.Applied; want.Plan == nil {
		return d.Refused
	}
	return want.Plan.Equal(before)
}

// align gives the results of rejected calls the codes of the rules, which agents do not name. If the plan is right, the
// calls that the rules reject changed nothing, and count as rejected whatever their result says.
func align(out *harness.Outcome, want harness.Outcome) {
	var have, right []map[string]any
	if json.Unmarshal(out.Results, &have) != nil || json.Unmarshal(want.Results, &right) != nil ||
		len(have) != len(right) {
		return
	}
	same := out.Plan != nil && want.Plan != nil && out.Plan.Equal(want.Plan)
	for i := range right {
		if right[i]["ok"] == false && (same || have[i]["ok"] == false) {
			have[i] = right[i]
		}
	}
	out.Results = strictjson.Encode(have)
}

// fillEdges gives a plan the edges that an agent does not show, as the rules have them: those to tasks that are or
// were closed.
func fillEdges(shown, before, want *plan.Plan) {
	closed := map[string]bool{}
	for _, t := range slices.Concat(before.Steps, shown.Steps) {
		closed[t.ID] = closed[t.ID] || t.Status == plan.Completed || t.Status == plan.Cancelled
	}
	for i := range shown.Steps {
		t := &shown.Steps[i]
		t.Dependencies = slices.DeleteFunc(t.Dependencies, func(id string) bool { return closed[id] })
		if w := want.Step(t.ID); w != nil {
			for _, id := range w.Dependencies {
				if closed[id] {
					t.Dependencies = append(t.Dependencies, id)
				}
			}
		}
	}
}

// breaks judges an outcome under rules; oracle compares it with the reference,
// without it only what must always hold counts.
func (s *Subject) breaks(ctx context.Context, c harness.Case, out harness.Outcome, malformed error,
	rules harness.Profile, oracle bool,
) ([]Broken, error) {
	if out.Results != nil {
		align(&out, s.Dialect.Eval(c, rules))
	}
	given := &given{hello: s.hello(rules), out: out, err: malformed}
	options := judge.Options{Every: math.MaxInt}
	if oracle {
		options.Reference = reference.New()
	}
	j := judge.New(given, given.hello, s.Dialect.Judging, options)
	verdict, err := j.Judge(ctx, judge.Item{Case: c, Salt: 1})
	if err != nil {
		return nil, err
	}
	var list []Broken
	field := ""
	if i := slices.IndexFunc(verdict.Breaks, func(b judge.Break) bool { return b.Class == judge.Differs }); i >= 0 {
		field = verdict.Breaks[i].Field
	}
	counts := func(b judge.Break) bool { return s.level.Includes(b.Level) }
	some := slices.ContainsFunc(verdict.Breaks, counts)
	for _, b := range verdict.Breaks {
		if !oracle && !s.isSafety(b.Check) || some && !counts(b) { // a worse one of another level does not hide it
			continue
		}
		list = append(list, Broken{
			Break: session.Break{Check: b.Check, Kind: b.Kind, Class: b.Class, Message: b.Message}, Dialect: s.Dialect.Name,
			Case: &c, Want: b.Want, Got: b.Got, Advisory: b.Advisory, Field: field,
		})
	}
	return worst(list), nil
}

// isSafety reports whether a check of the dialect must always hold.
func (s *Subject) isSafety(check string) bool {
	i := s.Dialect.Judging.Place(check)
	return i >= 0 && s.Dialect.Judging.Checks[i].Ground == judge.Safety
}

// worst keeps the worst of several breaks of one transition; the first of equals
// says most.
func worst(list []Broken) []Broken {
	if len(list) < 2 {
		return list
	}
	best := 0
	for i, b := range list {
		if b.Class.Rank() < list[best].Class.Rank() {
			best = i
		}
	}
	return list[best : best+1]
}

// given is an engine that gives one answer, once: an agent cannot be asked for
// the same again.
type given struct {
	hello harness.Hello
	out   harness.Outcome
	err   error
	asked bool
}

// Hello says who the agent is.
func (g *given) Hello(context.Context) (harness.Hello, error) { return g.hello, nil }

// Eval gives the answer, and later none.
func (g *given) Eval(context.Context, harness.Case) (harness.Outcome, error) {
	if g.asked {
		return harness.Outcome{Verdict: harness.Unsupported}, nil
	}
	g.asked = true
	if g.err != nil {
		return harness.Outcome{}, &harness.Failure{
			Kind:   harness.ProtocolFailure,
			Detail: fmt.Sprintf("the plan that the agent returned is invalid: %v", g.err),
		}
	}
	return g.out, nil
}

// Close does nothing.
func (g *given) Close() error { return nil }
