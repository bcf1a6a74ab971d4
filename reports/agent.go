package reports

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/agent"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/measure"
)

// Agent is the section of sessions with an agent.
type Agent struct {
	agent.Result
	// Known are the ids of the known causes, which do not fail the gate.
	Known []string `json:"known,omitzero"`
	Wider int      `json:"wider,omitzero"` // causes that the next level would add
}

// AddAgent adds the section, and a failure for every cause that is not known. reproduce
// returns the command line that reproduces a cause, and file the path of its session.
func (r *Report) AddAgent(result agent.Result, known finding.Baseline, reproduce,
	file func(agent.Cause) string,
) (found []string) {
	r.Summary.addMany(harness.Pass, result.Judged-result.Broken)
	r.Summary.addMany(harness.Fail, result.Broken)
	rules := all.Rules(result.Dialect)
	for _, c := range result.Causes { // of whole sessions and of turns with faults, which are no transitions
		if !c.Advisory && rules.Place(c.Check) < 0 {
			r.Summary.addMany(harness.Fail, int(c.Cases))
		}
	}
	return r.addAgent(result, func(_, name string) bool { _, ok := known.Find(name); return ok }, reproduce, file)
}

// addAgent adds the section and its failures. known reports whether a cause is known by id
// or name.
func (r *Report) addAgent(result agent.Result, known func(id, name string) bool, reproduce,
	file func(agent.Cause) string,
) (found []string) {
	section := &Agent{Result: result}
	r.Agent = section
	rules := all.Rules(result.Dialect)
	section.Causes = slices.DeleteFunc(slices.Clone(result.Causes), func(c agent.Cause) bool {
		level := rules.Level(c.Check, c.Kind, c.Class)
		if !c.Advisory && !r.Judge.Includes(level) && r.Judge.Next().Includes(level) {
			section.Wider++
		}
		return !r.Judge.Includes(level)
	})
	for _, c := range section.Causes {
		id := c.Name(result.Dialect)
		found = append(found, id)
		if known(c.ID, id) {
			section.Known = append(section.Known, c.ID)
			continue
		}
		f := Failure{
			Suite: suiteAgent, ID: id, Status: agentStatus(c), Advisory: c.Advisory, Title: c.Sentence, Message: c.Message,
			File: file(c), Reproduce: reproduce(c),
		}
		if c.Want != "" && c.Want != c.Got {
			f.Differences = []Difference{{"", c.Want, c.Got}}
		}
		r.Failures = append(r.Failures, f)
		if c.Advisory {
			r.Summary.Advisory++
		}
	}
	return found
}

func agentStatus(c agent.Cause) harness.Status {
	switch {
	case c.Class == judge.Unsteady:
		return harness.Flaky
	case c.Kind == "hang":
		return harness.Hang
	case c.Class == judge.Crashes:
		return harness.Crash
	}
	return harness.Fail
}

func (a *Agent) tables() []measure.Table {
	return []measure.Table{a.causes(), a.faults(), a.sessions()}
}

func (a *Agent) causes() measure.Table {
	if len(a.Causes) == 0 {
		return measure.Note("Causes", "None: nothing broke in these sessions.")
	}
	t := measure.Table{
		Title: "Causes, worst first", Listed: true, Long: true, Columns: []measure.Column{
			measure.CellCol("class", false, "", func(m *measure.Measure) measure.Cell {
				class := m.Keys.Get("class")
				if state := m.Keys.Get("state"); state != "" {
					return measure.Cell{Text: class + ", " + state, Tone: style.Doubtful}
				}
				return measure.Cell{Text: class, Tone: style.Bad}
			}),
			measure.WordCol("what the agent does", ""), measure.Col("turns", ""),
			measure.CellCol("reproduced", true, "", func(m *measure.Measure) measure.Cell {
				if again := m.Keys.Get("reproduced"); again != "" {
					return measure.Cell{Text: "in " + again}
				}
				return measure.None()
			}),
			measure.KeyCol("id", "cause"),
		},
		Notes: []string{
			"Turns: turns that show the cause, of the turns that could. Reproduced: in sessions that were played again to " +
				"shorten the example.",
			"Advisory: the rules of the agent's tool allow it, but work is lost.",
		},
	}
	for _, c := range a.Causes {
		state, again := "", ""
		switch {
		case slices.Contains(a.Known, c.ID):
			state = "known"
		case c.Advisory:
			state = "advisory"
		}
		if c.Played > 0 {
			again = fmt.Sprintf("%d of %d", c.Shown, c.Played)
		}
		k := measure.By("profile", a.Profile, "class", string(c.Class), "cause", c.ID, "state", state, "reproduced", again)
		t.Measures = append(t.Measures, causeMeasure(k, c.Cases, c.Of, c.Sentence))
	}
	return t
}

// causeMeasure returns how often a cause shows.
func causeMeasure(k measure.Keys, cases, of uint64, sentence string) measure.Measure {
	return k.Portion("cause", int(cases), int(of)).As("%d of %d", cases, of).Saying(sentence)
}

func (a *Agent) faults() measure.Table {
	if len(a.Faults) == 0 {
		return measure.Table{}
	}
	t := measure.Table{Title: "Faults of model and transport", Columns: []measure.Column{
		measure.KeyCol("fault", "fault"), measure.WordCol("received of the call", "received"),
		measure.WordCol("what the agent did", "deed"), measure.WordCol("broke", "broke"),
	}}
	survived, reached := 0, 0
	left := map[session.Deed][]string{}
	for _, f := range a.Faults {
		if f.Deed == session.NotReached || f.Deed == session.Unfit {
			left[f.Deed] = append(left[f.Deed], f.Name)
			continue
		}
		reached++
		if f.Survived() {
			survived++
		}
		k := measure.By("profile", a.Profile, "fault", f.Name)
		t.Measures = append(t.Measures, k.Words("received", f.Arrives),
			k.Words("deed", string(f.Deed)).In(style.Bad).If(f.Survived(), style.Good),
			k.Words("broke", strings.Join(f.Broke, ", ")))
	}
	t.Notes = []string{fmt.Sprintf("Survived: %d of %d. An agent survives if it continues or ends "+
		"with a message, and no check fails.", survived, reached)}
	for _, deed := range []session.Deed{session.NotReached, session.Unfit} {
		if names := left[deed]; names != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("%d faults were %s: %s.", len(names), deed, strings.Join(names, ", ")))
		}
	}
	return t
}

func (a *Agent) sessions() measure.Table {
	name := measure.CellCol("", false, "", func(m *measure.Measure) measure.Cell { return measure.Cell{Text: words(m.Name)} })
	t := measure.Table{Title: "Sessions with " + a.Profile, Long: true, Columns: []measure.Column{
		name, measure.Col("n", ""),
	}}
	for _, x := range []struct {
		name string
		n    int
	}{
		{"sessions", a.Sessions},
		{"plan_calls_executed", a.Calls},
		{"transitions_checked", a.Judged},
		{"transitions_with_a_failed_check", a.Broken},
		{"requests", a.Requests},
		{"requests_without_the_plan_tool", a.Side},
	} {
		t.Measures = append(t.Measures, measure.By("profile", a.Profile).Count(x.name, x.n))
	}
	form := "unstreamed"
	if a.Stream {
		form = "streamed"
	}
	t.Notes = []string{fmt.Sprintf("Plan tool %s, %s, %s; dialect %s, rules %s, seed %d.", a.Tool, a.API, form, a.Dialect,
		strings.Join(a.Rules, " "), a.Seed)}
	if a.Sessions < a.Planned {
		t.Notes = append(t.Notes, fmt.Sprintf("The time limit ended the run after %d of %d sessions.", a.Sessions, a.Planned))
	}
	if len(a.Hosts) > 0 {
		t.Notes = append(t.Notes, "The harness rejected its requests to other hosts: "+someOf(a.Hosts)+".")
	}
	if a.Behind > 0 {
		t.Notes = append(t.Notes, "Left running and ended by the harness: "+counted(a.Behind, "process")+".")
	}
	return t
}
