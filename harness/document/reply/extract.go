package reply

import (
	"slices"
	"strings"
	"unicode"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
)

// extractor looks for candidates in one reply, tier by tier.
type extractor struct {
	text       string
	start, end int // without surrounding white space
	opt        Options
	shape      *document.Value
	parser     *strictjson.Parser
	first      candidate // the object that the reply begins with, once it was read
	strict     [1]candidate
	repaired   *scan // of the whole reply, once it was made
	extracted  *scan // and without repairing
}

func newExtractor(text string, opt Options, shape *document.Value, parser func(string) *strictjson.Parser) extractor {
	start, end := trimmed(text)
	return extractor{text: text, start: start, end: end, opt: opt, shape: shape, parser: parser(text)}
}

// tiers are all tiers in the order in which they are tried. Nothing writes to them.
var tiers = [...]harness.Tier{harness.TierStrict, harness.TierExtracted, harness.TierRepaired, harness.TierCoerced}

// tries reports whether the options allow a tier that may find other candidates than the ones before it.
func (f *extractor) tries(t harness.Tier) bool {
	switch r := f.opt.Reading; t {
	case harness.TierExtracted:
		return r.Extract && !f.isJSON()
	case harness.TierRepaired:
		return r.Repair && !f.isJSON()
	case harness.TierCoerced:
		return r.Coerce
	}
	return true
}

// isJSON reports whether the trimmed reply is one object or list, as it was read before.
func (f *extractor) isJSON() bool {
	return f.first.doc != nil && f.first.end >= f.end && f.first.root.Kind != strictjson.String
}

// nothing says why there is no candidate.
func (f *extractor) nothing() string {
	switch {
	case f.start == f.end:
		return "the reply is empty"
	case strings.IndexByte(f.text, '{') < 0:
		return "the reply holds no JSON object"
	case !f.opt.Reading.Extract:
		return "the reply as a whole is not one JSON object, and the profile does not look for one inside it"
	case !f.opt.Reading.Repair:
		return "no well-formed JSON object that could be the document was found, and the profile does not repair syntax"
	}
	return "no JSON object that could be the document was found"
}

// refuseDepth words the refusal of an object that nests too deep.
func (f *extractor) refuseDepth(e *strictjson.Error) *harness.Refusal {
	line, column := strictjson.Position(f.text, e.Offset)
	return harness.RefuseAt(harness.TooDeep, "",
		"line %d, column %d: the object nests deeper than max_depth, which is %d", line, column, f.opt.MaxDepth)
}

// extract returns the candidates of a tier. tooDeep is set if an object nested
// past the limit; nothing behind it was looked at.
func (f *extractor) extract(tier harness.Tier) (list []candidate, tooDeep *strictjson.Error) {
	repair := tier == harness.TierRepaired || tier == harness.TierCoerced && f.opt.Reading.Repair
	s := scan{extractor: f, repair: repair, arrays: tier == harness.TierCoerced}
	extracts := tier != harness.TierStrict && f.opt.Reading.Extract && !f.isJSON()
	if !extracts || s.arrays && s.start < s.end && s.text[s.start] == '"' {
		s.one()
	}
	if extracts {
		s.all()
	}
	if tier == harness.TierStrict {
		return s.found, s.tooDeep
	}
	list = s.found[:0]
	for _, c := range s.found {
		switch tier {
		case harness.TierCoerced:
			if !f.coerce(&c) {
				continue
			}
			fallthrough
		default:
			if !c.whole && !f.fenced(c) && (f.opt.Reading.Fences || !claims(f.shape, c.root)) {
				continue
			}
		}
		list = append(list, c)
	}
	return list, s.tooDeep
}

// scan walks over the reply from left to right and collects the values that
// are outside of any other value.
type scan struct {
	*extractor
	repair   bool
	arrays   bool // collect arrays too (and a string that is the whole reply)
	found    []candidate
	tooDeep  *strictjson.Error
	repairer *repairer // once it is needed
}

// one tries the whole trimmed reply.
func (s *scan) one() {
	if s.start == s.end {
		return
	}
	switch s.text[s.start] {
	case '{':
	case '[', '"':
		if !s.arrays {
			return
		}
	default:
		return
	}
	if c, err := s.valueAt(s.start); err == nil && s.endsAt(&c) {
		if c.whole = true; !s.repair && !s.arrays { // always the same one
			s.found = s.strict[:0]
		}
		s.found = append(s.found, c)
	} else if err != nil && err.TooDeep && s.text[s.start] == '{' {
		s.tooDeep = stopped(err)
	}
}

// endsAt reports whether the reply ends with the candidate. Comments behind it
// are repaired like those in it.
func (s *scan) endsAt(c *candidate) bool {
	if !s.repair {
		return c.end >= s.end
	}
	m := repairer{in: s.text[:s.end], pos: c.end}
	m.skip()
	c.repairs = append(c.repairs, m.repairs...)
	return m.pos >= s.end
}

// all collects every value of the reply. A value found without repairing counts for each
// document that is looked for; a repaired one counts for two tiers of each document.
func (s *scan) all() {
	made := &s.extracted
	switch {
	case s.repair:
		made = &s.repaired
	case s.arrays:
		s.walk()
		return
	}
	if *made == nil {
		*made = &scan{extractor: s.extractor, repair: s.repair, arrays: s.repair}
		(*made).walk()
	}
	if s.found == nil {
		s.found = make([]candidate, 0, len((*made).found))
	}
	for _, c := range (*made).found {
		if s.arrays || c.root.Kind == strictjson.Object {
			s.found = append(s.found, c)
		}
	}
	s.tooDeep = (*made).tooDeep
}

func (s *scan) walk() {
	for i := s.begin(); i < s.end; {
		if s.text[i] != '{' && s.text[i] != '[' {
			i++
			continue
		}
		object := s.text[i] == '{'
		if object && !s.mayBeObject(i) {
			i++
			continue
		}
		switch {
		case object:
		case s.repair:
			if stop := s.hopeless(i); stop > 0 {
				i = stop
				continue
			}
		case !s.arrays:
			i = s.skipArray(i)
			continue
		}
		c, err := s.valueAt(i)
		switch {
		case err == nil:
			c.whole = i == s.start && c.end >= s.end
			if object || s.arrays {
				s.found = append(s.found, c)
			}
			i = c.end
		case err.TooDeep && object:
			s.tooDeep = stopped(err)
			return
		default:
			i = max(i+1, err.Offset)
		}
	}
}

// begin is where the scan starts: behind the thoughts that open the reply.
func (s *scan) begin() int { return s.start + Thoughts(s.text[s.start:s.end]) }

// Thoughts returns the length in bytes of the <think> block at the start of a text, up to
// its first </think>. It is 0 without such a block or if the block is not closed. A
// model's thoughts are no part of its reply.
func Thoughts(text string) int {
	head := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if strings.HasPrefix(head, "<think>") {
		if i := strings.Index(head, "</think>"); i >= 0 {
			return len(text) - len(head) + i + len("</think>")
		}
	}
	return 0
}

// mayBeObject looks at what follows a brace, so that a text full of braces does
// not start a parser at each.
func (s *scan) mayBeObject(i int) bool {
	for i++; i < s.end; i++ {
		if !isSpace(s.text[i]) {
			c := s.text[i]
			return c == '"' || c == '}' || s.repair && c != '{' && c != '[' && c != ':' && c != ','
		}
	}
	return s.repair // a brace at the very end is an object cut off
}

// hopeless looks at nested brackets that open here, as mayBeObject does. It returns where
// repairing them would stop, so that a text full of brackets does not start a repair at
// each of them, or 0 if only a repair can find out.
func (s *scan) hopeless(i int) (stop int) {
	for depth := 0; i < s.end; i++ {
		switch c := s.text[i]; {
		case isSpace(c):
		case c == '[' && depth > s.opt.MaxDepth: // of an object in it, the list does not count
			return i
		case c == '[':
			depth++
		case c == '{' && depth <= s.opt.MaxDepth:
			i++
			for i < s.end && isSpace(s.text[i]) {
				i++
			}
			if i < s.end && strings.IndexByte("{[:,", s.text[i]) >= 0 {
				return i
			}
			return 0
		default:
			return 0
		}
	}
	return 0
}

func (s *scan) skipArray(i int) int {
	end, ok := s.parser.SkipAt(i)
	if !ok {
		return max(i+1, end)
	}
	return end
}

// stopped keeps an error that is only good until the next one.
func stopped(err *strictjson.Error) *strictjson.Error {
	kept := *err
	return &kept
}

// valueAt reads the value that begins at the offset i.
func (s *scan) valueAt(i int) (candidate, *strictjson.Error) {
	depth := s.opt.MaxDepth
	if s.text[i] != '{' {
		depth++ // of an object in it, the list does not count
	}
	if i == s.start && s.first.doc != nil { // repairing would not change it
		return s.first, nil
	}
	if !s.repair {
		doc, end, err := s.parser.ParseAt(i, depth)
		if err != nil {
			return candidate{}, err.(*strictjson.Error)
		}
		c := candidate{doc: doc, root: &doc.Root, reply: s.text, start: i, end: end, origin: func(o int) int { return o }}
		if i == s.start {
			s.first = c
		}
		return c, nil
	}
	if s.repairer == nil {
		s.repairer = &repairer{}
	}
	m := s.repairer
	m.reset(s.text[:s.end], i, depth)
	if err := m.value(0); err != nil {
		return candidate{}, err
	}
	origin := m.origins()
	doc, err := strictjson.Parse(m.out, depth)
	if err != nil {
		e := err.(*strictjson.Error)
		return candidate{}, &strictjson.Error{Offset: origin(e.Offset), Message: e.Message, TooDeep: e.TooDeep}
	}
	c := candidate{
		doc: doc, root: &doc.Root, repairs: slices.Clone(m.repairs), reply: s.text, start: i, end: m.pos,
		origin: origin,
	}
	return c, nil
}

// fenced reports whether the candidate is the whole content of a code fence:
// three back ticks or tildes and perhaps a word before it, the same or the end
// of the reply behind it.
func (f *extractor) fenced(c candidate) bool {
	before := strings.TrimRightFunc(f.text[:c.start], unicode.IsSpace)
	line := before[max(0, len(before)-80):]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	after := strings.TrimLeftFunc(f.text[c.end:], unicode.IsSpace)
	for _, fence := range []string{"```", "~~~"} {
		i := strings.LastIndex(line, fence)
		if i < 0 || !isInfo(line[i+3:]) {
			continue
		}
		if len(after) == 0 || strings.HasPrefix(after, fence) {
			return true
		}
	}
	return false
}

// isInfo reports whether s may follow the opening of a fence.
func isInfo(s string) bool {
	s = strings.TrimSpace(s)
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-+.", r)
	}) < 0
}
