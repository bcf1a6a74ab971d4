package plan

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Markdown renders the plan as a checklist for models, one line per step, ticked
// where the step is finished:
//
//	# Title
//
//	- [x] **step_1** read the parser
//	- [ ] **step_2** write a test (failed; after step_1; tools read_file, shell)
//
// Ids, tools and texts are shown byte for byte. Where that could be misread, such as
// with a line break, white space at an end or a quote, a JSON string replaces the
// plain text. An id between quotes or an id in quotes is therefore valid JSON.
func (p *Plan) Markdown() string {
	var b strings.Builder
	title := p.Title
	if title == "" && p.Record != nil {
		title = p.Record.Name
	}
	if title != "" {
		b.WriteString("# " + phrase(title) + "\n\n")
	}
	for i := range p.Steps {
		p.line(&b, &p.Steps[i])
	}
	if p.VerificationPolicy != "" {
		b.WriteString("\nVerification: " + phrase(p.VerificationPolicy) + "\n")
	}
	return b.String()
}

func (p *Plan) line(b *strings.Builder, s *Step) {
	finished := p.Finished()
	if p.Listed {
		finished = Completed
	}
	var notes []string
	box := "- [ ] "
	switch s.Status {
	case finished:
		box = "- [x] "
	case Pending:
	default:
		notes = append(notes, word(string(s.Status)))
	}
	b.WriteString(box)
	if s.ID != "" || !p.Listed {
		b.WriteString("**" + word(s.ID) + "** ")
	}
	b.WriteString(s.text())
	if notes = append(notes, s.notes()...); notes != nil {
		b.WriteString(" (" + strings.Join(notes, "; ") + ")")
	}
	b.WriteByte('\n')
}

// Brief renders the step as one line for models, such as
// "step_2 (failed): write a test", quoted as in [Plan.Markdown].
func (s *Step) Brief() string {
	return fmt.Sprintf("%s (%s): %s", word(s.ID), word(string(s.Status)), s.text())
}

// text is the description or, without one, the name. A text with " (" is quoted,
// because notes begin so.
func (s *Step) text() string {
	text := cmp.Or(s.Description, s.Name())
	if strings.Contains(text, " (") {
		return quote(text)
	}
	return phrase(text)
}

// notes returns the name if there is also a description, the dependencies and the tools.
func (s *Step) notes() (list []string) {
	if name := s.Name(); name != "" && s.Description != "" {
		list = append(list, "name "+quote(name))
	}
	if len(s.Dependencies) > 0 {
		list = append(list, "after "+words(s.Dependencies))
	}
	if len(s.ToolsExpected) > 0 {
		list = append(list, "tools "+words(s.ToolsExpected))
	}
	return list
}

func words(list []string) string {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = word(s)
	}
	return strings.Join(shown, ", ")
}

// word returns an id or a name unchanged if it has no white space and none of the
// characters that separate words here, else as a JSON string.
func word(s string) string {
	unclear := func(r rune) bool { return unicode.IsSpace(r) || hidden(r) || strings.ContainsRune("\"\\`*,;()", r) }
	if s == "" || strings.ContainsFunc(s, unclear) {
		return quote(s)
	}
	return s
}

// phrase returns a text unchanged if it is one line that can be read in only one way, else
// as a JSON string.
func phrase(s string) string {
	if s == "" || s != strings.TrimSpace(s) || strings.ContainsRune("\"`~*[#", rune(s[0])) ||
		strings.Contains(s, "```") || strings.ContainsFunc(s, hidden) {
		return quote(s)
	}
	return s
}

// hidden reports whether a rune is invisible or breaks a line. Joiners are part of
// emoji and of some scripts.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d' || r == unicode.ReplacementChar
}

// quote writes a JSON string that escapes only quotes, backslashes and hidden runes.
func quote(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == unicode.ReplacementChar || !hidden(r):
			b = append(b, string(r)...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		}
	}
	return string(append(b, '"'))
}
