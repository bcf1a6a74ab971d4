package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/agent"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
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
			f.Differences = []outcome.Path{{Want: c.Want, Got: c.Got}}
		}
		r.Failures = append(r.Failures, f)
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
		t.Add(causeMeasure(k, c.Cases, c.Of, c.Sentence))
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
		t.Add(k.Words("received", f.Arrives),
			k.Words("deed", string(f.Deed)).In(style.Bad).If(f.Survived(), style.Good),
			k.Words("broke", strings.Join(f.Broke, ", ")))
	}
	t.Notes = []string{fmt.Sprintf("Survived: %d of %d. An agent survives if it continues or ends "+
		"with a message, and no check fails.", survived, reached)}
	for _, deed := range []session.Deed{session.NotReached, session.Unfit} {
		names := left[deed]
		t.Notes.If(names != nil, "%s %s: %s.", counted(len(names), "fault"), deed, strings.Join(names, ", "))
	}
	return t
}

func (a *Agent) sessions() measure.Table {
	name := measure.TextCol("", false, "", func(m *measure.Measure) string { return measure.Named(m.Name) })
	k := measure.By("profile", a.Profile)
	t := measure.Table{
		Title: "Sessions with " + a.Profile, Long: true, Columns: []measure.Column{name, measure.Col("n", "")},
		Measures: []measure.Measure{
			k.Count("sessions", a.Sessions), k.Count("plan_calls_executed", a.Calls),
			k.Count("transitions_checked", a.Judged), k.Count("transitions_with_a_failed_check", a.Broken),
			k.Count("requests", a.Requests), k.Count("requests_without_the_plan_tool", a.Side),
		},
	}
	t.Notes = []string{fmt.Sprintf("Plan tool %s, %s, %s; dialect %s, rules %s, seed %d.", a.Tool, a.API, streamed(a.Stream), a.Dialect,
		strings.Join(a.Rules, " "), a.Seed)}
	t.Notes.If(a.Sessions < a.Planned, "The time limit ended the run after %d of %d sessions.", a.Sessions, a.Planned)
	t.Notes.If(len(a.Hosts) > 0, "The harness rejected its requests to other hosts: %s.", someOf(a.Hosts))
	t.Notes.If(a.Behind > 0, "Left running and ended by the harness: %s.", counted(a.Behind, "process"))
	return t
}

func streamed(yes bool) string {
	if yes {
		return "streamed"
	}
	return "unstreamed"
}

// AgentReplay returns the story of a replayed session, turn by turn.
func AgentReplay(r agent.Replay) explain.Story {
	story := explain.Story{Headline: "NOT REPRODUCED", Meaning: r.Session.Sentence, Tone: style.Good}
	if r.Shown {
		story.Headline, story.Tone = "REPRODUCED", style.Bad
	}
	if r.Session.Cause != "" {
		story.Headline += ": the cause " + r.Session.Cause
	}
	for i, turn := range r.Session.Turns {
		if i < len(r.Log.Steps) {
			story.Sections = append(story.Sections, turnSection(i, turn, r))
		}
	}
	end := explain.Section{Title: "The end"}
	end.Add("", 0, style.Plain, "%s", "the agent "+r.Log.Exit.Text)
	for _, line := range lastLines(r.Log.Exit.Output, 5) {
		end.Add("", 1, style.Faint, "%s", line)
	}
	switch {
	case r.Shown && r.Session.Check != "":
		end.Add("✗", 0, style.Bad, "%s", "reproduced: "+cmp.Or(r.Session.Sentence, session.Words(r.Session.Check, r.Session.Kind)))
	case r.Shown:
		end.Add("✗", 0, style.Bad, "%s", "a check failed")
	case slices.ContainsFunc(r.Broken, func(b agent.Broken) bool { return !b.Advisory }):
		end.Add("✗", 0, style.Bad, "%s", "not reproduced, but another check failed")
	default:
		end.Add("✓", 0, style.Good, "%s", "not reproduced: the session shows no failure")
	}
	story.Sections = append(story.Sections, end)
	return story
}

func turnSection(i int, turn session.Turn, r agent.Replay) explain.Section {
	step := r.Log.Steps[i]
	s := explain.Section{Title: fmt.Sprintf("Turn %d", i+1)}
	switch {
	case turn.Setup:
		s.Add("", 0, style.Faint, "%s", "prepares the plan for the next turn")
	case len(turn.Names()) > 0:
		s.Add("", 0, style.Faint, "%s", "with "+strings.Join(turn.Names(), ", "))
	}
	s.Add("", 0, style.Plain, "%s", "edit    "+short(turn.Edit))
	for _, d := range step.Calls {
		s.Add("", 0, style.Plain, "%s", "before  "+short(string(d.Before)))
		if d.Refused {
			s.Add("-", 0, style.Doubtful, "%s", "refused "+short(d.Result))
			continue
		}
		s.Add("+", 0, style.Plain, "%s", "after   "+short(string(d.After)))
	}
	s.Add("", 0, style.Plain, "%s", "agent   "+string(step.Deed)+" ("+counted(step.Asked, "request")+")")
	for _, b := range r.Broken {
		if b.Turn == i {
			s.Add("✗", 0, style.Bad, "%s", fmt.Sprintf("%s (%s): %s", b.Check, b.Class, b.Message))
		}
	}
	return s
}

// AgentProbe returns the story of a probe: what three turns show of an agent.
func AgentProbe(p agent.Probe) explain.Story {
	l := p.Log.Learned
	story := explain.Story{Headline: "Profile " + p.Profile.Name, Meaning: p.Profile.Text, Tone: style.Good}
	api := explain.Section{Title: "API"}
	api.Add("", 0, style.Plain, "%s, %s, model %s", l.API, streamed(l.Stream), l.Model)
	api.Add("", 0, style.Plain, "%s with the plan tool, %d without", counted(p.Log.Requests, "request"), p.Log.Side)
	tools := explain.Section{Title: counted(len(l.Tools), "tool") + " offered"}
	for _, t := range l.Tools {
		mark := ""
		if t.Name == l.Tool.Name {
			mark = "✓"
		}
		tools.Add(mark, 0, style.Plain, "%s", t.Name)
	}
	schema := explain.Section{Title: "Schema of the plan tool"}
	schema.Add("", 0, style.Plain, "%s", string(l.Tool.Schema))
	state := explain.Section{Title: "Plan in the tool result"}
	if l.Read == nil {
		state.Add("", 0, style.Bad, "%s", "no plan found in: "+short(l.Stated))
	} else {
		if l.Message != "" {
			state.Title = "Plan in a message: " + l.Message
		}
		state.Add("", 0, style.Plain, "%s", "text    "+short(l.Stated))
		state.Add("", 0, style.Plain, "%s", "plan    "+short(string(l.Read)))
	}
	turns := explain.Section{Title: "Turns"}
	for i, step := range p.Log.Steps {
		turns.Add("", 0, style.Plain, "%s", fmt.Sprintf("%d  %s", i+1, step.Deed))
		turns.Add("", 1, style.Faint, "%s", short(p.Edits[i]))
	}
	end := explain.Section{Title: "The end"}
	end.Add("", 0, style.Plain, "%s", "the agent "+p.Log.Exit.Text)
	for host, n := range p.Log.Strange {
		end.Add("", 0, style.Doubtful, "%s", "the harness rejected "+counted(n, "request")+" to "+host)
	}
	story.Sections = []explain.Section{api, tools, schema, state, turns, end}
	if p.Profile.Guess != "" {
		own := explain.Section{Title: "Profile, to correct and give with --as FILE (--save FILE writes it)"}
		for line := range strings.Lines(p.Profile.Guess) {
			own.Add("", 0, style.Plain, "%s", strings.TrimRight(line, "\n"))
		}
		story.Sections = slices.Insert(story.Sections, 2, own)
	}
	return story
}

// short returns the beginning of a text in one line.
func short(text string) string { return escape.Brief(text, 400) }

// lastLines returns the last n non-blank lines of a text.
func lastLines(text string, n int) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, short(line))
		}
	}
	return list[max(0, len(list)-n):]
}

// AgentVersions compares runs with versions of agents: which cause occurs in which.
type AgentVersions struct {
	Names []string // of the runs, such as qwen-code@0.24.4
	Runs  []*Agent // in the same order
}

// Screen answers which version has which causes.
func (v AgentVersions) Screen() screen.Screen {
	t := v.Causes()
	var heads []string
	for i, run := range v.Runs {
		failing := collect.Count(run.Causes, func(c agent.Cause) bool {
			return !c.Advisory && !slices.Contains(run.Known, c.ID)
		})
		heads = append(heads, v.Names[i]+": "+counted(failing, "failing cause"))
	}
	return screen.Screen{Head: strings.Join(heads, "; "), Lists: []screen.List{{Title: t.Title, Table: &t}}}
}

// Causes returns the comparison: a row for each cause, and a column for each version.
func (v AgentVersions) Causes() measure.Table {
	t := measure.Table{
		Title: "Versions and their causes", Columns: []measure.Column{measure.KeyCol("what the agent does", "text")},
		Notes: []string{"Turns that show a cause, of the turns that could. Advisory causes are not listed."},
	}
	for _, name := range v.Names {
		t.Columns = append(t.Columns, measure.WordCol(name, name))
	}
	t.Columns = append(t.Columns, measure.KeyCol("id", "cause"))
	var causes []measure.Measure
	for i, run := range v.Runs {
		failing := 0
		for _, c := range run.Causes {
			if c.Advisory {
				continue
			}
			shown, tone := fmt.Sprintf("%d of %d", c.Cases, c.Of), style.Bad
			if slices.Contains(run.Known, c.ID) {
				shown, tone = shown+", known", style.Doubtful
			} else {
				failing++
			}
			causes = append(causes, measure.By("text", c.Sentence, "cause", c.ID).Words(v.Names[i], shown).In(tone))
		}
		t.Add(measure.By("text", "plan calls").Words(v.Names[i], fmt.Sprint(run.Calls)),
			measure.By("text", "failing causes").Words(v.Names[i], fmt.Sprint(failing)))
	}
	t.Add(causes...)
	return t
}
