package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// attempt is a case to try, with a description.
type attempt struct {
	text   string
	sample generators.Sample
	plain  bool
	needs  []string
}

// try sends a plain edit of each kind and a few slightly unusual cases. It notes each answer
// and its meaning.
func (c *checker) try(ctx context.Context, d *dialect.Dialect, list []attempt) error {
	given, answered := map[string]bool{}, []judged(nil)
	var surrounded attempts
	for _, a := range list {
		surrounded.count(c.hello, a)
		what := d.Name + ", " + a.text
		answer, err := c.engine.Ask(ctx, a.sample.Case)
		if err != nil {
			n, err := failure(what, err)
			if err != nil {
				return err
			}
			c.doubt(n, a)
			continue
		}
		out, ok := c.valid(what, a.sample.Case, answer)
		if !ok {
			continue
		}
		for _, name := range d.Members.Optional() {
			given[name] = given[name] || d.Members.Find(name).Given(&out)
		}
		broken, err := c.meaning(ctx, d, a, out)
		if err != nil {
			return err
		}
		answered = append(answered, judged{a, out, broken})
		surrounded.right += collect.One(broken == nil && surrounded.is)
	}
	lack, err := c.lacks(ctx, d)
	stopped := errors.Is(err, harness.ErrStopped)
	if err != nil && !stopped {
		return err
	}
	c.tellLacks(d, lack) // first: it explains the others
	for _, j := range answered {
		c.means(ctx, d, j, proven(answered), lack)
	}
	if stopped { // what was answered before counts
		return err
	}
	c.gives(d, given)
	if surrounded.asked > 1 && surrounded.right == 0 && c.well {
		n := Note{OK: true, Doubt: true, Text: d.Name + ": reads replies that are JSON alone, and none in a fence or in prose"}
		n.Hints = []string{`declare "arguments": "parsed" if a client parses them first; if not, "reading": {"extract": false} ` +
			`in the profile`}
		c.tell(n)
	}
	return nil
}

// attempts counts the cases whose document is surrounded by other text, which the rules read.
type attempts struct {
	asked, right int
	is           bool // the case at hand is one
}

func (s *attempts) count(hello harness.Hello, a attempt) {
	out, err := reference.Judge(a.sample.Case, hello.Dialects[a.sample.Case.Dialect].Profile)
	s.is = err == nil && out.Verdict == harness.Applied && out.Tier == harness.TierExtracted
	s.asked += collect.One(s.is)
}

// judged is the answer to an attempt; broken is nil if it is right.
type judged struct {
	attempt
	out    harness.Outcome
	broken *judge.Break
}

// proven lists the capabilities that right answers to plain edits show.
func proven(list []judged) (names []string) {
	for _, j := range list {
		if j.plain && j.broken == nil && j.out.Verdict == harness.Applied {
			names = append(names, j.needs...)
		}
	}
	return names
}

// lacking lists what the engine may lack, as an explanation of a wrong answer: what was found to lack, or, if nothing
// was, what no right answer shows. A bug that no rules excuse is no lack. A check that tests a capability has a kind
// of that name.
func (j judged) lacking(proven []string, found []lacking) []string {
	if !j.plain || j.broken.Level == harness.JudgeSafety {
		return nil
	}
	tested := func(t harness.Term) bool { return t.Name == j.broken.Kind }
	if slices.ContainsFunc(all.Capabilities(j.sample.Case.Dialect), tested) {
		return []string{j.broken.Kind}
	}
	return slices.DeleteFunc(slices.Clone(j.needs), func(n string) bool {
		is := slices.ContainsFunc(found, func(l lacking) bool { return l.Name == n })
		return slices.Contains(proven, n) || len(found) > 0 && !is
	})
}

// means notes an answer and its meaning.
func (c *checker) means(ctx context.Context, d *dialect.Dialect, j judged, proven []string, found []lacking) {
	a, out, broken := j.attempt, j.out, j.broken
	text := d.Name + ", " + a.text + ": " + judge.Answer(out)
	if broken != nil && !a.plain && !c.level.Includes(broken.Level) {
		if c.level.Next().Includes(broken.Level) {
			c.wider++
		}
		c.note(text)
		return
	}
	if broken == nil {
		c.note(text + ", as its rules require")
		return
	}
	hints := []string{broken.Message}
	if broken.Check == judge.Reference && broken.Want != "" && broken.Want != judge.Answer(out) {
		hints[0] = "by its rules the expected answer is: " + broken.Want
	}
	if out.Message != "" {
		hints = append(hints, "the engine answers: "+out.Message)
	}
	if lacks := j.lacking(proven, found); len(lacks) > 0 {
		hints = append(hints, fmt.Sprintf("if the engine lacks this, declare it: \"without\": [%s] (the case needs these "+
			"capabilities; see replanbench list capabilities)", quoted(lacks)))
	}
	if list := c.settings(ctx, d, a, out); len(proven) > 0 && len(list) > 0 { // else the engine rejects whatever it gets
		hints = append(hints, "if the engine means it, declare "+strings.Join(list, " or ")+" in its profile")
	}
	if len(a.sample.Case.Replies) > 1 && slices.Contains(all.Find(a.sample.Case.Dialect).Needs(a.sample.Case),
		harness.FeatureLadder) {
		hints = append(hints, "if the engine takes only one reply in each case, do not declare the feature ladder")
	}
	c.doubt(Note{Text: text + ", but its rules require another outcome", Hints: hints, Case: shown(a.sample.Case)}, a)
}

// ambiguous is a number of settings that all explain an answer, so that it does not show which one the engine has.
const ambiguous = 4

// settings lists the settings of one knob under which an answer is right.
func (c *checker) settings(ctx context.Context, d *dialect.Dialect, a attempt, out harness.Outcome) (list []string) {
	declared, own := c.hello.Dialects[d.Name], d.Judging.Knobs
	for setting, p := range declared.Profile.Variants(harness.Knobs(own...), own...) {
		other := *c
		declared.Profile, other.hello.Dialects = p, maps.Clone(c.hello.Dialects)
		other.hello.Dialects[d.Name] = declared
		if breaks, err := other.breaks(ctx, d, a, out); err == nil && len(breaks) == 0 {
			list = append(list, setting)
		}
	}
	if len(list) >= ambiguous {
		return nil
	}
	return list
}

// doubt notes an unexpected answer. For a plain edit it is a failure.
func (c *checker) doubt(n Note, a attempt) {
	if a.plain {
		c.fail(n)
		return
	}
	n.OK, n.Doubt = true, true
	c.tell(n)
}

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

// shown is the JSON of a case, the shortest members first, cut for a hint.
func shown(x harness.Case) string {
	x.Profile = nil
	lax := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	text, err := json.Marshal(x, lax)
	var members map[string]jsontext.Value
	if err = cmp.Or(err, json.Unmarshal(text, &members, lax)); err != nil {
		return "(it is not JSON)"
	}
	var list []string
	for name, value := range members {
		list = append(list, fmt.Sprintf("%q:%s", name, value))
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return escape.HeadBytes("{"+strings.Join(list, ",")+"}", 1500)
}

// gives compares the returned optional members with the declared ones.
func (c *checker) gives(d *dialect.Dialect, given map[string]bool) {
	var more, none []string
	for _, name := range d.Members.Optional() {
		switch declared := c.hello.Dialects[d.Name].GivesMember(name); {
		case given[name] && !declared && !d.Members.Find(name).Derived:
			more = append(more, name)
		case declared && !given[name]:
			none = append(none, name)
		}
	}
	if more != nil {
		c.note(d.Name+": returns "+strings.Join(more, ", ")+" but does not declare it",
			fmt.Sprintf("only declared members are compared: \"gives\": [%s]", quoted(more)))
	}
	if none != nil {
		c.note(d.Name + ": declares " + strings.Join(none, ", ") + ", but none of these answers contains it")
	}
}

// attempts returns the cases for a dialect under the engine's declaration.
func (c *checker) attempts(d *dialect.Dialect) (list []attempt, err error) {
	declared := c.hello.Dialects[d.Name]
	opts := generators.Options{Profile: &declared.Profile, Without: declared.Lacks(), Traits: []string{}}
	source, err := d.Source(opts)
	if err != nil {
		return nil, err
	}
	list = c.plain(d, source)
	for _, trait := range d.Tries {
		opts.Traits = []string{trait}
		if source, err = d.Source(opts); err != nil {
			return nil, err
		}
		if len(source.Traits()) == 0 { // the declared rules or capabilities exclude it
			continue
		}
		text, _, _ := strings.Cut(source.Traits()[0].Text, ":")
		for i := range uint64(generators.AloneCases) {
			s := source.At(seed, generators.PlainCases+i)
			if len(s.Traits) > 0 && c.askable(s.Case) {
				list = append(list, attempt{text: text, sample: s})
				break
			}
		}
	}
	return list, nil
}

// seed is the seed of the generated cases.
const seed = 1

// plain picks plain cases, the smallest first, until it has one of each kind.
func (c *checker) plain(d *dialect.Dialect, source *generators.Source) (list []attempt) {
	var found []attempt
	for i := range uint64(generators.PlainCases) {
		s := source.At(seed, i)
		if !c.askable(s.Case) {
			continue
		}
		var needs []string
		if d.Needs != nil {
			needs = slices.DeleteFunc(d.Needs(s.Case), harness.IsFeature)
		}
		found = append(found, attempt{sample: s, plain: true, needs: needs})
	}
	slices.SortStableFunc(found, func(a, b attempt) int { return cmp.Compare(size(a.sample.Case), size(b.sample.Case)) })
	// What more than three quarters of the cases need describes none of them.
	usual := func(need string) bool {
		return 4*collect.Count(found, func(a attempt) bool { return slices.Contains(a.needs, need) }) > 3*len(found)
	}
	var met []string
	for i, a := range found {
		named := slices.DeleteFunc(slices.Clone(a.needs), usual)
		fresh := slices.DeleteFunc(slices.Clone(named), func(n string) bool { return slices.Contains(met, n) })
		if i > 0 && len(fresh) == 0 {
			continue
		}
		met = append(met, fresh...)
		a.text = "a plain edit"
		if len(named) > 0 {
			a.text += " (" + strings.Join(named, ", ") + ")"
		}
		list = append(list, a)
	}
	return list
}

func size(x harness.Case) (n int) {
	for _, value := range x.Documents() {
		n += len(value)
	}
	for _, r := range x.Replies {
		n += len(r)
	}
	return n
}

func (c *checker) askable(x harness.Case) bool {
	_, lack := all.Resolve(c.hello, x)
	return lack.Reason == ""
}

// meaning judges an answer by the invariants of every engine and by the engine's own rules; nil
// means correct. It ignores ids that the engine was free to choose.
func (c *checker) meaning(ctx context.Context, d *dialect.Dialect, a attempt, out harness.Outcome) (*judge.Break,
	error,
) {
	list, err := c.breaks(ctx, d, a, out)
	if len(list) == 0 {
		return nil, err
	}
	return &list[0], err
}

// breaks lists the breaks of an answer that are not advisory.
func (c *checker) breaks(ctx context.Context, d *dialect.Dialect, a attempt, out harness.Outcome) ([]judge.Break,
	error,
) {
	found, err := judge.Given(ctx, c.hello, d.Judging, judge.Options{Reference: reference.New()},
		judge.Item{Case: a.sample.Case, Before: a.sample.Before, Traits: len(a.sample.Traits)}, out, judge.Reference)
	return slices.DeleteFunc(found.Breaks, func(b judge.Break) bool { return b.Advisory }), err
}
