package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// applyFlags are what apply was asked to do.
type applyFlags struct {
	Dialect  string   `enum:"${dialects}" help:"the dialect of the edit"`
	Plan     string   `arg:"FILE" help:"the plan, a JSON FILE"`
	With     []string `sep:"none" arg:"NAME=FILE" help:"another document of the dialect, as NAME=FILE; may be given several times"`
	Reply    []string `sep:"none" arg:"FILE" help:"a reply, any FILE; may be given several times"`
	Limit    []string `sep:"none" arg:"NAME=N" help:"a limit of the case, as NAME=N, such as max_replans=0 or interrupt_after=3; may be given several times"`
	MaxSteps int      `help:"maximum number of steps of the plan, the same as --limit max_plan_steps=N (default no limit)"`
	engineFlags
	Out screenOutput `embed:"" set:"forms=table,markdown,json"`

	hasMax bool
}

// limitsName is the name by which --with takes a file of limits.
const limitsName = "limits"

func newApply(e env) *cobra.Command {
	var f applyFlags
	return command(e, &cobra.Command{
		Use:   "apply --plan FILE --reply FILE",
		Short: "Apply a model's reply to a plan and show the result",
		Long:  documentNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := only(cmd, args, &f.Command, "give files with --plan and --reply"); err != nil {
				return err
			}
			f.hasMax = cmd.Flags().Changed("max-steps")
			return apply(cmd.Context(), e, f)
		},
	}, &f)
}

// documentNames lists the documents of each dialect, a line for each.
func documentNames() string {
	var b strings.Builder
	for _, name := range all.Names() {
		names := collect.Map(all.Documents(name), func(d document.Document) string { return d.Name })
		fmt.Fprintf(&b, "  %-13s %s\n", name, strings.Join(names, ", "))
	}
	return b.String()
}

func apply(ctx context.Context, e env, f applyFlags) error {
	c, err := f.load(e)
	if err != nil {
		return err
	}
	engine, hello, err := f.meet(ctx, e)
	if err != nil {
		return err
	}
	defer engine.Close()
	subject, err := gate.Evaluate(ctx, engine, c)
	if err != nil {
		return err
	}
	subject.PlanName = inputName(f.Plan)
	for _, name := range f.Reply {
		subject.ReplyNames = append(subject.ReplyNames, inputName(name))
	}
	story := all.Tell(subject)
	if result := reports.StoryScreen(story, hello.Name+" "+hello.Version); f.Out.Format == "json" {
		err = f.Out.show(e, result, func(w io.Writer) error { return reports.WriteJSON(w, subject.Outcome) })
	} else {
		err = f.Out.tell(e, result, story)
	}
	if err != nil {
		return err
	}
	if o := subject.Outcome; o.Verdict != harness.Applied || o.Rung == harness.RungReact && o.Plan == nil {
		return gateFailed()
	}
	return nil
}

// load reads the inputs and makes them a case.
func (f *applyFlags) load(e env) (harness.Case, error) {
	c := harness.Case{Dialect: f.Dialect}
	files, err := f.files()
	if err != nil {
		return c, err
	}
	for _, d := range all.Documents(f.Dialect) {
		name, given := files[d.Name]
		if !given {
			if d.Required {
				return c, usagef("%s is missing (see replanbench apply -h)", missingFlag(d.Name))
			}
			continue
		}
		data, err := readInput(e, name)
		if err != nil {
			return c, err
		}
		root, err := parseJSON(inputName(name), data)
		if err != nil {
			return c, err
		}
		if list := root.Get(d.List); d.List != "" && (list == nil || list.Kind != strictjson.Array) {
			return c, usagef("%s: not a %s: it has no list %q (replanbench help %s has an example)", inputName(name),
				d.Name, d.List, f.Dialect)
		}
		c.SetDocument(d.Name, data)
	}
	if all.Find(f.Dialect).Replies != document.NoReplies && len(f.Reply) == 0 {
		return c, usagef("--reply FILE is missing (see replanbench apply -h)")
	}
	for _, name := range f.Reply {
		reply, err := readInput(e, name)
		if err != nil {
			return c, err
		}
		c.Replies = append(c.Replies, harness.Reply(reply))
	}
	if err := f.bound(e, &c, files[limitsName]); err != nil {
		return c, err
	}
	p, err := f.Settings()
	if p != nil {
		rules := p.For(all.Vocabulary(f.Dialect).Own)
		c.Profile = &rules
	}
	return c, err
}

// bound sets the limits of the case: first the limits of the file, if there is one, then
// the limits of the flags.
func (f *applyFlags) bound(e env, c *harness.Case, file string) error {
	limits := map[string]*int{}
	if file != "" {
		data, err := readInput(e, file)
		if err != nil {
			return err
		}
		if _, err := parseJSON(inputName(file), data); err != nil {
			return err
		}
		if err := json.Unmarshal(data, &limits); err != nil {
			return usagef("%s: limits are an object of whole numbers, such as {\"max_replans\":0}: %w", inputName(file),
				strictjson.Plain(err))
		}
	}
	for _, s := range f.Limit {
		name, number, ok := strings.Cut(s, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			return usagef("--limit %s: write NAME=N with a whole number, such as max_replans=0", s)
		}
		limits[name] = &n
	}
	if f.hasMax {
		limits["max_plan_steps"] = &f.MaxSteps
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if err := setLimit(c, name, limits[name]); err != nil {
			return err
		}
	}
	return nil
}

// setLimit sets a limit of the case by its name.
func setLimit(c *harness.Case, name string, n *int) error {
	var names []string
	for _, l := range c.Bounds() {
		if l.Name == name {
			*l.Value = n
			return nil
		}
		names = append(names, l.Name)
	}
	return usagef("--limit: unknown limit %q%s (the limits are %s)", name, harness.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// knows says that the dialect has no document of that name, if it has none.
func (f *applyFlags) knows(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return usagef("%s has no document %q%s (it has %s)", f.Dialect, name, harness.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// files returns the documents' files by the documents' names.
func (f *applyFlags) files() (map[string]string, error) {
	names := collect.Map(all.Documents(f.Dialect), func(d document.Document) string { return d.Name })
	names = append(names, limitsName)
	files := map[string]string{}
	if f.Plan != "" {
		if err := f.knows("plan", names); err != nil {
			return nil, err
		}
		files["plan"] = f.Plan
	}
	for _, with := range f.With {
		name, file, ok := strings.Cut(with, "=")
		if !ok || file == "" {
			return nil, usagef("--with %s: write NAME=FILE", with)
		}
		name = strings.TrimSuffix(name, ".json")
		if err := f.knows(name, names); err != nil {
			return nil, err
		}
		files[name] = file
	}
	list := slices.Clone(f.Reply)
	for _, file := range files {
		list = append(list, file)
	}
	return files, onceFromStdin(list)
}

// missingFlag is how a document is given.
func missingFlag(name string) string {
	if name == "plan" {
		return "--plan FILE"
	}
	return "--with " + name + "=FILE"
}

// parseJSON reads a document, and refuses one that is no JSON, with its place. Whether it is a
// sound plan is the engine's business.
func parseJSON(name string, data []byte) (*strictjson.Value, error) {
	const maxDepth = 1000
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil, usagef("%s: the file is empty (expected a JSON document)", name)
	}
	doc, err := strictjson.Parse(data, maxDepth)
	if err != nil {
		offset := 0
		if e, ok := err.(*strictjson.Error); ok {
			offset = e.Offset
		}
		line, column := strictjson.Position(string(data), offset)
		hint := ""
		if before, _, found := strings.Cut(string(data), "{"); found && strings.TrimSpace(before) != "" && data[0] != '[' {
			hint = " (delete the text around the JSON document; only --reply takes a reply with prose)"
		}
		return nil, usagef("%s:%d:%d: not JSON: %w%s", name, line, column, err, hint)
	}
	return &doc.Root, nil
}
