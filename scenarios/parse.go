package scenarios

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
)

func headerKeys() []string {
	keys := []string{"dialect", "level", "source", "profile"}
	for _, l := range (&harness.Case{}).Bounds() {
		keys = append(keys, l.Name)
	}
	return keys
}

// Parse reads one scenario. Errors contain the name, which gives the ID. Every
// error is an *Error.
func Parse(name string, data []byte) (Scenario, error) {
	if InYAML(name) {
		var err error
		if data, err = fromYAML(name, data); err != nil {
			return Scenario{}, err
		}
	}
	p := parser{source: source{name, data}}
	p.s = Scenario{ID: idOf(name), File: name, Level: Must}
	err := p.parse()
	if e := (*Error)(nil); InYAML(name) && errors.As(err, &e) {
		e.Line = 0 // of another text
	}
	if err != nil {
		return Scenario{}, err
	}
	return p.s, nil
}

type parser struct {
	source
	s        Scenario
	dialect  *dialect.Dialect
	settings []setting // of the profile
	size     int       // bytes of all replies so far
}

func (p *parser) parse() error {
	if len(bytes.TrimSpace(p.data)) == 0 {
		return &Error{File: p.name, Message: "the file is empty; a scenario begins with a comment line (# why it exists)"}
	}
	if i := strictjson.InvalidUTF8(p.data); i >= 0 {
		return p.errorf(i, "bytes that are not UTF-8; write such a reply as reply.N.b64")
	}
	archive := txtar.Parse(p.data)
	if err := p.header(archive.Comment); err != nil {
		return err
	}
	if err := p.files(archive); err != nil {
		return err
	}
	return p.complete()
}

// header reads the comment of the archive: comment lines, then keys.
func (p *parser) header(comment []byte) error {
	var doc []string
	seen := map[string]bool{}
	offset := 0
	for raw := range strings.Lines(string(comment)) {
		line := strings.TrimSpace(raw)
		at := offset + strings.Index(raw, line)
		offset += len(raw)
		if text, ok := strings.CutPrefix(line, "#"); ok {
			doc = append(doc, strings.TrimSpace(text))
			continue
		}
		if line == "" {
			continue
		}
		if len(doc) == 0 {
			return p.errorf(at, "the first line must be a comment that says why the scenario exists (# …)")
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return p.errorf(at, "neither a comment (# …) nor a header line (key: value)")
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if seen[key] && key != "profile" {
			return p.errorf(at, "duplicate key %q; keep one of them", key)
		}
		seen[key] = true
		if err := p.set(key, value, at, at+len(line)-len(value)); err != nil {
			return err
		}
	}
	if err := p.profile(); err != nil {
		return err
	}
	p.s.Doc = strings.TrimSpace(strings.Join(doc, "\n"))
	if p.s.Doc == "" {
		return p.errorf(0, "the first line must be a comment that says why the scenario exists (# …)")
	}
	if p.dialect == nil {
		return p.errorf(len(comment), "the header has no dialect; add a line such as \"dialect: %s\"", all.Names()[0])
	}
	return nil
}

// set takes one line of the header; keyAt and valueAt are its offsets.
func (p *parser) set(key, value string, keyAt, valueAt int) error {
	switch key {
	case "dialect":
		return p.setDialect(value, valueAt)
	case "level":
		if value != Must && value != Should {
			return p.errorf(valueAt, "the level is %s or %s, not %q", Must, Should, value)
		}
		p.s.Level = value
	case "source":
		p.s.Source = value
	case "profile":
		p.settings = append(p.settings, setting{value, valueAt})
	default:
		return p.setLimit(key, value, keyAt, valueAt)
	}
	return nil
}

// setting is a line of the profile.
type setting struct {
	text string
	at   int // its offset
}

// profile makes the rules of the lines of the profile, with the knobs that the
// dialect has of its own.
func (p *parser) profile() error {
	if p.settings == nil {
		return nil
	}
	rules, own := harness.Reference(), all.Vocabulary(p.s.Case.Dialect).Own
	for _, s := range p.settings {
		if err := rules.Apply(s.text, own...); err != nil {
			return p.errorf(s.at, "%v", err)
		}
	}
	rules = rules.For(own)
	p.s.Case.Profile = &rules
	return nil
}

func (p *parser) setDialect(value string, at int) error {
	d := all.Find(value)
	if d == nil {
		return p.errorf(at, "unknown dialect %q (%s)", value, suggest(value, all.Names()))
	}
	p.dialect, p.s.Case.Dialect = d, value
	return nil
}

func (p *parser) setLimit(key, value string, keyAt, valueAt int) error {
	for _, l := range p.s.Case.Bounds() {
		if l.Name != key {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return p.errorf(valueAt, "%s: %q is not an integer", key, value)
		}
		*l.Value = &n
		return nil
	}
	return p.errorf(keyAt, "unknown key %q (%s)", key, suggest(key, headerKeys()))
}

// suggest says what would be right instead of a word.
func suggest(word string, valid []string) string {
	if s := harness.Nearest(word, valid); s != "" {
		return "did you mean " + strconv.Quote(s) + "?"
	}
	return "valid are " + strings.Join(valid, ", ")
}

// files reads the files of the archive.
func (p *parser) files(archive *txtar.Archive) error {
	seen := map[string]bool{}
	offset := len(archive.Comment)
	for _, f := range archive.Files {
		marker := offset
		start := marker + bytes.IndexByte(p.data[marker:], '\n') + 1
		if start == marker { // the marker is the last line and has no newline
			start = len(p.data)
		}
		if seen[f.Name] {
			return p.errorf(marker, "duplicate file %s; keep one of them", escape(f.Name))
		}
		seen[f.Name] = true
		if err := p.file(f, marker, start); err != nil {
			return err
		}
		offset = min(start+len(f.Data), len(p.data))
	}
	return nil
}

// file takes one file; marker and start are the offsets of its marker line
// and of its contents.
func (p *parser) file(f txtar.File, marker, start int) error {
	if f.Name == "want.json" {
		p.s.Want = jsontext.Value(bytes.TrimSpace(f.Data))
		return p.checkWant(f.Data, start)
	}
	for _, d := range p.dialect.Documents {
		if d.File() == f.Name {
			// the buffer continues with the next file
			p.s.Case.SetDocument(d.Name, slices.Clip(bytes.TrimSpace(f.Data)))
			_, err := p.json(f.Name, f.Data, start)
			return err
		}
	}
	if number, form, ok := replyName(f.Name); ok && p.dialect.Replies != document.NoReplies {
		return p.reply(f, number, form, marker, start)
	}
	return p.errorf(marker, "unknown file %s (a scenario of the dialect %s has %s)", escape(f.Name), p.dialect.Name,
		fileNames(p.dialect))
}

// json checks that a file holds one JSON value.
func (p *parser) json(name string, data []byte, start int) (*strictjson.Document, error) {
	const deepest = 10000 // what a decoder of JSON can be asked for
	doc, err := strictjson.Parse(data, deepest)
	if err != nil {
		e := err.(*strictjson.Error)
		return nil, p.errorf(start+e.Offset, "%s is not well-formed JSON: %s", name, e.Message)
	}
	return doc, nil
}

// complete reports missing files.
func (p *parser) complete() error {
	end := len(p.data)
	for _, d := range p.dialect.Documents {
		if d.Required && p.s.Case.Document(d.Name) == nil {
			return p.errorf(end, "the file %s is missing; add it after a line \"-- %s --\"", d.File(), d.File())
		}
	}
	if p.s.Want == nil {
		return p.errorf(end, "the file want.json is missing; add the expected outcome after a line \"-- want.json --\"")
	}
	if p.dialect.Replies == document.RequiredReplies && len(p.s.Case.Replies) == 0 && !p.wantsNoReply() {
		return p.errorf(end, "there is no reply; add one after a line \"-- reply.1.txt --\" (or want the code %s)",
			harness.RepliesExhausted)
	}
	return nil
}

// wantsNoReply reports whether the lack of replies is the scenario's point.
func (p *parser) wantsNoReply() bool {
	want, _ := outcome.Tree(p.s.Want).(map[string]any)
	return want["code"] == string(harness.RepliesExhausted) || want["rung"] == string(harness.RungReact)
}

// fileNames lists the files that a scenario of the dialect can have.
func fileNames(d *dialect.Dialect) string {
	names := collect.Map(d.Documents, func(doc document.Document) string { return doc.File() })
	if d.Replies != document.NoReplies {
		names = append(names, "reply.N.txt, reply.N.b64, reply.N.gen")
	}
	return strings.Join(append(names, "want.json"), ", ")
}
