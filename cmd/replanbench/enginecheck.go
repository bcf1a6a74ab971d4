package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/reference"
	"replanbench/harness/schema"
	"replanbench/reports/escape"
	"replanbench/scenarios"
)

func newEngineCheck(e env) *cobra.Command {
	var flags engineFlags
	cmd := &cobra.Command{
		Use:   "check -- CMD [ARGS...]",
		Short: "Check that an engine speaks the protocol",
		Long: `Start an engine, shake hands, ask one plain case for each dialect that it
declares, once alone and then as many at once as it takes, and validate every
answer against its JSON Schema (replanbench schema outcome). What is wrong is
said with a hint. Whether the engine's answers are right is another question:
see replanbench run and replanbench fuzz.

Exit code 1 if an answer is not valid, 3 if the engine cannot be started.`,
		Example: `  replanbench engine check -- python3 adapter.py
  replanbench engine check --engine http://localhost:8080`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := flags.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (the engine's command stands behind --)", rest[0])
			}
			return engineCheck(cmd.Context(), e, flags)
		},
	}
	cmd.Flags().StringVar(&flags.spec, "engine", "reference", "an `ENGINE` by exec:CMD ARGS or http://HOST/PATH, instead of -- CMD")
	flags.addBounds(cmd)
	return cmd
}

// asker is an engine outside the process, which shows its answers as they
// stand.
type asker interface {
	harness.Engine
	Ask(ctx context.Context, c harness.Case) ([]byte, error)
}

func engineCheck(ctx context.Context, e env, flags engineFlags) error {
	engine, err := flags.open(ctx, e)
	if err != nil {
		return err
	}
	defer engine.Close()
	outside, ok := engine.(asker)
	if !ok {
		return usagef("there is nothing to check: name an engine outside this process (-- CMD ARGS)")
	}
	hello, err := outside.Hello(ctx)
	if err != nil {
		return err
	}
	c := checker{out: e.stdout, engine: outside, hello: hello}
	c.say(true, "handshake: %s %s", hello.Name, hello.Version)
	for _, dialect := range slices.Sorted(maps.Keys(hello.Dialects)) {
		if err := c.dialect(ctx, dialect); err != nil {
			return err
		}
	}
	if c.failed {
		return gateFailed()
	}
	return nil
}

// checker says line by line what is well and what is not.
type checker struct {
	out    io.Writer
	engine asker
	hello  harness.Hello
	failed bool
}

func (c *checker) say(ok bool, format string, args ...any) {
	word := "ok    "
	if !ok {
		word, c.failed = "FAIL  ", true
	}
	fmt.Fprintln(c.out, word+escape.Terminal(fmt.Sprintf(format, args...)))
}

func (c *checker) hint(format string, args ...any) {
	fmt.Fprintln(c.out, "      hint: "+escape.Terminal(fmt.Sprintf(format, args...)))
}

// dialect checks one dialect. An error means that the check cannot go on.
func (c *checker) dialect(ctx context.Context, dialect string) error {
	d := c.hello.Dialects[dialect]
	profile := d.Profile.Name()
	if profile == "" {
		profile = "of its own"
	}
	features := strings.Join(d.Features, ", ")
	if features == "" {
		features = "none"
	}
	c.say(true, "%s: profile %s, features: %s", dialect, profile, features)
	s, ok, err := c.smoke(dialect)
	if err != nil {
		return err
	}
	if !ok {
		c.say(false, "%s: there is no case that the engine could be asked", dialect)
		c.hint("the dialects are %s", strings.Join(dialectNames(), ", "))
		return nil
	}
	return c.ask(ctx, s)
}

func dialectNames() []string {
	var names []string
	for _, t := range harness.Dialects() {
		names = append(names, t.Name)
	}
	return names
}

// smoke picks the plainest scenario of a dialect: the first that wants the
// case applied, by preference one out of the documents.
func (c *checker) smoke(dialect string) (scenarios.Scenario, bool, error) {
	list, err := scenarios.Builtin()
	if err != nil {
		return scenarios.Scenario{}, false, err
	}
	var found []scenarios.Scenario
	for _, s := range list {
		_, unsupported := c.hello.Resolve(s.Case)
		if s.Case.Dialect == dialect && unsupported == "" && s.Case.Profile == nil {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return scenarios.Scenario{}, false, nil
	}
	plain := slices.IndexFunc(found, func(s scenarios.Scenario) bool { return strings.Contains(s.ID, "/documented/valid_") })
	return found[max(0, plain)], true, nil
}

// ask asks a case once alone, then many times at once.
func (c *checker) ask(ctx context.Context, s scenarios.Scenario) error {
	first, err := c.engine.Ask(ctx, s.Case)
	if stop := c.failure(s, err); stop != nil || err != nil {
		return stop
	}
	if !c.valid(s, first) {
		return nil
	}
	answers := make([][]byte, c.hello.Window)
	errs := make([]error, len(answers))
	var asked sync.WaitGroup
	for i := range answers {
		asked.Go(func() { answers[i], errs[i] = c.engine.Ask(ctx, s.Case) })
	}
	asked.Wait()
	for i, answer := range answers {
		if stop := c.failure(s, errs[i]); stop != nil || errs[i] != nil {
			return stop
		}
		if !bytes.Equal(answer, first) {
			c.say(false, "%s: asked again, the engine answered otherwise", s.ID)
			c.hint("the first time %s, then %s", first, answer)
			return nil
		}
	}
	c.say(true, "%s: the same answer to %d requests at once", s.ID, len(answers))
	return nil
}

// failure says what an engine's failure means. An error that is no failure of
// the engine is returned.
func (c *checker) failure(s scenarios.Scenario, err error) error {
	if err == nil {
		return nil
	}
	var f *harness.Failure
	if !errors.As(err, &f) {
		return err
	}
	c.say(false, "%s: %s: the engine %s", s.ID, f.Kind, f.Detail)
	switch f.Kind {
	case harness.Hang:
		c.hint("does the engine flush standard output after each line, and answer without waiting for more input?")
	case harness.ProtocolFailure:
		c.hint("standard output is for answers only, one JSON object a line; everything else goes to standard error")
	case harness.Crash:
		c.hint("run the engine by hand and give it the case: replanbench schema case shows its shape")
	}
	if f.Stderr != "" {
		fmt.Fprintln(c.out, "      its standard error ends with:")
		lines := strings.Split(strings.TrimRight(f.Stderr, "\n"), "\n")
		for _, line := range lines[max(0, len(lines)-10):] {
			fmt.Fprintln(c.out, "        "+escape.Terminal(line))
		}
	}
	return nil
}

// valid validates an answer and compares it with the reference's.
func (c *checker) valid(s scenarios.Scenario, answer []byte) bool {
	out, err := rpc.DecodeOutcome(s.Case.Dialect, answer)
	if err == nil {
		err = validateOutcome(answer)
	}
	if err != nil {
		c.say(false, "%s: the answer is not valid: %v", s.ID, err)
		c.hint("the answer is %s", answer)
		c.hint("replanbench schema outcome prints what an answer must look like")
		return false
	}
	c.say(true, "%s: a valid answer: %s", s.ID, out.Verdict)
	want, err := reference.Judge(s.Case, c.hello.Dialects[s.Case.Dialect].Profile)
	if err == nil && want.Verdict != out.Verdict {
		c.hint("the reference would say %s; replanbench run shows more", want.Verdict)
	}
	return true
}

// validateOutcome validates an answer against the JSON Schema of outcomes.
func validateOutcome(answer []byte) error {
	source, ok := schema.Get("outcome")
	if !ok {
		return errors.New("the schema of outcomes is not built in")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("outcome", doc); err != nil {
		return err
	}
	compiled, err := compiler.Compile("outcome")
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	return compiled.Validate(instance)
}
