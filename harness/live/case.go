package live

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live/prompt"
	"replanbench/harness/plan"
)

// Case is a plan with a step that needs attention.
type Case struct {
	ID     string
	Plan   jsontext.Value
	Limits harness.Limits
	// Tools and Verify are the scripted results of a run.
	Tools, Verify jsontext.Value
	Intent        *corpora.Intent
	// History are the messages before the prompt.
	History []history.Message

	variables prompt.Variables
	steps     int  // of the plan
	record    bool // of a corpus
}

// Cases are the questions of a run. Each is made when it is asked for, so that many take
// no more memory than few.
type Cases struct {
	N  int
	At func(i int) (Case, error)
}

// ListOf are the cases of a list.
func ListOf(list ...Case) Cases {
	return Cases{len(list), func(i int) (Case, error) { return list[i], nil }}
}

// First are the first n of the cases.
func (c Cases) First(n int) Cases { return Cases{min(n, c.N), c.At} }

// Of are the cases of a shard.
func (c Cases) Of(s shard.Shard) Cases {
	return Cases{s.Size(c.N), func(i int) (Case, error) { return c.At(s.At(i)) }}
}

// And are the cases, and then others.
func (c Cases) And(others Cases) Cases {
	return Cases{c.N + others.N, func(i int) (Case, error) {
		if i < c.N {
			return c.At(i)
		}
		return others.At(i - c.N)
	}}
}

// Variables are what templates see of the case.
func (c *Case) Variables() prompt.Variables { return c.variables }

// CaseSpec is a case in a file.
type CaseSpec struct {
	ID           string         `json:"id"`
	Case         string         `json:"case"` // wins over the id, which in a record is the reply's
	Plan         jsontext.Value `json:"plan"`
	Tools        jsontext.Value `json:"tools"`  // of a run
	Verify       jsontext.Value `json:"verify"` // of a run
	Limits       harness.Limits `json:"limits"`
	MaxPlanSteps *int           `json:"max_plan_steps"`
	FailedStep   string         `json:"failed_step"`
	ErrorType    *string        `json:"error_type"`
	ErrorMessage *string        `json:"error_message"`
	Error        *string        `json:"error"`
	History      jsontext.Value `json:"history"` // messages before the prompt
	// More are the other members, by name: templates see them as the variable case.
	More map[string]jsontext.Value `json:",embed"`
}

// ReadCases reads a file of cases, JSON Lines: id, plan and, as far as they are
// known, limits or max_plan_steps, failed_step (the id of the step that needs
// attention), error_type, error_message or error, and history (a list of messages that
// go before the prompt). Other members are for templates. A file can also be a corpus:
// records of other dialects and records without a plan are no cases, and the failed step of
// the intent is the step that needs attention. A case that occurs twice is one case. Errors
// name the line. The file is read again for each case that is asked for.
func ReadCases(d *dialect.Dialect, name string, file io.ReaderAt) (Cases, error) {
	type span struct {
		at   int64
		size int
		line int
	}
	var list []span
	seen := map[digest]digest{} // plans, by the ids
	r := bufio.NewReader(io.NewSectionReader(file, 0, math.MaxInt64))
	next := span{line: 1}
	for {
		text, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return Cases{}, fmt.Errorf("%s: %w", name, err)
		}
		if next.size = len(text); len(bytes.TrimSpace(text)) > 0 {
			c, err := readCase(d, text)
			if err != nil {
				return Cases{}, fmt.Errorf("%s:%d: %w", name, next.line, err)
			}
			id, plan := digestOf(c.ID), digestOf(c.Question())
			before, again := seen[id]
			switch {
			case c.Plan == nil && c.record: // no case
			case !again:
				seen[id] = plan
				list = append(list, next)
			case before != plan:
				return Cases{}, fmt.Errorf("%s:%d: another case already has the id %q (ids must be unique)", name, next.line, c.ID)
			}
		}
		if err == io.EOF {
			break
		}
		next.at, next.line = next.at+int64(len(text)), next.line+1
	}
	if len(list) == 0 {
		return Cases{}, fmt.Errorf(`%s: no cases (a line looks like {"id":"c1","plan":{…},"max_plan_steps":12,"failed_step":"step_3","error_message":"…"})`, name)
	}
	return Cases{len(list), func(i int) (Case, error) {
		text := make([]byte, list[i].size)
		_, err := file.ReadAt(text, list[i].at)
		var c Case
		if err == nil || errors.Is(err, io.EOF) {
			c, err = readCase(d, text)
		}
		if err != nil {
			err = fmt.Errorf("%s:%d, the file changed while it was read: %w", name, list[i].line, err)
		}
		return c, err
	}}, nil
}

// digest returns a short key for a text.
type digest [16]byte

func digestOf(text string) digest {
	sum := sha256.Sum256([]byte(text))
	return digest(sum[:16])
}

func (d digest) compare(other digest) int { return bytes.Compare(d[:], other[:]) }

func readCase(d *dialect.Dialect, line []byte) (Case, error) {
	var l CaseSpec
	if err := json.Unmarshal(line, &l); err != nil {
		return Case{}, strictjson.Plain(err)
	}
	var record struct {
		V       int             `json:"v"`
		Dialect string          `json:"dialect"`
		Intent  *corpora.Intent `json:"intent"`
	}
	if err := json.Unmarshal(line, &record); err == nil && record.V > 0 {
		if record.Dialect != d.Name || l.Plan == nil && d.Session == nil {
			return Case{record: true}, nil
		}
		if record.Intent != nil {
			l.FailedStep = cmp.Or(l.FailedStep, record.Intent.FailedStep)
		}
	}
	if l.Case != "" { // a record: its id is the reply's id
		l.ID = l.Case
	}
	return NewCase(d, l)
}

// NewCase checks a case of a dialect. Without an id it is named by a hash.
func NewCase(d *dialect.Dialect, l CaseSpec) (Case, error) {
	if l.MaxPlanSteps != nil {
		l.Limits.MaxPlanSteps = l.MaxPlanSteps
	}
	if l.ErrorMessage == nil {
		l.ErrorMessage = l.Error
	}
	if d.Session != nil {
		return newSession(d, l)
	}
	if l.Plan == nil {
		return Case{}, fmt.Errorf(`"plan" is missing`)
	}
	p, err := d.Judging.Plan(harness.Case{Dialect: d.Name, Plan: l.Plan})
	if err != nil {
		return Case{}, fmt.Errorf("invalid plan: %w", err)
	}
	c := Case{ID: l.ID, Plan: l.Plan, Limits: l.Limits}
	if err := c.Plan.Compact(); err != nil {
		return c, err
	}
	if c.ID == "" {
		c.ID = "plan-" + c.Hash()
	}
	v, ok := prompt.Of(p, l.Limits.MaxPlanSteps, l.FailedStep)
	if !ok {
		return c, fmt.Errorf("failed_step is %q, but the plan has no such step", l.FailedStep)
	}
	v.ErrorType, v.ErrorMessage, v.Plan = l.ErrorType, l.ErrorMessage, c.Plan
	if v.Case, err = json.Marshal(l.More, json.Deterministic(true)); err != nil {
		return c, err
	}
	c.variables = v
	if c.History, err = l.messages(); err != nil {
		return c, err
	}
	if l.FailedStep != "" {
		c.Intent = &corpora.Intent{FailedStep: l.FailedStep}
	}
	return c, nil
}

// messages are those before the prompt.
func (l *CaseSpec) messages() ([]history.Message, error) {
	if l.History == nil || l.History.Kind() == 'n' {
		return nil, nil
	}
	list, err := history.Decode(l.History)
	if err != nil {
		return nil, fmt.Errorf(`"history": %w`, err)
	}
	return list, nil
}

// sessionless returns an error if the case has members that a session does not use.
func (l *CaseSpec) sessionless() error {
	if l.FailedStep != "" {
		return fmt.Errorf(`"failed_step" is unknown in a run (give the step the status failed in the plan)`)
	}
	if l.ErrorType != nil || l.ErrorMessage != nil {
		return fmt.Errorf(`"error_type", "error_message" and "error" are unknown in a run (script the failure in "tools")`)
	}
	for _, name := range []string{"budget", "policy"} {
		if l.More[name] != nil {
			return fmt.Errorf("%q is unknown in a live run (use --send-trimmed --budget TOKENS --policy PIPELINE)", name)
		}
	}
	return nil
}

// newSession checks a case that is a whole run. Without a plan the run begins with
// planning, and the case needs an id.
func newSession(d *dialect.Dialect, l CaseSpec) (Case, error) {
	c := Case{ID: l.ID, Plan: l.Plan, Limits: l.Limits, Tools: l.Tools, Verify: l.Verify}
	if err := l.sessionless(); err != nil {
		return c, err
	}
	o := d.Eval(harness.Case{Dialect: d.Name, Plan: l.Plan, Limits: l.Limits, Tools: l.Tools, Verify: l.Verify},
		harness.Reference())
	if o.Verdict == harness.Rejected && o.Code != harness.RepliesExhausted {
		return c, fmt.Errorf("the case cannot be run: %s: %s", o.Code, o.Message)
	}
	if o.Verdict == harness.Applied {
		return c, fmt.Errorf("every step of the plan is finished")
	}
	if c.ID == "" && c.Plan == nil {
		return c, fmt.Errorf(`"id" is missing (a case without a plan needs one)`)
	}
	if c.Plan != nil {
		if err := c.Plan.Compact(); err != nil {
			return c, err
		}
	}
	if c.ID == "" {
		c.ID = "plan-" + c.Hash()
	}
	if p, err := plan.Decode(c.Plan); err == nil {
		c.steps = len(p.Steps)
	}
	c.variables = prompt.Variables{MaxPlanSteps: l.Limits.MaxPlanSteps, Plan: c.Plan}
	var err error
	if c.variables.Case, err = json.Marshal(l.More, json.Deterministic(true)); err != nil {
		return c, err
	}
	c.History, err = l.messages()
	return c, err
}

// Hash identifies the plan with its limits.
func (c *Case) Hash() string { return corpora.PlanHash(c.Plan, c.Limits) }

// Question identifies the plan, the limits and the scripted results of a case.
func (c *Case) Question() string {
	return strings.Join([]string{c.Hash(), string(c.Tools), string(c.Verify)}, "\n")
}
