package generate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// origin is where a session begins, and how its base asks for what it wants.
// It has a field for each thing that a base can ask for; most set few.
type origin struct {
	session   string // "" is not given
	agent     generators.Value
	agentName string // "" of the main session
	tools     []string
	slug      string   // that the case gives as the session's own; "" is none
	slugs     []string // that the case gives as draws
	taken     []string
	seed      string
	timestamp string             // "" is none
	links     []generators.Field // name and target
	full      bool               // no name is free
	blocked   bool               // the path of the plan file is taken by something else

	brief, nulls bool // the context leaves out what it can, or says null
	noContext    bool
	noFiles      bool

	args     string           // of EnterPlanMode and ExitPlanMode; "" is none
	entering generators.Value // what the user says to the base's calls
	leaving  string
	labelled bool // the answer to ExitPlanMode is a label of the dialog
	feedback string

	broken malformed // a document that is none
}

// begin draws where the session of the base begins.
func (s *scripter) begin(agent bool) {
	s.session = "s" + strconv.Itoa(1+s.Below(99))
	s.seed = strconv.Itoa(s.Below(1000))
	s.agent = generators.Raw("false")
	s.entering, s.leaving = generators.Text("approve"), "auto_accept"
	s.slugs = []string{generators.Pick(&s.Choices, slugPool[:])}
	for _, name := range [...]string{"src/main.go", "README.md", "docs/notes.md"} {
		if s.Below(3) > 0 {
			s.base = append(s.base, textFile{name, s.phrase()})
		}
	}
	if s.base == nil {
		s.base = []textFile{{"notes.txt", s.phrase()}}
	}
	s.files = append(s.files, s.base...)
	if agent {
		s.agentName = "coder"
		s.agent = generators.Text(s.agentName)
		tools := []string{"write", "edit", "bash"}
		i := s.Below(len(tools))
		s.tools = append(s.tools, tools[i:min(len(tools), i+1+s.Below(2))]...)
	}
}

// open writes down where the session begins.
func (s *scripter) open() harness.Case {
	c := harness.Case{Dialect: "planmode"}
	if !s.noContext {
		c.Context = s.context().Encode(generators.Style{})
	}
	if !s.noFiles {
		c.Files = s.tree().Encode(generators.Style{})
	}
	return c
}

func (s *scripter) context() generators.Value {
	v := generators.Object()
	add := func(name string, m generators.Value, given bool) {
		switch {
		case given:
			v.Add(name, m)
		case s.nulls:
			v.Add(name, generators.Raw("null"))
		}
	}
	add("agent", s.agent, !s.brief || s.agentName != "")
	add("agent_tools", generators.Texts(s.tools), !s.brief || s.tools != nil)
	add("phase", generators.Text(s.phase), s.phase != "")
	add("seed", generators.Raw(s.seed), !s.brief)
	add("slug", generators.Text(s.slug), s.slug != "")
	add("slugs", generators.Texts(s.slugs), s.slugs != nil)
	add("taken", generators.Texts(s.taken), !s.brief || s.taken != nil)
	add("session", generators.Text(s.session), s.session != "")
	add("timestamp", generators.Raw(s.timestamp), s.timestamp != "")
	return v
}

// tree writes the files that there are.
func (s *scripter) tree() generators.Value {
	files := generators.Object()
	for _, f := range s.files {
		files.Add(f.name, generators.Text(f.content))
	}
	for _, l := range s.links {
		files.Add(l.Name, generators.Object(generators.Field{Name: "link", Value: l.Value}))
	}
	if s.plan != nil {
		files.Add(s.path, generators.Text(*s.plan))
	}
	return files
}

// malformed says which document of a case is replaced, by what, and the code
// that this leads to.
type malformed struct {
	document, text string
	code           harness.Code
}

func (m *malformed) replace(c *harness.Case) {
	var raw jsontext.Value
	if m.text != "" {
		raw = jsontext.Value(m.text)
	}
	switch m.document {
	case "context":
		c.Context = raw
	case "files":
		c.Files = raw
	case "calls":
		c.Calls = raw
	}
}
