package fault_test

import (
	"bytes"
	"strings"
	"testing"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/wire"
)

const edit = `{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"pending"}]}`

func shot(t *testing.T, path, body string) *fault.Shot {
	t.Helper()
	r, err := wire.Read(path, []byte(body), false)
	if err != nil {
		t.Fatal(err)
	}
	a := wire.Answer{
		ID: "a2", Model: "m", Created: 1, Calls: []wire.Call{{ID: "c2", Name: "f", Arguments: edit}},
		Finish: wire.Stop, Usage: wire.Usage{In: 11, Out: 7},
	}
	last := a
	last.ID, last.Calls = "a1", []wire.Call{{ID: "c1", Name: "f", Arguments: `{"todos":[]}`}}
	return &fault.Shot{
		Request: r, Answer: a, Last: last, Second: `{"todos":[]}`, Gzip: true,
		Location: "http://127.0.0.1:1/x",
	}
}

// forms are requests in every form.
var forms = map[string]string{
	"/v1/chat/completions ": `{"stream":true,"stream_options":{"include_usage":true}}`, "/v1/chat/completions": `{}`,
	"/v1/responses ": `{"stream":true}`, "/v1/responses": `{}`, "/v1/messages ": `{"stream":true}`, "/v1/messages": `{}`,
	"/v1beta/models/m:streamGenerateContent": `{}`, "/v1beta/models/m:generateContent": `{}`,
}

// TestEveryFault spoils an answer in every form: what is spoilt differs from what
// is not, and where no whole call arrives its text does not.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	if n := len(fault.All()); n < 45 {
		t.Errorf("%d faults", n)
	}
	names := map[string]bool{}
	for _, f := range fault.All() {
		if names[f.Name] || f.Text == "" || f.Arrives == "" || f.Family == "" {
			t.Errorf("%+v is not whole, or there twice", f)
		}
		names[f.Name] = true
		fits := 0
		for path, body := range forms {
			s := shot(t, strings.TrimSpace(path), body)
			if !f.Fits(s.Request) {
				continue
			}
			fits++
			clean := (*fault.Fault)(nil).Send(shot(t, strings.TrimSpace(path), body))
			spoilt := f.Send(s)
			if same(clean, spoilt) {
				t.Errorf("%s spoils nothing at %s", f.Name, path)
			}
			if f.Arrives == fault.Nothing && f.Name != "gzip-unsaid" &&
				bytes.Contains(spoilt.Body, []byte("pending")) && spoilt.End == endpoint.Whole {
				t.Errorf("%s at %s: the call is there: %s", f.Name, path, spoilt.Body)
			}
		}
		if fits == 0 {
			t.Errorf("%s fits no request", f.Name)
		}
	}
}

func same(a, b endpoint.Delivery) bool {
	return bytes.Equal(a.Body, b.Body) && a.End == b.End && a.Status == b.Status && a.Type == b.Type &&
		a.Piece == b.Piece && a.Length == b.Length && len(a.Header) == len(b.Header)
}

// TestEventTwice repeats the event that finishes an answer, and no part of the call.
func TestEventTwice(t *testing.T) {
	t.Parallel()
	f, err := fault.Find("event-twice")
	if err != nil {
		t.Fatal(err)
	}
	for path, finish := range map[string]string{
		"/v1/chat/completions": `"finish_reason":"tool_calls"`, "/v1/responses": `"type":"response.completed"`,
		"/v1/messages": `"type":"message_delta"`,
	} {
		for _, usage := range []string{"true", "false"} {
			body := `{"stream":true,"stream_options":{"include_usage":` + usage + `}}`
			if n := bytes.Count(f.Send(shot(t, path, body)).Body, []byte(finish)); n != 2 {
				t.Errorf("%s, usage %s: %s is there %d times", path, usage, finish, n)
			}
		}
	}
}

// TestFind names the nearest fault.
func TestFind(t *testing.T) {
	t.Parallel()
	if _, err := fault.Find("cut-hal"); err == nil || !strings.Contains(err.Error(), "cut-half") {
		t.Errorf("got %v", err)
	}
}
