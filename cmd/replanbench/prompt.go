package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/live"
	"replanbench/harness/live/prompt"
	"replanbench/harness/score/tokens"
)

func newPrompt(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompt COMMAND",
		Short: "Show and render the prompts that ask models for plan edits",
		Long: `Prompts are Jinja2 templates. They see these variables:

  max_plan_steps      a number, or None
  step_id             the step that needs attention, or None
  step_description    its text
  step_status         such as failed
  step_dependencies   a list of ids
  step_tools          a list: the step's tools_expected
  step_md             the step as one line: id (status): description
  cur_plan_md         the plan as a checklist, one line per step
  cur_plan_json       the plan as JSON on one line
  error_type          why the step failed, or the code of a refused reply
  error_message       the same as text for people
  plan                the plan as an object: plan.title, plan.steps, …
  case                the other members of the case, such as case.examples

--var NAME=VALUE and --vars FILE add variables. A template may include others from its
folder.

Ids, tools and texts are shown byte for byte. In the variables ..._md a JSON string
replaces a text that could be misread, such as one with a line break. Templates
should take ids from these variables or from cur_plan_json.

To compare the design documents' prompts before and after their fix:

  replanbench live --model NAME --prompt replan.before --prompt replan.after`,
		Example: "  replanbench prompt show replan > mine.j2\n  replanbench prompt render --prompt mine.j2 --cases " +
			"cases.jsonl",
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPromptList(e), newPromptShow(e), newPromptRender(e))
	return cmd
}

func newPromptList(e env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the built-in prompts", Example: "  replanbench prompt list", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, t := range prompt.Builtin() {
				fmt.Fprintf(e.stdout, "%-20s %s\n", t.Name, t.Text)
			}
			return nil
		},
	}
}

func newPromptShow(e env) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Print the template of a prompt, as a start for your own",
		Example: "  replanbench prompt show replan > mine.j2", Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := prompt.Open(args[0])
			if err != nil {
				return usageError(err)
			}
			_, err = io.WriteString(e.stdout, s.Text)
			return err
		},
	}
}

// promptFlags say which prompts are used and how they are rendered.
type promptFlags struct {
	dialect  string
	prompts  []string
	others   prompt.Others
	system   string
	renderer string
	python   string
	vars     []string
	varFiles []string
}

func (f *promptFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	addChoice(cmd, &f.dialect, "dialect", "what the model edits", askedDialects()...)
	flags.StringArrayVar(&f.prompts, "prompt", nil,
		"a `TEMPLATE`: a file, or a name of replanbench prompt list; may be given several times (default the first of the "+
			"dialect)")
	flags.StringVar(&f.others.Retry, "retry-prompt", "",
		"the `TEMPLATE` of a retry, or of a replan in a run (default the built-in one in the prompt's language)")
	flags.StringVar(&f.others.Step, "step-prompt", "",
		"the `TEMPLATE` that requests the next action in a step of a run (default the built-in one in the prompt's language)")
	flags.StringVar(&f.others.FullPlan, "full-plan-prompt", "",
		"the `TEMPLATE` that requests a whole plan (default the built-in one in the prompt's language)")
	flags.StringVar(&f.system, "system", "", "a `FILE` whose text goes before every prompt as the system message")
	flags.StringArrayVar(&f.vars, "var", nil,
		"set a template variable to a text: `NAME=VALUE`; may be given several times")
	flags.StringArrayVar(&f.varFiles, "vars", nil,
		"a `FILE` with template variables: an object in JSON or YAML; --var overrides it")
	addChoice(cmd, &f.renderer, "renderer", "the renderer of templates: this program, or Python's own Jinja2", "go",
		"python")
	flags.StringVar(&f.python, "python", "python3", "the `COMMAND` for --renderer python; it needs jinja2")
}

// askedDialects lists the dialects that models are asked in.
func askedDialects() []string {
	var names []string
	for _, d := range all.Dialects() {
		if d.Climb != nil || d.Session != nil {
			names = append(names, d.Name)
		}
	}
	return names
}

// of is the dialect that models are asked in.
func (f *promptFlags) of() *dialect.Dialect { return all.Find(f.dialect) }

// names are the prompts that were given, or the first of the dialect.
func (f *promptFlags) names() []string {
	if f.prompts == nil {
		return []string{f.of().Prompts.First}
	}
	return f.prompts
}

// own are the variables of --vars and --var.
func (f *promptFlags) own(e env) (prompt.Own, error) {
	own, given := prompt.Own{}, prompt.Own{}
	for _, name := range f.varFiles {
		data, err := readInput(e, name)
		if err != nil {
			return nil, err
		}
		more, err := prompt.ReadOwn(data)
		if err != nil {
			return nil, usagef("--vars %s: %w", inputName(name), err)
		}
		maps.Copy(own, more)
	}
	for _, pair := range f.vars {
		if err := given.Add(pair); err != nil {
			return nil, usagef("--var: %w", err)
		}
	}
	maps.Copy(own, given)
	return own, nil
}

// checkUsed returns an error for a variable that no prompt uses.
func checkUsed(own prompt.Own, templates []prompt.Source) error {
	if err := own.Unused(templates); err != nil {
		return usagef("--var: %w", err)
	}
	return nil
}

// check returns an error for a prompt that the dialect never asks by.
func (f *promptFlags) check() error {
	d := f.of()
	for _, x := range []struct{ flag, given, builtin string }{
		{"--step-prompt", f.others.Step, d.Prompts.Step}, {"--full-plan-prompt", f.others.FullPlan, d.Prompts.FullPlan},
	} {
		if x.given != "" && x.builtin == "" {
			return usagef("%s: the dialect %s has no such prompt (leave it out)", x.flag, d.Name)
		}
	}
	return nil
}

func (f *promptFlags) sets(e env) ([]prompt.Set, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	own, err := f.own(e)
	if err != nil {
		return nil, err
	}
	var sets []prompt.Set
	var templates []prompt.Source
	names := map[string]string{}
	for _, name := range f.names() {
		s, err := prompt.Load(f.of(), name, f.others)
		if err != nil {
			return nil, usageError(err)
		}
		s = s.With(own)
		templates = append(templates, s.Templates()...)
		if before, ok := names[s.Name]; ok {
			return nil, usagef("--prompt %s is the same as %s", name, before)
		}
		names[s.Name] = name
		sets = append(sets, s)
	}
	return sets, checkUsed(own, templates)
}

func (f *promptFlags) render() prompt.Renderer {
	if f.renderer == "python" {
		return prompt.Python{Command: f.python}
	}
	return &prompt.Go{}
}

// systemText is the text of the system message; one newline at its end goes.
func (f *promptFlags) systemText(e env) (string, error) {
	if f.system == "" {
		return "", nil
	}
	data, err := readInput(e, f.system)
	return strings.TrimSuffix(string(data), "\n"), err
}

// renderFlags choose the template and its variables.
type renderFlags struct {
	prompts   promptFlags
	cases     caseFlags
	id        string
	plan      string
	spec      live.CaseSpec
	max       int
	kind      string
	message   string
	tokenizer string
	format    string
}

func newPromptRender(e env) *cobra.Command {
	var f renderFlags
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Render a prompt for a case and count its tokens",
		Long: `Render a prompt for a case, byte for byte like Python's Jinja2, and show the messages to
send. The text goes to standard output, the number of tokens to standard error;
--format json prints both.`,
		Example: `  replanbench prompt render --plan plan.json --max-plan-steps 12
  replanbench prompt render --prompt mine.j2 --cases cases.jsonl --id test-001
  replanbench prompt render --prompt planning.j2 --var input_text='List the files' --vars variables.yaml
  replanbench prompt render --prompt plan_patch_retry --error-type id_conflict`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	f.prompts.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.cases.sources, "cases", []string{scenarioCases},
		"where the case comes from: scenarios, builtin, generated:N, or a `FILE`")
	flags.Uint64Var(&f.cases.seed, "case-seed", 1, "the seed of generated cases")
	flags.StringVar(&f.id, "id", "", "the case with this `ID` (default the first)")
	flags.StringVar(&f.plan, "plan", "", "a `FILE` with a plan, instead of a case")
	flags.IntVar(&f.max, "max-plan-steps", 0, "the limit that goes with --plan (default None)")
	flags.StringVar(&f.spec.FailedStep, "step", "", "with --plan: the `ID` of the step that needs attention")
	flags.StringVar(&f.kind, "error-type", "", "the variable error_type (default that of the case)")
	flags.StringVar(&f.message, "error-message", "", "the variable error_message (default that of the case)")
	flags.StringVar(&f.tokenizer, "tokenizer", tokens.O200kBase,
		"the tokenizer that counts: a `NAME` of replanbench list tokenizers")
	addChoice(cmd, &f.format, "format", "how to write the result", "text", "json")
	return cmd
}

func (f *renderFlags) run(ctx context.Context, e env) error {
	tok, err := tokens.New(f.tokenizer)
	if err != nil {
		return usagef("--tokenizer: %w", err)
	}
	c, err := f.theCase(e)
	if err != nil {
		return err
	}
	v := c.Variables()
	if f.kind != "" {
		v.ErrorType = &f.kind
	}
	if f.message != "" {
		v.ErrorMessage = &f.message
	}
	system, err := f.prompts.systemText(e)
	if err != nil {
		return err
	}
	templates, err := f.templates(e)
	if err != nil {
		return err
	}
	for i, name := range f.prompts.names() {
		text, err := f.prompts.render().Render(ctx, templates[i], v)
		if err != nil {
			return usageError(err)
		}
		if i > 0 && f.format == "text" {
			fmt.Fprintln(e.stdout)
		}
		if err := f.show(e, name, system, text, tok); err != nil {
			return err
		}
	}
	return nil
}

// templates are the prompts with the variables of the user's own.
func (f *renderFlags) templates(e env) (list []prompt.Source, err error) {
	own, err := f.prompts.own(e)
	if err != nil {
		return nil, err
	}
	for _, name := range f.prompts.names() {
		s, err := prompt.Open(name)
		if err != nil {
			return nil, usageError(err)
		}
		list = append(list, s.With(own))
	}
	return list, checkUsed(own, list)
}

func (f *renderFlags) theCase(e env) (live.Case, error) {
	if f.plan != "" {
		data, err := readInput(e, f.plan)
		if err != nil {
			return live.Case{}, err
		}
		f.spec.Plan = jsontext.Value(data)
		if f.max > 0 {
			f.spec.MaxPlanSteps = &f.max
		}
		c, err := live.NewCase(f.prompts.of(), f.spec)
		if err != nil {
			return c, usagef("%s: %w", inputName(f.plan), err)
		}
		return c, nil
	}
	list, err := f.cases.load(e, f.prompts.of())
	if err != nil {
		return live.Case{}, err
	}
	for i := range list.N {
		if c, err := list.At(i); err != nil || f.id == "" || c.ID == f.id {
			return c, err
		}
	}
	return live.Case{}, usagef("unknown case id %q", f.id)
}

// show writes one prompt. Its text comes out as it is, so that it can be
// compared byte for byte; on a terminal it is made harmless.
func (f *renderFlags) show(e env, name, system, text string, tok tokens.Tokenizer) error {
	messages := []live.Message{}
	if system != "" {
		messages = append(messages, live.Message{Role: "system", Content: system})
	}
	messages = append(messages, live.Message{Role: "user", Content: text})
	tokens := 0
	for _, m := range messages {
		tokens += tok.Count(m.Content)
	}
	if f.format == "json" {
		return json.MarshalWrite(e.stdout, struct {
			Prompt    string         `json:"prompt"`
			Messages  []live.Message `json:"messages"`
			Tokens    int            `json:"tokens"`
			Tokenizer string         `json:"tokenizer"`
		}{name, messages, tokens, tok.Name()}, jsontext.WithIndent("  "))
	}
	for _, m := range messages {
		if len(messages) > 1 {
			fmt.Fprintf(e.stdout, "[%s]\n", m.Role)
		}
		content := m.Content
		if e.outTerminal {
			content = harmless(content)
		}
		fmt.Fprint(e.stdout, content)
		if len(messages) > 1 || e.outTerminal {
			fmt.Fprintln(e.stdout)
		}
	}
	fmt.Fprintf(e.stderr, "%s: %d tokens (%s)\n", name, tokens, tok.Name())
	return nil
}

// harmless makes text of several lines fit for a terminal.
func harmless(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = escape.Terminal(l)
	}
	return strings.Join(lines, "\n")
}
