// Package shrink makes a failing case small, so that a person can see why it fails.
//
// It works on the case and not on the decisions of a generator, so that cases
// from recorded replies and from scenarios shrink as well. It knows JSON, the places
// of ids (from the dialect), and that steps depend on each other.
package shrink

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document"
)

// DefaultBudget is how many smaller cases are tried where the caller has no
// opinion.
const DefaultBudget = 2000

// While returns the smallest case of a dialect found for which keep holds, and how often
// keep was asked: at most budget times, and not after more was false. keep must hold for c
// itself. The result depends on the case and on the answers alone.
func While(
	d *dialect.Dialect, c harness.Case, budget int, more func() bool, keep func(harness.Case) bool,
) (harness.Case, int) {
	s := &shrinker{best: c, keep: keep, more: more, left: budget, tried: map[size]bool{}, layout: &layout{}}
	if d != nil {
		s.layout, s.members, s.own, s.scripted = d.Layout, d.Documents, d.Vocabulary.Own, d.Scripted
	}
	s.size = s.measure(c)
	passes := []func(){
		s.replies, s.noise, s.limits, s.budgets, s.profile, s.steps, s.script, s.contract, s.ids,
		s.documents, s.texts,
	}
	for before := (size{}); before != s.size && s.left > 0; {
		before = s.size
		for _, pass := range passes {
			if s.left > 0 {
				pass()
			}
		}
	}
	return s.best, budget - s.left
}

type layout = document.Layout

// byID reports whether a document is an object whose names are ids.
func (s *shrinker) byID(name string) bool {
	return slices.ContainsFunc(s.members, func(d document.Document) bool { return d.Name == name && d.ByID })
}

// shrinker holds the smallest case so far.
type shrinker struct {
	best     harness.Case
	layout   *layout
	members  []document.Document // of the dialect
	own      []harness.Knob      // of the dialect
	scripted bool                // what goes only together with a reply
	size     size                // of best
	keep     func(harness.Case) bool
	more     func() bool
	left     int
	tried    map[size]bool // sizes that keep rejected: asking again is slow
}

// size is how simple a case is: by the knobs of its profile that are not as
// usual, then by its length, then by the alphabet.
type size struct {
	knobs int
	text  string
}

func (s *shrinker) measure(c harness.Case) size {
	m := size{text: string(c.Plan) + strings.Join(texts(c.Replies), "\n")} // of a plan that is no JSON
	if b, err := json.Marshal(c); err == nil {
		m.text = string(b)
	}
	if c.Profile != nil {
		def := harness.Reference()
		for _, k := range harness.Knobs(s.own...) {
			if k.Get(*c.Profile) != k.Get(def) {
				m.knobs++
			}
		}
	}
	return m
}

func (s size) compare(t size) int {
	return cmp.Or(cmp.Compare(s.knobs, t.knobs), cmp.Compare(len(s.text), len(t.text)), cmp.Compare(s.text, t.text))
}

func texts(replies []harness.Reply) []string {
	list := make([]string, len(replies))
	for i, r := range replies {
		list[i] = string(r)
	}
	return list
}

// try takes a case over if it is simpler and keep holds for it.
func (s *shrinker) try(c harness.Case) bool {
	if s.left == 0 || !s.more() {
		s.left = 0
		return false
	}
	size := s.measure(c)
	if size.compare(s.size) >= 0 || s.tried[size] {
		return false
	}
	s.left--
	if !s.keep(c) {
		s.tried[size] = true
		return false
	}
	s.best, s.size = c, size
	return true
}

// replies leaves replies out.
func (s *shrinker) replies() {
	reduce(&s.left, s.best.Replies, func(list []harness.Reply) bool {
		c := s.best
		c.Replies = slices.Clone(list)
		return s.try(c)
	})
}

// tryReply tries another text for the i-th reply.
func (s *shrinker) tryReply(i int, text string) bool {
	c := s.best
	c.Replies = slices.Clone(c.Replies)
	c.Replies[i] = harness.Reply(text)
	return s.try(c)
}

// noise removes the text around the JSON of a reply.
func (s *shrinker) noise() {
	for i := range s.best.Replies {
		text := string(s.best.Replies[i])
		start, end := object(text)
		if start < 0 {
			continue
		}
		_ = s.tryReply(i, text[start:end]) || s.tryReply(i, text[start:]) || s.tryReply(i, text[:end])
	}
}

// object finds the outermost braces of a text; start is -1 if there are none.
func object(text string) (start, end int) {
	start, end = strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if end <= start {
		return -1, -1
	}
	return start, end
}

// limits leaves limits out, or lowers them, and the place of an interrupt.
func (s *shrinker) limits() {
	if n := s.best.InterruptAfter; n != nil {
		for _, smaller := range []*int{nil, new(0), new(1), new(*n / 2), new(*n - 1)} {
			c := s.best
			if c.InterruptAfter = smaller; s.try(c) {
				break
			}
		}
	}
	for i := range s.best.Limits.All() {
		value := *s.best.Limits.All()[i].Value
		if value == nil {
			continue
		}
		for _, smaller := range []*int{nil, new(1), new(2), new(*value / 2), new(*value - 1)} {
			c := s.best
			*c.Limits.All()[i].Value = smaller
			if s.try(c) {
				break
			}
		}
	}
}

// profile leaves the profile out, or takes the defaults for its knobs.
func (s *shrinker) profile() {
	if s.best.Profile == nil {
		return
	}
	c := s.best
	if c.Profile = nil; s.try(c) {
		return
	}
	def := harness.Reference()
	for _, k := range harness.Knobs(s.own...) {
		p := *s.best.Profile
		if p.Set(k.Name, k.Get(def)) == nil {
			c := s.best
			c.Profile = &p
			s.try(c)
		}
	}
}

// texts shortens replies that are no JSON document: by lines, then by
// characters.
func (s *shrinker) texts() {
	for i := range s.best.Replies {
		text := string(s.best.Replies[i])
		if parse(text) != nil {
			continue
		}
		join := func(parts []string) bool { return s.tryReply(i, strings.Join(parts, "")) }
		reduce(&s.left, strings.SplitAfter(text, "\n"), join)
		reduce(&s.left, strings.Split(string(s.best.Replies[i]), ""), join)
	}
}

// finest is the largest number of parts that a list is cut into. The next pass cuts a
// longer list finer, when it is shorter.
const finest = 64

// reduce leaves out ever smaller runs of a list as long as try says yes and there
// is budget left, and returns what is left (Zeller and Hildebrandt, "Simplifying and isolating
// failure-inducing input", without the complements).
func reduce[T any](left *int, list []T, try func([]T) bool) []T {
	for size := len(list); size >= 1 && size*finest >= len(list); size /= 2 {
		for lo := 0; lo < len(list) && *left > 0; {
			rest := slices.Concat(list[:lo], list[min(lo+size, len(list)):])
			if try(rest) {
				list = rest
			} else {
				lo += size
			}
		}
	}
	return list
}
