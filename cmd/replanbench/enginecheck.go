package main

import (
	"context"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/conformance"
	"replanbench/reports/screen"
)

func newEngineCheck(e env) *cobra.Command {
	var f struct {
		Use     string         `name:"engine" default:"reference" list:"${engines}" group:"Flags of the engine" arg:"ENGINE" help:"an ENGINE by exec:CMD ARGS or http://HOST/PATH, instead of -- CMD"`
		Level   levelFlag      `embed:"" group:"Flags of the engine"`
		Bounds  engine.Options `embed:"" group:"Flags of the engine"`
		Verbose bool           `help:"print every check above the final screen"`
	}
	return command(e, &cobra.Command{
		Use:   "check [flags] -- COMMAND",
		Short: "Check that an engine speaks the protocol",
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := engineFlags{byname.Engine{Use: f.Use, Judge: f.Level.Judge, Bounds: f.Bounds}}
			if err := only(cmd, args, &flags.Command, commandAfter); err != nil {
				return err
			}
			return engineCheck(cmd.Context(), e, flags, f.Verbose)
		},
	}, &f)
}

func engineCheck(ctx context.Context, e env, flags engineFlags, verbose bool) error {
	tested, err := flags.open(ctx, e)
	if err != nil {
		return err
	}
	defer tested.Close()
	outside, ok := tested.(conformance.Engine)
	if !ok {
		words := "-- CMD ARGS"
		if c, err := readConfig(e, ""); err == nil && len(c.Engine.Command) > 0 {
			words = "replanbench engine check -- " + escape.Shell(c.Engine.Command...)
		}
		return usagef("there is nothing to check: name an engine outside this process (%s)", words)
	}
	var notes []conformance.Note
	well, err := conformance.Run(ctx, outside, flags.Level(), func(n conformance.Note) {
		if notes = append(notes, n); verbose {
			tellNote(e.stdout, n)
		}
	})
	if err != nil {
		return err
	}
	hello, err := byname.Introduction(ctx, tested)
	if err != nil {
		return err
	}
	s := checkScreen(hello.Name+" "+hello.Version, notes)
	if verbose {
		s.Lists = nil
		fmt.Fprintln(e.stdout)
	} else {
		s.Next = append(s.Next, screen.Step{Why: "Everything", Command: "--verbose"})
	}
	next := "replanbench fuzz --cases 2000 -- "
	if other := otherDialects(hello, all.Names()[0]); len(other) > 1 { // fuzz finds a single one
		next = "replanbench fuzz --dialect " + other[0] + " --cases 2000 -- "
	}
	if well && len(flags.Command) > 0 {
		s.Next = append([]screen.Step{{
			Why: "Find its bugs", Command: next + escape.Shell(flags.Command...),
		}}, s.Next...)
	}
	err = s.Write(e.stdout, style.Palette(e.colour()), e.columns())
	if err == nil && !well {
		return gateFailed()
	}
	return err
}

// checkScreen answers whether an engine is connected: what to fix, and what to look at.
func checkScreen(engine string, notes []conformance.Note) (s screen.Screen) {
	lacks := screen.List{Title: "Perhaps missing in the declaration"}
	fix, look := screen.List{Title: "Fix before a campaign"}, screen.List{Title: "Valid, but not what its rules require"}
	failed, looks, lines := 0, 0, 0
	for _, n := range notes {
		switch {
		case !n.OK:
			failed++
		case n.Doubt:
			looks++
		default:
			continue
		}
		lines += 1 + len(n.Hints)
	}
	roomy, shown := lines < screen.Lines/2, notes
	if !roomy {
		shown = conformance.Merge(notes)
	}
	for _, n := range shown {
		to, item := &look, screen.Item{Kind: "look", Tone: style.Doubtful, Text: n.Text}
		switch {
		case !n.OK:
			to, item.Kind, item.Tone = &fix, "FAIL", style.Bad
		case n.Lacks:
			to = &lacks
		case n.Doubt:
		default:
			continue
		}
		to.Items = append(to.Items, item)
		for i, h := range n.Hints {
			if !n.OK || roomy || i == 0 {
				to.Items = append(to.Items, screen.Item{Text: "hint: " + h})
			}
		}
	}
	s.Head, s.Tone = fmt.Sprintf("PASS: %s: ", engine), style.Good
	if failed > 0 {
		s.Head, s.Tone = fmt.Sprintf("FAIL: %s: ", engine), style.Bad
	}
	s.Head += english.Plural(len(notes), "check", "") + fmt.Sprintf(": %d ok", len(notes)-failed-looks)
	for _, l := range []screen.List{fix, lacks, look} {
		if len(l.Items) > 0 {
			s.Lists = append(s.Lists, l)
		}
	}
	if looks > 0 {
		s.Head += fmt.Sprintf(", %d to look at", looks)
	}
	if failed > 0 {
		s.Head += fmt.Sprintf(", %d failed", failed)
	}
	if last := notes[len(notes)-1]; last.Wider {
		s.Notes = []string{last.Text}
	}
	return s
}

// tellNote writes a note of the check, with its hints below it.
func tellNote(w io.Writer, n conformance.Note) {
	word := "ok    "
	switch {
	case !n.OK:
		word = "FAIL  "
	case n.Doubt:
		word = "look  "
	}
	fmt.Fprintln(w, word+escape.Terminal(n.Text))
	for _, h := range n.Hints {
		fmt.Fprintln(w, "      hint: "+escape.Terminal(h))
	}
	if n.Case != "" {
		fmt.Fprintln(w, "      case: "+escape.Terminal(n.Case))
	}
	if len(n.Stderr) > 0 {
		fmt.Fprintln(w, "      its standard error ends with:")
	}
	for _, line := range n.Stderr {
		fmt.Fprintln(w, "        "+escape.Terminal(line))
	}
}
