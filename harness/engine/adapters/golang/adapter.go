// Connects your patch logic to replanbench. Needs the standard library only.
//
// Fill in the function applyReply below, then:
//
//	go build -o engine adapter.go
//	replanbench engine check -- ./engine
//	replanbench fuzz -- ./engine
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

const name, version = "my-planner", "0.1"

// profile is the rules that your engine means to follow: the name of a profile,
// or knobs over the profile "reference" ({"conflicts":"reject"}). You are judged
// by what you declare. See: replanbench list profiles; replanbench list policies
const profile = `"reference"`

// Rejected refuses a reply. See: replanbench list codes
type Rejected struct {
	Code    string
	Message string
}

func (r *Rejected) Error() string { return r.Code + ": " + r.Message }

// Result is the new plan and what was asked for and not done. See: replanbench
// list warnings
type Result struct {
	Plan     json.RawMessage `json:"plan"`
	Warnings []Warning       `json:"warnings"`
}

// Warning names what was left out: {"truncated", []string{"step_9"}}.
type Warning struct {
	Code string   `json:"code"`
	IDs  []string `json:"ids"`
}

// Limits of a case; nil is no limit.
type Limits struct {
	MaxPlanSteps *int `json:"max_plan_steps"`
}

// ----------------------------------------------------------------------------
// YOUR CODE: fill in this one function.

// applyReply applies a model's reply to a plan and returns the new plan.
//
//	plan   {"title":…,"steps":[{"id","description","dependencies","status",
//	       "tools_expected"},…]}
//	reply  the raw bytes that the model wrote
//
// To refuse the reply: return Result{}, &Rejected{"done_immutable", "step_1 is done"}.
// Print to os.Stderr only.
func applyReply(plan json.RawMessage, reply []byte, limits Limits) (Result, error) {
	return Result{}, errors.New("fill in the function applyReply in the adapter")
}

// ----------------------------------------------------------------------------
// The rest speaks the protocol: JSON-RPC 2.0, one message a line.

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Case struct {
			Plan    json.RawMessage   `json:"plan"`
			Replies []json.RawMessage `json:"replies"`
			Limits  Limits            `json:"limits"`
		} `json:"case"`
	} `json:"params"`
}

func evaluate(r request) (any, error) {
	var reply []byte
	if len(r.Params.Case.Replies) > 0 {
		var err error
		if reply, err = decodeReply(r.Params.Case.Replies[0]); err != nil {
			return nil, err
		}
	}
	result, err := applyReply(r.Params.Case.Plan, reply, r.Params.Case.Limits)
	if rejected := (*Rejected)(nil); errors.As(err, &rejected) {
		return map[string]string{"verdict": "rejected", "code": rejected.Code, "message": rejected.Message}, nil
	}
	return struct {
		Verdict string `json:"verdict"`
		Result
	}{"applied", result}, err
}

// decodeReply reads a string, or {"base64":"…"} for bytes that are not UTF-8.
func decodeReply(raw json.RawMessage) ([]byte, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text), nil
	}
	var encoded struct {
		Base64 string `json:"base64"`
	}
	if err := json.Unmarshal(raw, &encoded); err != nil {
		return nil, fmt.Errorf("read the reply: %w", err)
	}
	return base64.StdEncoding.DecodeString(encoded.Base64)
}

// respond answers a request. A panic is a bug of the engine: it is said, and
// the engine goes on.
func respond(r request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	switch r.Method {
	case "initialize":
		return map[string]any{
			"protocol": 1,
			"engine":   map[string]string{"name": name, "version": version},
			"window":   16,
			"dialects": map[string]any{"planpatch": map[string]any{"profile": json.RawMessage(profile)}},
		}, nil
	case "eval":
		return evaluate(r)
	}
	return nil, fmt.Errorf("unknown method %q", r.Method)
}

func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if r.Method == "shutdown" {
			return nil
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
		if result, err := respond(r); err == nil {
			answer["result"] = result
		} else {
			answer["error"] = map[string]any{"code": -32000, "message": err.Error()}
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
