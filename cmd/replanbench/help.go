package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/style"
)

// newHelp returns the command help, which shows commands, topics and dialects. If a topic or a
// dialect has the name of a command, it shows both: the page, then the command.
func newHelp(e env) *cobra.Command {
	help := &cobra.Command{
		Use:               "help [TOPIC | DIALECT | COMMAND...]",
		Short:             "Show help on a topic, dialect or command",
		ValidArgsFunction: completePages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if text, ok := pageOf(args[0]); ok {
					_, err := io.WriteString(e.stdout, topics.Plain(text, e.columns(), style.Palette(e.colour())))
					asked, missing := find(cmd.Root(), args)
					if err != nil || missing != nil {
						return err
					}
					fmt.Fprintf(e.stdout, "\nThe command replanbench %s\n\n", args[0])
					return asked.Help()
				}
			}
			asked, err := find(cmd.Root(), args)
			if err != nil && len(args) == 1 {
				known, _ := completePages(cmd, nil, "")
				return usagef("unknown topic or command %q%s (see replanbench help)", args[0], harness.DidYouMean(args[0], known))
			}
			if err != nil {
				return err
			}
			return asked.Help()
		},
	}
	describe(help)
	return help
}

// completePages completes the name of a topic, a dialect or a command.
func completePages(cmd *cobra.Command, args []string, _ string) (names []string, alone cobra.ShellCompDirective) {
	if len(args) == 0 {
		names = append(pageNames(), commandNames(cmd.Root())...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// pageNames lists the topics and the dialects.
func pageNames() []string { return append(topics.Names(), all.Names()...) }

// pageOf returns the page of a topic or a dialect, and whether there is one of that
// name.
func pageOf(name string) (markdown string, ok bool) {
	if text, ok := topics.Markdown(name); ok {
		return text, true
	}
	d := all.Find(name)
	if d == nil {
		return "", false
	}
	return dialectPage(d), true
}

// dialectPage is the page of a dialect, with the commands that show more.
func dialectPage(d *dialect.Dialect) string {
	of := " --dialect " + d.Name
	more := []harness.Term{
		{Name: "replanbench list codes" + of, Text: "the codes of rejections"},
		{Name: "replanbench list capabilities" + of, Text: "features that an engine may lack"},
		{
			Name: "replanbench list scenarios" + of,
			Text: "the built-in scenarios; `replanbench replay NAME` shows one",
		},
		{Name: "replanbench schema case", Text: "all members of a case; of an outcome: `replanbench schema outcome`"},
		{Name: "replanbench init --adapter python --dialect " + d.Name, Text: "an adapter for your engine"},
		{Name: "go doc replanbench/harness/dialect/" + d.Name + "/rules", Text: "the complete rules"},
		{Name: "replanbench help dialects", Text: "all dialects"},
	}
	if len(d.Vocabulary.Settings()) > 0 {
		more = slices.Insert(more, 0, harness.Term{Name: "replanbench list knobs" + of, Text: "the rules that a profile can set"},
			harness.Term{Name: "replanbench help profiles", Text: "how a reply is read, and the profiles"})
	}
	for _, s := range d.Schemas {
		more = append(more, harness.Term{Name: "replanbench schema " + s.Name, Text: s.Text})
	}
	var text strings.Builder
	text.WriteString(cmp.Or(d.Help, "# The dialect "+d.Name+": "+d.Text+"\n") + "\n## More\n\n")
	for _, m := range more {
		text.WriteString("- `" + m.Name + "`: " + m.Text + "\n")
	}
	return text.String()
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

//go:embed help.txtar
var helpTexts []byte

// descriptions are the sections of the help by the names of commands. They are read once.
var descriptions = sync.OnceValue(func() map[string]string {
	sections := map[string]string{}
	for _, f := range txtar.Parse(helpTexts).Files {
		sections[f.Name] = "\n" + string(f.Data)
	}
	return sections
})

// describe gives a command and all below it their descriptions and examples.
func describe(cmd *cobra.Command) {
	if text, ok := descriptions()[strings.TrimPrefix(cmd.CommandPath(), "replanbench ")]; ok {
		long, examples, _ := strings.Cut(text, "\nExamples:\n")
		if long = strings.Trim(long, "\n"); long != "" {
			cmd.Long = strings.ReplaceAll(long, "{names}", cmd.Long)
		}
		cmd.Example = strings.TrimRight(examples, "\n")
	}
	for _, c := range cmd.Commands() {
		describe(c)
	}
}

// addTopics lets a command point to the topics that explain more of it.
func addTopics(cmd *cobra.Command, names string) {
	more := strings.Fields(names)
	for i := range more {
		more[i] = "replanbench help " + more[i]
	}
	if len(more) > 0 {
		point(cmd, "\n\nMore: "+strings.Join(more, ", "))
	}
}

// point puts a line behind the description of a command and of all below it.
func point(cmd *cobra.Command, line string) {
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	cmd.Long += line
	for _, c := range cmd.Commands() {
		point(c, line)
	}
}
