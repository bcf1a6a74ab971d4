package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/live"
	"replanbench/harness/live/ask"
	"replanbench/harness/live/prompt"
	"replanbench/harness/score/tokens"
)

func newPrompt(e env) *cobra.Command {
	return family(&cobra.Command{
		Use:   "prompt COMMAND",
		Short: "Show and render the prompts that ask models for plan edits",
	}, newPromptList(e), newPromptShow(e), newPromptRender(e))
}

// chinese ends the names of prompts in Chinese.
const chinese = ".zh"

func newPromptList(e env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the built-in prompts", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			list := prompt.Builtin()
			for i, t := range list {
				if i+1 < len(list) && list[i+1].Name == t.Name+chinese {
					t.Text += "; " + t.Name + chinese + " is in Chinese"
				}
				if !strings.HasSuffix(t.Name, chinese) {
					line := fmt.Sprintf("%-19s %s", t.Name, t.Text)
					fmt.Fprintln(e.stdout, explain.Wrap(line, strings.Repeat(" ", 20)))
				}
			}
			return nil
		},
	}
}

func newPromptShow(e env) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Print the template of a prompt, as a start for your own",
		Args: exactly(1),
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

// renderFlags choose the template and its variables.
type renderFlags struct {
	ask.Prompts
	Cases        []string `sep:"none" default:"scenarios" arg:"FILE" help:"where the case comes from: scenarios, builtin, generated:N, or a FILE"`
	CaseSeed     uint64   `default:"1" help:"the seed of generated cases"`
	ID           string   `arg:"ID" help:"the case with this ID (default the first)"`
	Plan         string   `arg:"FILE" help:"a FILE with a plan, instead of a case"`
	MaxPlanSteps int      `help:"the limit that goes with --plan (default None)"`
	Step         string   `arg:"ID" help:"with --plan: the ID of the step that needs attention"`
	ErrorType    string   `help:"the variable error_type (default that of the case)"`
	ErrorMessage string   `help:"the variable error_message (default that of the case)"`
	Tokenizer    string   `default:"o200k_base" list:"${tokenizers}" arg:"NAME" help:"the tokenizer that counts: a NAME of replanbench list tokenizers"`
	Format       string   `enum:"text,json" help:"how to write the result"`
}

func newPromptRender(e env) *cobra.Command {
	var f renderFlags
	return command(e, &cobra.Command{
		Use:   "render",
		Short: "Render a prompt for a case and count its tokens",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}, &f)
}

func (f *renderFlags) run(ctx context.Context, e env) error {
	tok, err := tokens.New(f.Tokenizer)
	if err != nil {
		return usagef("--tokenizer: %w", err)
	}
	c, err := f.theCase(e)
	if err != nil {
		return err
	}
	v := c.Variables()
	if f.ErrorType != "" {
		v.ErrorType = &f.ErrorType
	}
	if f.ErrorMessage != "" {
		v.ErrorMessage = &f.ErrorMessage
	}
	system, err := f.SystemText(e.in())
	if err != nil {
		return err
	}
	templates, err := f.templates(e)
	if err != nil {
		return err
	}
	for i, name := range f.Names() {
		text, err := f.Render().Render(ctx, templates[i], v)
		if err != nil {
			return usageError(err)
		}
		if i > 0 && f.Format == "text" {
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
	own, err := f.Own(e.in())
	if err != nil {
		return nil, err
	}
	for _, name := range f.Names() {
		s, err := prompt.Open(name)
		if err != nil {
			return nil, usageError(err)
		}
		list = append(list, s.With(own))
	}
	return list, ask.CheckUsed(own, list)
}

func (f *renderFlags) theCase(e env) (live.Case, error) {
	if f.Plan != "" {
		data, err := readInput(e, f.Plan)
		if err != nil {
			return live.Case{}, err
		}
		spec := live.CaseSpec{Plan: jsontext.Value(data), FailedStep: f.Step}
		if f.MaxPlanSteps > 0 {
			spec.MaxPlanSteps = &f.MaxPlanSteps
		}
		c, err := live.NewCase(f.Of(), spec)
		if err != nil {
			return c, usagef("%s: %w", inputName(f.Plan), err)
		}
		return c, nil
	}
	list, err := (&ask.Cases{Sources: f.Cases, CaseSeed: f.CaseSeed}).Load(e.in(), f.Of())
	if err != nil {
		return live.Case{}, err
	}
	for i := range list.N {
		if c, err := list.At(i); err != nil || f.ID == "" || c.ID == f.ID {
			return c, err
		}
	}
	return live.Case{}, usagef("unknown case id %q", f.ID)
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
	if f.Format == "json" {
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
			content = escape.Lines(content)
		}
		fmt.Fprint(e.stdout, content)
		if len(messages) > 1 || e.outTerminal {
			fmt.Fprintln(e.stdout)
		}
	}
	fmt.Fprintf(e.stderr, "%s: %d tokens (%s)\n", name, tokens, tok.Name())
	return nil
}
