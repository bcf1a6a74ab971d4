// Package generate makes samples of the dialect: the script of a run, changed by traits, and the expected outcome.
package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// maxRunSteps bounds the plans of the dialect, because each step is played.
const maxRunSteps = 12

// New returns a Maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[trait]{
		Traits: table(), MaxSteps: maxRunSteps, Profile: generators.Profiles(harness.Knobs(spec.Knobs()...)),
		Knobs: spec.Knobs(), Make: makeSample,
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(table()) }

// set returns a change of the rules: to a setting (KNOB=VALUE).
func set(setting string) func(p *harness.Profile) {
	return func(p *harness.Profile) { *p = p.With(spec.Knobs(), setting) }
}

// makeSample makes a sample. Rules, size and places follow from all drawn traits; only the kept ones are planted.
func makeSample(draw generators.Draw[trait]) generators.Sample {
	d := &director{draw: &draw, profile: draw.Profile, scenes: map[string][]scene{}, worked: map[string]bool{}}
	for _, t := range draw.Traits {
		d.all |= t.claims
	}
	d.settle()
	d.stage()
	s := generators.Sample{}
	spots := d.spots()
	d.plant(spots, func(t trait) bool { return t.Base })
	if d.given {
		d.before = d.p.Clone()
		d.doc = string(d.form.Encode(d.p, d.style))
	}
	d.plant(spots, func(t trait) bool { return !t.Base })
	s.Traits = slices.Grow(s.Traits, len(draw.Traits))
	for _, t := range draw.Kept() {
		s.Traits = append(s.Traits, t.Name)
	}
	d.run()
	return d.sample(s)
}

// settle changes the rules that the sample may choose to those that its traits need.
func (d *director) settle() {
	if !d.draw.Free {
		return
	}
	for _, t := range d.draw.Traits {
		for _, change := range t.rules {
			change(&d.profile)
		}
	}
	if d.all&planned != 0 {
		set("planning=on")(&d.profile)
	}
	if d.all&climbs != 0 { // trouble in a wave is a trait of its own
		d.profile.Parallel = 1
	}
}

// spots finds a place for each trait of the index.
func (d *director) spots() []*spot {
	var list []*spot
	free := make([]int, d.steps)
	for i := range free {
		free[i] = i
	}
	if d.all&waves != 0 {
		free = free[1:]
	}
	for i, t := range d.draw.Traits {
		s := &spot{Choices: d.draw.Stream(t.Name), at: i + 1}
		first := 0
		if t.claims&later != 0 {
			first = 1
		}
		switch {
		case t.claims&(waves|foremost) != 0: // the first
		case t.claims&takes != 0:
			from := slices.IndexFunc(free, func(k int) bool { return k >= first })
			k := from + s.Below(len(free)-from)
			s.step = free[k]
			free = slices.Delete(free, k, k+1)
		default:
			s.step = first + s.Below(d.steps-first)
		}
		list = append(list, s)
	}
	return list
}

// plant plants the kept traits that are asked for.
func (d *director) plant(spots []*spot, which func(t trait) bool) {
	for i, t := range d.draw.Traits {
		if which(t) && d.draw.Keeps(t) {
			t.plant(d, spots[i])
		}
	}
}

// director simulates a run: it writes the script of a case, and notes how a run by that script must end.
// Its many fields are the state of the simulated run.
type director struct {
	draw    *generators.Draw[trait]
	all     claims // of the index's traits
	profile harness.Profile

	// The stage: the inputs of the run.
	steps    int        // of the base
	ids      []string   // of those steps, and of the two spare ones
	given    bool       // the case brings its plan
	p        *plan.Plan // as it is now
	style    generators.Style
	form     generators.PlanForm
	doc      string // the plan of the case; "" if it has none
	ample    bool   // limits are written that nothing meets
	limit    int    // max_plan_steps; 0 is none
	rounds   int
	replans  int
	retries  int
	chars    int // max_tool_result_chars; 0 is none
	budgeted budget
	bad      func(c *harness.Case) // makes the case one that no run can begin with
	badCode  harness.Code
	before   *plan.Plan // of the case, if it has one

	// The trouble that was planted.
	refused  []func() string // replies before the plan
	hopeless bool            // no reply is a plan
	planned  func(doc *generators.Value)
	dress    func(text string) string // of the first plan
	// forgetPolicy says that whole plans do not repeat the policy.
	forgetPolicy bool
	scenes       map[string][]scene // by step
	worked       map[string]bool    // steps that began
	climbs       []ascent           // of replans that were asked for; without one, the plan goes on
	checks       []ascent           // of verifications that fail
	unasked      bool               // there is no verification
	dry          bool               // nothing is written
	leftover     bool               // replies that nobody asks for
	stopAt       *spot              // of a trait that interrupts the run

	// The script, and what comes of it.
	replies   []harness.Reply
	oversized []int // replies that are to exceed the limit
	tools     []generators.Value
	verify    []generators.Value
	loose     bool // the result of a reply is unknown, and so is the rest of the run
	react     bool
	round     int
	failing   ascent // the climb if the step uses up its rounds
	used      int    // replans
	written   bool
	silent    bool // the script has ended
	ended     bool
	code      harness.Code
}

var plainTexts = []string{
	"Read the code", "Fix the handler", "Write a test", "Run the tests", "Update the docs",
	"Remove the old call",
}

var plainIDs = [...]string{"step_", "s", "task-"}

// stage draws a plain plan with what all traits of the index need, and ample limits.
func (d *director) stage() {
	c := &d.draw.Choices
	d.given = c.Below(5) < 4 || d.draw.Lacks("titles of full plans")
	switch {
	case d.all&planAsked != 0:
		d.given = false
	case d.all&planGiven != 0:
		d.given = true
	case !spec.Plans(d.profile):
		d.given = false
	}
	d.steps = d.size(c)
	n := d.steps + 2 // with the spare ones
	d.p, d.ids = &plan.Plan{Title: generators.Pick(c, plainTexts), Steps: make([]plan.Step, 0, n)}, make([]string, 0, n)
	prefix := generators.Pick(c, plainIDs[:])
	for i := range d.steps {
		s := pending(prefix+strconv.Itoa(i+1), generators.Pick(c, plainTexts))
		if i > 0 && c.Below(3) > 0 && d.all&wide == 0 && !d.draw.Lacks("dependencies") {
			s.Dependencies = []string{d.p.Steps[i-1].ID}
		}
		if c.OneIn(2) && !d.draw.Lacks("tools_expected") {
			s.ToolsExpected = []string{generators.Pick(c, generators.ToolNames[:])}
		}
		d.p.Steps, d.ids = append(d.p.Steps, s), append(d.ids, s.ID)
	}
	if d.all&spare != 0 {
		a, b := prefix+"x", prefix+"y"
		d.p.Steps = append(d.p.Steps, pending(a, generators.Pick(c, plainTexts), d.p.Steps[0].ID),
			pending(b, generators.Pick(c, plainTexts), a))
		d.ids = append(d.ids, a, b)
	}
	d.style = generators.Style{Newline: "\n", Gap: " "}
	d.budget(c)
}

// pending is a step that waits for the steps on.
func pending(id, text string, on ...string) plan.Step {
	return plan.Step{ID: id, Description: text, Dependencies: on, Status: plan.Pending}
}

// count is how many traits of the index have one of the claims.
func (d *director) count(c claims) int {
	return collect.Count(d.draw.Traits, func(t trait) bool { return t.claims&c != 0 })
}

// size is the number of steps: up to three, unless the traits need more.
func (d *director) size(c *generators.Choices) int {
	n, least := 1+c.Below(3), d.count(takes|waves)
	if d.draw.Steps > 0 {
		n = d.draw.Steps
	}
	if d.all&(later|wide) != 0 {
		least = max(least+1, 2)
	}
	return max(min(n, d.draw.Max), least, 1)
}

// budget sets limits that are absent or ample, and no less than the traits of the index need.
func (d *director) budget(c *generators.Choices) {
	d.ample = c.OneIn(2)
	d.rounds, d.replans, d.retries = spec.DefaultMaxStepToolCalls, spec.DefaultMaxReplans, spec.DefaultPlanningRetries
	if d.ample {
		d.replans, d.retries = 3, 2
	}
	if d.ample && !d.draw.Lacks("max_plan_steps") {
		d.limit = 20
	}
	d.replans, d.retries = max(d.replans, 2*d.count(climbs|waves)), max(d.retries, d.count(refuses))
}

// step returns the base step of a trait.
func (d *director) step(at *spot) *plan.Step { return d.p.Step(d.ids[at.step]) }

// rename gives every step another id.
func (d *director) rename(name func(id string) string) {
	d.p.Rename(name)
	for i, id := range d.ids {
		d.ids[i] = name(id)
	}
}

// sample writes down what was staged.
func (d *director) sample(s generators.Sample) generators.Sample {
	if d.leftover && !d.silent {
		d.replies = append(d.replies, `{"control":"step_done"}`)
	}
	c := harness.Case{Dialect: "orchestrator", Replies: d.replies}
	d.writeLimits(&c.Limits)
	if d.doc != "" {
		c.Plan = jsontext.Value(d.doc)
	}
	c.Tools, c.Verify = d.list(d.tools), d.list(d.verify)
	d.budgeted.write(&c)
	d.fillOversized(&c)
	if d.bad != nil { // the run was played, so that an engine that does not notice can go on
		d.bad(&c)
		d.code, d.loose = d.badCode, false
	} else {
		s.Before = d.before
		if d.stopAt != nil { // behind any event: a reply has three at most
			c.InterruptAfter = new(1 + d.stopAt.Below(3*len(d.replies)+4))
		}
	}
	s.Profile, s.Case = d.profile, c
	switch {
	case d.loose:
		s.Want = generators.Want{Loose: true}
	case d.code != "":
		s.Want = generators.Refused(d.code)
	default:
		s.Want = generators.Want{Verdict: harness.Applied}
	}
	return s
}

// writeLimits writes those that are ample or not the default.
func (d *director) writeLimits(l *harness.Limits) {
	for _, limit := range []struct {
		at        **int
		n, absent int
	}{
		{&l.MaxStepToolCalls, d.rounds, spec.DefaultMaxStepToolCalls},
		{&l.MaxReplans, d.replans, spec.DefaultMaxReplans},
		{&l.PlanningRetries, d.retries, spec.DefaultPlanningRetries},
		{&l.MaxPlanSteps, d.limit, 0},
		{&l.MaxToolResultChars, d.chars, 0},
	} {
		if limit.n != limit.absent || d.ample && limit.absent > 0 {
			*limit.at = new(limit.n)
		}
	}
}

func (d *director) list(items []generators.Value) jsontext.Value {
	if len(items) == 0 {
		return nil
	}
	return generators.List(items...).Encode(generators.Style{Gap: " "})
}

// fillOversized enlarges the replies that must exceed the limit, which is as low as the others allow.
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
