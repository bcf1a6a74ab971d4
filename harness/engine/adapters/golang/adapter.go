// Connects your patch logic to replanbench. Needs the standard library only, and
// a place within your Go module, so that it may import your packages.
//
// Fill in the function applyReply below, then:
//
//	go build -o planner-engine/ ./planner-engine
//	replanbench engine check -- ./planner-engine/planner-engine
//	replanbench fuzz --cases 2000 -- ./planner-engine/planner-engine
//
// Several copies of this program may run at once, so let them share no file.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

const name, version = "my-planner", "0.1"

// profile contains the rules that your engine follows: the name of a profile, or knobs
// that override the profile "reference" ({"conflicts":"reject"}). Your engine is judged
// by these rules. See replanbench help profiles and replanbench list knobs.
// replanbench engine infer finds the rules that fit what your engine does.
const profile = `"reference"`

// arguments is "parsed" if a client parses the arguments of the model's tool calls before
// your engine gets them: then every reply is one JSON object, and reading text is not judged.
// Types are still judged: if the client validates arguments by a schema, do so here, too.
const arguments = "text"

// without names the capabilities that your engine lacks (replanbench list capabilities):
// cases that need them are skipped. gives names what it returns besides the plan, such as
// "warnings": only these members are compared, also in rejections.
func without() []string { return []string{} }
func gives() []string   { return []string{} }

// features names what it does beyond one edit (replanbench list features). Cases that need
// another feature are skipped.
func features() []string { return []string{} }

// codes is "exact" if your engine returns the codes of replanbench list codes.
const codes = "any"

// The dialects that your engine knows. See: replanbench help dialects

//[replies

// Plan and reply go to applyReply.
func replyDialects() []string { return []string{"REPLY DIALECTS"} }

//]
//[cases

// The whole case goes to runCase.
func caseDialects() []string { return []string{"CASE DIALECTS"} }

//]

// Rejected rejects a reply. Begin with the code "refused": it gives no reason, and reasons are
// then never compared. See: replanbench list codes
type Rejected struct {
	Code    string
	Message string
}

func (r *Rejected) Error() string { return r.Code + ": " + r.Message }

// Result is the new plan as JSON (json.Marshal makes it of your own type), with warnings about
// parts of the reply that were not applied. See: replanbench list warnings
type Result struct {
	Plan     json.RawMessage `json:"plan"`
	Warnings []Warning       `json:"warnings,omitempty"`
	// More has further members of the outcome, such as "results" and "created" of the dialect tasks.
	More map[string]any `json:"-"`
}

// Warning names the ids that were left out: {"truncated", []string{"step_9"}}.
type Warning struct {
	Code string   `json:"code"`
	IDs  []string `json:"ids"`
}

// Limits of a case; nil means no limit.
type Limits struct {
	MaxPlanSteps  *int `json:"max_plan_steps"`
	MaxReplyBytes *int `json:"max_reply_bytes"`
	MaxDepth      *int `json:"max_depth"`
}

// ----------------------------------------------------------------------------
// YOUR CODE

//[pages
//]

//[replies

// applyReply applies a model's reply to a plan and returns the new plan.
//
//	plan   the plan of the case, as above; optional members may be missing or null,
//	       and unknown members must be kept
//	reply  the raw bytes that the model wrote
//
// To reject the reply: return Result{}, &Rejected{"refused", "step_1 is done"}. A
// rejection must not change the plan. If your code may have changed it, return the
// changed plan in Result, and replanbench reports the change. A rejection may have
// warnings: Result{Warnings: …}.
// fmt.Println is safe here: it goes to standard error.
func applyReply(plan json.RawMessage, reply []byte, limits Limits) (Result, error) {
	return Result{}, errors.New("fill in the function applyReply in the adapter")
}

//]
//[cases

// runCase evaluates a case and returns its outcome, both as above. The outcome is any
// value that encodes as {"verdict":"applied",…}. For all members see: replanbench schema
// case; replanbench schema outcome. For expected outcomes see: replanbench list scenarios;
// replanbench replay FILE
//
// To reject: return nil, &Rejected{"refused", "step_1 is done"}, or an outcome of your own,
// such as one with warnings. A reply is a text, or {"base64":…} for bytes that are not
// UTF-8: decodeReply reads both. The case has a profile only if you declare the feature
// "profiles". fmt.Println is safe here: it goes to standard error.
func runCase(document json.RawMessage) (outcome any, err error) {
	return nil, errors.New("fill in the function runCase in the adapter")
}

//]

// ----------------------------------------------------------------------------
// The rest speaks the protocol: JSON-RPC 2.0, one message per line.

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Case json.RawMessage `json:"case"`
	} `json:"params"`
}

//[replies

// patch evaluates a case of one of replyDialects: its first reply. If you support a feature
// that needs more of the case, such as "ladder", pass it to applyReply here.
func patch(document json.RawMessage) (any, error) {
	var c struct {
		Plan    json.RawMessage   `json:"plan"`
		Replies []json.RawMessage `json:"replies"`
		Limits  Limits            `json:"limits"`
	}
	if err := json.Unmarshal(document, &c); err != nil {
		return nil, fmt.Errorf("read the case: %w", err)
	}
	if len(c.Replies) == 0 {
		return refusal(&Rejected{"refused", "there is no reply"}), nil
	}
	reply, err := decodeReply(c.Replies[0])
	if err != nil {
		return nil, err
	}
	result, err := applyReply(c.Plan, reply, c.Limits)
	if r := (*Rejected)(nil); errors.As(err, &r) {
		outcome := refusal(r)
		outcome["plan"] = once(c.Plan)
		if result.Plan != nil {
			outcome["plan"] = result.Plan
		}
		if len(result.Warnings) > 0 {
			outcome["warnings"] = result.Warnings
		}
		return outcome, nil
	}
	return applied(result), err
}

//]

func applied(result Result) map[string]any {
	outcome := map[string]any{"verdict": "applied", "plan": result.Plan}
	if len(result.Warnings) > 0 {
		outcome["warnings"] = result.Warnings
	}
	maps.Copy(outcome, result.More)
	return outcome
}

// once returns a document without duplicate members, which an answer must not have.
func once(document json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return document
	}
	return v
}

func refusal(r *Rejected) map[string]any {
	return map[string]any{"verdict": "rejected", "code": r.Code, "message": r.Message}
}

// dialect is the engine's declaration of a dialect, with the function that turns a case into an
// outcome.
type dialect struct {
	declared map[string]any
	evaluate func(document json.RawMessage) (any, error)
}

// dialects lists the declared dialects.
func dialects() map[string]dialect {
	rows := map[string]dialect{}
	declared := map[string]any{
		"profile": json.RawMessage(profile), "codes": codes, "arguments": arguments,
		"without": without(), "gives": gives(), "features": features(),
	}
	//[replies
	for _, name := range replyDialects() {
		rows[name] = dialect{declared, patch}
	}
	//]
	//[cases
	for _, name := range caseDialects() {
		rows[name] = dialect{declared, runCase}
	}
	//]
	return rows
}

func evaluate(document json.RawMessage) (any, error) {
	var c struct {
		Dialect string `json:"dialect"`
	}
	if err := json.Unmarshal(document, &c); err != nil {
		return nil, fmt.Errorf("read the case: %w", err)
	}
	d, ok := dialects()[c.Dialect]
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", c.Dialect)
	}
	outcome, err := d.evaluate(document)
	if r := (*Rejected)(nil); errors.As(err, &r) {
		return refusal(r), nil
	}
	return outcome, err
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

// place returns the line of your code that panicked, as FILE:LINE: crashes of one line are one bug.
func place() string {
	stack := make([]uintptr, 64)
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack)])
	for below := false; ; {
		f, more := frames.Next()
		own := !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.File, runtime.GOROOT())
		switch {
		case below && own && f.File != "":
			return fmt.Sprintf("%s:%d: ", filepath.Base(f.File), f.Line)
		case !more:
			return ""
		}
		below = below || f.Function == "runtime.gopanic"
	}
}

// printed contains the places of the panics whose stacks were printed: each once.
var printed sync.Map

// respond answers a request. A panic is a bug of the engine: respond reports it, and the engine
// goes on.
func respond(r request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%spanic: %v", place(), p)
			if _, again := printed.LoadOrStore(place(), true); !again {
				fmt.Fprintf(os.Stderr, "panic: %v\n%s", p, debug.Stack())
			}
		}
	}()
	switch r.Method {
	case "initialize":
		declared := map[string]any{}
		for name, d := range dialects() {
			declared[name] = d.declared
		}
		return map[string]any{
			"protocol": 1,
			"engine":   map[string]string{"name": name, "version": version},
			"window":   16,
			"dialects": declared,
		}, nil
	case "eval":
		return evaluate(r.Params.Case)
	}
	return nil, fmt.Errorf("unknown method %q", r.Method)
}

func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
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
		if _, err := out.Write(append(message(r), '\n')); err != nil {
			return err
		}
	}
}

// message answers a request. A value that JSON cannot hold, such as NaN, is an error of the engine.
func message(r request) []byte {
	answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
	result, err := respond(r)
	if err == nil {
		answer["result"] = result
		line, wrong := json.Marshal(answer)
		if wrong == nil {
			return line
		}
		err = wrong
		delete(answer, "result")
	}
	answer["error"] = map[string]any{"code": -32000, "message": err.Error()}
	line, err := json.Marshal(answer)
	if err != nil {
		panic(err) // an id and a text
	}
	return line
}

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // standard output belongs to the protocol
	if err := serve(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
