package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/finding"
	"replanbench/harness/judge"
	"replanbench/reports"
	"replanbench/reports/explain"
	"replanbench/scenarios"
)

func newReplay(e env) *cobra.Command {
	var out output
	var engine engineFlags
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Run a scenario or a finding again, step by step",
		Long: `Run scenarios again and tell of each, step by step: the replies, what was read
of them, the plan before and after, the verdict, which invariants broke, and
whether all is as wanted.
A name of a built-in scenario will do as well (replanbench list scenarios).

Exit code 1 if something is not as wanted.`,
		Example: `  replanbench replay planpatch/documented/pending_step_removed
  replanbench replay my/scenarios/conflict.txtar --profile documented`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := engine.split(cmd, args)
			if len(names) == 0 {
				return usagef("an argument is missing: a scenario file, or the name of a built-in scenario (see replanbench replay -h)")
			}
			list, err := findScenarios(names)
			if err != nil {
				return err
			}
			return replay(cmd.Context(), e, engine, out, list)
		},
	}
	engine.add(cmd)
	out.add(cmd, "table", "markdown", "json")
	return cmd
}

// findScenarios loads files, or built-in scenarios by their names.
func findScenarios(names []string) ([]scenarios.Scenario, error) {
	builtin, err := scenarios.Builtin()
	if err != nil {
		return nil, err
	}
	var list []scenarios.Scenario
	for _, name := range names {
		if filepath.Base(name) == finding.JSONFile {
			name = filepath.Join(filepath.Dir(name), finding.ReproFile) // the case of that finding
		}
		i := slices.IndexFunc(builtin, func(s scenarios.Scenario) bool { return s.ID == name })
		if _, err := os.Stat(name); i >= 0 && errors.Is(err, fs.ErrNotExist) {
			list = append(list, builtin[i])
			continue
		}
		loaded, err := scenarios.Load(name)
		if err != nil {
			return nil, usageError(err)
		}
		list = append(list, loaded...)
	}
	return list, nil
}

// replayed is the result of one replay as JSON.
type replayed struct {
	ID          string               `json:"id"`
	Profile     harness.Profile      `json:"profile"`
	Outcome     harness.Outcome      `json:"outcome"`
	Failure     *failed              `json:"failure,omitzero"`
	Breaks      []judge.Break        `json:"breaks"`
	Differences []reports.Difference `json:"differences"`
}

// failed is what an engine did in place of giving an outcome.
type failed struct {
	Kind   harness.Status `json:"kind"`
	Detail string         `json:"detail"`
	Stderr string         `json:"stderr,omitzero"`
}

func replay(ctx context.Context, e env, flags engineFlags, out output, list []scenarios.Scenario) error {
	ctx = engine.Free(ctx) // a crash that is looked at again is no reason to give the engine up
	engine, err := flags.open(ctx, e)
	if err != nil {
		return err
	}
	defer engine.Close()
	judges, done, err := flags.judges(ctx, engine)
	if err != nil {
		return err
	}
	defer done()
	subjects := make([]explain.Subject, len(list))
	wrong := false
	for i, s := range list {
		subjects[i], err = evaluate(ctx, engine, s.Case)
		if !errors.As(err, &subjects[i].Failure) && err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		judged, err := judges(s.Case.Dialect).Judge(ctx, judge.Item{Case: s.Case})
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		subjects[i].Judged, subjects[i].Breaks = true, judged.Breaks
		subjects[i].PlanName = "plan.json"
		for j := range s.Case.Replies {
			subjects[i].ReplyNames = append(subjects[i].ReplyNames, fmt.Sprintf("reply.%d", j+1))
		}
		wrong = wrong || len(judged.Breaks) > 0 || len(s.Match(subjects[i].Outcome)) > 0
	}
	err = out.write(e, func(w io.Writer) error { return writeReplays(w, e, out, list, subjects) })
	if err == nil && wrong {
		return gateFailed()
	}
	return err
}

// replayOf is a replay as JSON.
func replayOf(s scenarios.Scenario, told explain.Subject) replayed {
	r := replayed{
		ID: s.ID, Profile: told.Profile, Outcome: told.Outcome,
		Breaks: append([]judge.Break{}, told.Breaks...), Differences: reports.Differences(s.Match(told.Outcome)),
	}
	if f := told.Failure; f != nil {
		r.Failure = &failed{f.Kind, f.Detail, f.Stderr}
	}
	return r
}

func writeReplays(w io.Writer, e env, out output, list []scenarios.Scenario, subjects []explain.Subject) error {
	if out.format == "json" {
		docs := []replayed{}
		for i, s := range list {
			docs = append(docs, replayOf(s, subjects[i]))
		}
		return reports.WriteJSON(w, docs)
	}
	for i, s := range list {
		story := reports.Replay(s, subjects[i])
		if i > 0 {
			fmt.Fprint(w, "\n"+strings.Repeat("─", 80)+"\n\n")
		}
		var err error
		if out.format == "markdown" {
			err = story.Markdown(w)
		} else {
			err = story.Terminal(w, out.colour(e))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
