package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// Part is one suite of a configuration: it runs and adds to the report.
type Part struct {
	Name string
	Runs bool
	Run  func(context.Context, *Gate) error
}

// Scenarios is the part that runs scenarios.
func Scenarios(c *config.Config) Part {
	s := c.Suites.Scenarios
	return Part{
		Name: "scenarios", Runs: s.Run && (s.Builtin || len(s.Paths) > 0),
		Run: func(ctx context.Context, g *Gate) error { return g.scenarios(ctx, c) },
	}
}

// Fuzz is the part that runs a campaign for each dialect that the engine declares.
func Fuzz(c *config.Config) Part {
	return Part{
		Name: "fuzz", Runs: c.Suites.Fuzz.Run,
		Run: func(ctx context.Context, g *Gate) error { return g.campaigns(ctx, c) },
	}
}

// Check runs the parts. Where one does not come to its end, the report says so,
// but for a [harness.Mistake], which leads to no report.
func (g *Gate) Check(ctx context.Context, c *config.Config, parts []Part) error {
	g.Report.Command = escape.Shell(append([]string{g.Report.Command}, g.again()...)...)
	if err := g.speaks(c); err != nil {
		return err
	}
	for _, p := range parts {
		err := p.Run(ctx, g)
		if err != nil {
			if ctx.Err() == nil && !harness.IsMistake(err) {
				g.Broken(p.Name, "did not run to its end: "+err.Error())
			}
			return err
		}
	}
	return nil
}

// speaks refuses dialects that the engine does not declare: a gate that was
// asked to test them must not pass without.
func (g *Gate) speaks(c *config.Config) error {
	declared := slices.Sorted(maps.Keys(g.Hello.Dialects))
	for i, d := range c.Dialects {
		if !slices.Contains(declared, d) {
			return harness.Mistaken(c.Errorf(item("dialects", i), "the engine %s does not declare %s (it declares %s)",
				g.Hello.Name, d, strings.Join(declared, ", ")))
		}
	}
	return nil
}

// Tests reports whether the configuration tests a dialect.
func Tests(c *config.Config, d string) bool {
	return len(c.Dialects) == 0 || slices.Contains(c.Dialects, d)
}

// TestsAny reports whether the configuration tests a dialect that so accepts.
func TestsAny(c *config.Config, so func(*dialect.Dialect) bool) bool {
	return slices.ContainsFunc(all.Dialects(), func(d *dialect.Dialect) bool { return so(d) && Tests(c, d.Name) })
}

func (g *Gate) scenarios(ctx context.Context, c *config.Config) error {
	var set scenarios.Set
	var err error
	if c.Suites.Scenarios.Builtin {
		if set, err = scenarios.LoadSet(); err != nil {
			return err
		}
	}
	if paths := c.Suites.Scenarios.Paths; len(paths) > 0 {
		own, err := scenarios.LoadSet(paths...)
		if err != nil {
			return harness.Mistaken(c.Errorf("suites.scenarios.paths", "%w", err))
		}
		if err := set.Join(own); err != nil {
			return harness.Mistaken(c.Errorf("suites.scenarios.paths", "%w", err))
		}
	}
	set.List = slices.DeleteFunc(set.List, func(s scenarios.Scenario) bool { return !Tests(c, s.Case.Dialect) })
	_, err = g.Scenarios(ctx, set, suite.Options{Workers: c.Workers})
	return err
}

func (g *Gate) campaigns(ctx context.Context, c *config.Config) error {
	s := c.Suites.Fuzz
	for _, d := range all.Dialects() {
		traits := someTraits(d, s.Traits)
		if _, ok := g.Hello.Dialects[d.Name]; !ok || !Tests(c, d.Name) || len(s.Traits) > 0 && traits == nil {
			continue
		}
		o := campaign.Config{
			Dialect: d.Name, Cases: s.Cases, Time: s.Time, Seed: s.Seed, Workers: c.Workers,
			MaxFindings: s.MaxFindings, Dir: s.Out, Shard: g.Shard,
		}
		o.Generator.Traits = traits
		if err := Sound(&o); err != nil {
			return err
		}
		unlock, err := o.Lock("replanbench check")
		if err != nil {
			return err
		}
		if _, err := g.Fuzz(ctx, o); err != nil {
			return errors.Join(err, unlock())
		}
		if err := unlock(); err != nil {
			return err
		}
	}
	return nil
}

// someTraits keeps the traits that a dialect has; nil is all of them.
func someTraits(d *dialect.Dialect, asked []string) []string {
	var list []string
	for _, f := range d.Traits {
		if slices.ContainsFunc(asked, func(name string) bool { return d.Present(name) == f.Name }) {
			list = append(list, f.Name)
		}
	}
	return list
}

// DefaultCases is the length of a campaign where nothing is said of it.
const DefaultCases = 20000

// EveryFinding is for a campaign that looks for all that is known later: with a
// bound the next run, which knows what this one found, would find more.
const EveryFinding = math.MaxInt

// Planted are the traits that a list of --traits names: the single word none is no trait.
func Planted(list []string) []string {
	if len(list) == 1 && list[0] == NoFaults {
		return []string{}
	}
	return list
}

// Present replaces former names of traits in a list by the present ones; warn gets one
// message for each.
func Present(dialect string, traits []string, warn func(string)) []string {
	list := slices.Clone(traits)
	for i, name := range list {
		if d := all.Find(dialect); d != nil && d.Present(name) != name {
			list[i] = d.Present(name)
			warn(fmt.Sprintf("the trait %s is now called %s", name, list[i]))
		}
	}
	return list
}

// Sound completes what flags or a file say of a campaign, and refuses what makes
// no sense.
func Sound(c *campaign.Config) error {
	if c.Cases == 0 && c.Time == 0 {
		c.Cases = DefaultCases
	}
	c.Generator.Traits = Planted(c.Generator.Traits)
	switch {
	case !c.Shard.Whole() && c.Cases == 0:
		return harness.Mistakef("--shard %s: a part needs a whole (give --cases)", c.Shard)
	case c.Resume && c.Dir == "":
		return harness.Mistakef("--resume: name the directory of the campaign with --dir")
	case c.Time < 0 || c.MaxFindings < 1:
		return harness.Mistakef("--time and --max-findings must be positive")
	}
	return nil
}

func item(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }
