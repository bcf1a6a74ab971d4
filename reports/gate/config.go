package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/history"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
)

// EngineOf returns the engine of a configuration.
func EngineOf(c *config.Config) (byname.Engine, error) {
	e := c.Engine
	e.Judge = c.Judge
	if len(e.Command) > 0 {
		e.Use = byname.Reference
	} else {
		e.Command = nil
	}
	e.Bounds.Deadline, e.Bounds.MaxRestarts, e.Bounds.Processes = c.Limits.Timeout, c.Limits.Restarts, c.Limits.Processes
	if err := e.Bounds.Memory.Set(c.Limits.Memory); err != nil {
		return e, harness.Mistaken(c.Errorf("limits.memory", "%w", err))
	}
	return e, nil
}

// Sensible lists the mistakes in a configuration before anything runs.
func Sensible(c *config.Config) (errs []error) {
	check := func(key string, err error) {
		if err != nil {
			errs = append(errs, c.Errorf(key, "%w", err))
		}
	}
	each := func(key string, list []string, of func(string) error) {
		for i, s := range list {
			check(item(key, i), of(s))
		}
	}
	p := harness.Reference()
	each("engine.profile", c.Engine.Profile, func(s string) error { return p.Apply(s, all.Words().Own...) })
	if c.Engine.Codes != "" {
		check("engine.codes", OneOf(c.Engine.Codes, []string{harness.ExactCodes, harness.AnyCodes}))
	}
	check("judge", OneOf(c.Judge, harness.Names(harness.Levels())))
	if c.Engine.Arguments != "" {
		check("engine.arguments", OneOf(c.Engine.Arguments, []string{harness.TextArguments, harness.ParsedArguments}))
	}
	said := func(key string, list []string, of func(dialect string) []string) {
		for i, name := range list {
			if name != byname.None || len(list) > 1 {
				check(item(key, i), byname.Known(name, of))
			}
		}
	}
	said("engine.without", c.Engine.Without, byname.Capabilities)
	said("engine.gives", c.Engine.Gives, byname.Members)
	each("dialects", c.Dialects, func(name string) error { return OneOf(name, all.Names()) })
	check("limits.memory", new(engine.Bytes).Set(c.Limits.Memory))
	check("budget.tokenizer", OneOf(c.Budget.Tokenizer, harness.Names(tokens.Tokenizers())))
	each("suites.fuzz.traits", c.Suites.Fuzz.Traits, func(name string) error { return OneOf(name, TraitNames()) })
	each("suites.corpora.by", c.Suites.Corpora.By, score.CheckKey)
	each("suites.corpora.columns", c.Suites.Corpora.Columns, func(name string) error {
		_, err := score.ParseColumns([]string{name})
		return err
	})
	if len(c.Suites.Corpora.Ladder) > 0 {
		check("suites.corpora.ladder", p.Set("ladder", strings.Join(c.Suites.Corpora.Ladder, ",")))
	}
	for i, o := range c.Outputs {
		check(item("outputs", i)+".format", OneOf(o.Format, reports.Formats()))
		if o.File == "" {
			check(item("outputs", i), errors.New("the key file is missing (name the file to write)"))
		}
	}
	errs = append(errs, sensibleScores(c)...)
	each("suites.trim.policies", c.Suites.Trim.Policies, func(text string) error {
		_, err := history.ParsePolicy(text)
		return err
	})
	return errs
}

// sensibleScores looks at what the scores must keep.
func sensibleScores(c *config.Config) (errs []error) {
	for i, s := range c.Thresholds {
		if _, err := score.ParseThreshold(s); err != nil {
			errs = append(errs, c.Errorf(item("thresholds", i), "%w", err))
		}
	}
	if c.Repeat != "" {
		if _, err := score.ParseRepeat(c.Repeat); err != nil {
			errs = append(errs, c.Errorf("repeat", "%w", err))
		}
	}
	s := c.Suites.Corpora
	if s.Run && (s.Builtin || len(s.Files) > 0) {
		return errs
	}
	const noScores = "no corpus is scored, so there is nothing to compare with it (set suites.corpora.run and name " +
		"corpora)"
	if len(c.Thresholds) > 0 {
		errs = append(errs, c.Errorf("thresholds", noScores))
	}
	if c.Baseline != "" {
		errs = append(errs, c.Errorf("baseline", noScores))
	}
	return errs
}

// OneOf rejects any other name.
func OneOf(got string, names []string) error {
	if slices.Contains(names, got) {
		return nil
	}
	if near := harness.DidYouMean(got, names); near != "" {
		return fmt.Errorf("unknown name %q%s", got, near)
	}
	return fmt.Errorf("unknown name %q (choose one of %s)", got, strings.Join(names, ", "))
}

// TraitNames lists the traits of all dialects.
func TraitNames() []string {
	var list []string
	for _, d := range all.Dialects() {
		for _, f := range d.Traits {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
