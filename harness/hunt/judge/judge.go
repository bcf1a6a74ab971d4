// Package judge runs the checks of a dialect on what an engine answers to one case, and
// classifies each break. It does not generate cases, group breaks or write reports.
package judge

import (
	"context"
	"errors"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Item is a case with its label.
type Item struct {
	Case harness.Case
	// Before is the decoded plan of the case, where the caller has it; if nil,
	// the judge decodes it.
	Before *plan.Plan
	// Decoded is what the checks of the dialect decode besides the plan, where the caller has it; if nil,
	// they decode it.
	Decoded any
	// Needs are the features and capabilities that the case needs, where the caller has them; if nil, the judge asks
	// the dialect.
	Needs []string
	// Salt chooses the sampled checks; equal salts choose alike.
	Salt uint64
	// Label is the right answer, where the maker of the case knows it.
	Label *Label
	// Traits is how many things are unusual about the case, as far as known.
	// With more than one, related cases may be refused for another of them.
	Traits int
	// Codes returns those that the rules give for one of its traits alone, where
	// there are several; nil is none.
	Codes func() []harness.Code
}

// Label is an answer that is known without asking any engine.
type Label struct {
	Verdict harness.Verdict
	Codes   []harness.Code // any of them is right; only for rejected
	At      *string        // nil if not known
	Rung    harness.Rung   // "" if not known
	// More holds further members of the outcome; a zero one is not known, and
	// nil is none.
	More *harness.Outcome
}

// Judgement is what was found about one case.
type Judgement struct {
	Outcome     harness.Outcome
	Profile     harness.Profile  // that was judged by
	Unsupported string           // why the engine cannot do the case; "" if it was asked
	Failure     *harness.Failure // the engine failed
	Exercised   Set              // of the checks of the case's dialect
	Unseen      Set              // those that had something to look at, and cannot see it
	Breaks      []Break          // in the order of [Checks]
}

// Judge judges one engine. It is not for concurrent use.
type Judge struct {
	engine  harness.Engine
	hello   harness.Hello
	rules   Rules
	calls   int
	item    Item        // under judgement
	current Examination // of it
	Options Options
	Scratch scratch
}

// Options say how to judge. The zero value has no differential oracle.
type Options struct {
	// Reference also answers every case.
	Reference harness.Engine
	// SampleReference asks the reference on a share of the cases only. It is
	// for judging the reference itself.
	SampleReference bool
	// Checks names the checks to run, in addition to the one for a valid response; nil
	// runs all.
	Checks []string
	// Level is how much is judged: breaks of wider levels are advisory.
	Level harness.Level
	// Every makes each sampled check on one case in so many; 0 is
	// [defaultEvery], 1 is every case.
	Every int
}

// defaultEvery is the share of cases on which each sampled check is made: one
// in so many.
const defaultEvery = 32

// New returns a judge of the engine, which has said hello.
func New(engine harness.Engine, hello harness.Hello, r Rules, o Options) *Judge {
	if o.Every < 1 {
		o.Every = defaultEvery
	}
	return &Judge{engine: engine, hello: hello, rules: r, Options: o}
}

// all is the set of every check.
const all = ^Set(0)

// Judge asks the engine and makes every check. The error says that the context
// ended, that the engine was given up, or that the reference failed; whatever
// else the engine does is a judgement.
func (j *Judge) Judge(ctx context.Context, item Item) (Judgement, error) {
	if j.Options.Checks == nil {
		return j.judge(ctx, item, all)
	}
	return j.judge(ctx, item, j.named(j.Options.Checks))
}

// Only makes the named checks, whatever the item's salt.
func (j *Judge) Only(ctx context.Context, item Item, names ...string) (Judgement, error) {
	saved := j.Options
	j.Options.Every, j.Options.SampleReference = 1, false
	defer func() { j.Options = saved }()
	return j.judge(ctx, item, j.named(names))
}

// named is the set of those checks, and of the first, which is whether there is an
// answer at all.
func (j *Judge) named(names []string) Set {
	which := Set(1)
	for _, name := range names {
		if i := j.rules.Place(name); i >= 0 {
			which |= 1 << i
		}
	}
	return which
}

// Calls is how often the engine was asked.
func (j *Judge) Calls() int { return j.calls }

func (j *Judge) judge(ctx context.Context, item Item, which Set) (Judgement, error) {
	profile, lack := j.rules.Resolve(j.hello, item.Case, item.Needs...)
	if lack.Reason != "" {
		return Judgement{Unsupported: lack.Reason}, nil
	}
	x := &j.current
	j.item = item
	*x = Examination{Ctx: ctx, Judge: j, Item: &j.item, Profile: profile, which: which, parsers: x.parsers}
	defer x.release()
	j.Scratch.remember(&j.item.Case)
	if x.Out, x.failure = x.Ask(j.item.Case); x.err != nil {
		return Judgement{}, x.err
	}
	if x.failure == nil && x.Out.Verdict == harness.Unsupported && j.hello.Selective {
		return Judgement{Unsupported: x.Out.Message}, nil
	}
	if x.failure == nil && x.Out.Verdict == harness.Unsupported && j.rules.Unknown != nil {
		if reason := j.rules.Unknown(item.Case); reason != "" {
			return Judgement{Unsupported: reason}, nil
		}
	}
	x.Decode()
	jm := Judgement{Outcome: x.Out, Profile: profile, Failure: x.failure}
	for i := range j.rules.Checks {
		if !which.Has(i) {
			continue
		}
		r := x.check(i)
		if x.err != nil { // the engine that was left may still work on the case
			return Judgement{}, x.err
		}
		if r.Exercised {
			jm.Exercised |= 1 << i
		}
		if r.Unseen {
			jm.Unseen |= 1 << i
		}
		if r.Broken != nil {
			jm.Breaks = append(jm.Breaks, *r.Broken)
		}
		if i == 0 && r.Broken != nil {
			break // there is no outcome to look at
		}
	}
	return jm, nil
}

// Ask calls the engine. A failure is a result; that the context ended or the
// engine was given up is an error and ends the judging.
func (x *Examination) Ask(c harness.Case) (harness.Outcome, *harness.Failure) {
	x.Judge.calls++
	return x.AskUncounted(c)
}

// AskUncounted is [Examination.Ask] for timing. Its calls do not count, because their
// number depends on the load of the machine and the result must not.
func (x *Examination) AskUncounted(c harness.Case) (harness.Outcome, *harness.Failure) {
	out, err := x.Judge.engine.Eval(x.Ctx, c)
	if err == nil {
		if settle := x.Judge.rules.Settle; settle != nil && !x.Exact() {
			settled := out
			settle(&settled)
			out = settled
		}
		if rules := &x.Judge.rules; rules.AlignFirst != "" && x.Lacks(rules.AlignFirst) {
			got := out
			want, _ := x.right(c)
			out = *rules.Aligned(x.Declared(), c, &got, &want)
		}
		return out, nil
	}
	if x.err = x.Ctx.Err(); x.err == nil && errors.Is(err, harness.ErrStopped) {
		x.err = err
	}
	return harness.Outcome{}, harness.AsFailure(err)
}

// Examination is one case under judgement.
type Examination struct {
	Ctx     context.Context
	Judge   *Judge
	Item    *Item
	Profile harness.Profile
	which   Set
	Out     harness.Outcome
	failure *harness.Failure
	Before  *plan.Plan // nil if the case's plan is unsound
	After   *plan.Plan // nil if the outcome has none
	Old     plan.Places
	New     plan.Places
	view    any   // what the checks made of the case, for each other
	current int   // the place of the check under way
	err     error // what ends the judging
	parsers []*strictjson.Parser
}

// Parse parses a text for the checks. What it returns is good until all were made.
func (x *Examination) Parse(text string, maxDepth int) (*strictjson.Document, error) {
	p := strictjson.Borrow(text)
	x.parsers = append(x.parsers, p)
	return p.All(maxDepth)
}

func (x *Examination) release() {
	for _, p := range x.parsers {
		p.Release()
	}
	x.parsers = x.parsers[:0]
	clear(x.Judge.Scratch.parsed)
}

// Decode reads the case's plan, and finds the new plan in the outcome.
func (x *Examination) Decode() {
	x.Before = x.Item.Before
	if x.Before == nil && len(x.Item.Case.Plan) > 0 && x.Judge.rules.Plan != nil {
		x.Before, _ = x.Judge.rules.Plan(x.Item.Case)
	}
	if x.Before != nil {
		x.Old = plan.NewPlaces(x.Before.Steps)
	}
	if (x.Out.Verdict == harness.Applied || x.Judge.rules.Runs) && x.Out.Plan != nil {
		x.After = x.Out.Plan
		x.New = plan.NewPlaces(x.After.Steps)
	}
}

// Remembered returns what a check made of the case for all of them, and makes it
// the first time. A dialect has one such thing.
func Remembered[T any](x *Examination, make func() T) T {
	v, ok := x.view.(T)
	if !ok {
		v = make()
		x.view = v
	}
	return v
}

// Unreadable reports whether the plan of a case is invalid. No engine has made it, so a failure over it breaks no
// safety.
func (r *Rules) Unreadable(c harness.Case) bool {
	if len(c.Plan) == 0 || r.Plan == nil {
		return false
	}
	_, err := r.Plan(c)
	return err != nil
}

// Edited reports whether there are two plans to compare.
func (x *Examination) Edited() bool { return x.Before != nil && x.After != nil }

// check makes the i-th check and completes its break.
func (x *Examination) check(i int) Result {
	x.current = i
	c := &x.Judge.rules.Checks[i]
	if c.Sampled && !x.Drawn() {
		return Skip()
	}
	r := c.Run(x)
	if r.Broken != nil {
		r.Broken.Check = c.Name
		if r.Broken.Got == "" {
			r.Broken.Got = Answer(x.Out)
		}
		r.Broken.Class = x.Judge.rules.Class(c.Name, r.Broken.Kind)
		r.Broken.Level = x.Judge.rules.Level(c.Name, r.Broken.Kind, r.Broken.Class)
		r.Broken.Advisory = !x.Judge.Options.Level.Includes(r.Broken.Level) || r.Broken.Class == OnlyCode && !x.Exact()
	}
	return r
}

// Drawn reports whether the case was chosen for the check under way.
func (x *Examination) Drawn() bool {
	return Mix(x.Item.Salt+uint64(x.current)*0x9e3779b97f4a7c15)%uint64(x.Judge.Options.Every) == 0
}

// Mix is the finaliser of SplitMix64.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Able reports whether the engine's declaration covers a related case.
func (x *Examination) Able(c harness.Case) bool {
	_, lack := x.Judge.rules.Resolve(x.Judge.hello, c)
	return lack.Reason == ""
}

// Again asks the engine a related case. It reports false where the engine
// failed or cannot do it, which the case itself has shown already or is
// another case's business.
func (x *Examination) Again(c harness.Case) (harness.Outcome, bool) {
	if !x.Able(c) {
		return harness.Outcome{}, false
	}
	out, failure := x.Ask(c)
	return out, failure == nil && (out.Verdict == harness.Applied || out.Verdict == harness.Rejected)
}

// Total checks that the engine answered, and that the answer is valid.
func (x *Examination) Total() Result {
	if x.failure != nil {
		kind := x.failure.Word()
		if x.Before == nil && x.Judge.rules.Unreadable(x.Item.Case) {
			kind = "invalid-plan:" + kind
		}
		r := Brokef(kind, "", "", "the engine failed (%s): %s", x.failure.Kind, x.failure.Detail)
		r.Broken.Got = string(x.failure.Kind)
		return r
	}
	switch o := x.Out; {
	case o.Verdict == harness.Unsupported:
		return Broke("unsupported", "", "verdict",
			words("the engine answers unsupported to a case that its declaration covers", o.Message))
	case o.Verdict != harness.Applied && o.Verdict != harness.Rejected:
		return Brokef("garbage:verdict", "", "verdict", "unknown verdict %q (applied, rejected, unsupported)", o.Verdict)
	case o.Verdict == harness.Rejected && !x.Judge.rules.isCode(o.Code):
		return Brokef("garbage:code", "", "code", "the reply was rejected with the unknown code %q", o.Code)
	case o.Verdict == harness.Applied && o.Code != "":
		return Brokef("garbage:code beside applied", "", "code", "the reply was applied, but has the code %q", o.Code)
	case o.Verdict == harness.Applied:
		members := x.Judge.rules.Members
		if member := members.Missing(outcome.Asked{Case: &x.Item.Case, Profile: &x.Profile, Outcome: &x.Out},
			x.Gives); member != "" {
			return Broke("missing:"+member, "", member, "the case was applied, but the outcome has no "+member)
		}
		if field, words := members.Malformed(&x.Out); field != "" {
			return Broke("garbage:"+field, "", field, "the case was applied, but "+words)
		}
	}
	return Held()
}

// words are what broke, with what the engine says about it.
func words(what, message string) string {
	if message == "" {
		return what
	}
	return what + ": " + Brief(message)
}

// isCode reports whether a code is one of the dialect's.
func (r *Rules) isCode(c harness.Code) bool {
	return c == harness.Refused || slices.ContainsFunc(r.Codes, func(t harness.Term) bool { return t.Name == string(c) })
}
