package rules

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// readMarkdown reads a list of boxes.
func readMarkdown(text *reply.Text, raw harness.Reply, o reply.Options, s spec.Settings) reading {
	// A reply that cannot be looked into is refused as any other.
	outside := reply.ReadText(text, &holder, held, func(a, b string) bool { return a == b })
	got := reading{where: func(*string) string { return "" }}
	got.Tier = harness.TierNone
	if r := outside.Refusal; r != nil && (r.Code == harness.ReplyTooLarge || r.Code == harness.InvalidUTF8 &&
		r.At == nil) {
		got.Refusal = r
		return got
	}
	m := newMarkdown(string(raw))
	tier := m.tier()
	if len(m.items) == 0 && o.Reading.Coerce && outside.Refusal == nil {
		m, tier = newMarkdown(outside.Doc), harness.TierCoerced
		got.Repairs = append(outside.Repairs, harness.Repair{Rule: "wrapper"})
	}
	if len(m.items) == 0 {
		got.Refusal, got.Repairs = harness.Refuse(harness.NoDocument, "the reply has no item (- [ ] text)"), nil
		return got
	}
	if tier == harness.TierExtracted && !o.Reading.Extract {
		got.Refusal = harness.Refuse(harness.NoDocument,
			"not every line of the reply is an item, and the profile does not extract items from other text (reading.extract)")
		return got
	}
	doc, fault := m.rewrite(s)
	if fault != nil {
		got.Refusal = harness.RefuseFault(fault)
		return got
	}
	got.Doc, got.Tier, got.Repairs = doc, tier, append(got.Repairs, doc.repairs...)
	if m.ignored != nil {
		got.Warnings = []harness.Warning{{Code: spec.WarnIgnoredLine, IDs: m.ignored}}
	}
	got.where = func(at *string) string { return m.where(at, doc.list) }
	return got
}

// holder is a tool call whose argument is a list of boxes; nothing writes to it.
var holder = document.Object(document.Plain("todos", document.Text()), document.Plain("task_progress", document.Text()))

func held(root *strictjson.Value) (string, []harness.Warning, *harness.Refusal) {
	for _, name := range []string{"todos", "task_progress"} {
		if v := root.Get(name); v != nil && v.Kind == strictjson.String {
			return v.Text, nil, nil
		}
	}
	return "", nil, harness.Refuse(harness.NoDocument, "the object has no list of boxes")
}

// markdown is a text with the boxes in it.
type markdown struct {
	items   []box
	ignored []string // numbers of lines, from 1
	passed  bool     // something in front of the text was passed over
}

// box is a line that is an item.
type box struct {
	line int // from 1
	mark rune
	text string
}

func newMarkdown(text string) *markdown {
	m := &markdown{}
	body := strings.TrimPrefix(text, "\ufeff")
	body = body[reply.Thoughts(body):]
	m.passed = len(body) < len(text)
	first := 1 + strings.Count(text[:len(text)-len(body)], "\n")
	lines := splitLines(body, first)
	inside := fences(lines)
	at := 0 // the fence that counts; none, if an item is outside of all
	for i, l := range lines {
		if _, ok := item(l); ok && inside[i] == 0 {
			at = 0
			break
		} else if ok && inside[i] > 0 && at == 0 {
			at = inside[i]
		}
	}
	m.take(lines, func(i int) bool { return inside[i] == at })
	return m
}

// line is a line with its number.
type line struct {
	number int
	text   string
}

func splitLines(body string, first int) (lines []line) {
	for text := range strings.SplitSeq(body, "\n") {
		lines = append(lines, line{first + len(lines), strings.TrimSuffix(text, "\r")})
	}
	return lines
}

// take takes the items of the lines that count, and notes what else is not blank.
func (m *markdown) take(lines []line, counts func(i int) bool) {
	for i, l := range lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if b, ok := item(l); ok && counts(i) {
			m.items = append(m.items, b)
			continue
		}
		m.ignored = append(m.ignored, strconv.Itoa(l.number))
	}
}

// fences says of each line in which fence it stands, from 1; 0 is none. The
// lines that open and close a fence are in none that could hold an item.
func fences(lines []line) []int {
	in := make([]int, len(lines))
	count, open, length := 0, byte(0), 0
	for i, l := range lines {
		text := strings.TrimSpace(l.text)
		char, n := fence(text)
		switch {
		case open == 0 && n > 0 && (char == '~' || !strings.Contains(text[n:], "`")):
			open, length, in[i] = char, n, -1
			count++
		case open == 0:
		case char == open && n >= length && len(text) == n:
			open, in[i] = 0, -1
		default:
			in[i] = count
		}
	}
	return in
}

// fence returns the character that begins a fence and how often it is repeated;
// 0 for a line that begins none.
func fence(text string) (char byte, n int) {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return 0, 0
	}
	n = len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 {
		return 0, 0
	}
	return text[0], n
}

// item reads a line as a bullet, a box and a text.
func item(l line) (b box, ok bool) {
	rest := strings.TrimLeftFunc(l.text, unicode.IsSpace)
	bulleted := bullet(rest)
	rest = strings.TrimLeftFunc(rest[bulleted:], unicode.IsSpace)
	inner, behind, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]")
	if !ok || !strings.HasPrefix(rest, "[") || inner == "" {
		return b, false
	}
	if next, _ := utf8.DecodeRuneInString(behind); behind != "" && !unicode.IsSpace(next) {
		return b, false
	}
	mark := strings.TrimSpace(inner)
	b = box{l.number, ' ', strings.TrimSpace(behind)}
	if mark != "" {
		b.mark, _ = utf8.DecodeRuneInString(mark)
	}
	return b, utf8.RuneCountInString(mark) < 2 && (bulleted > 0 || strings.ContainsRune(" xX-~", b.mark))
}

// Indents reports whether an item of a Markdown list is indented, as nested ones are.
func Indents(r harness.Reply) bool {
	return slices.ContainsFunc(splitLines(string(r), 1), func(l line) bool {
		_, ok := item(l)
		return ok && strings.TrimLeftFunc(l.text, unicode.IsSpace) != l.text
	})
}

// bullet returns the length of the bullet that a line begins with; 0 for none.
func bullet(text string) int {
	if text != "" && strings.IndexByte("-*+", text[0]) >= 0 {
		return 1
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits < 1 || digits > 9 || digits == len(text) || text[digits] != '.' && text[digits] != ')' {
		return 0
	}
	return digits + 1
}

// tier is how far reading went.
func (m *markdown) tier() harness.Tier {
	if m.passed || m.ignored != nil {
		return harness.TierExtracted
	}
	return harness.TierStrict
}

// rewrite makes a rewrite of the items.
func (m *markdown) rewrite(s spec.Settings) (*rewrite, *strictjson.Fault) {
	doc := &rewrite{list: "/todos", items: make([]entry, len(m.items))}
	var r strictjson.Reader
	for i, b := range m.items {
		at := strictjson.PathTo(doc.list).Item(i)
		e := entry{spec.Item{Content: s.Stored(b.text)}, s.Text()}
		if b.text == "" {
			r.Fail(harness.EmptyID, at.Member(e.text), "line %d: the item has no text", b.line)
		}
		switch {
		case b.mark == ' ':
			e.Status = plan.Pending
		case b.mark == 'x' || b.mark == 'X':
			e.Status = plan.Completed
		case b.mark == '-' || b.mark == '~':
			e.Status = plan.InProgress
		case s.StatusWords == harness.Any && strings.ContainsRune("✓✔vV", b.mark):
			e.Status = plan.Completed
		case s.StatusWords == harness.Any && strings.ContainsRune("/>", b.mark):
			e.Status = plan.InProgress
		default:
			r.Fail(harness.BadType, at.Member("status"), "line %d: [%c] is not a status", b.line, b.mark)
		}
		if !strings.ContainsRune(" xX-~", b.mark) {
			doc.repairs = append(doc.repairs, harness.Repair{Rule: spec.RepairStatusWord, IDs: []string{e.Name()}})
		}
		doc.items[i] = e
	}
	return doc, r.Fault
}

// where names the line of a place in the equal document.
func (m *markdown) where(at *string, list string) string {
	if at == nil {
		return ""
	}
	place, _, _ := strings.Cut(strings.TrimPrefix(*at, list+"/"), "/")
	i, err := strconv.Atoi(place)
	if err != nil || i >= len(m.items) {
		return ""
	}
	return "line " + strconv.Itoa(m.items[i].line) + ", column 1"
}
