package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// compareFlags choose the inputs and the size of a difference that counts.
type compareFlags struct {
	recorded
	choice.Scoring
	Alpha    float64  `default:"0.05" rare:"" help:"the probability of a false alarm, over all tests"`
	Detect   float64  `default:"0.05" arg:"DIFFERENCE" help:"the smallest DIFFERENCE of a rate that matters, from 0 to 1 (5 points are 0.05)"`
	Metrics  []string `default:"${questions}" shown:"the most important ones" list:"${metrics}" arg:"METRICS" help:"compare these METRICS (see replanbench list metrics)"`
	NewWhere []string `sep:"none" arg:"KEY=VALUE" help:"filter for NEW, instead of --where: KEY=VALUE; may be given several times"`
	choice.SampleRule
	Out reportOutput `embed:""`
}

func newCompare(e env) *cobra.Command {
	var f compareFlags
	return command(e, &cobra.Command{
		Use:   "compare BASE NEW",
		Short: "Compare two corpora or reports, case by case, and show which changes are real",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), e, args, cmd.Flags().Changed)
		},
	}, &f)
}

func (f *compareFlags) run(ctx context.Context, e env, sources []string, given func(flag string) bool) error {
	switch {
	case f.Alpha <= 0 || f.Alpha >= 1:
		return usagef("--alpha %v: give a probability between 0 and 1", f.Alpha)
	case f.Detect <= 0 || f.Detect >= 1:
		return usagef("--detect %v: give a share between 0 and 1 (%[1]v points are %v)", f.Detect, f.Detect/100)
	}
	options := score.CompareOptions{Alpha: f.Alpha, Detect: f.Detect}
	if given("metrics") { // else tokens are informational
		options.Metrics = f.Metrics
	}
	var err error
	if options.Repeat, err = f.Rule(); err != nil {
		return err
	}
	sides, read := []*score.Result{nil, nil}, []*score.Side{nil, nil}
	for i, name := range sources {
		if isReport(name) {
			if sides[i], err = e.readScore(name); err != nil {
				return err
			}
			if !given("by") {
				f.By = sides[i].By
			}
		}
	}
	command := escape.Shell(f.line(append([]string{"compare"}, sources...))...)
	g := ofReference(command) // its clock starts
	for i, name := range sources {
		if sides[i] != nil {
			continue
		}
		side, done, err := f.side(e, name, i == 1)
		if err != nil {
			return err
		}
		defer done()
		section, err := gate.Scoring{Options: side.Options}.Section(ctx, side.Sources)
		if err != nil {
			return err
		}
		sides[i], read[i] = &section.Result, &side
	}
	c, err := score.Compare(sides[0], sides[1], options)
	if err != nil {
		return usageError(err)
	}
	if sources[0] == sources[1] && (f.NewWhere == nil || slices.Equal(f.NewWhere, f.Where)) {
		return usagef("both sides are the same replies of %s (name a part of them with --where and another with --new-where)",
			sources[0])
	}
	if len(c.Rows) == 0 {
		return usagef("nothing to compare: %s", unlike(c))
	}
	section := reports.Comparison{Comparison: *c}
	section.Base, section.New = f.names(sources)
	if read[0] != nil && read[1] != nil && !slices.Contains(sources, "-") {
		if section.Changes, err = score.Changes(ctx, c, *read[0], *read[1]); err != nil {
			return err
		}
	}
	g.Report.AddComparison(section, "replanbench "+command)
	return finish(e, g, f.Out)
}

// names calls the two sides by what differs between them: the values of filters, and the
// parts of the names of the inputs.
func (f *compareFlags) names(sources []string) (base, now string) {
	names := [2][]string{}
	if sources[0] != sources[1] {
		one, two := apartNames(sources[0], sources[1])
		names[0], names[1] = append(names[0], one), append(names[1], two)
	}
	first := map[string]string{}
	for _, w := range f.Where {
		key, value, _ := strings.Cut(w, "=")
		first[key] = value
	}
	for _, w := range f.NewWhere {
		if key, value, _ := strings.Cut(w, "="); first[key] != value {
			names[0], names[1] = append(names[0], cmp.Or(first[key], "any "+key)), append(names[1], value)
		}
	}
	if names[0] == nil {
		return sources[0], sources[1]
	}
	return strings.Join(names[0], ", "), strings.Join(names[1], ", ")
}

// apartNames removes the folders that two paths share at their beginning or at their end.
func apartNames(a, b string) (string, string) {
	x, y := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return strings.Join(x, "/"), strings.Join(y, "/")
}

// unlike says why two sides have nothing in common.
func unlike(c *score.Comparison) string {
	groups := collect.Map(c.Unmatched, func(key []string) string { return strings.Join(key, ", ") })
	if len(groups) == 0 {
		return "the two sides have no case in common (a case is identified by its member case, or by plan and limits)"
	}
	return "the two sides have no group in common (only one side has: " + strings.Join(groups, "; ") +
		"); leave out --by, or compare the corpora with --where and --new-where"
}

// isReport distinguishes a report from a corpus by its name: a corpus is JSON Lines.
func isReport(name string) bool { return filepath.Ext(strings.ToLower(name)) == ".json" }

// side is one of two corpora, and how it is scored.
func (f *compareFlags) side(e env, name string, now bool) (s score.Side, done func(), err error) {
	flags := f.Scoring
	if now {
		flags.Where = slices.DeleteFunc(slices.Clone(flags.Where), func(w string) bool {
			key, _, _ := strings.Cut(w, "=")
			return slices.ContainsFunc(f.NewWhere, func(now string) bool { return strings.HasPrefix(now, key+"=") })
		})
		flags.Where = append(flags.Where, f.NewWhere...)
	}
	if s.Options, err = flags.Options(e.in()); err != nil {
		return s, nil, err
	}
	s.Options.EveryCase = true
	s.Sources, done, err = corpora.Open([]string{name}, e.stdin)
	return s, done, err
}
