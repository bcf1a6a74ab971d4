package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness/dialect/all"
	"replanbench/reports"
	"replanbench/reports/escape"
)

func newCorpus(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "corpus COMMAND",
		Short:   "Import, validate and describe corpora of recorded replies",
		Example: "  replanbench corpus import openai-pairs calls.jsonl --out replies.jsonl.zst\n  replanbench corpus validate replies.jsonl.zst\n  replanbench corpus stats builtin",
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusImport(e), newCorpusValidate(e), newCorpusStats(e))
	return cmd
}

// importFlags say what the recordings themselves do not.
type importFlags struct {
	options  corpora.Options
	plan     string
	maxSteps int
	mappings []string
	out      string
}

func newCorpusImport(e env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE...",
		Short: "Make a corpus of the recordings of another tool",
		Long: `Make a corpus of the recordings of another tool (replanbench list importers).

Where a recording does not say what the plan was, give it by --plan, or say by
--map where in each recorded document it stands: plan=meta.plan, or a JSON
Pointer, plan=/meta/plan; ~REGEXP behind it takes a part of the text. What can be
mapped: ` + strings.Join(corpora.Fields(), ", ") + `. Replies
without a plan are scored on reading alone. The result is compressed as the name
of --out asks: .jsonl, .jsonl.gz, .jsonl.zst.`,
		Example: `  replanbench corpus import openai-pairs calls.jsonl --map case=id~^[^/]+ --out replies.jsonl.zst
  replanbench corpus import openai-batch batch_input.jsonl batch_output.jsonl --plan plan.json --out replies.jsonl
  replanbench corpus import text replies/ --model my-model --out replies.jsonl`,
		Args: between(2, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.complete(e); err != nil {
				return err
			}
			return importCorpus(cmd.Context(), e, args[0], args[1:], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.plan, "plan", "", "the plan of replies whose recording holds none, a JSON `FILE`")
	flags.IntVar(&f.maxSteps, "max-steps", 0, "how many steps their plan may have at most (default no limit)")
	flags.StringArrayVar(&f.mappings, "map", nil, "where a field stands: `FIELD=PATH`; may stand several times")
	flags.StringVar(&f.options.Model, "model", "", "`NAME` of the model where the recording has none")
	flags.StringVar(&f.options.Prompt, "prompt", "", "`NAME` of the prompt, such as replan@1")
	addChoice(cmd, &f.options.Source, "source", "what the replies are", corpora.Recorded, corpora.Synthetic, corpora.Documented)
	flags.StringArrayVar(&f.options.Tags, "tag", nil, "a `TAG` for every record, such as lang:en; may stand several times")
	flags.BoolVar(&f.options.Messages, "messages", false, "keep the prompts too, so that score can measure them (the corpus may become much larger)")
	flags.StringVar(&f.options.Provenance, "provenance", "", "where the replies come from, in your own `WORDS`")
	flags.StringVar(&f.out, "out", "", "the corpus to write, a `FILE` (default standard output)")
	return cmd
}

func (f *importFlags) complete(e env) error {
	for _, s := range f.mappings {
		m, err := corpora.ParseMapping(s)
		if err != nil {
			return usagef("--map: %w", err)
		}
		f.options.Map = append(f.options.Map, m)
	}
	if f.maxSteps != 0 {
		f.options.Limits.MaxPlanSteps = &f.maxSteps
	}
	if f.plan == "" {
		return nil
	}
	data, err := readInput(e, f.plan)
	if err != nil {
		return err
	}
	f.options.Plan = jsontext.Value(data)
	if err := f.options.Plan.Compact(); err != nil {
		return usagef("%s: the plan is not JSON: %w", f.plan, err)
	}
	return nil
}

// maxSkipped is how many skipped records are told one by one.
const maxSkipped = 20

func importCorpus(ctx context.Context, e env, format string, files []string, f importFlags) error {
	records, problems := 0, 0
	write := func(to io.Writer) error {
		w, err := corpora.NewWriter(to, f.out)
		if err != nil {
			return err
		}
		f.options.Dialect = all.Asked().Name
		for r, err := range corpora.Import(format, files, f.options) {
			if err != nil {
				if _, skipped := err.(*corpora.Problem); !skipped {
					return usageError(err)
				}
				if problems++; problems <= maxSkipped {
					fmt.Fprintln(e.stderr, escape.Terminal(err.Error()))
				}
				continue
			}
			records++
			if err := cmp.Or(ctx.Err(), w.Write(r)); err != nil {
				return err
			}
		}
		if problems > maxSkipped {
			fmt.Fprintf(e.stderr, "… and %d more\n", problems-maxSkipped)
		}
		if records == 0 {
			return usagef("nothing was imported: %s", unlikely(files))
		}
		return w.Close()
	}
	out := output{file: f.out}
	if err := out.write(e, write); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%d records imported, %d skipped\n", records, problems)
	return nil
}

// unlikely says why files hold nothing to import.
func unlikely(files []string) string {
	for _, name := range files {
		for _, err := range corpora.File(name).Records() {
			if err == nil {
				return name + " is a corpus already (score and compare take it as it is)"
			}
			break
		}
	}
	return "no reply was found (the importers are listed by replanbench list importers)"
}

func newCorpusValidate(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "validate CORPUS...",
		Short: "Check every line of a corpus",
		Long: `Check every line of a corpus: that it can be read, that it is no other reply a
second time (same model, prompt, parameters, case, sample and attempt), and that
retries name a reply that stands before them. Exit code 1 if there is a problem.`,
		Example: "  replanbench corpus validate replies.jsonl.zst",
		Args:    between(1, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, done, err := openCorpora(e, args)
			if err != nil {
				return err
			}
			defer done()
			return validateCorpora(cmd.Context(), e, sources)
		},
	}
}

func validateCorpora(ctx context.Context, e env, sources []corpora.Source) error {
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
	failed := ""
	if v.Failed > 0 {
		failed = fmt.Sprintf("; %d requests without a reply", v.Failed)
	}
	fmt.Fprintf(e.stdout, "%d records, %d without a plan%s; %d problems\n", v.Records, v.WithoutPlan, failed, v.Problems)
	if v.Problems > 0 {
		return gateFailed()
	}
	return nil
}

func newCorpusStats(e env) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:     "stats [CORPUS...]",
		Short:   "Say what a corpus holds",
		Example: "  replanbench corpus stats replies.jsonl\n  replanbench corpus stats builtin --format json",
		Args:    anyArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			sources, done, err := openCorpora(e, args)
			if err != nil {
				return err
			}
			defer done()
			var s corpora.Stats
			for _, source := range sources {
				if err := s.Add(source); err != nil {
					return usageError(err)
				}
			}
			return out.write(e, func(w io.Writer) error { return writeStats(w, out, &s) })
		},
	}
	out.add(cmd, "table", "json")
	return cmd
}

func writeStats(w io.Writer, out output, s *corpora.Stats) error {
	if out.format == "json" {
		return reports.WriteJSON(w, s)
	}
	fmt.Fprintf(w, "%d records of %d cases, %d bad lines\n", s.Records, s.Cases, s.Bad)
	if s.Failed > 0 {
		fmt.Fprintf(w, "%d requests that got no reply\n", s.Failed)
	}
	fmt.Fprintf(w, "%d bytes of replies; tokens as reported: %d of prompts, %d of replies\n", s.ReplyBytes, s.PromptTokens, s.ReplyTokens)
	for _, kind := range slices.Sorted(maps.Keys(s.Counts)) {
		for _, value := range slices.Sorted(maps.Keys(s.Counts[kind])) {
			name := value
			if name == "" {
				name = "–"
			}
			fmt.Fprintf(w, "  %-14s %7d  %s\n", kind, s.Counts[kind][value], escape.Terminal(name))
		}
	}
	return nil
}
