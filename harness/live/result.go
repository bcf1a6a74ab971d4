package live

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/shard"
)

// Result is what a run did. The cells add up:
//
//	Cells = Whole + Failed + NotAsked
//
// Its many fields are the members of the report's JSON.
type Result struct {
	Cells int `json:"cells"` // that the plan has
	// Whole are those that ended as the ladder wants, with all the replies that
	// this took.
	Whole int `json:"whole"`
	// Failed are those in which a request got no reply, in this session or, if
	// it was not asked again, in an earlier one; earlier replies of the same cell
	// are recorded nevertheless.
	Failed   int `json:"failed"`
	NotAsked int `json:"not_asked"`
	// Overflows are those among the whole whose ladder ended since the prompt of a
	// retry did not fit the model.
	Overflows int `json:"overflows,omitzero"`
	// Replies are the records of the run; Resumed of them were there before.
	Replies int   `json:"replies"`
	Resumed int   `json:"-" join:"keep"` // differs between a run and its repetition
	Spent   Spent `json:"spent"`
	// Currency is the currency of Spent.Cost, "" without prices.
	Currency string  `json:"currency,omitzero"`
	Tries    []Count `json:"tries" join:"sorted=Name"` // that failed, by class, retried ones and earlier sessions included
	Failures []Count `json:"failures" join:"keep"`     // cells that failed, by class
	Skipped  []Count `json:"skipped" join:"keep"`      // cells that were not asked, by reason
	Answers  []Count `json:"answers" join:"keep"`      // replies that were no plain text, by kind
	Groups   []Group `json:"groups" join:"keep"`
	Stopped  string  `json:"stopped,omitzero"` // the limit that was met
	Race     *raced  `json:"race,omitzero" join:"keep"`
	Part     *part   `json:"part,omitzero" join:"keep"` // in the result of a shard

	// Records are the records of the run, including failures, in the order of the cells.
	Records []placed `json:"-" join:"keep"`
}

// Places are the places of the records in the run of all shards.
func (r *Result) Places() []int {
	return collect.Map(r.Records, func(x placed) int { return x.At })
}

// Count is how often something was met, with the first example.
type Count struct {
	Name    string `json:"name"`
	N       int    `json:"n"`
	Example string `json:"example,omitzero"`
}

// Group holds the figures of the cells with the same key.
type Group struct {
	Key
	Cells    int `json:"cells"`
	Replies  int `json:"replies"`
	Failed   int `json:"failed"`
	NotAsked int `json:"not_asked"`
	// Latency of the replies, in milliseconds.
	P50 float64 `json:"latency_p50_ms" join:"keep"`
	P95 float64 `json:"latency_p95_ms" join:"keep"`
	// Prompt and Reply compare the endpoint's counts of tokens with ours.
	Prompt Drift `json:"prompt_tokens"`
	Reply  Drift `json:"reply_tokens"`
}

// Drift compares counts of tokens over the replies for which the endpoint gave
// them. The endpoint also counts what its chat template adds.
type Drift struct {
	Replies int `json:"replies"`
	Said    int `json:"said"`
	Counted int `json:"counted"`
}

// Share is how much more the endpoint said, as a share of our count.
func (d Drift) Share() (share float64, ok bool) {
	if d.Counted == 0 {
		return 0, false
	}
	return float64(d.Said-d.Counted) / float64(d.Counted), true
}

// raced is what came of a race.
type raced struct {
	Alpha float64 `json:"alpha"`
	Looks int     `json:"looks"`
	Saved int     `json:"saved"` // first requests that were not made
	Out   []loser `json:"out"`
}

// loser is a prompt that stopped early.
type loser struct {
	Prompt string `json:"prompt"`
	By     string `json:"by"` // the better one
	Cases  int    `json:"cases"`
	// Difference is by how much the better one's mean share of first replies
	// that could be applied is higher.
	Difference float64 `json:"difference"`
	// Low and High are an interval that allows for the stop: see elimination.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Won  int     `json:"won"` // cases that the better one won
	Lost int     `json:"lost"`
	P    float64 `json:"p"`
}

func (r *runner) result() *Result {
	t := r.tally
	combinations := slices.Collect(r.plan.combinations())
	for place, s := range r.cells {
		if s == 0 {
			c := combinations[place%r.plan.perCase()/r.plan.Samples]
			t.add(&cellResult{cell: c, skipped: "the run ended before"}, r.at(place))
		}
	}
	slices.SortFunc(r.records, func(a, b placed) int { return a.At - b.At })
	out := &Result{
		Cells: len(r.cells), Overflows: t.overflows, Resumed: r.resumed, Records: r.records,
		Spent: r.caller.meter.now(), Currency: r.options.Prices.Currency,
	}
	for _, g := range t.groups {
		out.Replies, out.Failed, out.NotAsked = out.Replies+g.Replies, out.Failed+g.Failed, out.NotAsked+g.NotAsked
	}
	out.Whole = out.Cells - out.Failed - out.NotAsked
	for class, n := range r.caller.tried() {
		out.Tries = append(out.Tries, Count{Name: string(class), N: n})
	}
	slices.SortFunc(out.Tries, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	t.conclude(out)
	if !r.options.Shard.Whole() {
		out.Part = t.part()
	}
	if r.stopped != nil {
		out.Stopped = r.stopped.Limit
	}
	if r.race != nil {
		out.Race = r.raced()
	}
	return out
}

func (r *runner) raced() *raced {
	out := &raced{Alpha: r.race.rule.Alpha, Looks: r.race.rule.Looks, Out: []loser{}}
	for _, x := range r.tally.Skipped {
		if x.Name == skippedRace {
			out.Saved = x.N
		}
	}
	for i, set := range r.plan.Prompts {
		if e, ok := r.race.gone[i]; ok {
			out.Out = append(out.Out, loser{
				Prompt: set.Name, By: r.plan.Prompts[e.By].Name, Cases: e.Cases, Difference: e.Difference, Low: e.Low,
				High: e.High, Won: e.Won, Lost: e.Lost, P: e.P,
			})
		}
	}
	return out
}

// outcomes are, by case and prompt, the shares of first replies that could be
// applied, over the first cases; -1 where there is no reply.
func (r *runner) outcomes(cases int) [][]float64 {
	rows := make([][]float64, cases)
	perPrompt := r.plan.perCase() / len(r.plan.Prompts)
	for i := range rows {
		for s := range r.plan.Prompts {
			from := i*r.plan.perCase() + s*perPrompt
			asked, yes := 0, 0
			for _, x := range r.cells[from : from+perPrompt] {
				asked += collect.One(x&replied != 0)
				yes += collect.One(x&applied != 0)
			}
			share := -1.0
			if asked > 0 {
				share = float64(yes) / float64(asked)
			}
			rows[i] = append(rows[i], share)
		}
	}
	return rows
}

// maxAttempts is more than the requests of any cell.
const maxAttempts = 64

// counts by name.
type counts []countAt

// countAt is a count with the cell in which it was met first, in the whole run.
type countAt struct {
	Count `json:",inline"`
	At    int `json:"at" join:"earliest"`
}

func (c *counts) add(name, example string, at int) {
	i := slices.IndexFunc(*c, func(x countAt) bool { return x.Name == name })
	if i < 0 {
		i = len(*c)
		*c = append(*c, countAt{At: at})
	}
	shard.Join(&(*c)[i], countAt{Count{Name: name, N: 1, Example: example}, at})
}

// list are the counts in the order of the cells in which they were met.
func (c counts) list() []Count {
	slices.SortFunc(c, func(a, b countAt) int { return cmp.Or(a.At-b.At, strings.Compare(a.Name, b.Name)) })
	list := []Count{}
	for _, x := range c {
		list = append(list, x.Count)
	}
	return list
}

// conclude puts what was counted into a result.
func (t *tally) conclude(r *Result) {
	r.Failures, r.Skipped, r.Answers, r.Groups = t.Failures.list(), t.Skipped.list(), t.Answers.list(), t.list()
}

// tally adds up the cells, in any order.
type tally struct {
	metCounts
	overflows int
	groups    []*group
}

// metCounts counts what was met by name.
type metCounts struct {
	Failures counts `json:"failures,omitempty" join:"by=Name"`
	Skipped  counts `json:"skipped,omitempty" join:"by=Name"`
	Answers  counts `json:"answers,omitempty" join:"by=Name"`
}

type group struct {
	Group
	latencies []float64
}

func (t *tally) add(res *cellResult, at int) {
	g := t.group(res.cell.group())
	g.Cells++
	g.Replies += len(res.keys)
	switch {
	case res.failure != nil:
		g.Failed++
		t.Failures.add(string(res.failure.Class), res.failure.Message, at)
	case res.skipped != "":
		g.NotAsked++
		t.Skipped.add(res.skipped, "", at)
	default:
		t.overflows += collect.One(res.full)
	}
	for _, n := range res.counts {
		g.latencies = append(g.latencies, n.latencyMS)
		if n.prompt >= 0 {
			g.Prompt.count(n.prompt, n.ourPrompt)
			g.Reply.count(n.reply, n.ourReply)
		}
		if n.kind != "" {
			t.Answers.add(n.kind, "", at)
		} else if n.finish != "stop" && n.finish != "" {
			t.Answers.add("finish_reason "+n.finish, "", at)
		}
	}
}

func (t *tally) group(key Key) *group {
	for _, g := range t.groups {
		if g.Key == key {
			return g
		}
	}
	g := &group{Group: Group{Key: key}}
	t.groups = append(t.groups, g)
	return g
}

func (d *Drift) count(said, counted int) {
	d.Replies++
	d.Said += said
	d.Counted += counted
}

func (t *tally) list() []Group {
	list := []Group{}
	for _, g := range t.groups {
		slices.Sort(g.latencies)
		g.P50, g.P95 = quantile(g.latencies, 0.5), quantile(g.latencies, 0.95)
		list = append(list, g.Group)
	}
	return list
}

// quantile is the smallest value that at least a share q of the sorted values
// does not exceed.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}
