package main

import (
	"fmt"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/live"
	"replanbench/scenarios"
)

// caseFlags say about which plans models are asked.
type caseFlags struct {
	sources []string
	seed    uint64
	limit   int
}

const (
	scenarioCases  = "scenarios"
	generatedCases = "generated:"
)

// generatedSteps bounds generated plans, in steps: as large as those of agents.
const generatedSteps = 12

// load reads the cases of all sources.
func (f *caseFlags) load(e env, d *dialect.Dialect) ([]live.Case, error) {
	var list []live.Case
	seen := map[string]string{}
	for _, source := range f.sources {
		more, err := f.source(e, d, source)
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			if before, ok := seen[c.ID]; ok {
				return nil, usagef("--cases: duplicate id %q, in %s and in %s (ids must be unique)", c.ID, before, source)
			}
			seen[c.ID] = source
		}
		list = append(list, more...)
	}
	if f.limit > 0 && f.limit < len(list) {
		list = list[:f.limit]
	}
	return list, nil
}

func (f *caseFlags) source(e env, d *dialect.Dialect, source string) ([]live.Case, error) {
	if source == scenarioCases {
		builtin, err := scenarios.Builtin()
		return scenarioPlans(d, builtin), err
	}
	if count, ok := strings.CutPrefix(source, generatedCases); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > 1_000_000 {
			return nil, usagef("--cases %s: write generated:N with N from 1 to 1000000", source)
		}
		return generatedPlans(d, f.seed, n)
	}
	data, err := readInput(e, source)
	if err != nil {
		return nil, err
	}
	list, err := live.ReadCases(d, inputName(source), data)
	return list, usageError(err)
}

// scenarioPlans takes the sound plans of the scenarios, each with its limits
// once.
func scenarioPlans(d *dialect.Dialect, builtin []scenarios.Scenario) []live.Case {
	var list []live.Case
	seen := map[string]bool{}
	for _, s := range builtin {
		if s.Case.Dialect != d.Name {
			continue
		}
		c, err := live.NewCase(d, live.CaseSpec{ID: s.ID, Plan: s.Case.Plan.Clone(), Limits: s.Case.Limits})
		if err != nil || seen[c.Hash()] {
			continue // many scenarios are about unsound plans or limits
		}
		seen[c.Hash()] = true
		list = append(list, c)
	}
	return list
}

func generatedPlans(d *dialect.Dialect, seed uint64, n int) ([]live.Case, error) {
	rules := harness.Reference()
	source, err := d.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: generatedSteps})
	if err != nil {
		return nil, err
	}
	var list []live.Case
	for i := range n {
		s := source.At(seed, uint64(i))
		c, err := live.NewCase(d, live.CaseSpec{ID: fmt.Sprintf("generated-%d-%d", seed, i), Plan: s.Case.Plan, Limits: s.Case.Limits})
		if err != nil {
			return nil, fmt.Errorf("generated case %d: %w", i, err)
		}
		list = append(list, c)
	}
	return list, nil
}
