package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/byname"
	"replanbench/scenarios"
)

// Drawable is the first line of [Draw]: the traits that may be planted, by dialect.
type Drawable struct {
	Traits map[string][]string `json:"traits"`
}

// Drawn is a generated case, and how the engine's outcome is judged.
type Drawn struct {
	Name   string       `json:"name"`
	Case   harness.Case `json:"case"`
	Broken []string     `json:"broken"` // a sentence for each check that the outcome breaks
	Result Result       `json:"result"`
}

// undrawn is the answer to a name that no case has.
type undrawn struct {
	Error string `json:"error"`
}

// Draw reads names of generated cases, one per line, and writes a line of JSON for each: a
// [Drawn]. The first line that it writes is a [Drawable]. Property tests in other languages
// generate the names.
func Draw(ctx context.Context, engine harness.Engine, n byname.Engine, in io.Reader, out io.Writer) error {
	hello, err := byname.Introduction(ctx, engine)
	if err != nil {
		return err
	}
	first := Drawable{map[string][]string{}}
	for name, declared := range hello.Dialects {
		source, err := all.Source(name, drawn(declared, n, nil))
		if err != nil {
			return err
		}
		for _, t := range source.Traits() {
			first.Traits[name] = append(first.Traits[name], t.Name)
		}
	}
	if err := writeLine(out, first); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan() && ctx.Err() == nil; {
		name := strings.TrimSpace(lines.Text())
		if name == "" {
			continue
		}
		d, err := draw(ctx, engine, n, hello, name)
		if err == nil {
			err = writeLine(out, d)
		} else if harness.IsMistake(err) {
			err = writeLine(out, undrawn{err.Error()})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// draw makes and judges one case.
func draw(ctx context.Context, engine harness.Engine, n byname.Engine, hello harness.Hello, name string,
) (d Drawn, err error) {
	if !generated.MatchString(name) {
		return d, harness.Mistakef("%s: the name of a generated case is DIALECT:SEED:INDEX:TRAIT+TRAIT", name)
	}
	s, err := generate(name, hello, n, nil)
	if err != nil {
		return d, err
	}
	replayed, err := Replay(ctx, engine, n, []scenarios.Scenario{s})
	if err != nil {
		return d, err
	}
	x := replayed[0]
	d = Drawn{Name: name, Case: s.Case, Broken: []string{}, Result: Results(replayed, n.Level())[0]}
	for _, b := range x.Breaks {
		if !b.Advisory {
			d.Broken = append(d.Broken, b.Check+": "+b.Message)
		}
	}
	if f := x.Failure; f != nil && len(d.Broken) == 0 {
		d.Broken = append(d.Broken, fmt.Sprintf("%s: %s", f.Kind, f.Detail))
	}
	return d, nil
}

// drawn are the options of the cases that a campaign generates for the engine.
func drawn(declared harness.Declaration, n byname.Engine, traits []string) generators.Options {
	o := generators.Options{Traits: traits}
	o.Suit(declared, len(n.Profile) > 0)
	return o
}

// writeLine writes a value as a line of JSON. The documents of a case may be malformed.
func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}
