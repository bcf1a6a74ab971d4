package generate

import (
	"strings"

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
			s.link("todo.md", s.path)
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
		})).with(aMode).loses(aPlan | aBlank),
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
			}).with(aFiles),
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

func looksAlike(s *scripter) {
	file := strings.TrimPrefix(s.path, "plans/")
	alike := generators.Pick(&s.Choices, []string{
		"PLANS/" + file, "plans/" + strings.ToUpper(file), "Plans/" + file, s.path + ".", s.path + " ", s.path + "..", " " +
			s.path, s.path + "\x00", s.path + "\x00.txt", s.path + "/", s.path + "/.",
		"plans\\" + file, "plans/" + strings.TrimSuffix(file, ".md"), "plans/" + file + "x", file, "./" + file,
		"plans/plans/" + file, s.path + "/../" + file,
		"none/../" + s.path, "plans/none/../" + file, "plans/" + strings.Repeat("x", 300) + "/../" + file,
		strings.ReplaceAll(s.path, "-", "\u2010"), "plans", "plans/", "~/" + s.path,
	})
	call := write(alike, "changed")
	if s.Below(4) == 0 {
		call = edit(alike, "# ", "changed")
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
