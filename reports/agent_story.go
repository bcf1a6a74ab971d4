package reports

import (
	"cmp"
	"fmt"
	"strings"

	"replanbench/harness/agent"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/style"
)

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
	form := "unstreamed"
	if l.Stream {
		form = "streamed"
	}
	api.Add("", 0, style.Plain, "%s", fmt.Sprintf("%s, %s, model %s", l.API, form, l.Model))
	api.Add("", 0, style.Plain, "%s",
		counted(p.Log.Requests, "request")+" with the plan tool, "+fmt.Sprint(p.Log.Side)+" without")
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
		state.Add("", 0, style.Plain, "%s", "result  "+short(l.Stated))
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
	return story
}

// short returns the beginning of a text in one line.
func short(text string) string {
	const most = 400
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return string(letters)
}

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
