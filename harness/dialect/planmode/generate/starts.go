package generate

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// starts are the traits that change where the session begins, or how its base makes calls.
func starts() map[string]move {
	manual := func(s *scripter) { s.leaving = "manual" }
	// agent writes the member agent of the context, picks sets a member to one of the texts, and file adds a file.
	agent := func(value string) move { return func(s *scripter) { s.agent = generators.Raw(value) } }
	picks := func(member func(s *scripter) *string, texts ...string) move {
		return func(s *scripter) { *member(s) = generators.Pick(&s.Choices, texts) }
	}
	file := func(name, content string) move {
		return func(s *scripter) { s.files = append(s.files, textFile{name, content}) }
	}
	return map[string]move{
		"arguments-empty":         func(s *scripter) { s.args = "{}" },
		"begins-in-plan-mode":     picks(func(s *scripter) *string { return &s.phase }, sessionPhases[:]...),
		"path-looks-alike":        fixName,
		"path-cleaned":            fixName,
		"link-to-source":          linkToSource,
		"link-to-plan":            func(s *scripter) { fixName(s); s.chain("todo.md", s.path) },
		"plan-is-link":            planIsLink,
		"plans-is-other":          plansIsOther,
		"plan-of-other":           func(s *scripter) { fixName(s); file(otherPlan, "# The plan of another session")(s) },
		"toggle-keeps-asking":     manual,
		"edit-approved":           manual,
		"edit-unanswered":         manual,
		"edit-denied":             manual,
		"exit-denied-at-the-end":  func(s *scripter) { s.leaving = "keep_planning" },
		"approval-as-boolean":     func(s *scripter) { s.entering = generators.Raw("true") },
		"approval-as-label":       func(s *scripter) { s.labelled = true },
		"feedback-of-an-approval": func(s *scripter) { s.feedback = s.phrase() },

		"agent-without-name": func(s *scripter) { s.agentName, s.agent = "true", generators.Raw("true") },
		"agent-works-in-plan-mode": func(s *scripter) {
			s.phase, s.tools = generators.Pick(&s.Choices, sessionPhases[:]), []string{"write", "bash"}
		},
		"plan-agent-with-tools":    planAgent("plan"),
		"plan-agent-in-other-case": planAgent("Plan", "PLAN"),
		"agent-null":               agent("null"),
		"agent-blank":              agent(`""`),

		"name-given":       fixName,
		"plan-file-exists": func(s *scripter) { fixName(s); s.plan = new("# An older plan") },
		"name-drawn": func(s *scripter) {
			s.slugs = nil
			s.seed = generators.Pick(&s.Choices, []string{"0", "7", "18446744073709551615"})
		},
		"name-of-other-session": func(s *scripter) { s.taken = s.collide(1 + s.Below(10)) },
		"name-of-other-file":    func(s *scripter) { s.occupy(s.collide(1+s.Below(10)), false) },
		"name-of-other-case":    func(s *scripter) { s.occupy(s.collide(1+s.Below(3)), true) },
		"names-exhausted":       exhaust,
		"names-exhausted-at-start": func(s *scripter) {
			exhaust(s)
			s.phase = "explore"
			s.broken = malformed{code: harness.SlugExhausted}
		},

		"context-missing":   func(s *scripter) { s.noContext, s.session, s.slugs = true, "", nil },
		"context-brief":     func(s *scripter) { s.brief, s.session = true, "" },
		"context-nulls":     func(s *scripter) { s.brief, s.nulls, s.session = true, true, "" },
		"session-not-ascii": picks(func(s *scripter) *string { return &s.session }, "séance 7", "会话", `a"b\c`, " s "),
		"timestamp-given":   picks(func(s *scripter) *string { return &s.timestamp }, "1769000000000", "0", "9007199254740991"),
		"files-missing":     func(s *scripter) { s.noFiles, s.files = true, nil },
		"file-blank":        file("empty.txt", ""),
		"file-not-ascii":    file("docs/数据.md", "der Zähler 🚀"),
		"context-malformed": malform("context"),
		"files-malformed":   malform("files"),
		"calls-malformed":   malform("calls"),
	}
}

// otherPlan is the plan file of another session.
const otherPlan = "plans/other-waiting-plan.md"

// link adds a link that leads to one of the targets.
func (s *scripter) link(name string, targets ...string) {
	s.links = append(s.links, generators.Field{Name: name, Value: generators.Text(generators.Pick(&s.Choices, targets))})
}

func linkToSource(s *scripter) {
	s.link("todo.md", "src/main.go", "new.txt", "../out.md", "todo.md", "/etc/passwd", "plans/another-plan.md")
}

// chain adds a link to a target, or eight links in a row, as many as a path may have.
func (s *scripter) chain(name, target string) {
	if s.Below(3) == 0 {
		for i := range 7 {
			next := fmt.Sprintf("todo-%d.md", i)
			s.link(name, next)
			name = next
		}
	}
	s.link(name, target)
}

func planIsLink(s *scripter) {
	fixName(s)
	s.blocked = true
	s.link(s.path, "../src/main.go", "other.md", "../../out.md", "/etc/passwd")
}

// plansIsOther needs the capability paths: a path of another trait leads through the file plans, which is no directory.
func plansIsOther(s *scripter) {
	fixName(s)
	s.blocked = true
	if s.Below(2) == 0 {
		s.files = append(s.files, textFile{"plans", "no directory"})
	} else {
		s.link("plans", "src", "../plans", "missing")
	}
}

// planAgent makes the session one of the plan agent and gives it tools.
func planAgent(names ...string) move {
	return func(s *scripter) {
		s.agentName, s.tools = generators.Pick(&s.Choices, names), []string{"write", "edit", "bash"}
		s.agent = generators.Text(s.agentName)
	}
}

// fixName makes the case give the session's name.
func fixName(s *scripter) {
	s.slug, s.slugs = generators.Pick(&s.Choices, slugPool[:]), nil
	s.path = "plans/" + s.slug + ".md"
}

// collide makes the case give the draws; the first n of them are taken names.
func (s *scripter) collide(n int) []string {
	from := s.Below(len(slugPool))
	s.slugs = slices.Concat(slugPool[from:], slugPool[:from])[:min(n+1, len(slugPool))]
	return s.slugs[:n]
}

// occupy gives the names files.
func (s *scripter) occupy(slugs []string, capitals bool) {
	for _, slug := range slugs {
		if capitals {
			slug = strings.ToUpper(slug)
		}
		s.files = append(s.files, textFile{"plans/" + slug + ".md", "# The plan of another session"})
	}
}

// exhaust takes all names that are drawn.
func exhaust(s *scripter) {
	slugs := s.collide(11)
	s.full = true
	if s.Below(2) == 0 {
		s.taken = slugs
	} else {
		s.occupy(slugs, false)
	}
}

// malformations are documents that are none, with the code that each leads to.
var malformations = []malformed{ // never written
	{"context", "[]", harness.BadType},
	{"context", `{"agent":7}`, harness.BadType},
	{"context", `{"phase":"planning"}`, harness.BadType},
	{"context", `{"seed":-1}`, harness.BadType},
	{"context", `{"seed":"7"}`, harness.BadType},
	{"context", `{"slug":"../x"}`, harness.BadType},
	{"context", `{"timestamp":"now"}`, harness.BadType},
	{"context", `{"mode":"plan"}`, harness.ExtraField},
	{"context", `{"agent":true,"agent":false}`, harness.DuplicateKey},
	{"context", `{"session":"\ud800"}`, harness.InvalidUTF8},
	{"context", `{"agent_tools":["write",1]}`, harness.BadType},
	{"files", "[]", harness.BadType},
	{"files", `{"../a":""}`, harness.BadType},
	{"files", `{"/a":""}`, harness.BadType},
	{"files", `{"a":7}`, harness.BadType},
	{"files", `{"a":"","a/b":""}`, harness.BadType},
	{"files", `{"a":{"link":"b","mode":1}}`, harness.ExtraField},
	{"files", `{"a":"","a":""}`, harness.DuplicateKey},
	{"calls", "", harness.MissingField},
	{"calls", "{}", harness.BadType},
	{"calls", "[{}]", harness.MissingField},
	{"calls", `[{"tool":7}]`, harness.BadType},
	{"calls", `[{"tool":"ls","arguments":{}}]`, harness.ExtraField},
	{"calls", `[{"tool":"ls","phase":"design"}]`, harness.ExtraField},
	{"calls", `[{"tool":"EnterPlanMode","approval":"manual"}]`, harness.BadType},
	{"calls", `[{"tool":"ExitPlanMode","approval":true}]`, harness.BadType},
}

// malform replaces a document by one that is none.
func malform(document string) move {
	choices := slices.DeleteFunc(slices.Clone(malformations), func(m malformed) bool { return m.document != document })
	return func(s *scripter) { s.broken = generators.Pick(&s.Choices, choices) }
}
