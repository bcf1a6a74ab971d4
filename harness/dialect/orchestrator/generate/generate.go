// Package generate makes samples of the dialect orchestrator: it stages a run,
// with the trouble that faults bring, and notes what the run must come to.
package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// maxRunSteps bounds the plans of the dialect orchestrator, of which each step
// is played.
const maxRunSteps = 12

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[runFault]{Traits: faults(), MaxSteps: maxRunSteps, Profile: drawProfile, Make: makeSample}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(faults()) }

// director stages a run: it decides what model, tools and verification do, one
// after the other, writes that down as the script of a case, and notes what a
// run by that script must come to.
type director struct {
	generators.Choices
	profile harness.Profile
	free    bool // the rules are the sample's own

	// The stage: what is given before the run begins.
	given   bool       // the case brings its plan
	p       *plan.Plan // as it is now
	doc     string     // the plan of the case; "" if it has none
	limit   int        // max_plan_steps; 0 is none
	rounds  int
	replans int
	retries int
	unsound *unsound // why the case is refused before it begins; nil if it is not

	// The trouble that was planted, in the order in which it comes.
	refusals []badPlan // before the plan
	hopeless bool      // no reply is a plan
	planned  func(d *director, doc *generators.Value)
	scenes   []scene
	climbs   []ascent
	failing  bool // the verification does not pass
	unasked  bool // there is no verification
	leftover bool // replies that nobody asks for

	// The script, and what comes of it.
	replies   []harness.Reply
	oversized []int // replies that are to exceed the limit
	tools     []generators.Value
	checks    []generators.Value
	trace     []harness.TraceItem
	asked     int
	react     bool
	state     string
	round     int
	used      int      // replans
	trouble   []string // steps of the wave that failed or asked for another plan
	written   bool
	silent    bool // the script has ended
	ended     bool
	code      harness.Code
	edits     int // so that each edit says something new
}

// unsound is a case that no run can begin with.
type unsound struct {
	code harness.Code
	Make func(c *harness.Case)
}

func makeSample(drawn generators.Draw[runFault]) generators.Sample {
	d := &director{Choices: drawn.Choices, profile: drawn.Profile, free: drawn.Free}
	d.stage(drawn.Max, drawn.Kept())
	before := d.p
	if d.given {
		w := d.writer()
		generators.WritePlan(&w, before, d.OneIn(2), d.OneIn(2))
		d.doc = string(w.B)
		d.p = before.Clone()
	}
	planted := d.plant(drawn.Kept())
	d.run()
	s := d.sample()
	if d.given && d.unsound == nil {
		s.Before = before
	}
	s.Traits = planted
	return s
}

// drawProfile draws the rules of a case, and how many steps run in a wave.
func drawProfile(c *generators.Choices) harness.Profile {
	p := generators.DrawProfile(c)
	if c.OneIn(3) {
		p.Parallel = 1 + c.Below(4)
	}
	return p
}

// stage draws the plan and the limits.
func (d *director) stage(steps int, faults []runFault) {
	d.given = d.Below(3) > 0
	for _, f := range faults {
		d.given = d.given && f.claims&rPlanning == 0 || f.claims&rGiven != 0
	}
	g := generators.Grower{Choices: d.Choices, Max: steps}
	d.p = g.Plan(0)
	d.Choices = g.Choices
	if !d.given {
		d.p = asWritten(d.p)
	}
	d.rounds, d.replans, d.retries = 1+d.Below(5), 1+d.Below(3), d.Below(3)
	if d.OneIn(3) {
		d.limit = len(d.p.Steps) + 1 + d.Below(4)
	}
	need := 0
	if d.OneIn(4) {
		d.scenes = append(d.scenes, scene{play: asksSensibly})
		need++
	}
	if len(d.failed()) > 0 {
		need++
	}
	d.replans = max(d.replans, need)
}

// asWritten is the plan as a reply can give it: nothing is begun, and ids have
// no white space round them.
func asWritten(p *plan.Plan) *plan.Plan {
	p = p.Clone()
	p.Title = strings.TrimSpace(p.Title)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.ID, s.Status, s.Extra = strings.TrimSpace(s.ID), plan.Pending, nil
		for j := range s.Dependencies {
			s.Dependencies[j] = strings.TrimSpace(s.Dependencies[j])
		}
	}
	return p
}

// plant lets the faults change the stage, and gives the limits what the trouble
// takes.
func (d *director) plant(faults []runFault) (planted []string) {
	for _, f := range faults {
		if f.plant(d) {
			planted = append(planted, f.Name)
		}
	}
	slices.SortStableFunc(d.scenes, func(a, b scene) int { return a.rank - b.rank })
	for d.hopeless && len(d.refusals) <= d.retries {
		d.refusals = append(d.refusals, badPlan{harness.NoDocument, said("I need no plan.")})
	}
	d.retries = max(d.retries, len(d.refusals))
	if d.hopeless {
		d.retries = len(d.refusals) - 1
	}
	return planted
}

// sample writes down what was staged.
func (d *director) sample() generators.Sample {
	if d.leftover && !d.silent {
		d.replies = append(d.replies, `{"control":"step_done"}`)
	}
	c := harness.Case{Dialect: "orchestrator", Replies: d.replies}
	c.Limits = harness.Limits{MaxStepToolCalls: &d.rounds, MaxReplans: &d.replans, PlanningRetries: &d.retries}
	if d.limit > 0 {
		c.Limits.MaxPlanSteps = &d.limit
	}
	if d.doc != "" {
		c.Plan = jsontext.Value(d.doc)
	}
	c.Tools, c.Verify = d.listDoc(d.tools), d.listDoc(d.checks)
	d.fillOversized(&c)
	if d.unsound != nil {
		d.unsound.Make(&c)
	}
	if d.unsound == nil && d.OneIn(3) {
		d.interrupt(&c)
	}
	s := generators.Sample{Profile: d.profile, Case: c}
	s.Want = generators.Want{Verdict: harness.Applied, More: &harness.Outcome{Trace: d.trace, Messages: d.roles()}}
	switch {
	case d.code != "":
		s.Want.Verdict, s.Want.Codes = harness.Rejected, []harness.Code{d.code}
	case !d.react:
		s.Want.Plan = d.p
	}
	return s
}

func (d *director) listDoc(items []generators.Value) jsontext.Value {
	if len(items) == 0 {
		return nil
	}
	return jsontext.Value(d.write(generators.Value{IsList: true, Items: items}))
}

// fillOversized makes the replies that are to exceed the limit as large as that
// takes, and the limit as low as the others allow.
func (d *director) fillOversized(c *harness.Case) {
	if len(d.oversized) == 0 {
		return
	}
	most := len("STEP_DONE\n")
	for _, r := range d.replies {
		most = max(most, len(r))
	}
	for _, i := range d.oversized {
		d.replies[i] = harness.Reply("STEP_DONE\n" + strings.Repeat("x", most-len("STEP_DONE")))
	}
	c.Limits.MaxReplyBytes = &most
}

// interrupt lets the run be taken up by a new process behind one of its events.
func (d *director) interrupt(c *harness.Case) {
	k := 1 + d.Below(len(d.trace)+1)
	c.InterruptAfter = &k
	if k > len(d.trace) {
		return
	}
	last := d.trace[k-1]
	added := []harness.TraceItem{{State: last.State, Event: words.EventResumed}}
	if last.Event == words.EventVerifyPassed {
		added = append(added, harness.TraceItem{State: last.State, Event: words.EventVerifyCached})
	}
	d.trace = slices.Insert(d.trace, k, added...)
}

// roles are the messages that the model gets and gives, without their texts.
func (d *director) roles() jsontext.Value {
	if d.asked == 0 {
		return jsontext.Value("[]")
	}
	var b strings.Builder
	b.WriteString(`[{"role":"system"}`)
	for i := range d.asked {
		b.WriteString(`,{"role":"user"}`)
		if i < len(d.replies) {
			b.WriteString(`,{"role":"assistant"}`)
		}
	}
	b.WriteByte(']')
	return jsontext.Value(b.String())
}

func (d *director) write(v generators.Value) string {
	w := d.writer()
	w.Value(v)
	return string(w.B)
}

// writer writes a document, now and then with line breaks.
func (d *director) writer() generators.Writer {
	w := generators.Writer{Style: generators.Style{Newline: "\n", Gap: " "}}
	if d.OneIn(8) {
		w.Indent = 2
	}
	return w
}
