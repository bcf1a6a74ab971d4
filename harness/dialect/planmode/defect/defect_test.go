package defect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/testdata/mutanttest"
)

// session is a case of the dialect planmode in short.
type session struct{ context, files, calls string }

func (s session) harnessCase() harness.Case {
	c := harness.Case{Dialect: "planmode", Calls: []byte("[" + s.calls + "]")}
	if s.context != "" {
		c.Context = []byte(s.context)
	}
	if s.files != "" {
		c.Files = []byte(s.files)
	}
	return c
}

const (
	planning = `{"slug":"calm-baking-fox","phase":"review"}`
	planned  = `{"plans/calm-baking-fox.md":"# Plan","src/main.go":"package main"}`
	enters   = `{"tool":"EnterPlanMode","approval":"approve"}`
	leaves   = `{"tool":"ExitPlanMode","approval":"auto_accept"}`
)

func writes(path string) session {
	return session{planning, planned, `{"tool":"write","args":{"path":"` + path + `","content":"x"}}`}
}

func calls(list ...string) session { return session{planning, planned, strings.Join(list, ",")} }

// plainSession touches none of the defects but those that touch every session.
var plainSession = session{
	`{"slug":"calm-baking-fox"}`, planned,
	`{"tool":"read","args":{"path":"src/main.go"}},{"tool":"write","args":{"path":"src/main.go","content":"x"}},{"tool":"bash"},{"tool":"Task","args":{"agent":"coder"}}`,
}

// sessionStrikes holds, for every defect of the dialect planmode, a case on
// which it shows.
func sessionStrikes() map[string]session {
	agent := func(context, call string) session { return session{context, planned, call} }
	drawn := `{"slugs":["a-b-c","a-b-d"],"taken":["a-b-c"]}`
	return map[string]session{
		"path-in-any-case":    writes("PLANS/calm-baking-fox.md"),
		"path-drops-dots":     writes("plans/calm-baking-fox.md. "),
		"path-ends-at-nul":    writes(`plans/calm-baking-fox.md\u0000.txt`),
		"path-by-its-end":     writes("../plans/calm-baking-fox.md"),
		"path-with-backslash": writes(`plans\\calm-baking-fox.md`),
		"path-from-root":      writes("/plans/calm-baking-fox.md"),
		"path-cleaned-only":   writes("none/../plans/calm-baking-fox.md"),
		"path-ignores-links": {
			planning, `{"plans/calm-baking-fox.md":{"link":"../src/main.go"}}`,
			`{"tool":"write","args":{"path":"{plan}","content":"x"}}`,
		},

		"shows-empty-plan": {planning, `{"plans/calm-baking-fox.md":" "}`, leaves},
		"writes-before-it-checks": calls(`{"tool":"write","args":{"path":"src/main.go","content":"x"}}`,
			`{"tool":"read","args":{"path":"src/main.go"}}`),
		"edits-all-places": {"", `{"a":"x x"}`, `{"tool":"edit","args":{"path":"a","old":"x","new":"y"}}`},
		"squeezes-plan":    calls(`{"tool":"write","args":{"path":"{plan}","content":"# Plan\n"}}`),

		"plan-mode-takes-arguments": calls(`{"tool":"ExitPlanMode","args":{"plan":"x"},"approval":"manual"}`),
		"enters-twice":              calls(enters),
		"leaves-from-outside":       {"", "", leaves},
		"denied-entry-enters":       {"", "", `{"tool":"EnterPlanMode","approval":"deny"}`},
		"denied-exit-leaves":        calls(`{"tool":"ExitPlanMode","approval":"keep_planning"}`),
		"manual-is-automatic":       calls(`{"tool":"ExitPlanMode","approval":"manual"}`),
		"silence-is-consent":        {"", "", `{"tool":"EnterPlanMode"}`},
		"loses-feedback":            calls(`{"tool":"ExitPlanMode","approval":"keep_planning","feedback":"more"}`),
		"denied-exit-keeps-phase":   calls(`{"tool":"ExitPlanMode","approval":"keep_planning"}`),
		"skips-phases":              calls(`{"phase":"exit"}`),
		"toggle-only-enters":        calls(`{"toggle":true}`),
		"toggle-asks":               calls(`{"toggle":true}`),

		"agents-are-users":             agent(`{"agent":true}`, enters),
		"agents-have-all-tools":        agent(`{"agent":true}`, `{"tool":"bash"}`),
		"plan-agent-has-tools":         agent(`{"agent":"plan","agent_tools":["bash"]}`, `{"tool":"bash"}`),
		"agents-start-agents":          agent(`{"agent":true}`, `{"tool":"Task","args":{"agent":"Plan"}}`),
		"plan-mode-agents-in-one-case": calls(`{"tool":"Task","args":{"agent":"plan"}}`),
		"agents-toggle":                agent(`{"agent":true}`, `{"toggle":true}`),
		"any-agent-plans":              calls(`{"tool":"Task","args":{"agent":"coder"}}`),
		"commands-in-plan-mode":        calls(`{"tool":"bash","args":{"command":"ls"}}`),
		"tools-in-any-case":            {"", planned, `{"tool":"Write","args":{"path":"a","content":"x"}}`},
		"unknown-tools-allowed":        calls(`{"tool":"rm"}`),

		"overwrites-other-plan": {`{"slugs":["calm-baking-fox","a-b-c"]}`, planned, enters},
		"shares-a-name":         {drawn, "", enters},
		"new-name-each-time":    calls(leaves, enters, leaves, enters),
		"name-without-words":    calls(leaves),

		"no-exit-event":              calls(leaves),
		"events-too-early":           calls(leaves),
		"exit-event-without-content": calls(leaves),
		"enters-without-time":        {`{"timestamp":7}`, "", enters},
		"stops-at-refusal":           calls(enters, leaves),
		"last-refusal-counts":        calls(enters, leaves, leaves),
	}
}

func TestEachSessionDefectShowsOnItsCaseAndNotOnAPlainOne(t *testing.T) {
	strikes := sessionStrikes()
	everywhere := []string{"name-without-words"}
	for _, d := range Defects() {
		t.Run(d.Name, func(t *testing.T) {
			plain := plainSession.harnessCase()
			if diff := mutanttest.Difference(t, rules.Eval, d, plain); diff != "" && !slices.Contains(everywhere, d.Name) {
				t.Errorf("differs on a plain case (-reference +defect):\n%s", diff)
			}
			if d.Name == "plan-mode-leaks" {
				return // it takes two cases: see TestPlanModeLeaks
			}
			s, ok := strikes[d.Name]
			if !ok {
				t.Fatal("no case shows the defect")
			}
			c := s.harnessCase()
			if rules.Eval(c, harness.Reference()).Trace == nil {
				t.Fatal("the case is malformed")
			}
			if mutanttest.Difference(t, rules.Eval, d, c) == "" {
				t.Error("does not differ from the reference on its case")
			}
		})
	}
	if n := len(Defects()); n < 15 || len(strikes) != n-1 {
		t.Errorf("%d defects and %d cases", n, len(strikes))
	}
}

func TestPlanModeLeaks(t *testing.T) {
	i := slices.IndexFunc(Defects(), func(d mutant.Defect) bool { return d.Name == "plan-mode-leaks" })
	e := mutant.Engine("planmode", Defects()[i], rules.Eval, harness.Declaration{Profile: harness.Reference()})
	c := session{"", "", `{"tool":"ls"}`}.harnessCase()
	var modes []string
	for _, c := range []harness.Case{c, calls(`{"tool":"ls"}`).harnessCase(), c} {
		out, err := e.Eval(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		modes = append(modes, out.Mode)
	}
	want := []string{rules.ModeNormal, rules.ModePlan, rules.ModePlan}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("modes of three sessions (-want +got):\n%s", diff)
	}
}
