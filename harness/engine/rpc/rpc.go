// Package rpc is the protocol between replanbench and engines outside its process:
// JSON-RPC 2.0, one message per line over standard input and output, or one message
// per body of an HTTP POST request.
//
// An engine written in Go needs only [Serve] (or [Handler], for HTTP):
//
//	err := rpc.Serve(ctx, os.Stdin, os.Stdout, engine)
//
// The methods are
//
//	initialize  once, first: versions, and what the engine declares
//	eval        one case; the result is its outcome
//	shutdown    a notification: finish the open requests and exit
//
// Answers may come in any order. Standard output belongs to the protocol. Text for
// people goes to standard error.
//
// The package has the messages and the server. Package engine starts, watches and
// ends processes.
package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// MaxLine is the longest message that is read, in bytes.
const MaxLine = 8 << 20

// The methods.
const (
	Initialize = "initialize"
	Eval       = "eval"
	Shutdown   = "shutdown"
)

// Message is a request, a notification (no ID) or a response (no Method).
type Message struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *Error         `json:"error,omitzero"`
}

// Error is the error member of a response.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

// The JSON-RPC 2.0 error codes that [Serve] returns, and one more for an engine that failed on
// a case.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	engineFailed   = -32000
)

// Party names one end of the connection.
type Party struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
}

// InitializeParams are the parameters of the method initialize.
type InitializeParams struct {
	Protocol int   `json:"protocol"`
	Client   Party `json:"client"`
}

// initializeResult is an engine's declaration.
type initializeResult struct {
	Protocol int   `json:"protocol"`
	Engine   Party `json:"engine"`
	// Window is the maximum number of open requests; the default is 1.
	Window   int                            `json:"window,omitzero"`
	Dialects map[string]harness.Declaration `json:"dialects"`
}

// EvalParams are the parameters of the method eval.
type EvalParams struct {
	// DeadlineMS is the time limit for this case in milliseconds, counted from when the engine
	// starts on the case. The harness kills an engine that exceeds it.
	DeadlineMS int64        `json:"deadline_ms"`
	Case       harness.Case `json:"case"`
}

// tolerant keeps the documents of a case unchanged, errors included: they are the input under
// test.
func tolerant() json.Options {
	return json.JoinOptions(
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true),
	)
}

// EncodeEval encodes the parameters of eval on one line. It fails if the plan of the case is
// not JSON, or not UTF-8.
func EncodeEval(p EvalParams) ([]byte, error) {
	if rules := p.Case.Profile; rules != nil && rules.Base != "" {
		flat := rules.For(all.Vocabulary(p.Case.Dialect).Own)
		p.Case.Profile = &flat
	}
	b, err := json.Marshal(p, tolerant())
	if err != nil {
		return nil, fmt.Errorf("encode the case: %w", err)
	}
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("encode the case: a document in it is not UTF-8")
	}
	return b, nil
}

// AppendRequest appends a request and its end of line. Params must be JSON on
// one line.
func AppendRequest(b []byte, id int64, method string, params []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, `","params":`...)
	b = append(b, params...)
	return append(b, "}\n"...)
}

// AppendShutdown appends the notification that ends a session.
func AppendShutdown(b []byte) []byte {
	return append(b, `{"jsonrpc":"2.0","method":"shutdown"}`+"\n"...)
}

// Response is a message that answers a request. The ids of requests are integers.
type Response struct {
	ID     int64
	Result jsontext.Value // nil if Error is set
	Error  *Error
}

// DecodeResponse reads a response. The error describes the fault. Where that is safe, the
// result is cut out of the line without being parsed. The decoder of the result must reject
// trailing data.
func DecodeResponse(line []byte) (Response, error) {
	if r, ok := usual(line); ok {
		return r, nil
	}
	var m Message
	if err := json.Unmarshal(line, &m); err != nil {
		return Response{}, fmt.Errorf("not a JSON-RPC message: %w", plain(err))
	}
	switch {
	case m.JSONRPC != "2.0":
		return Response{}, fmt.Errorf(`the member "jsonrpc" must be "2.0"`)
	case len(m.ID) == 0:
		return Response{}, fmt.Errorf(`the member "id" is missing`)
	case len(m.Result) == 0 && m.Error == nil:
		return Response{}, fmt.Errorf(`it has neither "result" nor "error"`)
	case len(m.Result) > 0 && m.Error != nil:
		return Response{}, fmt.Errorf(`it has both "result" and "error"`)
	}
	if m.Error != nil && string(m.ID) == "null" {
		return Response{}, fmt.Errorf("an error without an id: %s", m.Error.Message)
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return Response{}, fmt.Errorf("no request has the id %s (ids are integers)", m.ID)
	}
	return Response{id, m.Result, m.Error}, nil
}

// usual reads a response with its members in the usual order whose result is an object. The
// result extends to the end of the line, so that trailing data makes it malformed.
func usual(line []byte) (Response, bool) {
	line, ok := cutTokens(line, `{"jsonrpc":"2.0","id":`, "{", `"jsonrpc"`, ":", `"2.0"`, ",", `"id"`, ":")
	if !ok {
		return Response{}, false
	}
	line = trimSpace(line)
	digits := 0
	var id int64
	for ; digits < len(line) && digits < 18 && '0' <= line[digits] && line[digits] <= '9'; digits++ {
		id = id*10 + int64(line[digits]-'0')
	}
	if digits == 0 || line[0] == '0' && digits > 1 {
		return Response{}, false
	}
	if line, ok = cutTokens(line[digits:], `,"result":`, ",", `"result"`, ":"); !ok {
		return Response{}, false
	}
	line = bytes.TrimSpace(line)
	if line, ok = bytes.CutSuffix(line, []byte("}")); !ok {
		return Response{}, false
	}
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return Response{}, false
	}
	return Response{ID: id, Result: line}, true
}

// cutTokens removes tokens from the beginning of a line, usually without white space between
// them.
func cutTokens(line []byte, compact string, tokens ...string) (rest []byte, ok bool) {
	if rest, ok = bytes.CutPrefix(line, []byte(compact)); ok {
		return rest, true
	}
	for _, token := range tokens {
		if line, ok = bytes.CutPrefix(trimSpace(line), []byte(token)); !ok {
			return nil, false
		}
	}
	return line, true
}

func trimSpace(b []byte) []byte { return bytes.TrimLeft(b, " \t") }

// DecodeHello reads the result of initialize.
func DecodeHello(result []byte) (harness.Hello, error) {
	var version struct {
		Protocol *int `json:"protocol"`
	}
	if err := json.Unmarshal(result, &version); err != nil {
		return harness.Hello{}, fmt.Errorf("the result of initialize: %w", plain(err))
	}
	if version.Protocol == nil {
		return harness.Hello{}, fmt.Errorf(`the result of initialize lacks the member "protocol"`)
	}
	if *version.Protocol != Protocol {
		return harness.Hello{}, fmt.Errorf("the engine speaks version %d of the protocol, replanbench %s speaks version %d",
			*version.Protocol, harness.Version, Protocol)
	}
	var r initializeResult
	if err := json.Unmarshal(result, &r); err != nil {
		if semantic := (*json.SemanticError)(nil); errors.As(err, &semantic) && semantic.JSONPointer == "/window" {
			return harness.Hello{}, errWindow
		}
		return harness.Hello{}, fmt.Errorf("the result of initialize: %w", plain(err))
	}
	return r.hello()
}

// checkDeclared checks the closed lists of a declaration.
func checkDeclared(dialect string, d harness.Declaration) error {
	if d.Codes != "" && d.Codes != harness.ExactCodes && d.Codes != harness.AnyCodes {
		return fmt.Errorf("dialect %s: unknown value %q of codes (use exact or any)", dialect, d.Codes)
	}
	if d.Arguments != "" && d.Arguments != harness.TextArguments && d.Arguments != harness.ParsedArguments {
		return fmt.Errorf("dialect %s: unknown value %q of arguments (use text or parsed)", dialect, d.Arguments)
	}
	if all.Find(dialect) == nil {
		return nil // a newer version may declare it
	}
	if err := d.Profile.Check(all.Vocabulary(dialect).Own); err != nil {
		return fmt.Errorf("dialect %s: %w", dialect, err)
	}
	capabilities := harness.Names(all.Capabilities(dialect))
	for _, name := range d.Without {
		if !slices.Contains(capabilities, name) {
			return fmt.Errorf("dialect %s: without: unknown capability %q%s (see replanbench list capabilities)", dialect, name,
				harness.DidYouMean(name, capabilities))
		}
	}
	members := all.Members(dialect).Optional()
	for _, name := range d.Gives {
		if !slices.Contains(members, name) {
			return fmt.Errorf("dialect %s: gives: unknown optional member %q%s (they are %s)", dialect, name,
				harness.DidYouMean(name, members), strings.Join(members, ", "))
		}
	}
	return nil
}

var errWindow = errors.New("the window must be a whole number of at least 1 (of more than 1,024, 1,024 are used)")

func (r initializeResult) hello() (harness.Hello, error) {
	switch {
	case r.Engine.Name == "":
		return harness.Hello{}, fmt.Errorf(`the result of initialize lacks the engine's name ("engine":{"name":"…"})`)
	case r.Window < 0:
		return harness.Hello{}, errWindow
	case len(r.Dialects) == 0:
		return harness.Hello{}, fmt.Errorf(`the engine declares no dialect ("dialects":{"%s":{}})`, all.Names()[0])
	}
	for name, d := range r.Dialects {
		for _, f := range d.Features {
			if !slices.ContainsFunc(harness.Features(), func(t harness.Term) bool { return t.Name == f }) {
				return harness.Hello{}, fmt.Errorf("dialect %s: unknown feature %q", name, f)
			}
		}
		if err := checkDeclared(name, d); err != nil {
			return harness.Hello{}, err
		}
		if d.Profile.Equal(harness.Profile{}) { // not given
			d.Profile = harness.Reference()
			r.Dialects[name] = d
		}
	}
	return harness.Hello{Name: r.Engine.Name, Version: r.Engine.Version, Window: max(1, r.Window), Dialects: r.Dialects},
		nil
}
