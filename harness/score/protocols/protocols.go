package protocols

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
	"replanbench/harness/score/stats"
)

// Change is one intended change.
type Change struct {
	ID     string
	Before *plan.Plan
	After  *plan.Plan
}

// Options say how protocols are compared.
type Options struct {
	Channel Channel
	Profile harness.Profile
	Counter interface{ Count(text string) int }
	Seed    uint64
	Repeats int // how often each reply is sent through the channel; 0 is once
}

// Result is the comparison.
type Result struct {
	Changes int     `json:"changes"`
	Model   string  `json:"model,omitzero"` // that was asked; "" where replies went through the channel
	Repeats int     `json:"repeats"`
	Seed    uint64  `json:"seed"`
	Channel Channel `json:"channel"`
	Rows    []Row   `json:"protocols"`
	// Pairs compare every two protocols over the changes that both can say.
	Pairs []Pair `json:"pairs,omitempty"`
}

// Pair compares the shares of right replies of two protocols, change by change.
type Pair struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Changes int    `json:"changes"` // that both can say
	// Difference is the mean share of B minus the mean share of A, with its 95 % interval.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	P          float64 `json:"p"`
	Corrected  float64 `json:"p_corrected"` // by Holm, over all pairs
}

// Asked reports whether any reply came.
func (r *Result) Asked() bool {
	return slices.ContainsFunc(r.Rows, func(r Row) bool { return r.Replies > 0 })
}

// Row is one protocol. Of the changes that it can say: how many tokens they take, and
// what came of the damaged replies.
type Row struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Lacks  string `json:"lacks,omitzero"` // what of a plan it has no place for
	Said   int    `json:"said"`           // changes that it can say
	Unsaid int    `json:"unsaid"`         // and that it cannot
	Tokens int    `json:"tokens"`         // of all that it says, undamaged, or of all that a model wrote
	// Compared are tokens of the same changes as whole plans: the row Whole.
	Whole   int `json:"tokens_whole"`
	Replies int `json:"replies"` // sent through the channel, or written by a model
	Damaged int `json:"damaged"` // that came out other than they went in
	// Failed are the questions to a model that got no reply.
	Failed   int   `json:"failed,omitzero"`
	Right    Share `json:"right"`
	Refused  Share `json:"refused"`
	Wrong    Share `json:"silently_wrong"` // another plan came out, and nobody noticed
	LostDone Share `json:"finished_lost"`  // finished work was lost or changed in it
}

// Share is a share of the replies with its 95 % interval, which allows for several
// replies to a change.
type Share struct {
	K     int     `json:"k"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// protocol is one with its engine.
type protocol struct {
	dialect.Protocol
	// apply returns the plan that comes out in the common form; nil is a refusal.
	apply func(before *plan.Plan, reply []byte) *plan.Plan
}

// list lists the protocols: first the dialects' own, then RFC 6902.
func list(p harness.Profile) []protocol {
	var out []protocol
	for _, d := range all.Dialects() {
		for _, x := range d.Protocols {
			out = append(out, protocol{x, func(before *plan.Plan, reply []byte) *plan.Plan {
				o := d.Eval(harness.Case{Dialect: d.Name, Plan: x.Before(before), Replies: []harness.Reply{harness.Reply(reply)}},
					p)
				if o.Verdict != harness.Applied || o.Plan == nil {
					return nil
				}
				return x.After(o.Plan)
			}})
		}
	}
	return append(out, pointers())
}

// Run compares the protocols over changes. A change that a protocol cannot say, as
// applying its own undamaged reply shows, is counted and left out there.
func Run(ctx context.Context, changes []Change, o Options) (*Result, error) {
	o.Repeats = max(1, o.Repeats)
	r := &Result{Changes: len(changes), Repeats: o.Repeats, Seed: o.Seed, Channel: o.Channel}
	var tallies []*tally
	for _, x := range list(o.Profile) {
		t := &tally{Row: Row{Name: x.Name, Text: x.Text, Lacks: x.Lacks}}
		for i, c := range changes {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			t.change(x, i, c, o)
		}
		r.Rows, tallies = append(r.Rows, t.row()), append(tallies, t)
	}
	r.Pairs = pairs(tallies)
	return r, nil
}

// pairs compares every two protocols.
func pairs(tallies []*tally) (list []Pair) {
	for i, a := range tallies {
		for _, b := range tallies[i+1:] {
			var differences []float64
			for k, change := range a.changes {
				if at, ok := slices.BinarySearch(b.changes, change); ok {
					differences = append(differences, share(b.right[at])-share(a.right[k]))
				}
			}
			if len(differences) < 2 {
				continue
			}
			x := Pair{A: a.Name, B: b.Name, Changes: len(differences), P: stats.DifferenceTest(differences)}
			for _, d := range differences {
				x.Difference += d / float64(len(differences))
			}
			x.Low, x.High = stats.DifferenceInterval(differences, 0.95)
			list = append(list, x)
		}
	}
	p := collect.Map(list, func(x Pair) float64 { return x.P })
	for i, corrected := range stats.Holm(p) {
		list[i].Corrected = corrected
	}
	return list
}

func share(c stats.Cluster) float64 { return c.Sum / float64(c.N) }

// tally counts the replies of a protocol, change by change.
type tally struct {
	Row
	changes                     []int // with replies, rising
	right, refused, wrong, lost []stats.Cluster
}

// written is a change as a protocol says it.
type written struct {
	before, after *plan.Plan // in the common form
	want          *plan.Plan // what shall come out: what the protocol has a place for
	reply         jsontext.Value
}

// write writes a change. Whether the protocol can say it shows when the reply is applied.
func write(x protocol, c Change) (w written, ok bool) {
	w.before, w.after = common(c.Before), common(c.After)
	w.want = w.after
	if x.Carried != nil {
		w.want = x.Carried(w.after)
		if w.want.Equal(x.Carried(w.before)) { // nothing of it can be said
			return w, false
		}
	}
	w.reply = strictjson.Encode(x.Write(w.before, w.after))
	got := x.apply(w.before, w.reply)
	return w, got != nil && alike(got, w.want)
}

func (t *tally) change(x protocol, index int, c Change, o Options) {
	w, ok := write(x, c)
	if !ok {
		t.Unsaid++
		return
	}
	t.Said++
	tokens := o.Counter.Count(string(w.reply))
	t.Tokens += tokens
	t.Whole += o.Counter.Count(string(documentOf(w.after)))
	var counts fates
	for k := range o.Repeats {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(index)<<16|uint64(k)))
		damaged := o.Channel.damage(rng, w.reply, idsOf(w.before, w.after), tokens)
		if string(damaged) != string(w.reply) {
			t.Damaged++
		}
		t.Replies++
		counts.add(x, w, damaged)
	}
	t.put(index, counts, o.Repeats)
}

func (t *tally) row() Row {
	for list, to := range map[*[]stats.Cluster]*Share{
		&t.right: &t.Right, &t.refused: &t.Refused, &t.wrong: &t.Wrong,
		&t.lost: &t.LostDone,
	} {
		for _, c := range *list {
			to.K += int(c.Sum)
		}
		if len(*list) > 0 {
			to.Value, to.Low, to.High = stats.Rate(*list, 0.95)
		}
	}
	return t.Row
}

// common is a plan in the form that all protocols share.
func common(p *plan.Plan) *plan.Plan {
	out := &plan.Plan{Title: p.Title}
	for _, s := range p.Steps {
		status := plan.Pending
		if s.Status == plan.Done {
			status = plan.Done
		}
		out.Steps = append(out.Steps, plan.Step{
			ID: s.ID, Description: s.Description, Dependencies: s.Dependencies,
			Status: status, ToolsExpected: s.ToolsExpected,
		})
	}
	return out
}

// alike compares two plans in the common form; a list that is empty is none, and which
// of its open statuses a step has does not matter.
func alike(a, b *plan.Plan) bool {
	return a.Title == b.Title && slices.EqualFunc(a.Steps, b.Steps, func(s, t plan.Step) bool {
		return s.ID == t.ID && s.Description == t.Description && (s.Status == plan.Done) == (t.Status == plan.Done) &&
			slices.Equal(s.Dependencies, t.Dependencies) && slices.Equal(s.ToolsExpected, t.ToolsExpected)
	})
}

// lostDone reports whether finished work is gone from a plan, or not as it was.
func lostDone(before, got *plan.Plan, x protocol) bool {
	if x.Carried != nil {
		before = x.Carried(before)
	}
	for i := range before.Steps {
		old := &before.Steps[i]
		if old.Status != plan.Done {
			continue
		}
		now := got.Step(old.ID)
		if now == nil || now.Status != plan.Done || now.Description != old.Description ||
			!slices.Equal(now.Dependencies, old.Dependencies) || !slices.Equal(now.ToolsExpected, old.ToolsExpected) {
			return true
		}
	}
	return false
}

// Generated makes changes: the plain samples of the dialect in which models are asked,
// with the plans that the reference makes of them.
func Generated(seed uint64, n, maxSteps int) ([]Change, error) {
	rules := harness.Reference()
	asked := all.Asked()
	source, err := asked.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: maxSteps})
	if err != nil {
		return nil, err
	}
	var list []Change
	for i := uint64(0); len(list) < n && i < 50*uint64(n); i++ {
		s := source.At(seed, i)
		if s.Before == nil || s.Want.Verdict != harness.Applied {
			continue
		}
		if after := asked.Eval(s.Case, s.Profile).Plan; after != nil {
			list = append(list, Change{fmt.Sprintf("generated-%d-%d", seed, i), s.Before, after})
		}
	}
	return list, nil
}

// FromCorpus takes the changes that the replies of corpora ask for: those that can be
// applied under a profile, each once.
func FromCorpus(sources []corpora.Source, p harness.Profile) ([]Change, error) {
	var list []Change
	seen := map[string]bool{}
	for _, s := range sources {
		for r, err := range s.Records() {
			if err != nil {
				continue // score reports bad lines
			}
			d := all.Find(r.Dialect)
			if d == nil || len(d.Protocols) == 0 || r.Plan == nil || r.Failure != nil || d.Name != all.Asked().Name {
				continue
			}
			c := harness.Case{Dialect: d.Name, Plan: r.Plan, Limits: r.Limits, Replies: []harness.Reply{r.Reply}}
			before, err := d.Judging.Plan(c)
			if err != nil {
				continue
			}
			o := d.Eval(c, p)
			if o.Verdict != harness.Applied || o.Plan == nil {
				continue
			}
			if key := r.CaseKey() + string(documentOf(o.Plan)); !seen[key] {
				seen[key] = true
				list = append(list, Change{r.ID, before, o.Plan})
			}
		}
	}
	return list, nil
}

// maxCopied is the largest number of bytes that the copy operations of one patch may add.
const maxCopied = 1 << 20

// applyPatch applies a JSON Patch to a document by RFC 6902. It is stricter than the
// library: the patch must be strict JSON, and a value cannot move into itself. A patch
// on which the library panics, such as a test of null without a value, is an error.
func applyPatch(document, patch []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("the patch cannot be applied: %v", r)
		}
	}()
	var list []struct {
		Op   string `json:"op"`
		Path string `json:"path"`
		From string `json:"from"`
	}
	if err := json.Unmarshal(patch, &list); err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	for _, o := range list {
		if o.Op == "move" && strings.HasPrefix(o.Path, o.From+"/") {
			return nil, errors.New("a value cannot be moved into itself")
		}
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices, options.AccumulatedCopySizeLimit = false, maxCopied
	return operations.ApplyWithOptions(document, options)
}
