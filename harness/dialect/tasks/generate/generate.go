// Package generate makes samples of the dialect tasks: a graph, turns of calls that change
// it, and the expected verdict, code and place. The reference and the checks judge the plan.
//
// Each trait brings tasks of its own, so traits do not disturb each other.
package generate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// maxTasks bounds the base; traits may need more.
const maxTasks = 30

// trait is a row of the table.
type trait struct {
	generators.Trait
	row     row
	derived *deform.Trait // of the text and the shape of the reply
}

// Clashes reports whether two traits need other knobs, or both change the text.
func (t trait) Clashes(o trait) bool {
	return t.row.Alone && o.row.Alone || t.row.Fault != "" || o.row.Fault != "" ||
		generators.Contradict(t.row.Under, o.row.Under)
}

// traits are made once and never written.
var traits = sync.OnceValue(func() []trait {
	var list []trait
	words := strings.NewReplacer(":x", ` "cancelled" `, ":i", ` "in_progress" `, ">", ` "blocked_by" `, "^", ` "parent" `)
	for _, r := range generators.Rows[row](table) {
		r.Theme = cmp.Or(r.Theme, r.Fault)
		t := trait{Trait: r.Trait(spec.Knobs), row: r}
		t.Needs = r.abilities(words)
		list = append(list, t)
	}
	return append(list, derivedTraits()...)
})

// abilities lists the capabilities that the row needs. words writes the signs of graphs as JSON.
func (r row) abilities(words *strings.Replacer) []string {
	sent := collect.Map(r.steps(), func(s step) string { return string(s.Send) })
	calls := strings.NewReplacer(`,"@any":"@s"`, "", "@last", "$1", "@far", "$8").Replace(strings.Join(sent, ","))
	replies := []harness.Reply{harness.Reply(`{"calls":[` + calls + `]}`)}
	c := harness.Case{Plan: []byte(words.Replace(r.Graph)), Replies: replies}
	list := slices.Concat(r.Needs, Needs(c))
	if r.Replies != nil {
		list = append(list, "text")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// New returns a Maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	knobs := append(spec.Knobs(), harness.Vocabulary{Knobs: spec.Vocabulary().Knobs}.Settings()...)
	return generators.Recipe[trait]{
		Traits: traits(), MaxSteps: maxTasks, Profile: generators.Profiles(knobs), Knobs: spec.Knobs(), Make: makeSample,
	}.New(opts)
}

// answer is the expected result of a call; Code is "" for one that is carried out.
type answer struct {
	harness.Code
	at      string
	creates int
}

// draft is a sample in the making.
type draft struct {
	generators.Choices
	collect.Joiner
	without  []string // capabilities that the engine lacks
	profile  harness.Profile
	graph    spec.Graph
	calls    []string
	answers  []answer
	created  int
	subjects int
	loose    bool
	limits   harness.Limits
	derived  *deform.Trait // to apply to the reply
	choices  generators.Choices
	own      []generators.Value // calls for it: one ends the reply
	effect   deform.Effect
	misses   string // the derived trait that found no place
}

func makeSample(drawn generators.Draw[trait]) generators.Sample {
	d := &draft{Choices: drawn.Choices, profile: drawn.Profile, without: drawn.Without, calls: make([]string, 0, 4), answers: make([]answer, 0, 4)}
	if !d.can(blockers) {
		for _, e := range edges() {
			d.without = append(slices.Clip(d.without), e.capability)
		}
	}
	if drawn.Free {
		d.suit(drawn.Traits)
	}
	after := d.base(drawn)
	s := generators.Sample{Profile: d.profile, Case: harness.Case{Dialect: "tasks"}}
	kept := drawn.Kept()
	for _, t := range kept {
		if t.derived != nil {
			d.deform(t, drawn.Stream(t.Name))
		} else {
			d.plant(t.row)
		}
		s.Traits = append(s.Traits, t.Name)
		if t.row.Fault != "" {
			s.Case.SetDocument(spec.FaultDocument, []byte(strconv.Quote(t.row.Fault)))
			d.loose = true
		}
	}
	if len(d.calls) == 0 && d.derived == nil {
		d.plain(after, false)
	}
	body := d.body()
	s.Case.Limits, s.Case.Plan, s.Want = d.limits, strictjson.Encode(d.graph), d.labelled()
	s.Case.Replies = []harness.Reply{harness.Reply(body)}
	s.Traits = slices.DeleteFunc(s.Traits, func(name string) bool { return name == d.misses })
	for _, t := range kept {
		switch {
		case t.row.Replies != nil:
			s.Case.Replies, s.Want = t.row.replies(body), generators.Want{Loose: true}
		case t.row.Plan != nil:
			s.Case.Plan, s.Want = slices.Clone(t.row.Plan), generators.Refused(harness.InvalidPlan)
		case t.row.Nulls:
			s.Case.Plan = withNulls(d.graph.Tasks)
		case t.row.Limit == "zero":
			s.Case.Limits.MaxPlanSteps, s.Want = new(0), generators.Refused(harness.BadLimit)
		}
	}
	if !slices.Contains(s.Want.Codes, harness.InvalidPlan) {
		s.Before = d.graph.Plan()
	}
	return s
}

// withNulls writes a graph with null for the optional members that its tasks do not have.
func withNulls(tasks []spec.Task) jsontext.Value {
	list := make([]map[string]any, len(tasks))
	for i := range tasks {
		list[i] = map[string]any{"description": nil, "blocked_by": nil, "parent": nil}
		_ = json.Unmarshal(strictjson.Encode(&tasks[i]), &list[i]) // an object
	}
	return strictjson.Encode(map[string]any{"tasks": list})
}

// suit sets the rules that the traits need. Engines that allow cycles or orphans break safety.
// Whoever declares them sees it; the default mix does not.
func (d *draft) suit(traits []trait) {
	for _, t := range traits {
		d.profile = d.profile.With(spec.Knobs(), t.row.Under...)
	}
	s := spec.SettingsOf(d.profile)
	if s.Cycles == spec.Allow {
		d.profile = d.profile.With(spec.Knobs(), "cycles=reject")
	}
	if s.DeleteNeeded == spec.Orphan {
		d.profile = d.profile.With(spec.Knobs(), "delete_needed=reject")
	}
}

// subject returns a text that no other task has.
func (d *draft) subject() string {
	d.subjects++
	words := [...]string{"Read", "Write", "Test", "Fix", "Review", "Ship", "Draft", "Check"}
	return d.Join(words[d.subjects%len(words)], " part ", strconv.Itoa(d.subjects))
}

// base makes a plain graph with plain calls, and returns the graph after them. A task in
// progress, and calls that start one, are only there if no trait minds.
func (d *draft) base(drawn generators.Draw[trait]) *spec.Graph {
	fault := slices.ContainsFunc(drawn.Traits, func(t trait) bool { return t.row.Fault != "" })
	n := d.Below(7)
	if fault { // such a case is not made smaller
		n %= 3
	}
	if drawn.Steps > 0 {
		n = min(drawn.Steps, maxTasks)
	}
	prefix := generators.Pick(&d.Choices, []string{"", "t", "item-"})
	busy := len(drawn.Traits) == 0 || d.setting("in_progress") == spec.AnyNumber
	for i := range n {
		t := spec.Task{ID: d.Join(prefix, strconv.Itoa(i+1)), Subject: d.subject(), Status: plan.Pending}
		if i > 0 && d.OneIn(2) && d.can(blockers) {
			t.BlockedBy = []string{d.graph.Tasks[d.Below(i)].ID}
		}
		if len(drawn.Traits) > 0 && i > 1 && d.OneIn(4) {
			t.BlockedBy = []string{d.graph.Tasks[i-1].ID, d.graph.Tasks[d.Below(i-1)].ID}
		}
		if len(t.BlockedBy) == 0 && d.OneIn(3) {
			t.Status = plan.Completed
		}
		d.graph.Tasks = append(d.graph.Tasks, t)
	}
	ready := d.graph.Ready(false)
	if len(ready) > 0 && busy && d.OneIn(2) && d.can("in_progress") {
		d.graph.Find(ready[0]).Status = plan.InProgress
	}
	after := d.graph.Clone()
	calls := 1 + d.Below(3)
	if fault || len(drawn.Traits) > 0 && d.OneIn(2) && !alone(drawn.Traits) {
		calls = 0
	}
	for range calls {
		d.plain(after, busy)
	}
	return after
}

// alone reports whether a trait is about the text of replies, which then need a call.
func alone(list []trait) bool {
	return slices.ContainsFunc(list, func(t trait) bool { return t.row.Send == nil && t.derived == nil })
}

// plain adds a plain call.
func (d *draft) plain(after *spec.Graph, busy bool) {
	i := slices.IndexFunc(after.Tasks, func(t spec.Task) bool { return t.Status == plan.InProgress })
	ready := after.Ready(false)
	update := func(t *spec.Task, status plan.Status) {
		t.Status = status
		d.add(fmt.Sprintf(`{"call":"update","id":%q,"status":%q}`, t.ID, status), answer{})
	}
	switch kind := d.Below(4); {
	case kind == 0 && i >= 0:
		update(&after.Tasks[i], plan.Completed)
	case kind == 1 && i < 0 && len(ready) > 0 && busy && !plan.IsCreated(ready[0]) && d.can("in_progress"):
		update(after.Find(ready[0]), plan.InProgress)
	case kind == 2 && len(ready) > 0 && !d.can("description"):
		update(after.Find(ready[len(ready)-1]), plan.Completed)
	case kind == 2 && len(ready) > 0:
		d.add(fmt.Sprintf(`{"call":"update","id":%q,"description":%q}`, ready[len(ready)-1], "Notes on "+d.subject()),
			answer{})
	default:
		t := spec.Task{ID: "$" + strconv.Itoa(d.created+1), Subject: d.subject(), Status: plan.Pending}
		call := fmt.Sprintf(`{"call":"create","subject":%q}`, t.Subject)
		if n := len(after.Tasks); n > 0 && d.OneIn(2) && d.can("new_blockers") {
			t.BlockedBy = []string{after.Tasks[d.Below(n)].ID}
			if after.Find(t.BlockedBy[0]).Status == plan.Cancelled {
				t.BlockedBy = nil
			} else {
				call = fmt.Sprintf(`{"call":"create","subject":%q,"blocked_by":[%q]}`, t.Subject, t.BlockedBy[0])
			}
		}
		if d.setting("ids") == spec.Given {
			call = strings.Replace(call, `"call":"create"`, fmt.Sprintf(`"call":"create","id":"made-%d"`, d.created+1), 1)
		}
		if d.can(dollars) {
			after.Tasks = append(after.Tasks, t)
		}
		d.add(call, answer{creates: 1})
	}
}

// setting returns the value of a knob.
func (d *draft) setting(name string) string {
	if name == "extra_fields" {
		return d.profile.ExtraFields
	}
	return knob.Find(spec.Knobs(), name).Get(d.profile)
}

// can reports whether the engine has a capability.
func (d *draft) can(name string) bool { return !slices.Contains(d.without, name) }

func (d *draft) add(call string, a answer) {
	d.calls, d.answers = append(d.calls, call), append(d.answers, a)
	if a.Code == "" {
		d.created += a.creates
	}
}

// plant adds the tasks and the calls of a trait.
func (d *draft) plant(r row) {
	names := d.tasks(r.Graph)
	for _, call := range r.steps() {
		d.add(d.write(string(call.Send), names), d.answer(call))
	}
	if r.Limit == "reached" {
		d.limits.MaxPlanSteps, d.loose = new(max(1, d.graph.CountOpen())), true
	}
	d.loose = d.loose || r.Loose
}

// replies returns the replies of the row around the calls of the other traits.
func (r row) replies(body string) []harness.Reply {
	many := strings.Repeat(`{"call":"create","subject":"One of many"},`, 199)
	words := strings.NewReplacer("@body", body, "@many", many)
	return collect.Map(r.Replies, func(text string) harness.Reply { return harness.Reply(words.Replace(text)) })
}

// tasks adds the tasks of a graph, such as "A:c B:p>A,C^D".
func (d *draft) tasks(text string) []string {
	fields := strings.Fields(text)
	pairs := make([]string, 0, 2*len(fields))
	d.graph.Tasks = slices.Grow(d.graph.Tasks, len(fields))
	base := len(d.graph.Tasks)
	for i, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		pairs = append(pairs, d.Join("@", name), d.Join("k", strconv.Itoa(base+i+1)))
	}
	id := func(name string) string {
		name = d.Join("@", name)
		if i := slices.Index(pairs, name); i >= 0 {
			return pairs[i+1]
		}
		return name
	}
	for _, f := range fields {
		name, rest, _ := strings.Cut(f, ":")
		rest, parent, _ := strings.Cut(rest, "^")
		status, blockers, _ := strings.Cut(rest, ">")
		t := spec.Task{ID: id(name), Subject: d.subject(), Status: generators.Status(status)}
		if d.can("new_description") {
			t.Description = "About " + name
		}
		for b := range strings.FieldsFuncSeq(blockers, func(c rune) bool { return c == ',' }) {
			t.BlockedBy = append(t.BlockedBy, id(b))
		}
		if parent != "" {
			t.Parent = id(parent)
		}
		d.graph.Tasks = append(d.graph.Tasks, t)
	}
	return pairs
}

// write replaces the names of a call.
func (d *draft) write(text string, pairs []string) string {
	if !d.can("subject") { // any change of a task will do
		text = strings.ReplaceAll(text, `"@any":"@s"`, `"status":"completed"`)
	}
	text = strings.ReplaceAll(text, `"@any"`, `"subject"`)
	for strings.Contains(text, "@s\"") {
		text = strings.Replace(text, "@s\"", d.subject()+"\"", 1)
	}
	if len(pairs) > 1 {
		graph := spec.Graph{Tasks: d.graph.Tasks}
		text = strings.ReplaceAll(text, "@same", graph.Find(pairs[1]).Subject)
	}
	text = strings.ReplaceAll(text, "@last", "$"+strconv.Itoa(d.created))
	text = strings.ReplaceAll(text, "@far", "$"+strconv.Itoa(d.created+7))
	text = strings.ReplaceAll(text, "@upper", "K"+strconv.Itoa(len(d.graph.Tasks)))
	const create = `"call":"create"`
	if d.setting("ids") == spec.Given && strings.Contains(text, create) && !strings.Contains(text, `"id"`) {
		text = strings.Replace(text, create, fmt.Sprintf(`%s,"id":"new-%d"`, create, d.subjects), 1)
	}
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	if strings.Contains(text, "@long") {
		text = strings.ReplaceAll(text, "@long", strings.Repeat("long text ", 100_000))
	}
	return text
}

// answer returns the expected result of a call.
func (d *draft) answer(s step) answer {
	call := string(s.Send)
	a := answer{creates: strings.Count(call, `"subject"`)}
	if strings.Contains(call, `"update"`) {
		a.creates = 0
	}
	for _, want := range s.Want {
		when, refusal, conditional := strings.Cut(want, ":")
		if !conditional {
			refusal = want
		}
		name, values, _ := strings.Cut(when, "=")
		if conditional && !slices.Contains(strings.Split(values, ","), d.setting(name)) {
			continue
		}
		code, at, _ := strings.Cut(refusal, " ")
		a.Code, a.at = harness.Code(code), at
		return a
	}
	return a
}

// label returns the expected outcome without its plan.
func (d *draft) label() generators.Want {
	if d.loose {
		return generators.Want{Loose: true}
	}
	want, carried := generators.Want{Verdict: harness.Applied}, false
	for i, a := range d.answers {
		if a.Code == "" {
			carried = true
			continue
		}
		at := "/calls/" + strconv.Itoa(i) + a.at
		want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{a.Code}, At: &at}
		if d.setting("batch") != spec.Each {
			break
		}
	}
	if carried && (want.Verdict == harness.Applied || d.setting("batch") != spec.AllOrNone) {
		return generators.Want{Verdict: harness.Applied}
	}
	return want
}
