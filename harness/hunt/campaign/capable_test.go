package campaign

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// TestReferenceIsCapableInBulk: the reference passes whatever it declares to be without, with
// and without each feature, under each named profile, and under combinations of all. A
// campaign has 150 cases, and 2,000 with REPLANBENCH_TEST_LONG. A time that was too long once
// and not again belongs to the machine.
func TestReferenceIsCapableInBulk(t *testing.T) {
	cases, combinations := uint64(150), 3
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		cases, combinations = 2000, 50
	}
	for _, d := range all.Dialects() {
		for _, declared := range declarations(d, combinations) {
			c := config(nil)
			c.Dialect, c.Cases, c.Bare, c.Unnamed = d.Name, cases, true, true
			c.Generator.Traits, c.Generator.MaxSteps = nil, 0
			c.Generator.Without, c.Generator.Declared, c.Generator.Profile = declared.Without, &declared.Profile, nil
			if !declared.Has(harness.FeatureProfiles) {
				c.Generator.Profile = &declared.Profile
			}
			c.Engine = declaring{reference.New(), d.Name, declared}
			c.Fresh = func() (harness.Engine, error) { return c.Engine, nil }
			c.Judging = judge.Options{Reference: reference.New(), SampleReference: true}
			for _, g := range start(t, c).Result.Groups {
				if g.Check == unsafe(d, declared.Profile) || g.Kind == judge.Late {
					continue
				}
				t.Errorf("%s without %q, features %q, profile %s: %d cases break %s (%s) with %q, first case %d", d.Name,
					declared.Without,
					declared.Features, declared.Profile.Base, g.Cases, g.Check, g.Kind, g.Culprits, g.First)
			}
		}
	}
}

// TestNoVersionsInBulk: an engine without versions or history has no cause if it declares that, and causes at level rules if not.
func TestNoVersionsInBulk(t *testing.T) {
	cases := uint64(100)
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		cases = 4000
	}
	d := all.Find("operations")
	for _, without := range [][]string{{"version"}, {"history"}, {"version", "history"}, nil} {
		lacks := without
		if without == nil {
			lacks = []string{"version", "history"}
		}
		declared := d.Declare(harness.Reference())
		declared.Without = without
		c := config(nil)
		c.Dialect, c.Cases, c.Bare, c.Unnamed = d.Name, cases, true, true
		c.Generator.Traits, c.Generator.MaxSteps = nil, 0
		c.Generator.Without, c.Generator.Declared, c.Generator.Profile = without, &declared.Profile, nil
		c.Engine = unrecorded{declaring{reference.New(), d.Name, declared}, lacks}
		c.Fresh = func() (harness.Engine, error) { return c.Engine, nil }
		c.Judging = judge.Options{Reference: reference.New()}
		groups := start(t, c).Result.Groups
		if (len(groups) > 0) != (without == nil) {
			t.Errorf("without %q: %d groups", without, len(groups))
		}
		for _, g := range groups {
			if without != nil {
				t.Errorf("without %q: %d cases break %s (%s), first case %d: %+v", without, g.Cases, g.Check, g.Kind, g.First, g)
			}
		}
	}
}

// unrecorded is an engine whose plans have no version or no history.
type unrecorded struct {
	declaring
	lacks []string
}

func (u unrecorded) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := u.declaring.Eval(ctx, c)
	if out.Plan == nil || out.Plan.Record == nil {
		return out, err
	}
	if slices.Contains(u.lacks, "version") {
		out.Plan.Record.Version = 1
		if list := out.Plan.Record.History; len(list) > 0 {
			list[len(list)-1] = jsontext.Value(versions.ReplaceAll(list[len(list)-1], nil))
		}
	}
	if slices.Contains(u.lacks, "history") {
		out.Plan.Record.History = nil
	}
	return out, err
}

var versions = regexp.MustCompile(`"version":\d+,?`)

// unsafe returns the check that the rules of some profiles break: carry_over=by_id loses
// done steps, and duplicates=keep stores an id twice. Both are reported like other failures.
func unsafe(d *dialect.Dialect, p harness.Profile) string {
	for _, k := range d.Vocabulary.Settings() {
		switch k.Name + "=" + k.Get(p) {
		case "carry_over=by_id":
			return check.DoneImmutable
		case "duplicates=keep":
			return check.IDsUnique
		}
	}
	return ""
}

// declaring is an engine with another declaration.
type declaring struct {
	harness.Engine
	dialect  string
	declared harness.Declaration
}

func (d declaring) Hello(ctx context.Context) (harness.Hello, error) {
	hello, err := d.Engine.Hello(ctx)
	hello.Dialects = map[string]harness.Declaration{d.dialect: d.declared}
	return hello, err
}

func (d declaring) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Profile == nil {
		c.Profile = &d.declared.Profile
	}
	return d.Engine.Eval(ctx, c)
}

// declarations lists what an engine of a dialect may declare: each capability that it may
// be without, each feature alone, each named profile, and random combinations.
func declarations(d *dialect.Dialect, combinations int) (list []harness.Declaration) {
	whole := d.Declare(harness.Reference())
	names := harness.Names(d.Vocabulary.Capabilities)
	for _, name := range names {
		one := whole
		one.Without = []string{name}
		list = append(list, one)
	}
	for _, features := range [][]string{nil, {harness.FeatureLadder}, {harness.FeatureProfiles}} {
		one := whole
		one.Features = features
		list = append(list, one)
	}
	profiles := harness.Names(harness.Profiles())
	for _, name := range profiles {
		list = append(list, under(d, name))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range combinations {
		one := under(d, profiles[random.IntN(len(profiles))])
		one.Features = slices.DeleteFunc(slices.Clone(one.Features), func(string) bool { return random.IntN(2) == 0 })
		for _, name := range names {
			if random.IntN(4) == 0 {
				one.Without = append(one.Without, name)
			}
		}
		list = append(list, one)
	}
	return list
}

// under is the declaration of an engine of a dialect that works by a named profile alone.
func under(d *dialect.Dialect, profile string) harness.Declaration {
	p, _ := harness.Named(profile)
	one := d.Declare(p)
	one.Features = []string{harness.FeatureLadder}
	return one
}
