package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan/toolmap"
	"replanbench/reports"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
)

func newCorpus(e env) *cobra.Command {
	return family(&cobra.Command{
		Use:   "corpus COMMAND",
		Short: "Import, validate and describe corpora of recorded replies",
	}, newCorpusImport(e), newCorpusValidate(e), newCorpusStats(e))
}

// importFlags say what the recordings themselves do not.
type importFlags struct {
	Plan       string   `arg:"FILE" help:"the plan of recordings that contain none, a JSON FILE"`
	MaxSteps   int      `help:"maximum number of steps of their plan (default no limit)"`
	Map        []string `sep:"none" arg:"FIELD=PATH" help:"the place of a field in the recording: FIELD=PATH; may be given several times"`
	Tool       string   `arg:"NAME" help:"use the arguments of the tool NAME as the edit (default: the first call of a reply without text)"`
	As         string   `list:"${maps}" arg:"PROFILE" help:"the PROFILE that maps the tools to calls: a built-in name, or a YAML file (default: all built-in ones of --dialect)"`
	Dialect    string   `enum:"${scored-dialects}" help:"what the replies edit"`
	Model      string   `arg:"NAME" help:"NAME of the model, if the recording has none"`
	Prompt     string   `arg:"NAME" help:"NAME of the prompt, such as replan@1"`
	Source     string   `enum:"${sources}" help:"what the replies are"`
	Tag        []string `sep:"none" arg:"TAG" help:"a TAG for every record, such as lang:en; may be given several times"`
	Strict     bool     `help:"exit with code 1 if anything was skipped: a line, a repeated call, a call of another plan tool, a file without calls"`
	Messages   bool     `help:"also store the prompts, so that score can measure them (the corpus may become much larger)"`
	Provenance string   `arg:"WORDS" help:"the source of the replies, in your own WORDS"`
	Out        outFile  `embed:"" set:"result=corpus|or=|extensions=.jsonl,.gz,.zst"`

	options corpora.Options
}

func newCorpusImport(e env) *cobra.Command {
	var f importFlags
	return command(e, &cobra.Command{
		Use:   "import FORMAT FILE...",
		Short: "Make a corpus from the recordings of another tool",
		Long:  strings.Join(corpora.Fields(), ", "),
		Args:  importable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.complete(e); err != nil {
				return err
			}
			if err := f.tools(e, args[0], cmd.Flags().Changed("dialect")); err != nil {
				return err
			}
			return importCorpus(cmd.Context(), e, args[0], args[1:], f)
		},
	}, &f)
}

// importable requires a format and a file. It names the format of a file that is given alone.
func importable(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || slices.Contains(harness.Names(corpora.Importers()), args[0]) {
		return between(2, 1<<20)(cmd, args)
	}
	what := "no importer is named"
	if _, err := os.Stat(args[0]); err != nil {
		what = fmt.Sprintf("unknown importer %q", args[0])
	}
	for i, name := range args[:min(2, len(args))] {
		if guess := corpora.Guess(name); guess != "" {
			return usagef("%s: %s looks like %s (replanbench corpus import %[3]s %s)", what, name, guess,
				escape.Shell(args[i:]...))
		}
	}
	return between(2, 1<<20)(cmd, args)
}

func (f *importFlags) complete(e env) error {
	f.options = corpora.Options{
		Dialect: f.Dialect, Model: f.Model, Prompt: f.Prompt, Source: f.Source, Tags: f.Tag, Tool: f.Tool,
		Messages: f.Messages, Provenance: f.Provenance,
	}
	for _, s := range f.Map {
		m, err := corpora.ParseMapping(s)
		if err != nil {
			return usagef("--map: %w", err)
		}
		f.options.Map = append(f.options.Map, m)
	}
	if f.MaxSteps != 0 {
		f.options.Limits.MaxPlanSteps = &f.MaxSteps
	}
	if f.Plan == "" {
		return nil
	}
	data, err := readInput(e, f.Plan)
	if err != nil {
		return err
	}
	f.options.Plan = jsontext.Value(data)
	if err := f.options.Plan.Compact(); err != nil {
		return usagef("%s: the plan is not JSON: %w", f.Plan, strictjson.Plain(err))
	}
	return nil
}

// toolMaps are the built-in maps of a dialect, or of all dialects without a name.
func toolMaps(dialect string) profiles[*toolmap.Map] {
	return profiles[*toolmap.Map]{builtin: func() ([]*toolmap.Map, error) {
		list, err := toolmap.Builtin()
		return slices.DeleteFunc(list, func(m *toolmap.Map) bool { return dialect != "" && m.Dialect != dialect }), err
	}, parse: toolmap.Parse}
}

// tools finds out how calls of tools are read: by the built-in maps of the dialect, or by the map that
// --as names, whose dialect counts. Importers that read only sessions are for dialects with such calls.
func (f *importFlags) tools(e env, importer string, asked bool) (err error) {
	o, dialects, sessions := &f.options, callDialects(), slices.Contains(corpora.Sessions(), importer)
	switch {
	case f.As != "":
		if o.Maps, err = f.chosen(e, asked); err != nil {
			return err
		}
		if o.Dialect = o.Maps[0].Dialect; !slices.Contains(dialects, o.Dialect) {
			return usagef("%s: dialect: no tools of recordings change %q (choose one of %s)", f.As, o.Dialect,
				strings.Join(dialects, ", "))
		}
	case sessions && !asked:
		o.Dialect = dialects[0]
	}
	if f.As == "" {
		o.Maps = toolmap.For(o.Dialect)
	}
	if o.Calls = all.Find(o.Dialect).Calls; sessions && o.Calls == nil {
		return usagef("%s reads calls of tools that change a plan, and %s has no such tools (give --dialect %s)", importer,
			o.Dialect, strings.Join(dialects, " or --dialect "))
	}
	return nil
}

// chosen returns the map that --as names.
func (f *importFlags) chosen(e env, asked bool) (toolmap.List, error) {
	known := toolMaps("")
	if asked {
		known = toolMaps(f.Dialect)
	}
	list, err := known.choose(e, f.As)
	if err != nil {
		return nil, err
	}
	if asked && list[0].Dialect != f.Dialect {
		return nil, usagef("--dialect %s: the tools of %s change %s (leave --dialect out)", f.Dialect, f.As, list[0].Dialect)
	}
	return list, nil
}

// callDialects lists the dialects whose plan calls of tools change.
func callDialects() []string {
	return slices.DeleteFunc(all.Names(), func(name string) bool { return all.Find(name).Calls == nil })
}

// scoredDialects lists the dialects that replies are scored in.
func scoredDialects() []string {
	return slices.DeleteFunc(all.Names(), func(name string) bool { return all.Find(name).Score == nil })
}

// maxSkipped bounds the skipped records that are listed one by one, and maxAlike the ones with the same reason.
const maxSkipped, maxAlike = 20, 2

func importCorpus(ctx context.Context, e env, format string, files []string, f importFlags) error {
	records, problems, listed, alike := 0, 0, 0, map[string]int{}
	skipped := func(p *corpora.Problem) {
		problems++
		if alike[p.Text] < maxAlike && listed < maxSkipped {
			alike[p.Text]++
			listed++
			e.say(p.Error())
		}
	}
	f.options.Tally = &corpora.Tally{}
	err := f.Out.stream(e, func(to io.Writer) (err error) {
		records, err = corpora.WriteAll(ctx, to, f.Out.Out, corpora.Import(format, files, f.options), skipped)
		if problems > listed {
			fmt.Fprintf(e.stderr, "… and %d more\n", problems-listed)
		}
		for _, line := range leftOut(f.options.Tally) {
			e.say(line)
		}
		if err == nil && records == 0 {
			why := "no reply found (a batch: give its output, too)"
			if problems > 0 {
				why = "the lines above say why"
			}
			return usagef("nothing was imported: %s", cmp.Or(corpora.Unlikely(format, files), why))
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s imported, %d skipped\n", english.Plural(records, "record", ""), problems)
	if f.Out.Out != "" {
		fmt.Fprintln(e.stderr, "Score them: "+escape.Shell(f.scoring()...))
	}
	if f.Strict && problems+f.options.Tally.Skipped() > 0 {
		return gateFailed()
	}
	return nil
}

// scoring is the command that scores the corpus by the rules of the tools that --as names.
func (f *importFlags) scoring() []string {
	args := []string{"replanbench", "score", f.Out.Out}
	if f.As != "" {
		for _, rule := range f.options.Maps[0].Rules {
			args = append(args, "--profile", rule)
		}
	}
	return args
}

// leftOut describes what an import of sessions read and left out, one sentence a line.
func leftOut(t *corpora.Tally) (lines measure.Notes) {
	for _, name := range slices.Sorted(maps.Keys(t.Read)) {
		lines = append(lines, fmt.Sprintf("calls of %s read: %d", escape.Terminal(name), t.Read[name]))
	}
	lines.If(t.Repeated > 0, "calls dropped because an earlier file or line contains them (resumed and forked sessions): %d",
		t.Repeated)
	lines.If(t.NoPlan > 0, "records without a plan, because nothing shows the list before the call: %d", t.NoPlan)
	lines.If(t.Planless > 0, "records without a plan, scored only for how they are read (give --plan FILE or --map plan=PATH): %d",
		t.Planless)
	lines.If(t.NoCalls > 0, "files without a call that is read: %d", t.NoCalls)
	for _, name := range slices.Sorted(maps.Keys(t.Tools)) {
		lines = append(lines, fmt.Sprintf("calls of %s skipped: %d (a tool that seems to keep a plan%s)",
			escape.Terminal(name), t.Tools[name], readBy(name)))
	}
	return lines
}

// readBy names the dialects that read the calls of a tool, or the flag that makes them readable.
func readBy(tool string) (hint string) {
	for _, name := range callDialects() {
		if toolmap.For(name).Naming(tool) != nil {
			hint += "; --dialect " + name + " reads it"
		}
	}
	return cmp.Or(hint, "; a map makes it readable: --as FILE")
}

func newCorpusValidate(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "validate CORPUS...",
		Short: "Check every line of a corpus",
		Args:  between(1, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, done, err := corpora.Open(args, e.stdin)
			if err != nil {
				return err
			}
			defer done()
			return validateCorpora(cmd.Context(), e, args, sources)
		},
	}
}

func validateCorpora(ctx context.Context, e env, names []string, sources []corpora.Source) error {
	streamingHeap().use(e)
	var v corpora.Validator
	for _, s := range sources {
		for problem, err := range v.Check(s) {
			if err != nil {
				return usageError(err)
			}
			fmt.Fprintln(e.stdout, escape.Terminal(problem.Error()))
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", escape.Terminal(strings.Join(names, ", ")), v.String())
	if v.Problems > 0 {
		return gateFailed()
	}
	return nil
}

func newCorpusStats(e env) *cobra.Command {
	var f struct {
		Out screenOutput `embed:"" set:"forms=table,json"`
	}
	return command(e, &cobra.Command{
		Use:   "stats [CORPUS...]",
		Short: "Summarize a corpus: replies by model, prompt and case",
		RunE: func(_ *cobra.Command, args []string) error {
			sources, done, err := corpora.Open(args, e.stdin)
			if err != nil {
				return err
			}
			defer done()
			s, err := corpora.Collect(sources)
			if err != nil {
				return err
			}
			if s.Records == 0 {
				return usagef("no record could be read (replanbench corpus validate %s shows why)", escape.Shell(args...))
			}
			return f.Out.show(e, statsScreen(args, s), func(w io.Writer) error {
				if f.Out.Format == "json" {
					return reports.WriteJSON(w, s)
				}
				s.Text(w, escape.Terminal)
				return nil
			})
		},
	}, &f)
}

// statsScreen lists the values of each field, the most frequent first.
func statsScreen(names []string, s *corpora.Stats) screen.Screen {
	l := screen.List{Title: "Records by field"}
	for _, field := range slices.Sorted(maps.Keys(s.Counts)) {
		of := s.Counts[field]
		values := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], cmp.Compare(a, b)) })
		for i, v := range values {
			values[i] = fmt.Sprintf("%s %d", cmp.Or(v, "–"), of[v])
		}
		l.Items = append(l.Items, screen.Item{Kind: field, Text: strings.Join(values, ", ")})
	}
	head, _, _ := strings.Cut(s.String(), "\n")
	return screen.Screen{Head: inputName(strings.Join(names, ", ")) + ": " + head, Lists: []screen.List{l}}
}
