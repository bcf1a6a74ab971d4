package prompt

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/jinja"
)

//go:embed render.py
var renderScript string

// Python renders by a Python that has Jinja2, one process for each rendering.
type Python struct {
	Command string // such as python3
}

// pythonTimeout is how long one rendering may take.
const pythonTimeout = 30 * time.Second

// Render renders a template in Python, with StrictUndefined and everything
// else at its default, but in Jinja2's sandbox: a template cannot reach what is
// no part of it, nor grow without bound. An error of the template is a
// *jinja.Error.
func (p Python) Render(ctx context.Context, s Source, v Variables) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pythonTimeout)
	defer cancel()
	input, err := json.Marshal(map[string]any{
		"name": s.Name, "text": s.Text, "included": s.included,
		"variables": s.own.plain(v),
	})
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.Command, "-c", renderScript)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", &jinja.Error{Template: s.Name, Line: 1, Message: fmt.Sprintf("the template does not finish within %v",
			pythonTimeout)}
	}
	if err != nil {
		return "", fmt.Errorf("%s could not render %s: %w: %s (it needs Python 3 with jinja2: pip install jinja2)",
			p.Command, s.Name, err, lastLine(stderr.String()))
	}
	var answer struct {
		Text     *string `json:"text"`
		Error    string  `json:"error"`
		Template string  `json:"template"`
		Line     int     `json:"line"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", fmt.Errorf("%s gave no result for %s: %w", p.Command, s.Name, strictjson.Plain(err))
	}
	if answer.Text == nil {
		e := &jinja.Error{Template: answer.Template, Line: answer.Line, Message: answer.Error}
		if m := undefinedName().FindStringSubmatch(answer.Error); m != nil {
			e.Missing = m[1]
		}
		return "", hint(e)
	}
	return *answer.Text, nil
}

var undefinedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^'(\w+)' is undefined$`) })

// plain are the variables as JSON has them.
func (o Own) plain(v Variables) map[string]any {
	m := v.Map()
	m["plan"], m["case"] = v.Plan, v.Case
	for name, value := range o {
		m[name] = value
	}
	return m
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
