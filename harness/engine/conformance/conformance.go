// Package conformance helps authors of engines. For each dialect that an engine
// declares, it sends one plain edit of each kind and a few slightly unusual cases. It
// reports the answers, every violation of the protocol, and what each one means.
//
// The check fails if a plain edit is not applied according to the engine's own rules,
// because a campaign would find nothing else. Other differences are only reported:
// scenarios and campaigns examine them.
package conformance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/schema"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
	"replanbench/scenarios"
)

// Engine is an engine outside this process that also returns its raw answers.
type Engine interface {
	harness.Engine
	Ask(ctx context.Context, c harness.Case) ([]byte, error)
}

// Note is the result of one check. Its texts may contain the engine's output, so escape them
// for display.
type Note struct {
	OK     bool
	Doubt  bool // valid, but not what the engine's own rules require
	Lacks  bool // says what the engine seems to lack, which may be the reason for other notes
	Text   string
	Hints  []string
	Case   string   // an unexpected answer's case as JSON, perhaps shortened
	Wider  bool     // it counts what the next level would look at
	Stderr []string // the last lines that the engine wrote to standard error
	Place  string   // of a crash in the engine's source
}

// Merge joins notes that say the same about several cases, whatever the numbers in it are, and crashes at
// one place: the first stays, and counts the others.
func Merge(notes []Note) (list []Note) {
	count := map[string]int{}
	key := func(n Note) string {
		_, says, _ := strings.Cut(n.Text, ": ")
		if n.Place != "" {
			return fmt.Sprint(n.OK, n.Doubt, n.Place)
		}
		return fmt.Sprint(n.OK, n.Doubt, strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, says))
	}
	for _, n := range notes {
		if count[key(n)]++; count[key(n)] == 1 {
			list = append(list, n)
		}
	}
	for i, n := range list {
		if more := count[key(n)] - 1; more > 0 {
			where, says, _ := strings.Cut(n.Text, ": ")
			list[i].Text = fmt.Sprintf("%s and %d more: %s", where, more, says)
		}
	}
	return list
}

// Run checks an engine at a level and calls tell for each result at once. It counts answers
// that only a wider level judges at the end. Run reports whether all checks passed. An error
// means that it cannot go on: the context ended, or the engine was given up.
func Run(ctx context.Context, engine Engine, level harness.Level, tell func(Note)) (bool, error) {
	hello, err := engine.Hello(ctx)
	if err != nil {
		return false, err
	}
	outcomes, err := outcomeSchema()
	if err != nil {
		return false, err
	}
	c := checker{
		engine: engine, hello: hello, outcomes: outcomes, tell: tell, well: true, level: level, unknown: map[string]bool{},
	}
	c.note(fmt.Sprintf("handshake: %s %s", hello.Name, hello.Version))
	for _, dialect := range slices.Sorted(maps.Keys(hello.Dialects)) {
		if err := c.dialect(ctx, dialect); err != nil {
			return false, err
		}
	}
	if next := level.Next(); next != "" {
		text := fmt.Sprintf("%s: %d more answers to look at (--judge %s)", next, c.wider, next)
		c.tell(Note{OK: true, Text: text, Wider: true})
	}
	return c.well, nil
}

// checker is one call of Run.
type checker struct {
	engine   Engine
	hello    harness.Hello
	outcomes schema.Checker
	tell     func(Note)
	well     bool
	level    harness.Level
	wider    int             // answers that the next level would look at
	unknown  map[string]bool // events that were noted
}

func (c *checker) note(text string, hints ...string) {
	c.tell(Note{OK: true, Text: text, Hints: hints})
}

func (c *checker) fail(n Note) {
	c.well = false
	c.tell(n)
}

// dialect checks one dialect.
func (c *checker) dialect(ctx context.Context, dialect string) error {
	d := c.hello.Dialects[dialect]
	profile := cmp.Or(d.Profile.Name(), "of its own")
	features := cmp.Or(strings.Join(d.Features, ", "), "none")
	var text strings.Builder
	fmt.Fprintf(&text, "%s: profile %s, features: %s", dialect, profile, features)
	for _, more := range []struct{ word, list string }{
		{"codes", d.Codes}, {"arguments", d.Arguments}, {"without", strings.Join(d.Without, ", ")}, {"gives", strings.Join(d.Gives, ", ")},
	} {
		if more.list != "" {
			text.WriteString("; " + more.word + ": " + more.list)
		}
	}
	c.note(text.String())
	found := all.Find(dialect)
	if found == nil {
		c.fail(Note{
			Text:  dialect + ": unknown dialect",
			Hints: []string{"the dialects are " + strings.Join(all.Names(), ", ")},
		})
		return nil
	}
	list, err := c.attempts(found)
	if err != nil {
		return err
	}
	s, ok, err := c.smoke(dialect)
	if err != nil {
		return err
	}
	if !ok && len(list) > 0 {
		s.ID, s.Case, ok = dialect+", a plain edit", list[0].sample.Case, true
	}
	if !ok {
		c.note(dialect + ": no built-in case fits the declaration, so nothing was tested")
		return nil
	}
	if speaks, err := c.ask(ctx, s); err != nil || !speaks {
		return err
	}
	return c.try(ctx, found, list)
}

// smoke picks the plainest scenario of a dialect that fits the declaration and expects an
// applied edit. It prefers scenarios from the documents.
func (c *checker) smoke(dialect string) (scenarios.Scenario, bool, error) {
	list, err := scenarios.Builtin()
	if err != nil {
		return scenarios.Scenario{}, false, err
	}
	list = slices.DeleteFunc(list, func(s scenarios.Scenario) bool {
		_, lack := all.Resolve(c.hello, s.Case)
		return s.Case.Dialect != dialect || s.Case.Profile != nil || lack.Reason != ""
	})
	if len(list) == 0 {
		return scenarios.Scenario{}, false, nil
	}
	best := slices.MinFunc(list, func(a, b scenarios.Scenario) int { return cmp.Compare(intricacy(a), intricacy(b)) })
	return best, intricacy(best) < refused, nil
}

// refused is the minimal intricacy of a scenario that expects a rejection.
const refused = 2

// intricacy is the distance of a scenario from a plain example.
func intricacy(s scenarios.Scenario) int {
	n := 0
	if !strings.Contains(s.ID, "/documented/valid_") {
		n++
	}
	var want struct {
		Verdict harness.Verdict `json:"verdict"`
	}
	if err := json.Unmarshal(s.Want, &want); err != nil || want.Verdict != harness.Applied {
		n += refused
	}
	return n
}

// ask sends a case once alone, then as often at once as the window allows. It reports whether
// the answers are valid.
func (c *checker) ask(ctx context.Context, s scenarios.Scenario) (bool, error) {
	first, err := c.engine.Ask(ctx, s.Case)
	if err != nil {
		return false, c.failed(s.ID, err)
	}
	want, ok := c.judge(s, first)
	if !ok {
		return false, nil
	}
	answers := make([][]byte, c.hello.Window)
	errs := make([]error, len(answers))
	var asked sync.WaitGroup
	for i := range answers {
		asked.Go(func() { answers[i], errs[i] = c.engine.Ask(ctx, s.Case) })
	}
	asked.Wait()
	for i, answer := range answers {
		if errs[i] != nil {
			return false, c.failed(s.ID, errs[i])
		}
		got, err := rpc.DecodeOutcome(s.Case, answer)
		rules, declared := all.Rules(s.Case.Dialect), c.hello.Dialects[s.Case.Dialect]
		if err != nil || rules.Again(&want, rules.Aligned(declared, s.Case, &got, &want)) != nil {
			c.fail(Note{
				Text:  s.ID + ": the engine gave another answer when the case was repeated",
				Hints: []string{fmt.Sprintf("the first time %s, then %s", cut(first), cut(answer))},
			})
			return false, nil
		}
	}
	c.note(fmt.Sprintf("%s: the same answer to %d requests at once", s.ID, len(answers)))
	return true, nil
}

// failed notes an engine's failure. It returns every other error.
func (c *checker) failed(what string, err error) error {
	n, err := failure(what, err)
	if err == nil {
		c.fail(n)
	}
	return err
}

// failure describes an engine's failure.
func failure(what string, err error) (Note, error) {
	var f *harness.Failure
	if !errors.As(err, &f) {
		return Note{}, err
	}
	n := Note{Text: fmt.Sprintf("%s: %s: the engine %s", what, f.Kind, f.Detail), Hints: []string{advice(f)}, Place: f.Place()}
	if f.Stderr != "" {
		const most = 10
		lines := strings.Split(strings.TrimRight(f.Stderr, "\n"), "\n")
		n.Stderr = lines[max(0, len(lines)-most):]
	}
	return n, nil
}

func advice(f *harness.Failure) string {
	switch {
	case f.Kind == harness.Hang:
		return "does the engine flush standard output after each line, and answer without waiting for more input?"
	case f.Kind == harness.ProtocolFailure:
		return "standard output is for answers only, one JSON object a line; everything else goes to standard error"
	case f.Place() != "":
		return "fix the error at " + f.Place() + ", or catch it and reject the reply"
	}
	return "run the engine by hand and give it the case: replanbench schema case shows its shape"
}

// judge validates an answer and adds the reference's answer as a hint.
func (c *checker) judge(s scenarios.Scenario, answer []byte) (harness.Outcome, bool) {
	out, ok := c.valid(s.ID, s.Case, answer)
	if !ok {
		return out, false
	}
	var hints []string
	want, err := reference.Judge(s.Case, c.hello.Dialects[s.Case.Dialect].Profile)
	if err == nil && want.Verdict != out.Verdict {
		hints = append(hints, fmt.Sprintf("the reference answers %s; replanbench run shows more", want.Verdict))
	}
	c.note(fmt.Sprintf("%s: a valid answer: %s", s.ID, out.Verdict), hints...)
	return out, true
}

// valid decodes an answer and notes its errors.
func (c *checker) valid(what string, asked harness.Case, answer []byte) (harness.Outcome, bool) {
	out, err := decoded(c.outcomes, asked, answer)
	// A valid document says what the engine did; bytes that are no text are the adapter's fault.
	if stored := (*rpc.Stored)(nil); errors.As(err, &stored) && utf8.Valid(answer) {
		c.tell(Note{OK: true, Doubt: true, Text: fmt.Sprintf("%s: %v", what, err), Hints: []string{
			"the engine has this bug, unless the adapter converts values: let it pass them on as they are",
		}})
		return out, false
	}
	if err != nil {
		hints := []string{"the answer is " + cut(answer), "replanbench schema outcome prints the schema of answers"}
		if !utf8.Valid(answer) {
			hints = append(hints, `answers are UTF-8: write half a character as its escape, such as \ud83d, as json.dumps of `+
				"Python and JSON.stringify do")
		}
		c.fail(Note{Text: fmt.Sprintf("%s: the answer is not valid: %v", what, err), Hints: hints})
	}
	c.words(asked.Dialect, out)
	return out, err == nil
}

// words notes each event of a trace that the dialect does not have, once.
func (c *checker) words(dialect string, out harness.Outcome) {
	known := all.Vocabulary(dialect)
	names := harness.Names(known.Events)
	for _, item := range out.Trace {
		if item.Event == "" || c.unknown[item.Event] || slices.Contains(names, item.Event) {
			continue
		}
		c.unknown[item.Event] = true
		c.tell(Note{
			OK: true, Doubt: true, Text: fmt.Sprintf("%s: unknown event %q%s", dialect, item.Event,
				harness.DidYouMean(item.Event, names)),
			Hints: []string{"replanbench list events --dialect " + dialect + " lists the events"},
		})
	}
}

// decoded decodes an answer and validates it.
func decoded(outcomes schema.Checker, asked harness.Case, answer []byte) (harness.Outcome, error) {
	out, err := rpc.DecodeOutcome(asked, answer)
	if err == nil {
		err = validate(outcomes, unechoed(asked, out, answer))
	}
	return out, err
}

// unechoed returns the answer without the plan of the case, which a rejection may echo, sound or not.
func unechoed(asked harness.Case, out harness.Outcome, answer []byte) []byte {
	var members map[string]jsontext.Value
	if out.Verdict != harness.Rejected || json.Unmarshal(answer, &members) != nil {
		return answer
	}
	old, echo := slices.Clone(asked.Plan), slices.Clone(members["plan"])
	if old.Canonicalize() != nil || echo.Canonicalize() != nil || !bytes.Equal(old, echo) {
		return answer
	}
	delete(members, "plan")
	rest, err := json.Marshal(members)
	if err != nil {
		return answer
	}
	return rest
}

// cut shortens an answer for a hint.
func cut(answer []byte) string { return escape.HeadBytes(string(answer), 500) }
