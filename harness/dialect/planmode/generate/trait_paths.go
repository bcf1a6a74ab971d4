package generate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

func paths() []trait {
	row := family("paths")
	const alike, link, place = "a path that only resembles the plan file's", "a link", "a link in place of the plan file"
	linked := func(t trait) trait { return t.takes(aName | aContext).with(aFiles).needs("links") }
	return []trait{
		row("path-looks-alike", alike, "in a write in plan mode",
			"a write in plan mode names a path that only resembles the plan file's: tool_forbidden", early, looksAlike).
			starts(fixName).takes(aName | aContext),
		row("path-cleaned", "a path that leads to the plan file only once it is cleaned", "in a write in plan mode",
			"a write in plan mode names the plan file by a path that leads there only once it is cleaned: tool_forbidden",
			early, func(s *scripter) {
				file := strings.TrimPrefix(s.path, "plans/")
				refuseWrite(s, s.path+"\x00", s.path+"\x00.txt", s.path+"/", s.path+"/.", s.path+"/../"+file, "none/../"+s.path,
					"plans/none/../"+file, "plans/"+strings.Repeat("x", 300)+"/../"+file, "plans", "plans/")
			}).starts(fixName).takes(aName | aContext).needs("paths"),
		row("path-leads-out", "a path that leaves the directory", "in a write in plan mode",
			"the path of a write in plan mode leaves the directory: tool_forbidden", early, func(s *scripter) {
				s.refused(write(outward(s), "x"), harness.ToolForbidden)
			}),
		row("path-roundabout", "a longer path to the plan file", "in a write in plan mode",
			"a write in plan mode names the plan file by a longer path: applied", late, func(s *scripter) {
				s.writePlan(generators.Pick(&s.Choices, []string{"./{plan}", "plans/../{plan}", ".//{plan}", "plans/./../{plan}"}),
					s.planText())
			}),
		linked(row("link-to-source", link, "in a write in plan mode",
			"a write in plan mode follows a link to another file: tool_forbidden", early, func(s *scripter) {
				s.refused(write("todo.md", "changed through a link"), harness.ToolForbidden)
			}).starts(func(s *scripter) {
			s.link("todo.md", "src/main.go", "new.txt", "../out.md", "todo.md", "/etc/passwd", "plans/another-plan.md")
		})),
		linked(row("link-to-plan", link, "in a write in plan mode",
			"a write in plan mode follows a link to the plan file: applied", late, func(s *scripter) {
				s.writePlan("todo.md", s.planText())
			}).starts(func(s *scripter) {
			fixName(s)
			s.chain("todo.md", s.path)
		})).seen(func(c harness.Case) bool { return strings.Contains(string(c.Files), `"link"`) }),
		linked(row("plan-is-link", "a link in place of the plan file", "plan mode",
			"a link takes the place of the plan file: tool_forbidden, empty_plan_file", nowhere, nil).starts(func(s *scripter) {
			fixName(s)
			s.blocked = true
			s.link(s.path, "../src/main.go", "other.md", "../../out.md", "/etc/passwd")
		})).with(aMode).loses(aPlan | aBlank),
		linked(row("plans-is-other", "a link or a file in place of the plan directory", "plan mode",
			"a link or a file takes the place of the plan directory: tool_forbidden, empty_plan_file", nowhere,
			nil).starts(func(s *scripter) {
			fixName(s)
			s.blocked = true
			if s.Below(2) == 0 {
				s.files = append(s.files, textFile{"plans", "no directory"})
			} else {
				s.link("plans", "src", "../plans", "missing")
			}
			// A path of another trait leads through the file plans, which is no directory.
		})).needs("links", "paths").with(aMode).loses(aPlan | aBlank),
		row("plan-of-other", "another session's plan file", "in a write in plan mode",
			"a write in plan mode names another session's plan file: tool_forbidden", early, writeOther).
			starts(func(s *scripter) {
				fixName(s)
				s.files = append(s.files, textFile{"plans/other-waiting-plan.md", "# The plan of another session"})
			}).takes(aName | aContext).with(aFiles),
		row("path-impossible", "a path that names no file", "in a write in the mode normal",
			"the path of a write in the mode normal names no file: bad_arguments", before, func(s *scripter) {
				paths := []string{
					"a\x00b", "new/", ".", strings.Repeat("x", 300), "none/../new.txt", s.base[0].name + "/x",
					s.base[0].name + "/",
				}
				s.refused(saying(write(generators.Pick(&s.Choices, paths), "x"), "approve"), harness.BadArguments)
			}).with(aFiles).needs("paths"),
		row("path-out-in-normal-mode", "a path that leaves the directory", "in a write in the mode normal",
			"the path of a write in the mode normal leaves the directory: applied, and the case's files stay unchanged",
			before, func(s *scripter) {
				s.did(write(strings.ReplaceAll(outward(s), "{plan}", "x.md"), "x"))
			}).with(aPlan).seen(calling("write", "")),
	}
}

// link adds a link that leads to one of the targets.
func (s *scripter) link(name string, targets ...string) {
	s.links = append(s.links, generators.Field{Name: name, Value: generators.Text(generators.Pick(&s.Choices, targets))})
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

func looksAlike(s *scripter) {
	file := strings.TrimPrefix(s.path, "plans/")
	refuseWrite(s, "PLANS/"+file, "plans/"+strings.ToUpper(file), "Plans/"+file, s.path+".", s.path+" ", s.path+"..",
		" "+s.path, "plans\\"+file, "plans/"+strings.TrimSuffix(file, ".md"), "plans/"+file+"x", file, "./"+file,
		"plans/plans/"+file, strings.ReplaceAll(s.path, "-", "\u2010"), "~/"+s.path)
}

// refuseWrite writes to one of the paths, or edits it, which is forbidden.
func refuseWrite(s *scripter, paths ...string) {
	path := generators.Pick(&s.Choices, paths)
	call := write(path, "changed")
	if s.Below(4) == 0 {
		call = edit(path, "# ", "changed")
	}
	s.refused(call, harness.ToolForbidden)
}

func outward(s *scripter) string {
	return generators.Pick(&s.Choices, []string{
		"../{plan}", "/{plan}", "../../../../etc/passwd", "/etc/passwd", "..",
		"//{plan}", "./../x", "plans/../../{plan}", "plans/../../x.md",
	})
}

func writeOther(s *scripter) {
	const other = "plans/other-waiting-plan.md"
	s.refused(write(other, "overwritten"), harness.ToolForbidden)
	s.read(other)
}

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
