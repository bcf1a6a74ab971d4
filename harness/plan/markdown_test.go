package plan_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/plan"
)

func TestMarkdown(t *testing.T) {
	p := base()
	p.Title = "Fix <b>it</b>"
	p.VerificationPolicy = "run_pytest"
	p.Steps[1].Description = "use `make` for _all_ *.go files"
	p.Steps[2].Status = plan.Blocked
	p.Steps[2].Description = "line one\n```\n- [x] **z** \u202eend\x1b[0m"
	p.Steps = append(p.Steps, plan.Step{
		ID: `a "b"\`, Description: "run (fast)", Status: plan.Pending,
		Dependencies: []string{"step_1", "x, y"}, ToolsExpected: []string{"read_file", "发布"},
	},
		plan.Step{
			Status: plan.Pending, Description: " ", ToolsExpected: []string{""},
			Extra: jsontext.Value(`{"name":"发布"}`),
		})
	want := "# Fix <b>it</b>\n\n" +
		"- [x] **a** A\n" +
		"- [ ] **b** use `make` for _all_ *.go files (after a)\n" +
		"- [ ] **c** \"line one\\n```\\n- [x] **z** \\u202eend\\u001b[0m\" (blocked; after b; tools grep)\n" +
		`- [ ] **"a \"b\"\\"** "run (fast)" (after step_1, "x, y"; tools read_file, 发布)` + "\n" +
		`- [ ] **""** " " (name "发布"; tools "")` + "\n" +
		"\nVerification: run_pytest\n"
	if d := cmp.Diff(want, p.Markdown()); d != "" {
		t.Errorf("Markdown (-want +got):\n%s", d)
	}
	if d := cmp.Diff(`c (blocked): "line one\n`+"```"+`\n- [x] **z** \u202eend\u001b[0m"`, p.Steps[2].Brief()); d != "" {
		t.Errorf("Brief (-want +got):\n%s", d)
	}
}

// TestMarkdownCanBeReadInOneWay: whatever the texts hold, the checklist gives the
// steps back.
func TestMarkdownCanBeReadInOneWay(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", " ", "step_2", "a b", "a,b", "x (after a)", "(done; tools x)", `"quoted"`, `\n`, "line\nbreak",
		"```\nfence\n```", "~~~", "# head",
		"**bold**", "- [x] **a** z", "trailing ", "\u2028", "a\u00a0b", "👩\u200d💻", "发布（后）", "null", "a: b", `","`, "\x00",
		"\ufffd",
	}))
	list := rapid.SliceOfN(text, 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		p := &plan.Plan{Title: "t"}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			p.Steps = append(p.Steps, plan.Step{
				ID: text.Draw(t, "id"), Description: text.Draw(t, "description"),
				Status:       rapid.SampledFrom(plan.Statuses()).Draw(t, "status"),
				Dependencies: list.Draw(t, "dependencies"), ToolsExpected: list.Draw(t, "tools"),
			})
		}
		_, body, _ := strings.Cut(p.Markdown(), "\n\n")
		lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		if len(lines) != len(p.Steps) {
			t.Fatalf("%d lines for %d steps:\n%s", len(lines), len(p.Steps), body)
		}
		for i, line := range lines {
			if d := cmp.Diff(p.Steps[i], readLine(t, line),
				cmp.Transformer("list", func(s []string) string { return strings.Join(s, "\x1f") })); d != "" {
				t.Fatalf("%s (-want +read):\n%s", line, d)
			}
		}
	})
}

// readLine reads a line of the checklist by its rules alone.
func readLine(t *rapid.T, line string) (s plan.Step) {
	s.Status = plan.Pending
	if strings.HasPrefix(line, "- [x] **") {
		s.Status = plan.Done
	}
	rest := line[len("- [ ] **"):]
	s.ID, rest = readText(t, rest, "** ")
	s.Description, rest = readText(t, strings.TrimPrefix(rest, "** "), " (")
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, " ("), ")")
	var list *[]string
	for rest != "" {
		var word string
		switch {
		case strings.HasPrefix(rest, "after "):
			list, rest = &s.Dependencies, rest[len("after "):]
		case strings.HasPrefix(rest, "tools "):
			list, rest = &s.ToolsExpected, rest[len("tools "):]
		case list == nil:
			word, rest = readText(t, rest, "; ")
			s.Status, rest = plan.Status(word), strings.TrimPrefix(rest, "; ")
			continue
		}
		word, rest = readText(t, rest, ", ", "; ")
		*list = append(*list, word)
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ", "), "; ")
	}
	return s
}

// readText reads a JSON string, or plain text up to the first separator.
func readText(t *rapid.T, rest string, separators ...string) (text, behind string) {
	if strings.HasPrefix(rest, `"`) {
		for end := 1; end < len(rest); end++ {
			if rest[end] == '"' && json.Unmarshal([]byte(rest[:end+1]), &text) == nil {
				return text, rest[end+1:]
			}
		}
		t.Fatalf("no JSON string: %s", rest)
	}
	end := len(rest)
	for _, s := range separators {
		if i := strings.Index(rest, s); i >= 0 {
			end = min(end, i)
		}
	}
	return rest[:end], rest[end:]
}
