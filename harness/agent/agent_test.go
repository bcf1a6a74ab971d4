package agent_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/agent"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/agent/wire"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/testdata/agenttest"
)

// TestMain makes the test binary the agent that the tests start.
func TestMain(m *testing.M) {
	if bug, ok := os.LookupEnv("SMALL_AGENT"); ok {
		os.Exit(agenttest.Main(bug))
	}
	os.Exit(m.Run())
}

func smallProfile(t *testing.T) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("profile.yaml", agenttest.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// agents are the small ones, in Go and in JavaScript, with a bug.
func agents(t *testing.T) map[string]func(bug string) launch.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]func(string) launch.Command{"go": func(bug string) launch.Command {
		return launch.Command{Args: []string{self}, Env: []string{"SMALL_AGENT=" + bug, "GORACE=" + os.Getenv("GORACE")}}
	}}
	program, err := exec.LookPath("node")
	if err != nil {
		t.Log("node is not installed: the agent in JavaScript is not driven")
		return list
	}
	file := filepath.Join(t.TempDir(), "agent.mjs")
	if err := os.WriteFile(file, agenttest.Node, 0o600); err != nil {
		t.Fatal(err)
	}
	list["node"] = func(bug string) launch.Command { return launch.Command{Args: []string{program, file, bug}} }
	return list
}

func config(t *testing.T, c launch.Command) agent.Config {
	t.Helper()
	return agent.Config{
		Agent: session.Agent{Command: c, Profiles: []*profile.Profile{smallProfile(t)}, Patience: 20 * time.Second},
		Seed:  1, Sessions: 3, Turns: 3, Parallel: 1,
		Faults: []string{"server-error", "text-and-call", "half-arguments", "near-window", "cut-half"},
	}
}

// gating are the causes that fail a gate, by class, check and kind.
func gating(r agent.Result) []string {
	list := []string{}
	for _, c := range r.Causes {
		if !c.Advisory {
			list = append(list, string(c.Class)+" "+c.Check+" "+c.Kind)
		}
	}
	return list
}

// TestShardsInBulk compares the joined results of shards with the result of the whole.
func TestShardsInBulk(t *testing.T) {
	c := config(t, agents(t)["go"]("error-clears"))
	c.ShrinkRuns = 1
	whole, err := agent.Drive(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var joined agent.Result
	for _, i := range []int{2, 1} {
		c.Shard = shard.Shard{I: i, N: 2}
		part, err := agent.Drive(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		var read agent.Result
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatal(err)
		}
		if err := joined.Join(&read); err != nil {
			t.Fatal(err)
		}
	}
	joined.Conclude(true)
	text := func(r agent.Result) string {
		data, err := json.Marshal(r, json.Deterministic(true), jsontext.Multiline(true))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if len(whole.Causes) == 0 {
		t.Fatal("nothing was found: the test shows nothing")
	}
	if diff := cmp.Diff(text(whole), text(joined)); diff != "" {
		t.Errorf("not the result of the whole (-whole +joined):\n%s", diff)
	}
}

// bug says how a bug shows: in sessions with these faults, or in edits with these
// traits.
type bug struct {
	faults, traits []string
	shows          func(agent.Cause) bool
}

func bugs() map[string]bug {
	return map[string]bug{
		"drops-done":        {nil, nil, of(judge.Loss, judge.Differs)},
		"appends":           {nil, nil, of(judge.Differs, judge.Unsound, judge.Loss)},
		"cuts":              {nil, nil, of(judge.Loss, judge.Differs)},
		"any-status":        {nil, []string{"unknown-word"}, of(judge.Accepts, judge.Unsound, judge.Forged)},
		"blank":             {nil, []string{"blank-id"}, of(judge.Accepts, judge.Unsound)},
		"duplicates":        {nil, []string{"twice"}, of(judge.Accepts, judge.Unsound)},
		"refuses-empty":     {nil, []string{"empty-list"}, of(judge.Refuses)},
		"error-clears":      {[]string{"half-arguments"}, nil, named("arrival", "refused")},
		"no-result":         {[]string{"half-arguments"}, nil, named("roles", "call-without-result")},
		"wrong-id":          {nil, nil, named("roles", "result-without-call")},
		"half-call":         {[]string{"half-arguments"}, nil, named("arrival", "part")},
		"silent":            {[]string{"server-error", "overloaded"}, nil, named("alive", "silent")},
		"hangs":             {[]string{"cut-half"}, nil, named("alive", "hang")},
		"loops":             {nil, nil, named("alive", "loop")},
		"gives-up":          {[]string{"text-and-call"}, nil, named("alive", "intact")},
		"exit-code":         {nil, nil, named("alive", "exit-code")},
		"forgets":           {[]string{"near-window"}, nil, named("carried", "gone")},
		"assistant-first":   {nil, nil, named("roles", "order")},
		"carries-out-twice": {nil, nil, named("arrival", "twice")},
		"stops":             {[]string{"same-call"}, nil, named("alive", "silent")},
	}
}

// TestBugsInBulk finds every bug of the small agents, and nothing in those without one.
func TestBugsInBulk(t *testing.T) {
	t.Parallel()
	for name := range agenttest.Bugs() {
		if bugs()[name].shows == nil {
			t.Errorf("nothing is said of the bug %s", name)
		}
	}
	for language, command := range agents(t) {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			whole := config(t, command(""))
			whole.Sessions, whole.Turns = 9, 20 // with each trait once; a call carries all before it, so sessions stay short
			r, err := agent.Drive(t.Context(), whole)
			if err != nil {
				t.Fatal(err)
			}
			if got := gating(r); len(got) > 0 {
				t.Errorf("without a bug: %q %+v", got, r.Causes[0])
			}
			for name, b := range bugs() {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					c := config(t, command(name))
					c.Faults, c.Traits, c.Sessions, c.Turns = append([]string{}, b.faults...), append([]string{}, b.traits...), 2, 2
					if name == "hangs" {
						c.Agent.Patience = 2 * time.Second
					}
					r, err := agent.Drive(t.Context(), c)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.ContainsFunc(r.Causes, func(c agent.Cause) bool { return !c.Advisory && b.shows(c) }) {
						t.Errorf("not found: %q", gating(r))
					}
					for _, x := range r.Causes {
						if several := strings.Contains(x.Sentence, ", or when ") || len(b.faults) > 1 &&
							slices.Equal(x.Culprits, b.faults); several && len(x.Traits) < 2 {
							t.Errorf("%s: the cause does not list its traits: %+v", x.Sentence, x.Traits)
						}
					}
				})
			}
		})
	}
}

// of matches causes of these classes, in a transition.
func of(classes ...judge.Class) func(agent.Cause) bool {
	return func(c agent.Cause) bool { return slices.Contains(classes, c.Class) && c.Example != nil }
}

// named matches causes of a check and kind.
func named(check, kind string) func(agent.Cause) bool {
	return func(c agent.Cause) bool { return c.Check == check && c.Kind == kind }
}

// TestSameCausesInBulk drives an agent twice, the second time with several sessions at once: what
// is found is the same to the byte.
func TestSameCausesInBulk(t *testing.T) {
	t.Parallel()
	command := agents(t)["go"]
	var first []byte
	for _, parallel := range []int{1, 3} {
		c := config(t, command("appends"))
		c.Parallel, c.ShrinkRuns = parallel, 3
		r, err := agent.Drive(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		}
		if diff := cmp.Diff(string(first), string(text)); diff != "" {
			t.Errorf("%d at once (-first +now):\n%s", parallel, diff)
		}
	}
}

// TestShortenInBulk makes the session of a cause short, keeps it, and plays it again.
func TestShortenInBulk(t *testing.T) {
	t.Parallel()
	c := config(t, agents(t)["go"]("error-clears"))
	c.ShrinkRuns = 5
	r, err := agent.Drive(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Causes, named("arrival", "refused"))
	if i < 0 {
		t.Fatalf("not found: %q", gating(r))
	}
	found := r.Causes[i]
	if n := len(found.Session.Turns); n > 2 || found.Shown != 1 {
		t.Errorf("%d turns, shown %d of %d", n, found.Shown, found.Played)
	}
	dir := t.TempDir()
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	file := agent.SessionPath(dir, found.ID)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := agent.DecodeSession(file, data)
	if err != nil {
		t.Fatal(err)
	}
	for bug, want := range map[string]bool{"error-clears": true, "": false} {
		c := config(t, agents(t)["go"](bug))
		again, err := agent.Play(t.Context(), c, s)
		if err != nil || again.Shown != want {
			t.Errorf("with the bug %q: shown %v, %v", bug, again.Shown, err)
		}
	}
}

// TestRefusesSilentlyInBulk drives an agent that refuses properly and does not repeat its list with
// the refusal: nothing fails.
func TestRefusesSilentlyInBulk(t *testing.T) {
	t.Parallel()
	c := config(t, agents(t)["go"](""))
	quiet := *c.Agent.Profiles[0]
	quiet.State = slices.DeleteFunc(slices.Clone(quiet.State), func(s profile.State) bool { return s.File != "" })
	if !quiet.Silent() || len(quiet.State) == 0 {
		t.Fatalf("the agent repeats its list: %+v", quiet.State)
	}
	c.Agent.Profiles = []*profile.Profile{&quiet}
	c.Sessions, c.Turns = 9, 20 // with each trait once
	r, err := agent.Drive(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := gating(r); len(got) > 0 || r.Calls < 100 {
		t.Errorf("%d calls: %q %+v", r.Calls, got, r.Causes[0])
	}
}

// TestReminderInBulk drives an agent that shows its list in a reminder behind the results, and not in them. A bug is one
// cause, in whatever checks it shows.
func TestReminderInBulk(t *testing.T) {
	t.Parallel()
	for bug, want := range map[string][]string{"": {}, "cuts": {"loss no-silent-loss gone"}} {
		command := agents(t)["go"](bug)
		command.Env = append(command.Env, "SMALL_AGENT_REMINDS=1")
		c := config(t, command)
		reminds := *c.Agent.Profiles[0]
		reminds.State = []profile.State{{Message: wire.Behind, JSON: "todos", List: "items"}}
		c.Agent.Profiles = []*profile.Profile{&reminds}
		c.Sessions, c.Turns = 9, 20 // with each trait once
		r, err := agent.Drive(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, gating(r)); diff != "" || r.Calls < 100 {
			t.Errorf("%s: %d calls (-want +got):\n%s", bug, r.Calls, diff)
		}
	}
}

// TestNotCompactedInBulk says of an agent with a larger window that it did not compact its history.
func TestNotCompactedInBulk(t *testing.T) {
	t.Parallel()
	for window, want := range map[int]bool{50_000: true, 128_000: false} {
		c := config(t, agents(t)["go"](""))
		c.Agent.Profiles[0].Window = window
		c.Faults, c.Traits, c.Sessions, c.Turns = []string{"near-window"}, []string{}, 2, 1
		r, err := agent.Drive(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Faults[0].Deed == session.Kept; got != want {
			t.Errorf("window %d: the agent %s", window, r.Faults[0].Deed)
		}
	}
}

// TestFound announces each cause once, in the order in which it shows.
func TestFound(t *testing.T) {
	t.Parallel()
	c := config(t, agents(t)["go"]("forgets"))
	c.Faults, c.Traits, c.Sessions, c.Turns, c.Level = []string{"near-window"}, []string{}, 3, 1, harness.JudgeExact
	var found []string
	c.Found = func(sentence string) { found = append(found, sentence) }
	r, err := agent.Drive(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Causes) != 1 || !slices.Equal(found, []string{r.Causes[0].Sentence}) {
		t.Errorf("announced %q of %+v", found, r.Causes)
	}
}

// TestListen plays the model to agents that the test starts itself.
func TestListen(t *testing.T) {
	t.Parallel()
	c := config(t, launch.Command{})
	c.Sessions, c.Time = 2, time.Minute
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := agent.Listen(t.Context(), c, "127.0.0.1:0", func(url, key string) {
		go func() {
			for range 2 {
				cmd := exec.Command(self)
				cmd.Env = append(os.Environ(), "SMALL_AGENT=error-clears", "OPENAI_BASE_URL="+url+"/v1", "OPENAI_API_KEY="+key,
					"HOME="+t.TempDir())
				_ = cmd.Run() // what it did shows in the sessions
			}
		}()
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Sessions != 2 || r.Calls < 20 || r.Profile != "small" {
		t.Errorf("%d sessions, %d calls, profile %q", r.Sessions, r.Calls, r.Profile)
	}
}

// TestTime begins no session when the time is over.
func TestTime(t *testing.T) {
	t.Parallel()
	c := config(t, agents(t)["go"](""))
	c.Time = time.Nanosecond
	r, err := agent.Drive(t.Context(), c)
	if err != nil || r.Sessions != 1 || r.Planned != 3 {
		t.Errorf("%d of %d sessions, %v", r.Sessions, r.Planned, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agent.Drive(ctx, c); err == nil {
		t.Error("an interrupt is no error")
	}
}

// TestRecorder keeps what was sent, without the key.
func TestRecorder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "record")
	r, err := agent.NewRecorder(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, agents(t)["go"](""))
	c.Sessions, c.Agent.Record = 1, r.Record
	if _, err := agent.Drive(t.Context(), c); err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	data, err := os.ReadFile(filepath.Join(dir, "session-000.jsonl"))
	if err != nil || bytes.Count(data, []byte("\n")) < 10 {
		t.Fatalf("%d lines, %v", bytes.Count(data, []byte("\n")), err)
	}
	if bytes.Contains(data, []byte("sk-replanbench-")) {
		t.Error("the key is in the record")
	}
}

// TestDecodeSession names what is wrong with a file.
func TestDecodeSession(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":        "not a session",
		`{"v":9}`: "version 9",
		`{"v":1}`: "no turns",
		`{"v":1,"profile":"p","turns":[{"edit":"{}","fault":"cut-hal"}]}`: `turns[0]: unknown fault "cut-hal"; did you mean "cut-half"`,
		`{"v":1,"turn":[]}`: "turn",
	} {
		if _, err := agent.DecodeSession("s.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzDecodeSession reads foreign bytes; what it reads it writes the same again.
func FuzzDecodeSession(f *testing.F) {
	f.Add([]byte(`{"v":1,"profile":"p","turns":[{"edit":"{}","setup":true}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := agent.DecodeSession("s.json", data)
		if err != nil {
			return
		}
		text, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := agent.DecodeSession("s.json", text)
		if diff := cmp.Diff(s, again); err != nil || diff != "" {
			t.Errorf("%v (-read +read again):\n%s", err, diff)
		}
	})
}
