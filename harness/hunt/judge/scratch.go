package judge

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
)

// scratch is memory that a judge uses again for each case.
type scratch struct {
	docs    [][]byte
	replies []harness.Reply
	limits  [7]int
	profile harness.Profile
	State   []byte
	parsed  map[string]*strictjson.Document
}

// remember copies the case, so that changes to it show.
func (s *scratch) remember(c *harness.Case) {
	i := 0
	for _, value := range c.Documents() {
		if i == len(s.docs) {
			s.docs = append(s.docs, nil)
		}
		s.docs[i] = append(s.docs[i][:0], value...)
		i++
	}
	s.docs = s.docs[:i]
	s.replies = append(s.replies[:0], c.Replies...)
	s.limits = limits(&c.Limits)
	if c.Profile != nil {
		ladder := append(s.profile.Ladder[:0], c.Profile.Ladder...)
		s.profile = *c.Profile
		s.profile.Ladder = ladder
	}
}

// limits reads the limits through their pointers; -1 means no limit.
func limits(l *harness.Limits) (list [7]int) {
	for i, limit := range l.All() {
		list[i] = -1
		if n := *limit.Value; n != nil {
			list[i] = *n
		}
	}
	return list
}

// changed names the first member of the case that is not as remembered, and
// puts it back.
func (s *scratch) changed(c *harness.Case) string {
	i := 0
	for name, value := range c.Documents() {
		if i == len(s.docs) || !bytes.Equal(s.docs[i], value) {
			if i < len(s.docs) {
				copy(value, s.docs[i])
			}
			return name
		}
		i++
	}
	switch {
	case !slices.Equal(s.replies, c.Replies):
		copy(c.Replies, s.replies)
		return "replies"
	case s.limits != limits(&c.Limits):
		return "limits"
	case c.Profile != nil && !s.profile.Equal(*c.Profile):
		return "profile"
	}
	return ""
}

// Parsed returns a document, or nil.
func Parsed(raw jsontext.Value) *strictjson.Value {
	doc, err := strictjson.Parse(raw, maxNesting)
	if err != nil {
		return nil
	}
	return &doc.Root
}

// Parsed is [Parsed] with memory that all checks share: the value is good until all of them were made.
func (x *Examination) Parsed(raw jsontext.Value) *strictjson.Value {
	if doc := x.Document(raw); doc != nil {
		return &doc.Root
	}
	return nil
}

// Document is [Examination.Parsed] with the faults of the document.
func (x *Examination) Document(raw jsontext.Value) *strictjson.Document {
	if len(raw) == 0 {
		return nil
	}
	s := &x.Judge.Scratch
	doc, ok := s.parsed[string(raw)]
	if !ok {
		text := string(raw)
		doc, _ = x.Parse(text, maxNesting)
		if s.parsed == nil {
			s.parsed = map[string]*strictjson.Document{}
		}
		s.parsed[text] = doc
	}
	return doc
}

// Object is [Examination.Parsed] for a JSON object, an empty one of no document; false if the
// document is something else.
func (x *Examination) Object(doc jsontext.Value) (strictjson.Value, bool) {
	if len(doc) == 0 {
		return strictjson.Value{Kind: strictjson.Object}, true
	}
	v := x.Parsed(doc)
	if v == nil || v.Kind != strictjson.Object {
		return strictjson.Value{}, false
	}
	return *v, true
}

// maxNesting is how deep a document of an outcome may nest that is compared.
const maxNesting = 1000

// Roles returns the roles of a list of messages, in order.
func Roles(messages jsontext.Value) []string {
	p := strictjson.Borrow(string(messages))
	defer p.Release()
	doc, err := p.Only("role").All(maxNesting)
	if err != nil {
		return nil
	}
	return collect.Map(doc.Root.List(), func(v strictjson.Value) string { return v.Get("role").Str() })
}

// Brief cuts a text for a message.
func Brief(s string) string { return outcome.Brief(s) }
