package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/hunt/infer"
	"replanbench/reports"
	"replanbench/reports/screen"
)

// inferFlags say what infer looks at.
type inferFlags struct {
	Dialect  []string `list:"${dialects}" arg:"DIALECTS" help:"probe only these DIALECTS (a,b; default all that the engine declares)"`
	seedFlag `set:"seeded=probes"`
	Write    bool `help:"write what was found into replanbench.yaml"`
	Quiet    bool `line:"no" rare:"" help:"show no progress"`
	engineFlags
	Out screenOutput `embed:"" set:"forms=table,json"`
}

func newEngineInfer(e env) *cobra.Command {
	var f inferFlags
	return command(e, &cobra.Command{
		Use:   "infer [flags] -- COMMAND",
		Short: "Infer the rules that an engine follows",
		RunE:  alone(e, &f.Command, commandAfter, f.run),
	}, &f)
}

func (f *inferFlags) run(ctx context.Context, e env) error {
	campaignHeap().use(e)
	engine, hello, err := f.meet(ctx, e)
	if err != nil {
		return err
	}
	defer engine.Close()
	for _, d := range f.Dialect {
		if _, ok := hello.Dialects[d]; !ok {
			return usagef("--dialect %s: the engine declares %s", d, strings.Join(slices.Sorted(maps.Keys(hello.Dialects)),
				", "))
		}
	}
	results, p := []infer.Result{}, newProgress(e, f.Quiet)
	defer p.end()
	for _, d := range all.Dialects() {
		if _, ok := hello.Dialects[d.Name]; !ok || f.Dialect != nil && !slices.Contains(f.Dialect, d.Name) {
			continue
		}
		r, err := infer.Run(ctx, engine, hello, d, infer.Options{
			Seed: f.Seed, Deadline: f.Bounds.Deadline,
			Asked: func(probes int) { p.show(fmt.Sprintf("%s: %s", d.Name, english.Plural(probes, "probe", ""))) },
		})
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	if f.Write {
		if err := writeConfig(results); err != nil {
			return err
		}
	}
	return f.Out.show(e, f.screen(hello.Name+" "+hello.Version, results), func(w io.Writer) error {
		if f.Out.Format == "json" {
			return reports.WriteJSON(w, results)
		}
		tellInferred(w, results)
		return nil
	})
}

// screen answers by which rules the engine works, and what to declare.
func (f *inferFlags) screen(engine string, results []infer.Result) screen.Screen {
	differ := screen.List{Title: "Differs from its declaration"}
	var unsure []string
	same, failed, asked := 0, 0, 0
	for _, r := range results {
		failed, asked = failed+r.Failed, asked+r.Asked
		of := ""
		if len(results) > 1 {
			of = r.Dialect + "/"
		}
		for _, k := range r.Knobs {
			switch {
			case k.Probes < infer.Enough || !k.Sure:
				unsure = append(unsure, of+k.Name)
			case k.Told():
				differ.Items = append(differ.Items, screen.Item{Kind: of + k.Name, Text: ofKnob(k)})
			default:
				same++
			}
		}
		for _, a := range r.Abilities {
			if a.Without {
				differ.Items = append(differ.Items, screen.Item{Kind: "without " + of + a.Name, Text: fmt.Sprintf(
					"%d of %d answers as the rules require%s", a.Answered, a.Probes, ignored(a))})
			}
		}
	}
	s := screen.Screen{Head: fmt.Sprintf("%s: %s from its declaration, %d as declared, %d unsure", engine,
		english.Plural(len(differ.Items), "difference", ""), same, len(unsure))}
	s.Notes.If(len(unsure) > 0, "Unsure: %s", strings.Join(unsure, ", "))
	s.Notes.If(failed > 0, "%d of %s without an answer (see replanbench engine check)", failed,
		english.Plural(asked, "probe", ""))
	s.Notes.If(f.Write, "Written to %[1]s, for check, and for fuzz and replay with --config %[1]s. For other commands, "+
		"declare it in the adapter (--verbose shows how).", config.FileName)
	if len(differ.Items) == 0 {
		return s
	}
	s.Lists = []screen.List{differ}
	if !f.Write && len(f.Command) > 0 {
		s.Next = []screen.Step{{Why: "Declare this in " + config.FileName, Command: "replanbench engine infer --write -- " + escape.Shell(f.Command...)}}
	}
	return s
}

// tellInferred writes what was found out, and what to declare.
func tellInferred(w io.Writer, results []infer.Result) {
	for _, r := range results {
		fmt.Fprintf(w, "%s: %d probes, %d of them answered as the rules below want it\n", r.Dialect, r.Asked, r.Explained)
		if r.Failed > 0 {
			fmt.Fprintf(w, "  to %d the engine gave no answer; see replanbench engine check\n", r.Failed)
		}
		for _, k := range r.Knobs {
			fmt.Fprintf(w, "  %-18s %s\n", k.Name, escape.Terminal(ofKnob(k)))
		}
		for _, a := range r.Abilities {
			if a.Without {
				fmt.Fprintf(w, "  seems to be without %s: %d of %d answered as the rules want it%s\n", a.Name, a.Answered, a.Probes,
					ignored(a))
			}
		}
	}
	fmt.Fprintf(w, "\nTo declare in the engine's hello, if this is what it means to do:\n  %s\n",
		infer.Declaration(results))
	fmt.Fprintf(w, "\nOr in %s (--write writes it there):\n", config.FileName)
	for line := range strings.Lines(string(config.Lines(infer.Settings(results)))) {
		fmt.Fprint(w, "  "+line)
	}
}

// ignored says how often a limit is ignored.
func ignored(a infer.Ability) string {
	if a.Ignored == 0 {
		return ""
	}
	return fmt.Sprintf(", %d as if there were no limit", a.Ignored)
}

// ofKnob says of a knob what its value seems to be.
func ofKnob(k infer.Knob) string {
	if k.Probes < infer.Enough {
		return fmt.Sprintf("unsure: only %d probes distinguish its values (declared: %s)", k.Probes, k.Declared)
	}
	best := k.Values[0]
	of := fmt.Sprintf("%d of %d", best.Explained, k.Probes)
	if k.Sure && 100*best.Explained < infer.Percent*k.Probes {
		of += ", and no other value explains one that distinguishes it from this one"
	}
	switch {
	case !k.Sure:
		all := collect.Map(k.Values, func(v infer.Value) string { return fmt.Sprintf("%s %d", v, v.Explained) })
		return fmt.Sprintf("unsure: of %d answers explained by %s (declared: %s)", k.Probes, strings.Join(all, ", "),
			k.Declared)
	case k.Told():
		return fmt.Sprintf("%s: %s (declares %s)", best, of, k.Declared)
	}
	return fmt.Sprintf("%s: %s, as declared", best, of)
}

// writeConfig puts the findings into the project's configuration.
func writeConfig(results []infer.Result) error {
	said, err := config.Rewrite(config.FileName, infer.Settings(results))
	if err != nil {
		return usageError(err)
	}
	return files.WriteData(config.FileName, said)
}
