package plan

import (
	"cmp"
	"strings"
	"unicode"
)

// Markdown renders the plan as a GitHub-flavoured checklist, one step a line,
// ticked where finished; another status than that and pending, the dependencies
// and the tools follow in brackets. A step without a description has its name. Texts are escaped: they come from models.
func (p *Plan) Markdown() string {
	var b strings.Builder
	if strings.TrimSpace(p.Title) != "" {
		b.WriteString("# " + escape(p.Title) + "\n\n")
	} else if p.Record != nil && strings.TrimSpace(p.Record.Name) != "" {
		b.WriteString("# " + escape(p.Record.Name) + "\n\n")
	}
	finished := p.Finished()
	if p.Listed {
		finished = Completed
	}
	for i := range p.Steps {
		p.Steps[i].markdown(&b, finished)
	}
	if p.VerificationPolicy != "" {
		b.WriteString("\nVerification: " + escape(p.VerificationPolicy) + "\n")
	}
	return b.String()
}

func (s *Step) markdown(b *strings.Builder, finished Status) {
	box := "- [ ] "
	if s.Status == finished {
		box = "- [x] "
	}
	b.WriteString(box)
	if s.ID != "" {
		b.WriteString("**" + escape(s.ID) + "** ")
	}
	b.WriteString(escape(cmp.Or(s.Description, s.Name())))
	var notes []string
	if s.Status != finished && s.Status != Pending {
		notes = append(notes, escape(string(s.Status)))
	}
	if len(s.Dependencies) > 0 {
		notes = append(notes, "after "+escape(strings.Join(s.Dependencies, ", ")))
	}
	if len(s.ToolsExpected) > 0 {
		notes = append(notes, "tools "+escape(strings.Join(s.ToolsExpected, ", ")))
	}
	if notes != nil {
		b.WriteString(" (" + strings.Join(notes, "; ") + ")")
	}
	b.WriteByte('\n')
}

// escape makes text one line of plain Markdown: punctuation that could start
// a construct gets a backslash, white space runs become one space, and control
// and formatting characters go.
func escape(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case strings.ContainsRune("\\`*_{}[]()<>#+-.!|~&@:", r):
			b.WriteByte('\\')
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
