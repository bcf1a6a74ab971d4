package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/guard"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/suite"
	"replanbench/reports"
	"replanbench/scenarios"
)

// Evaluate asks the engine for one case, and puts together what a story needs.
func Evaluate(ctx context.Context, engine harness.Engine, c harness.Case) (explain.Subject, error) {
	hello, err := byname.Introduction(ctx, engine)
	if err != nil {
		return explain.Subject{}, err
	}
	profile, lack := all.Resolve(hello, c)
	if lack.Reason != "" {
		return explain.Subject{}, harness.Mistakef("%s", lack.Reason)
	}
	out, err := suite.Eval(ctx, engine, c, suite.DefaultDeadline)
	if err != nil {
		return explain.Subject{Case: c, Profile: profile}, fmt.Errorf("the engine failed: %w", err)
	}
	return explain.Subject{Case: c, Profile: profile, Outcome: out}, nil
}

// Replay runs scenarios again and makes every check on each.
func Replay(
	ctx context.Context, engine harness.Engine, n byname.Engine, list []scenarios.Scenario,
) ([]reports.Replayed, error) {
	hello, err := byname.Introduction(ctx, engine)
	if err != nil {
		return nil, err
	}
	guarded := guard.Shared(engine, cmp.Or(n.Bounds.Deadline, campaign.DefaultDeadline))
	defer guarded.Close()
	replayed := make([]reports.Replayed, len(list))
	for i, s := range list {
		x := &replayed[i]
		var lack harness.Lack
		if s.Case, lack = suite.Asked(hello, s); lack.Reason != "" {
			return nil, harness.Mistakef("%s: %s", s.ID, lack.Reason)
		}
		x.Scenario = s
		x.Subject, err = Evaluate(ctx, engine, s.Case)
		if !errors.As(err, &x.Failure) && err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		x.Outcome = suite.Aligned(hello, s.Case, x.Outcome)
		judged, err := judge.New(guarded, hello, all.Rules(s.Case.Dialect), judge.Options{
			Reference: reference.New(), Every: 1, Level: n.Level(),
		}).Judge(ctx, judge.Item{Case: s.Case, Salt: salt(s)})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		x.PlanName = "plan.json"
		for j := range s.Case.Replies {
			x.ReplyNames = append(x.ReplyNames, fmt.Sprintf("reply.%d", j+1))
		}
		if err := keep(ctx, hello, x, n.Level(), judged.Breaks); err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
	}
	return replayed, nil
}

// salt is what the sampled checks of a campaign's case went by, so that they do the same again; 0
// for other cases.
func salt(s scenarios.Scenario) uint64 {
	seed, index, ok := finding.Origin(s.Source)
	if !ok {
		return 0
	}
	return cause.Salt(seed, index)
}

// keep keeps the breaks of the level, and decides whether the outcome is as expected.
func keep(
	ctx context.Context, hello harness.Hello, x *reports.Replayed, level harness.Level, breaks []judge.Break,
) error {
	for _, b := range breaks {
		switch {
		case level.Includes(b.Level):
			x.Breaks = append(x.Breaks, b)
		case level.Next().Includes(b.Level):
			x.Wider++
		}
	}
	x.Judged, x.Well = true, len(x.Breaks) == 0
	differences := x.Scenario.Match(x.Outcome)
	if !x.Well || len(differences) == 0 || x.Failure != nil {
		x.Well = x.Well && x.Failure == nil
		return nil
	}
	counts, err := suite.LevelOf(ctx, hello, x.Case, x.Outcome, differences)
	x.Well = !level.Includes(counts)
	return err
}

// generated is the name of a generated case: dialect:seed:index, a case of a campaign, or
// dialect:seed:index:trait+trait, a case with exactly these traits (or with none).
var generated = regexp.MustCompile(`^([a-z]+):([0-9]+):([0-9]+)(:[a-z0-9+-]*)?$`)

// generate returns a generated case as a scenario that expects the answer of the rules.
// traits are the campaign's traits.
func generate(name string, hello harness.Hello, n byname.Engine, traits []string) (scenarios.Scenario, error) {
	part := generated.FindStringSubmatch(name)
	d := all.Find(part[1])
	if d == nil {
		return scenarios.Scenario{}, harness.Mistakef("%s: there is no dialect %s%s", name, part[1],
			harness.DidYouMean(part[1], all.Names()))
	}
	seed, err1 := strconv.ParseUint(part[2], 10, 64)
	index, err2 := strconv.ParseUint(part[3], 10, 64)
	if err := cmp.Or(err1, err2); err != nil {
		return scenarios.Scenario{}, harness.Mistakef("%s: a seed or an index that is too large", name)
	}
	declared, known := hello.Dialects[d.Name]
	if !known {
		declared = d.Declare(harness.Reference())
	}
	exact := strings.FieldsFunc(part[4], func(r rune) bool { return r == ':' || r == '+' })
	if part[4] != "" {
		traits = exact
	}
	source, err := all.Source(d.Name, drawn(declared, n, traits))
	if err != nil {
		return scenarios.Scenario{}, harness.Mistaken(err)
	}
	var sample generators.Sample
	if part[4] == "" {
		sample = source.At(seed, index)
	} else {
		sample = source.Anew(seed, index, exact, 0)
	}
	c := sample.Case
	if c.Profile == nil {
		c.Profile = &declared.Profile
	}
	f := finding.Finding{
		Dialect: d.Name, Invariant: "generated", Fingerprint: strings.Join(append(part[2:4:4], exact...), "-"), Case: c,
		Message: "traits " + strings.Join(sample.Traits, ", "), Seed: seed, CaseIndex: index,
	}
	right, err := reference.Judge(c, *c.Profile)
	if err != nil {
		return scenarios.Scenario{}, err
	}
	f.Answer = d.Members.Essence(&right, "")
	return f.Scenario()
}

// FindScenarios loads files, built-in scenarios by their names, or generated cases
// (dialect:seed:index) as the engine n, which said hello, gets them in a campaign with these
// traits; nil is all of the dialect.
func FindScenarios(names []string, hello harness.Hello, n byname.Engine, traits []string) ([]scenarios.Scenario,
	error,
) {
	builtin := sync.OnceValues(scenarios.Builtin) // most names are files or cases
	var list []scenarios.Scenario
	for _, name := range names {
		if filepath.Base(name) == finding.JSONFile {
			name = filepath.Join(filepath.Dir(name), finding.ReproFile) // the case of that finding
		}
		var found []scenarios.Scenario
		_, err := os.Stat(name)
		switch {
		case generated.MatchString(name):
			found = make([]scenarios.Scenario, 1)
			found[0], err = generate(name, hello, n, traits)
		case errors.Is(err, fs.ErrNotExist):
			found, err = named(name, builtin)
		default:
			found, err = scenarios.Load(name)
			err = harness.Mistaken(err)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// named returns the built-in scenario of a name.
func named(name string, builtin func() ([]scenarios.Scenario, error)) ([]scenarios.Scenario, error) {
	list, err := builtin()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(s scenarios.Scenario) bool { return s.ID == name })
	if i < 0 {
		return nil, harness.Mistakef("%s: there is no such file, and no built-in scenario of that name%s (see "+
			"replanbench list scenarios)", name, meant(name, list))
	}
	return list[i : i+1], nil
}

// meant names the scenario that was probably meant.
func meant(name string, builtin []scenarios.Scenario) string {
	var ids []string
	for _, s := range builtin {
		if strings.HasPrefix(s.ID, name) {
			return fmt.Sprintf("; did you mean %q?", s.ID)
		}
		ids = append(ids, s.ID)
	}
	return harness.DidYouMean(name, ids)
}

// Result is what one replay showed, as JSON.
type Result struct {
	ID          string           `json:"id"`
	Judge       harness.Level    `json:"judge"`
	Wider       int              `json:"wider,omitzero"` // violations that the next level would add
	Profile     harness.Profile  `json:"profile"`
	Outcome     harness.Outcome  `json:"outcome"`
	Failure     *harness.Failure `json:"failure,omitzero"`
	Breaks      []judge.Break    `json:"breaks"`
	Differences []outcome.Path   `json:"differences"`
}

// Results are the replays of scenarios at a level, as JSON.
func Results(replayed []reports.Replayed, level harness.Level) []Result {
	results := []Result{}
	for _, x := range replayed {
		s := x.Scenario
		results = append(results, Result{
			ID: s.ID, Judge: level, Wider: x.Wider, Profile: x.Profile, Outcome: x.Outcome, Failure: x.Failure,
			Breaks: x.Breaks, Differences: s.Match(x.Outcome),
		})
	}
	return results
}
