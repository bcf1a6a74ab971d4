package gate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"replanbench/generators"
	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
)

// Trimming says which histories are trimmed how. Its many fields are the flags of trim.
type Trimming struct {
	simulate.Cases
	Tokenizer tokens.Tokenizer
	Own       bool // the histories are the user's, not generated
	Limit     int  // the budget of histories that have none
	Case      int  // the only history; -1: all
	// Sweep tries other budgets too, Explain shows each message, and Time measures policies.
	Sweep, Explain, Time bool
	Seed                 uint64
	Workers              int
	Reproduce            func(policy string, i int) string // the command that shows history i
}

// Trim lets the engine under test trim if it can, and otherwise simulates the policies.
func (g *Gate) Trim(ctx context.Context, t Trimming) error {
	if _, trims := g.Hello.Dialects[t.Dialect]; trims && !g.Named.IsReference() {
		return g.judgeTrimming(ctx, t)
	}
	show, _, end := g.progress()
	var asked atomic.Int64
	at, of := t.At, g.Shard.Size(t.N)
	t.At = func(i int) simulate.Sample {
		show(fmt.Sprintf("%d of %d histories", (asked.Add(1)-1)%int64(max(1, of))+1, of)) // a sweep repeats all of them
		return at(i)
	}
	g.Report.AddTrim(g.simulate(ctx, t), t.Reproduce)
	end()
	return ctx.Err()
}

// judgeTrimming sends the histories to the engine under test, one policy after the
// other, and makes every check on its answers.
func (g *Gate) judgeTrimming(ctx context.Context, t Trimming) error {
	if t.Unread != nil {
		g.Report.Trim = &reports.Trim{Tokenizer: t.Tokenizer.Name(), Unread: t.Unread}
	}
	c := campaign.Config{
		Dialect: t.Dialect, Sample: t.Sample, Source: t.Name, Generator: generators.Options{Traits: []string{}},
		Seed: t.Seed, Cases: uint64(t.N), Workers: t.Workers, Judging: judge.Options{Every: 1}, Shard: g.Shard,
	}
	if t.Case >= 0 {
		c.First, c.Cases = uint64(t.Case), 1
	}
	_, err := g.Campaign(ctx, c, func(x cause.Cause) string {
		return t.Reproduce(t.Policy(x.First).String(), int(x.First))
	})
	return err
}

// simulate trims the histories by the policies.
func (g *Gate) simulate(ctx context.Context, t Trimming) *reports.Trim {
	section := &reports.Trim{Tokenizer: t.Tokenizer.Name(), Unread: t.Unread}
	single := func(name string, x simulate.Sample) {
		one := simulate.NewSingle(name, x, t.Policies, all.Trimmer().Trim)
		one.Explain = t.Explain
		section.Single = append(section.Single, one)
	}
	switch {
	case t.Case >= 0:
		single(fmt.Sprintf("History %d of %s", t.Case, t.Name), t.At(t.Case))
		return section
	case !g.Shard.First(): // the first shows them
	case !t.Own:
		incident := history.Count(simulate.Incident(t.Tokenizer), t.Tokenizer)
		single("The documented incident, rebuilt", simulate.Sample{History: incident, MaxTokens: t.Limit})
		section.Single[0].Rebuilt = true
	case t.N == 1:
		single(t.Name, t.At(0))
	}
	if t.N > 1 || !t.Own || t.Sweep {
		o := simulate.Options{Trim: all.Trimmer().Trim, Shard: g.Shard, Workers: cmp.Or(t.Workers, runtime.GOMAXPROCS(0))}
		if t.Time {
			o.Clock = time.Now
		}
		section.Many = simulate.NewMany(ctx, t.Policies, t.Source, o, t.Sweep)
	}
	return section
}
