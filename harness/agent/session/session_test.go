package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/testdata/agenttest"
)

// TestMain makes the test binary the agent that the tests start.
func TestMain(m *testing.M) {
	if bug, ok := os.LookupEnv("SMALL_AGENT"); ok {
		os.Exit(agenttest.Main(bug))
	}
	os.Exit(m.Run())
}

// small is the small agent with a bug.
func small(t *testing.T, bug string) session.Agent {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return session.Agent{
		Command:  launch.Command{Args: []string{self}, Env: []string{"SMALL_AGENT=" + bug, "GORACE=" + os.Getenv("GORACE")}},
		Profiles: []*profile.Profile{smallProfile(t)}, Patience: 20 * time.Second,
	}
}

// node is its like in JavaScript.
func node(t *testing.T, bug string) session.Agent {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	file := filepath.Join(t.TempDir(), "agent.mjs")
	if err := os.WriteFile(file, agenttest.Node, 0o600); err != nil {
		t.Fatal(err)
	}
	return session.Agent{
		Command: launch.Command{Args: []string{program, file, bug}}, Profiles: []*profile.Profile{smallProfile(t)},
		Patience: 20 * time.Second,
	}
}

func smallProfile(t *testing.T) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("profile.yaml", agenttest.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Edits of the tests.
const (
	two     = `{"todos":[{"content":"answer mail","status":"completed"},{"content":"build a bridge","status":"in_progress"}]}`
	done    = `{"todos":[{"content":"answer mail","status":"completed"},{"content":"build a bridge","status":"completed"}]}`
	refused = `{"todos":[{"content":"answer mail","status":"Done"}]}`
)

func script(turns ...session.Turn) session.Script { return session.Script{Turns: turns} }

func kinds(log session.Log) []string {
	list := []string{}
	for _, b := range log.Breaks {
		list = append(list, b.Check+"/"+b.Kind)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestSmallAgentInBulk plays what each bug of a session shows in, to both agents.
func TestSmallAgentInBulk(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		bug    string
		script session.Script
		want   []string
	}{
		{"", script(session.Turn{Edit: two}, session.Turn{Edit: refused}, session.Turn{Edit: done}), []string{}},
		{"", script(session.Turn{Edit: two}, session.Turn{Edit: done, Fault: "server-error"}), []string{}},
		{
			"", script(session.Turn{Edit: two}, session.Turn{Edit: two, Fault: "near-window"}, session.Turn{Edit: done}),
			[]string{},
		},
		{"silent", script(session.Turn{Edit: two, Fault: "server-error"}), []string{"alive/silent"}},
		{"loops", script(session.Turn{Edit: two}), []string{"alive/loop"}},
		{"gives-up", script(session.Turn{Edit: two, Fault: "text-and-call"}), []string{"alive/intact"}},
		{"exit-code", script(session.Turn{Edit: two}), []string{"alive/exit-code"}},
		{"error-clears", script(session.Turn{Edit: two}, session.Turn{Edit: refused}), []string{"arrival/refused"}},
		{"no-result", script(session.Turn{Edit: two}, session.Turn{Edit: refused}), []string{"roles/call-without-result"}},
		{"wrong-id", script(session.Turn{Edit: two}), []string{"roles/call-without-result", "roles/result-without-call"}},
		{
			"half-call", script(session.Turn{Edit: two}, session.Turn{Edit: done, Fault: "half-arguments"}),
			[]string{"arrival/part"},
		},
		{
			"forgets", script(session.Turn{Edit: two}, session.Turn{Edit: two, Fault: "near-window"}, session.Turn{Edit: done}),
			[]string{"carried/gone"},
		},
		{"assistant-first", script(session.Turn{Edit: two}), []string{"roles/order"}},
		{"carries-out-twice", script(session.Turn{Edit: two}), []string{"arrival/twice"}},
	} {
		for name, agent := range map[string]func(*testing.T, string) session.Agent{"go": small, "node": node} {
			t.Run(name+"/"+x.bug+"/"+x.script.Turns[len(x.script.Turns)-1].Fault, func(t *testing.T) {
				t.Parallel()
				a := agent(t, x.bug)
				log, err := a.Play(t.Context(), x.script, session.Name{ID: 3})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(x.want, kinds(log)); diff != "" {
					t.Errorf("what broke (-want +got):\n%s\n%+v\n%s", diff, log.Breaks, log.Exit.Output)
				}
			})
		}
	}
}

// TestWorkForgotten looks for the plan after a compaction that removes another call, whatever the
// form of the edit that would come next.
func TestWorkForgotten(t *testing.T) {
	t.Parallel()
	for bug, want := range map[string][]string{"": {}, "forgets": {"carried/gone"}} {
		a := small(t, bug)
		p := *a.Profiles[0]
		p.Probe = profile.Probe{Names: []string{"look"}, Arguments: "{}"}
		a.Profiles = []*profile.Profile{&p}
		log, err := a.Play(t.Context(), script(session.Turn{Edit: two},
			session.Turn{Edit: "- [ ] a list", Work: true, Fault: "near-window"}, session.Turn{Edit: done}), session.Name{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, kinds(log)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", bug, diff)
		}
	}
}

// TestHang ends an agent that waits for ever.
func TestHang(t *testing.T) {
	t.Parallel()
	a := small(t, "hangs")
	a.Patience = time.Second
	log, err := a.Play(t.Context(), script(session.Turn{Edit: two, Fault: "cut-half"}), session.Name{ID: 0})
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(log); !slices.Equal(got, []string{"alive/hang"}) || !log.Exit.Late {
		t.Errorf("got %v, late %v: %+v %s", got, log.Exit.Late, log.Steps, log.Exit.Output)
	}
}

// TestFaults plays every fault to the agents without a bug: nothing breaks, what
// arrives intact is carried out, and what does not is not.
func TestFaults(t *testing.T) {
	t.Parallel()
	a := small(t, "")
	for _, f := range fault.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			log, err := a.Play(t.Context(), script(session.Turn{Edit: two}, session.Turn{Edit: done, Fault: f.Name},
				session.Turn{Edit: two}), session.Name{ID: 0})
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(log); len(got) > 0 {
				t.Errorf("broke %+v", log.Breaks)
			}
			deed := log.Steps[1].Deed
			if f.Arrives == fault.Intact && deed != session.CarriedOut && deed != session.Unfit && f.Name != "near-window" {
				t.Errorf("an answer that is well-formed: %s", deed)
			}
			for _, did := range log.Steps[1].Calls {
				if (did.Spoilt == fault.Partial || did.Spoilt == fault.Invalid) && !did.Refused {
					t.Errorf("a call that did not arrive whole was taken up: %+v", did)
				}
			}
		})
	}
}

// TestStates reads the plan from the result, and after a refusal from the file.
func TestStates(t *testing.T) {
	t.Parallel()
	a := small(t, "")
	log, err := a.Play(t.Context(), script(session.Turn{Edit: two}, session.Turn{Edit: refused}), session.Name{ID: 0})
	if err != nil {
		t.Fatal(err)
	}
	const first = `{"items":[{"content":"answer mail","status":"completed"},{"content":"build a bridge","status":"in_progress"}]}`
	var got []string
	for _, s := range log.Steps {
		for _, d := range s.Calls {
			got = append(got, string(d.Before), string(d.After))
		}
	}
	if diff := cmp.Diff([]string{`{"items":[]}`, first, first, first}, got); diff != "" {
		t.Errorf("plans before and behind (-want +got):\n%s", diff)
	}
	if l := log.Learned; l.Tool.Name != "set_todos" || !l.Stream || !strings.HasPrefix(l.Stated, "The plan is now") {
		t.Errorf("learned %+v", l)
	}
}

// TestNoTool tells what an agent offers that no profile knows.
func TestNoTool(t *testing.T) {
	t.Parallel()
	a := small(t, "")
	builtin, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a.Profiles = builtin
	_, err = a.Play(t.Context(), script(session.Turn{Edit: two}), session.Name{ID: 0})
	if err == nil || !strings.Contains(err.Error(), "its tools are: set_todos") {
		t.Errorf("got %v", err)
	}
}
