package suite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// fake answers by the first reply of a case.
type fake struct {
	window int
	hello  error
	codes  string
}

func (f fake) Hello(context.Context) (harness.Hello, error) {
	d := harness.Declaration{Profile: harness.Reference(), Codes: f.codes}
	return harness.Hello{Name: "fake", Window: f.window, Dialects: map[string]harness.Declaration{"planpatch": d}}, f.hello
}

func (f fake) Close() error { panic("the engine belongs to the caller") }

func (f fake) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	switch c.Replies[0] {
	case "crash":
		panic("boom")
	case "error":
		return harness.Outcome{}, fmt.Errorf("out of memory")
	case "garbage":
		return harness.Outcome{}, &harness.Failure{Kind: harness.ProtocolFailure, Detail: "no JSON"}
	case "hang":
		<-ctx.Done()
		time.Sleep(time.Hour)
	case "stop":
		return harness.Outcome{}, fmt.Errorf("%w: it exited", harness.ErrStopped)
	case "refuse":
		return harness.Outcome{Verdict: harness.Unsupported, Message: "not today"}, nil
	}
	return harness.Outcome{Verdict: harness.Rejected, Code: harness.Code(c.Replies[0])}, nil
}

func scenario(t *testing.T, reply, level, code string) scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("planpatch/"+reply+".txtar", fmt.Appendf(nil, `# Why.
dialect: planpatch
level: %s
-- plan.json --
{"title":"t","steps":[{"id":"a","description":"d"}]}
-- reply.1.txt --
%s
-- want.json --
{"verdict":"rejected","code":"%s"}
`, level, reply, code))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRun(t *testing.T) {
	list := []scenarios.Scenario{
		scenario(t, "empty_patch", "must", "empty_patch"),
		scenario(t, "bad_type", "must", "empty_patch"),
		scenario(t, "empty_id", "should", "empty_patch"),
		scenario(t, "crash", "must", "empty_patch"),
		scenario(t, "error", "must", "empty_patch"),
		scenario(t, "garbage", "should", "empty_patch"),
		scenario(t, "hang", "must", "empty_patch"),
		scenario(t, "refuse", "must", "empty_patch"),
		scenario(t, "ladder", "must", "empty_patch"),
		scenario(t, "extra_field", "must", "extra_field"),
	}
	list[8].Case.Replies = append(list[8].Case.Replies, "second")
	want := []string{
		"empty_patch pass",
		"bad_type fail gate /code want \"empty_patch\" got \"bad_type\"",
		"empty_id fail /code want \"empty_patch\" got \"empty_id\"",
		"crash crash gate: panic: boom",
		"error crash gate: out of memory",
		"garbage protocol gate: no JSON",
		"hang hang gate: no answer within 1m0s",
		"refuse unsupported: the engine says that it is not supported: not today",
		"ladder unsupported: the case needs the feature ladder, which the engine does not declare",
		"extra_field pass",
	}
	for _, workers := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) { // for the engine that hangs for an hour
			ctx, cancel := context.WithCancel(t.Context())
			results, err := suite.Run(ctx, fake{window: 4, codes: harness.ExactCodes}, list,
				suite.Options{Workers: workers, Deadline: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, lines(results)); diff != "" {
				t.Errorf("%d workers (-want +got):\n%s", workers, diff)
			}
			cancel()
			time.Sleep(2 * time.Hour) // then it is back
		})
	}
}

// TestReasons: whose reasons are its own affair fails no gate by one, and who gives none
// is asked for none.
// changeable answers a case in two ways by turns.
type changeable struct {
	fake
	asked *int
}

func (e changeable) Eval(context.Context, harness.Case) (harness.Outcome, error) {
	*e.asked++
	return harness.Outcome{Verdict: harness.Rejected, Code: []harness.Code{"no_document", "bad_type"}[*e.asked%2]}, nil
}

// TestFlaky: a failing scenario runs again, and is flaky if its outcome differs.
func TestFlaky(t *testing.T) {
	list := []scenarios.Scenario{scenario(t, "x", "must", "no_document")}
	got, err := suite.Run(t.Context(), changeable{fake{window: 1, codes: harness.ExactCodes}, new(int)}, list, suite.Options{})
	if err != nil || got[0].Status != harness.Flaky || !strings.Contains(got[0].Reason, "chance") {
		t.Errorf("%v: %s, %s", err, got[0].Status, got[0].Reason)
	}
}

func TestReasons(t *testing.T) {
	list := []scenarios.Scenario{
		scenario(t, "bad_type", "must", "empty_patch"),
		scenario(t, "refused", "must", "empty_patch"),
	}
	for codes, want := range map[string][]string{
		"":                 {"bad_type fail /code want \"empty_patch\" got \"bad_type\"", "refused pass"},
		harness.AnyCodes:   {"bad_type fail /code want \"empty_patch\" got \"bad_type\"", "refused pass"},
		harness.ExactCodes: {"bad_type fail gate /code want \"empty_patch\" got \"bad_type\"", "refused pass"},
	} {
		results, err := suite.Run(t.Context(), fake{window: 1, codes: codes}, list, suite.Options{Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines(results)); diff != "" {
			t.Errorf("codes %q (-want +got):\n%s", codes, diff)
		}
	}
}

func lines(results []suite.Result) []string {
	var out []string
	for _, r := range results {
		line := strings.TrimPrefix(r.Scenario.ID, "planpatch/") + " " + string(r.Status)
		if r.FailsGate() {
			line += " gate"
		}
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		for _, d := range r.Differences {
			line += fmt.Sprintf(" %s want %s got %s", d.Pointer, d.Want, d.Got)
		}
		out = append(out, line)
	}
	return out
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := suite.Run(ctx, fake{}, []scenarios.Scenario{scenario(t, "empty_patch", "must", "empty_patch")},
		suite.Options{})
	if err != nil || results[0].Status != harness.NotRun || !results[0].FailsGate() {
		t.Errorf("got %+v, %v; want one result not run", results, err)
	}
}

func TestRunWithoutHello(t *testing.T) {
	_, err := suite.Run(t.Context(), fake{hello: fmt.Errorf("no such file")}, nil, suite.Options{})
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v; want the engine's own error", err)
	}
}

func TestRunStopped(t *testing.T) {
	list := []scenarios.Scenario{
		scenario(t, "extra_field", "must", "extra_field"),
		scenario(t, "stop", "must", "empty_patch"),
	}
	results, err := suite.Run(t.Context(), fake{}, list, suite.Options{})
	if !errors.Is(err, harness.ErrStopped) || !strings.HasSuffix(err.Error(), ": it exited") {
		t.Errorf("error %v; want why the engine was given up", err)
	}
	if diff := cmp.Diff([]string{"extra_field pass", "stop not_run gate: the engine was given up: it exited"},
		lines(results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// dependent is a scenario without a profile whose answer depends on it: one step
// is to be removed and updated.
func dependent(t *testing.T, want string) scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("dependent.txtar", []byte(`# Why.
dialect: planpatch
-- plan.json --
{"title":"t","steps":[{"id":"a","description":"d"},{"id":"b","description":"d"}]}
-- reply.1.txt --
{"remove_steps":["a"],"update_steps":[{"id":"a","description":"new"}]}
-- want.json --
`+want))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a scenario without a profile wants may not hold under the profile that
// an engine declares; an engine that keeps what it declares does not fail.
func TestDeclaredProfile(t *testing.T) {
	const (
		replaced = `{"verdict":"applied","plan":{"steps":[{"id":"a","description":"new"},{"id":"b"}]}}`
		refused  = `{"verdict":"rejected","code":"id_conflict"}`
	)
	strict, _ := harness.Named(harness.ProfileStrict)
	for _, tc := range []struct {
		name    string
		engine  harness.Engine
		want    string
		profile *harness.Profile // of the scenario
		lines   []string
	}{
		{"as wanted", reference.New(), replaced, nil, []string{"dependent pass"}},
		{"as declared", reference.WithProfile(strict), replaced, nil, []string{
			"dependent unsupported: the scenario has no profile, and what it wants does not hold under the one that the " +
				"engine declares (give the scenario a profile line)",
		}},
		{"as wanted under the declared profile", reference.WithProfile(strict), refused, nil, []string{"dependent pass"}},
		{
			"the scenario's own profile", reference.WithProfile(strict), replaced, new(harness.Reference()),
			[]string{"dependent pass"},
		},
		{"against the scenario's own profile", reference.WithProfile(strict), replaced, &strict, []string{
			"dependent fail gate /plan want {",
		}},
		{
			"neither as wanted nor as declared",
			declares{reference.New(), strict},
			`{"verdict":"rejected","code":"unknown_step"}`, nil,
			[]string{
				"dependent fail gate: the scenario has no profile, and what it wants does not hold under the one that the engine " +
					"declares; compared with the reference under that profile",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := dependent(t, tc.want)
			s.Case.Profile = tc.profile
			results, err := suite.Run(t.Context(), tc.engine, []scenarios.Scenario{s}, suite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range lines(results) {
				if !strings.HasPrefix(line, tc.lines[i]) {
					t.Errorf("got  %s\nwant %s", line, tc.lines[i])
				}
			}
		})
	}
}

// declares is an engine that declares another profile than the one it keeps.
type declares struct {
	harness.Engine
	profile harness.Profile
}

func (d declares) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := d.Engine.Hello(ctx)
	h.Dialects = map[string]harness.Declaration{"planpatch": {Profile: d.profile}}
	return h, err
}

// plain is an engine that has one profile and takes no other.
type plain struct{ harness.Engine }

func (p plain) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := p.Engine.Hello(ctx)
	for name, d := range h.Dialects {
		d.Features = []string{harness.FeatureLadder}
		h.Dialects[name] = d
	}
	return h, err
}

// An engine that takes no profiles but its own is asked every scenario whose answer
// is the same under its own.
func TestScenariosOfOtherProfilesInBulk(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i, named := range harness.Profiles() {
		if i%3 != 0 && os.Getenv("REPLANBENCH_TEST_LONG") == "" {
			continue // of three, one is tried
		}
		p, _ := harness.Named(named.Name)
		results, err := suite.Run(t.Context(), plain{reference.WithProfile(p)}, list, suite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		unsupported := 0
		for _, r := range results {
			switch r.Status {
			case harness.NotSupported:
				unsupported++
			case harness.Pass:
			default:
				t.Errorf("%s under %s: %s %v", r.Scenario.ID, named.Name, r.Status, r.Differences)
			}
		}
		t.Logf("%s: %d of %d unsupported", named.Name, unsupported, len(list))
		if unsupported > len(list)/2 {
			t.Errorf("%d of %d scenarios are not asked under %s", unsupported, len(list), named.Name)
		}
	}
}
