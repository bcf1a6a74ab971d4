package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/engine/adapters"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/calibrate"
	"replanbench/harness/live"
	"replanbench/harness/live/ask"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
)

// addCompletion adds the command that prints completions for shells. Its examples and
// errors look like other commands' examples and errors.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		family(cmd)
		cmd.Use = "completion SHELL"
		cmd.Short = "Print completions for a shell"
		describe(cmd)
		for _, shell := range cmd.Commands() {
			shell.Args = noArgs
			shell.Example = "  replanbench completion " + shell.Name()
		}
	}
}

// values returns the values that replace ${NAME} in the tags of flags.
func values(name string) []string {
	of := map[string]func() []string{
		"adapters":            adapterNames,
		"agents":              func() []string { return agentProfiles().names() },
		"asked-dialects":      ask.Dialects,
		"calibrated-dialects": calibrate.Dialects,
		"clusters":            clusterNames,
		"dialects":            all.Names,
		"engines":             engineNames,
		"examples":            examples,
		"first-dialect":       func() []string { return all.Names()[:1] },
		"formats":             reports.Formats,
		"profiles":            func() []string { return append(harness.Names(harness.Profiles()), policyValues()...) },
		"questions":           score.Questions,
		"report-forms": func() []string {
			return collect.Map(reports.Formats(), func(f string) string { return f + "=" })
		},
		"scored-dialects": scoredDialects,
		"maps":            func() []string { return toolMaps("").names() },
		"servers":         func() []string { return serverProfiles().names() },
		"sources":         func() []string { return []string{corpora.Recorded, corpora.Synthetic, corpora.Documented} },
		"tokenizers":      func() []string { return harness.Names(tokens.Tokenizers()) },
		"apis":            func() []string { return []string{string(live.Chat), string(live.Responses)} },
	}[name]
	if of == nil {
		return nil
	}
	return of()
}

// completed prefixes each name with the part of a list before its last comma.
func completed(names []string, begun string) (list []string) {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	for _, n := range names {
		if strings.HasPrefix(before+n, begun) {
			list = append(list, before+n)
		}
	}
	return list
}

// listed are the names that replanbench list has, for the dialect asked for.
func listed(what string) func(*cobra.Command) []string {
	return func(cmd *cobra.Command) []string {
		i := slices.IndexFunc(listings(), func(l listing) bool { return l.name == what })
		if i < 0 {
			return nil
		}
		l := listings()[i]
		var names []string
		for _, d := range all.Dialects() {
			if f := cmd.Flags().Lookup("dialect"); l.of != nil && (f == nil || !f.Changed || f.Value.String() == d.Name) {
				names = append(names, harness.Names(l.of(d))...)
			}
		}
		if l.of == nil {
			names = harness.Names(l.all())
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
}

// engineNames are the engines that are built in.
func engineNames() []string {
	names := []string{byname.Reference}
	for _, d := range all.Dialects() {
		for _, t := range defectsOf(d) {
			names = append(names, "defect:"+t.Name)
		}
	}
	return append(names, "exec:", "http://")
}

func adapterNames() []string {
	return collect.Map(adapters.All(), func(a adapters.Adapter) string { return a.Language })
}

// policyValues are the knobs of profiles with their values.
func policyValues() (list []string) {
	for _, k := range harness.Knobs(all.Words().Own...) {
		for _, v := range k.Values {
			list = append(list, k.Name+"="+v)
		}
	}
	return list
}
