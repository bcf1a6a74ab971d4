package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagsMeanOneThing: a flag that several commands have means the same in all of
// them, and those that make a report have all the flags of a report.
func TestFlagsMeanOneThing(t *testing.T) {
	says := map[string]string{
		"format": "how to write the result: ", "report": "also write the report in this format to a file; may be given " +
			"several times",
		"quiet": "show no progress", "out": " to this `FILE` instead of standard output",
		"dir": "`DIR`, which is created if missing",
	}
	var reporting []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if want := says[f.Name]; !strings.Contains(f.Usage, want) {
				t.Errorf("%s --%s: %q says nothing of %q", c.CommandPath(), f.Name, f.Usage, want)
			}
			if what, _ := pflag.UnquoteUsage(f); what == "DIRECTORY" {
				t.Errorf("%s --%s takes a DIRECTORY, others a DIR", c.CommandPath(), f.Name)
			}
		})
		if c.Flags().Lookup("report") != nil {
			reporting = append(reporting, c.Name())
			for name := range says {
				if name != "dir" && c.Flags().Lookup(name) == nil {
					t.Errorf("%s has no --%s", c.CommandPath(), name)
				}
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(processEnv()))
	slices.Sort(reporting)
	if want := "agent calibrate check compare fuzz live mcp protocols report run score trim"; strings.Join(reporting,
		" ") != want {
		t.Errorf("the commands with a report are %s, want %s", reporting, want)
	}
}

// TestShortHelp: the help of a command has at most 25 flags, and --help-all shows them all.
func TestShortHelp(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var shown, all int
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				all++
			}
			if !f.Hidden && !isRare(f) {
				shown++
			}
		})
		args := strings.Fields(c.CommandPath())[1:]
		for flag, want := range map[string]int{"-h": shown, "--help-all": all} {
			_, out, _ := call(t.Context(), append(args, flag)...)
			_, out, _ = strings.Cut(out, "\nFlags:")
			if n := len(regexp.MustCompile(`(?m)^ +(-h, )?--\w`).FindAllString(out, -1)); n != want || flag == "-h" && n > 25 {
				t.Errorf("%s %s: %d flags, want %d", c.CommandPath(), flag, n, want)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	for _, c := range newRoot(processEnv()).Commands() {
		if c.Name() != "completion" && c.Name() != "help" {
			visit(c)
		}
	}
}
