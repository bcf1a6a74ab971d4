package ask

import (
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/files"
	"replanbench/harness/live/prompt"
)

// Prompts says which prompts are used and how they are rendered.
type Prompts struct {
	Dialect        string   `enum:"${asked-dialects}" help:"what the model edits"`
	Prompt         []string `sep:"none" arg:"TEMPLATE" help:"a TEMPLATE: a file, or a name of replanbench prompt list; may be given several times (default the first of the dialect)"`
	RetryPrompt    string   `rare:"" arg:"TEMPLATE" help:"the TEMPLATE of a retry, or of a replan in a run (default the built-in one in the prompt's language)"`
	StepPrompt     string   `rare:"" arg:"TEMPLATE" help:"the TEMPLATE that requests the next action in a step of a run (default the built-in one in the prompt's language)"`
	FullPlanPrompt string   `rare:"" arg:"TEMPLATE" help:"the TEMPLATE that requests a whole plan (default the built-in one in the prompt's language)"`
	System         string   `rare:"" arg:"FILE" help:"a FILE whose text goes before every prompt as the system message"`
	Var            []string `rare:"" sep:"none" arg:"NAME=VALUE" help:"set a template variable to a text: NAME=VALUE; may be given several times"`
	Vars           []string `rare:"" sep:"none" arg:"FILE" help:"a FILE with template variables: an object in JSON or YAML; --var overrides it"`
	Renderer       string   `rare:"" line:"no" enum:"go,python" help:"the renderer of templates: this program, or Python's own Jinja2"`
	Python         string   `rare:"" line:"no" default:"python3" arg:"COMMAND" help:"the COMMAND for --renderer python; it needs jinja2"`
}

// Dialects lists the dialects that models are asked in.
func Dialects() []string {
	return slices.DeleteFunc(all.Names(), func(name string) bool {
		d := all.Find(name)
		return d.Climb == nil && d.Session == nil
	})
}

// Of is the dialect that models are asked in.
func (f *Prompts) Of() *dialect.Dialect { return all.Find(f.Dialect) }

// Names are the prompts that were given, or the first of the dialect.
func (f *Prompts) Names() []string {
	if f.Prompt == nil {
		return []string{f.Of().Prompts.First}
	}
	return f.Prompt
}

// Own are the variables of --vars and --var.
func (f *Prompts) Own(in files.Inputs) (prompt.Own, error) {
	own, given := prompt.Own{}, prompt.Own{}
	for _, name := range f.Vars {
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		more, err := prompt.ReadOwn(data)
		if err != nil {
			return nil, harness.Mistakef("--vars %s: %w", files.InputName(name), err)
		}
		maps.Copy(own, more)
	}
	for _, pair := range f.Var {
		if err := given.Add(pair); err != nil {
			return nil, harness.Mistakef("--var: %w", err)
		}
	}
	maps.Copy(own, given)
	return own, nil
}

// CheckUsed returns an error for a variable that no prompt uses.
func CheckUsed(own prompt.Own, templates []prompt.Source) error {
	if err := own.Unused(templates); err != nil {
		return harness.Mistakef("--var: %w", err)
	}
	return nil
}

// check returns an error for a prompt that the dialect never asks by.
func (f *Prompts) check() error {
	d := f.Of()
	for _, x := range []struct{ flag, given, builtin string }{
		{"--step-prompt", f.StepPrompt, d.Prompts.Step}, {"--full-plan-prompt", f.FullPlanPrompt, d.Prompts.FullPlan},
	} {
		if x.given != "" && x.builtin == "" {
			return harness.Mistakef("%s: the dialect %s has no such prompt (leave it out)", x.flag, d.Name)
		}
	}
	return nil
}

// Sets loads the prompts to compare, each with the templates that follow it. The error names
// a template that is missing, is given twice, or lacks a variable.
func (f *Prompts) Sets(in files.Inputs) ([]prompt.Set, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	own, err := f.Own(in)
	if err != nil {
		return nil, err
	}
	var sets []prompt.Set
	var templates []prompt.Source
	names := map[string]string{}
	for _, name := range f.Names() {
		others := prompt.Others{Retry: f.RetryPrompt, Step: f.StepPrompt, FullPlan: f.FullPlanPrompt}
		s, err := prompt.Load(f.Of(), name, others)
		if err != nil {
			return nil, harness.Mistaken(err)
		}
		s = s.With(own)
		templates = append(templates, s.Templates()...)
		if before, ok := names[s.Name]; ok {
			return nil, harness.Mistakef("--prompt %s is the same as %s", name, before)
		}
		names[s.Name] = name
		sets = append(sets, s)
	}
	return sets, CheckUsed(own, templates)
}

// Render returns the renderer of templates.
func (f *Prompts) Render() prompt.Renderer {
	if f.Renderer == "python" {
		return prompt.Python{Command: f.Python}
	}
	return &prompt.Go{}
}

// SystemText is the text of the system message; one newline at its end goes.
func (f *Prompts) SystemText(in files.Inputs) (string, error) {
	if f.System == "" {
		return "", nil
	}
	data, err := in.Read(f.System)
	return strings.TrimSuffix(string(data), "\n"), err
}
