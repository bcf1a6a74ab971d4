package campaign

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/shard"
)

// diagnosis is the campaign as diagnosing sees it.
func (r *runner) diagnosis() cause.Campaign {
	c := r.result.campaign(&r.Config)
	c.HeldOut, c.Unnamed = r.HeldOut, r.Unnamed
	c.Over = func() bool { return r.past(alikeShare) || !r.limit.IsZero() && r.Now().After(r.limit) }
	return c
}

// conclude waits for the examples, looks for look-alikes meanwhile, and makes the causes.
func (r *runner) conclude() error {
	r.result.reveal()
	d := r.diagnosis()
	for _, made := range []bool{true, false} { // of an earlier run
		for i := range r.result.Groups {
			if g := &r.result.Groups[i]; (g.Example != nil) == made && r.result.Judges(g) {
				r.examples.want(r, g, d.Topic(g))
			}
		}
	}
	named, groups := make(chan map[string]string, 1), slices.Clone(r.result.Groups)
	go func() { named <- cause.LookAlikes(d, groups) }()
	r.examples.rest(r)
	err := r.examples.wait(r)
	last := r.diagnosis()
	last.Named = <-named
	r.evidence = r.result.diagnose(last)
	for _, c := range r.result.Causes {
		if f := r.result.Shows(c); f != nil && !c.Advisory && f.Reproduced == finding.Unexamined && r.source != nil {
			r.result.Unshrunk++
		}
	}
	return errors.Join(err, r.keep())
}

// keep writes the findings and the causes into the campaign's directory.
func (r *runner) keep() error {
	if r.Dir == "" {
		return nil
	}
	for i := range r.result.Groups {
		f := r.result.Groups[i].Example
		if f == nil || f.Reproduced == finding.Unexamined {
			continue
		}
		if err := f.Write(r.findingsDir()); err != nil {
			return err
		}
	}
	if err := r.evidence.Write(r.Dir); err != nil {
		return err
	}
	for _, p := range r.result.ByCause() {
		if err := p.Cause.Write(filepath.Join(r.Dir, CausesDir), p.Shows()); err != nil {
			return err
		}
	}
	return nil
}

// NewPart begins the sentence of a cause with new groups and known ones.
const NewPart = "New in a known cause: "

// Fresh returns a cause as far as it is neither known nor advisory, and the name of its
// failure: the whole cause if it has hardly any known group, the cause with a sentence for its new groups alone, or "".
func (r *Result) Fresh(c cause.Cause, known func(cause.Group) bool) (cause.Cause, string) {
	groups := r.groupsOf(c)
	total := len(groups)
	groups = slices.DeleteFunc(groups, func(g cause.Group) bool { return g.Advisory || known(g) })
	loud := slices.DeleteFunc(r.groupsOf(c), func(g cause.Group) bool { return g.Advisory })
	switch {
	case c.Advisory, total == 0 && known(cause.Group{ID: c.ID}), total > 0 && len(groups) == 0:
		return c, ""
	case len(groups) == len(loud), groups[0].ID == c.Groups[0] && 4*(cases(loud)-cases(groups)) <= cases(loud):
		return c, c.Name(r.Dialect)
	}
	var list []*cause.Group
	for i := range groups {
		list = append(list, &groups[i])
	}
	d := cause.Campaign{Dialect: all.Find(r.Dialect)}
	c.Sentence = NewPart + d.Sentence(list...)
	named := slices.IndexFunc(groups, func(g cause.Group) bool { return g.Name(r.Dialect) != c.Name(r.Dialect) })
	return c, groups[max(0, named)].Name(r.Dialect)
}

func cases(groups []cause.Group) (n uint64) {
	for _, g := range groups {
		n += g.Cases
	}
	return n
}

// Diagnose makes the causes of a result that was put together or read.
func (r *Result) Diagnose() error {
	c := r.config()
	if r.Source == "" {
		if _, err := c.sampler(); err != nil {
			return err
		}
	}
	r.diagnose(r.campaign(c))
	return nil
}

// Evidence returns what the causes of a result that was put together or read are made of.
func (r *Result) Evidence() (cause.Evidence, error) {
	c := r.config()
	if _, err := c.sampler(); err != nil {
		return cause.Evidence{}, err
	}
	return cause.Gather(r.campaign(c), r.Groups), nil
}

// Unaided returns the causes as they are if neither the named defect nor what no
// case tells from it can name one.
func (r *Result) Unaided(name string) ([]cause.Cause, error) {
	c := r.config()
	if _, err := c.sampler(); err != nil {
		return nil, err
	}
	campaign := r.campaign(c)
	campaign.HeldOut = append(cause.Twins(campaign, r.Groups), name)
	return cause.Diagnose(campaign, r.Groups), nil
}

// diagnose makes the causes, and returns what they were made of. Of groups that say the same only the first keeps its
// example: those of shards have one each.
func (r *Result) diagnose(c cause.Campaign) cause.Evidence {
	r.reveal()
	told := map[string]bool{}
	for i := range r.Groups {
		g := &r.Groups[i]
		key := wantedBy(g, c.Topic(g))
		if told[key] {
			g.Example = nil
		}
		told[key] = true
	}
	e := cause.Gather(c, r.Groups)
	r.Causes = slices.DeleteFunc(cause.Describe(c.Dialect, &e, cause.Cluster(&e)), r.beyond)
	for i := range r.Causes { // a case that shows two groups of a cause is one case
		if c := &r.Causes[i]; !c.Advisory {
			c.Cases = min(c.Cases, max(r.Failing, 1))
		}
	}
	r.Wider = r.wider(c.Dialect, e)
	for i := range r.Groups {
		f := r.Groups[i].Example
		if f == nil {
			continue
		}
		f.Also = r.Groups[i].Also // by all cases, and not those that came before the example
		for _, c := range r.Causes {
			if slices.Contains(c.Groups, r.Groups[i].ID) {
				f.Cause = c.ID
			}
		}
	}
	return e
}

// reveal puts the groups that others hide in their places.
func (r *Result) reveal() {
	r.Groups = cause.Reveal(all.Find(r.Dialect), r.Groups)
	r.sort()
}

// wantedBy is what groups share that say the same.
func wantedBy(g *cause.Group, topic string) string {
	return strings.Join([]string{string(g.Class), g.Check, g.Kind, topic}, "|")
}

// config is what a result says of the campaign that it came of.
func (r *Result) config() *Config {
	c := &Config{
		Dialect: r.Dialect, Source: r.Source, Seed: r.Seed, First: r.First, Cases: r.Planned, Chunk: r.Chunk,
		Shard: shard.Shard{N: r.Of},
	}
	c.Generator = generators.Options{
		Traits: r.Faults, Profile: r.Profile, Without: r.Without, Skip: r.Skipped, Features: r.Features, MaxSteps: r.MaxSteps,
	}
	if r.Profile == nil {
		declared := r.Declared
		c.Generator.Declared = &declared
	}
	return c
}

// campaign is what diagnosing needs of a result; the configuration has the source.
func (r *Result) campaign(c *Config) cause.Campaign {
	end, _ := c.span(r.Next)
	if last := r.First + r.Planned; r.Planned > 0 {
		end = min(end, last)
	}
	return cause.Campaign{
		Dialect: all.Find(r.Dialect), Source: c.source, Seed: r.Seed, Profile: r.Declared,
		Exact: r.Codes == harness.ExactCodes, Gives: r.Gives,
		End: end, Behaviours: r.Behaviours,
		Ran: func(index uint64) bool {
			chunk := c.chunkOf(index - r.First)
			return index >= r.First && chunk < r.Next && slices.Contains(r.Shards, int(chunk%uint64(max(r.Of, 1)))+1)
		},
	}
}
