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
)

// Agent is the section of sessions with an agent.
type Agent struct {
	agent.Result
	// Known are the ids of the known causes, which do not fail the gate.
	Known []string `json:"known,omitzero"`
	Wider int      `json:"wider,omitzero"` // causes that the next level would add
}

const suiteAgent = "agent"

// AddAgent adds the section, and a failure for every cause that is not known. reproduce
// returns the command line that reproduces a cause, and file the path of its session.
func (r *Report) AddAgent(result agent.Result, known finding.Baseline, reproduce,
	file func(agent.Cause) string,
) (found []string) {
	r.Summary.addMany(harness.Pass, result.Judged-result.Broken)
	r.Summary.addMany(harness.Fail, result.Broken)
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

func (a *Agent) blocks() []block {
	return []block{a.causes(), a.faults(), a.sessions()}
}

func (a *Agent) causes() block {
	if len(a.Causes) == 0 {
		return block{title: "Causes", notes: []string{"None: nothing broke in these sessions."}}
	}
	t := table{title: "Causes, worst first", columns: []column{
		{name: "class"},
		{name: "what the agent does"},
		{"turns", true},
		{"reproduced", true},
		{name: "id"},
	}}
	for _, c := range a.Causes {
		class := cell{string(c.Class), style.Bad}
		switch {
		case slices.Contains(a.Known, c.ID):
			class = cell{string(c.Class) + ", known", style.Doubtful}
		case c.Advisory:
			class = cell{string(c.Class) + ", advisory", style.Doubtful}
		}
		again := none()
		if c.Played > 0 {
			again = text(fmt.Sprintf("in %d of %d", c.Shown, c.Played))
		}
		t.rows = append(t.rows, []cell{
			class, text(c.Sentence), text(fmt.Sprintf("%d of %d", c.Cases, c.Of)), again,
			text(c.ID),
		})
	}
	return block{table: &t, listed: true, notes: []string{
		"Turns: turns that show the cause, of the turns that could. Reproduced: in sessions that were played again to " +
			"shorten the example.",
		"Advisory: the rules of the agent's tool allow it, but work is lost.",
	}}
}

func (a *Agent) faults() block {
	if len(a.Faults) == 0 {
		return block{}
	}
	t := table{title: "Faults of model and transport", columns: []column{
		{name: "fault"},
		{name: "received of the call"},
		{name: "what the agent did"},
		{name: "broke"},
	}}
	survived := 0
	left := map[session.Deed][]string{}
	for _, f := range a.Faults {
		if f.Deed == session.NotReached || f.Deed == session.Unfit {
			left[f.Deed] = append(left[f.Deed], f.Name)
			continue
		}
		tone := style.Bad
		if f.Survived() {
			tone = style.Good
			survived++
		}
		t.rows = append(t.rows, []cell{
			text(f.Name), text(f.Arrives),
			{string(f.Deed), tone},
			text(strings.Join(f.Broke, ", ")),
		})
	}
	notes := []string{fmt.Sprintf("Survived: %d of %d. An agent survives if it continues or ends "+
		"with a message, and no check fails.", survived, len(t.rows))}
	for _, deed := range []session.Deed{session.NotReached, session.Unfit} {
		if names := left[deed]; names != nil {
			notes = append(notes, fmt.Sprintf("%d faults were %s: %s.", len(names), deed, strings.Join(names, ", ")))
		}
	}
	return block{table: &t, notes: notes}
}

func (a *Agent) sessions() block {
	t := table{title: "Sessions with " + a.Profile, columns: []column{{name: ""}, {"n", true}}}
	row := func(name string, n int) { t.rows = append(t.rows, []cell{text(name), number(n)}) }
	row("sessions", a.Sessions)
	row("plan calls executed", a.Calls)
	row("transitions checked", a.Judged)
	row("transitions with a failed check", a.Broken)
	row("requests", a.Requests)
	row("requests without the plan tool", a.Side)
	form := "unstreamed"
	if a.Stream {
		form = "streamed"
	}
	notes := []string{fmt.Sprintf("Plan tool %s, %s, %s; dialect %s, rules %s, seed %d.", a.Tool, a.API, form, a.Dialect,
		strings.Join(a.Rules, " "), a.Seed)}
	if a.Sessions < a.Planned {
		notes = append(notes, fmt.Sprintf("The time limit ended the run after %d of %d sessions.", a.Sessions, a.Planned))
	}
	if len(a.Hosts) > 0 {
		notes = append(notes, "The harness rejected its requests to other hosts: "+someOf(a.Hosts)+".")
	}
	if a.Behind > 0 {
		notes = append(notes, "Left running and ended by the harness: "+counted(a.Behind, "process")+".")
	}
	return block{table: &t, notes: notes}
}

func (a *Agent) records() []record {
	list := []record{
		count(suiteAgent, a.Profile, "sessions", a.Sessions), count(suiteAgent, a.Profile, "calls", a.Calls),
		portion(suiteAgent, a.Profile, "broken", a.Broken, a.Judged),
	}
	for _, c := range a.Causes {
		x := portion(suiteAgent, a.Profile, "cause: "+string(c.Class), int(c.Cases), int(c.Of))
		x.text = c.Sentence
		list = append(list, x)
	}
	for _, f := range a.Faults {
		list = append(list, record{
			section: suiteAgent, subject: a.Profile, measure: "fault: " + f.Name,
			text: string(f.Deed),
		})
	}
	return list
}
