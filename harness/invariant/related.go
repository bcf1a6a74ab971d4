package invariant

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// single returns what the only reply asks for, where it is sure and can be
// written anew without running into a limit on its size.
func (x *examination) single() *request {
	if x.before == nil || len(x.item.Case.Replies) != 1 || x.item.Case.Limits.MaxReplyBytes != nil {
		return nil
	}
	return x.asks()
}

// withReply returns the case with another text for its only reply.
func (x *examination) withReply(text string) harness.Case {
	c := x.item.Case
	c.Replies = []harness.Reply{harness.Reply(text)}
	return c
}

// renamer gives each id another name, always the same.
func renamer() func(id string) string {
	names := make(map[string]string)
	return func(id string) string {
		if names[id] == "" {
			names[id] = "renamed-" + strconv.Itoa(len(names)+1)
		}
		return names[id]
	}
}

func renamed(p *plan.Plan, rename func(string) string) *plan.Plan {
	p = p.Clone()
	for i := range p.Steps {
		s := &p.Steps[i]
		s.ID = rename(s.ID)
		for k, d := range s.Dependencies {
			s.Dependencies[k] = rename(d)
		}
	}
	return p
}

// relaid lays the JSON of a request out otherwise; without one there is nothing
// to do.
func (x *examination) relaid(r *request) result {
	if r == nil {
		return skip()
	}
	text := r.rewrite(rewriter{reverseNames: true, spaced: true})
	if x.profile.Reading.Extract && strings.TrimSpace(r.text) == r.text[r.start:r.end] {
		text = "```json\n" + text + "\n```\n"
	}
	return x.related(x.withReply(text), x.out.Plan, "the reply's JSON is laid out otherwise")
}

// twice asks the engine the case of the same reply on the new plan, and makes
// the checks of plans and these ones on what comes of it.
func (x *examination) twice(c harness.Case, checks ...func(*examination) result) result {
	out, ok := x.again(c)
	if !ok {
		return skip()
	}
	second := &examination{ctx: x.ctx, judge: x.judge, item: &Item{Case: c}, profile: x.profile, out: out}
	second.decode()
	ofPlans := []func(*examination) result{
		(*examination).total,
		(*examination).doneImmutable, (*examination).idsUnique, (*examination).depsExist, (*examination).depsAcyclic,
		(*examination).withinLimit, (*examination).newPending,
	}
	for _, check := range append(ofPlans, checks...) {
		if r := check(second); r.broken != nil {
			r.broken.Message = "the same reply again, on the new plan: " + r.broken.Message
			r.broken.Got = Answer(out)
			return r
		}
	}
	return held()
}

// boundedEvery thins the checks for bounded further: a long reply costs as
// much as dozens of short ones.
const boundedEvery = 16

// bounded: four times the reply takes about four times as long. Only what
// takes long is looked at, so that noise of the machine never shows.
func (x *examination) bounded() result {
	const (
		long    = 16 << 10 // bytes of padding
		slow    = 8 * time.Millisecond
		tooMuch = 9  // times as long for 4 times the padding; quadratic is 16
		rounds  = 8  // of measuring both, before it is held against the engine
		many    = 40 // of them where full is near slow
	)
	h := mix(x.item.Salt ^ 0x626f756e646564)
	if len(x.item.Case.Replies) == 0 || x.judge.options.Every > 1 && h%boundedEvery != 0 {
		return skip()
	}
	kind := padding(h >> 32 % uint64(len(paddings)))
	took, ok := x.padded(kind, long)
	if !ok {
		return broke("", "", fmt.Sprintf("the engine fails on the reply with %d bytes of %s round it", long, kind))
	}
	if took < slow {
		return held()
	}
	// The fastest of answers taken in turn: other cases under way, and other
	// work of the machine, delay both alike. But where a quarter is less than
	// the slice of time that a loaded machine gives at once, it goes through
	// while the whole is interrupted; of many tries, one of the whole does, too.
	full, quarter := took, time.Duration(math.MaxInt64/tooMuch)
	for i := 0; i < rounds || i < many && full < 3*slow; i++ {
		f, ok1 := x.padded(kind, long)
		q, ok2 := x.padded(kind, long/4)
		full, quarter = min(full, f), min(quarter, q)
		if !ok1 || !ok2 || full < slow || i >= 2 && full < tooMuch*quarter {
			return held()
		}
	}
	return broke("", "", fmt.Sprintf("a reply with %d bytes of %s round it takes more than %d times as long as with a quarter of them", long, kind, tooMuch))
}

// padding is what a long reply is made long with.
type padding int

// paddings is never written.
var paddings = []struct{ name, unit string }{
	{"one word", "a"},
	{"white space", " "},
	{"opening braces", "{"},
	{"objects cut off", `{"a":`},
	{"quotation marks", `"`},
	{"fences", "```\n"},
	{"<think> tags", "<think>"},
	{"short lines", "- x\n"},
}

func (p padding) String() string { return paddings[p].name }

// padded measures the answer to the first reply with about size bytes put before
// it or into its title.
func (x *examination) padded(p padding, size int) (time.Duration, bool) {
	pad := strings.Repeat(paddings[p].unit, size/len(paddings[p].unit))
	reply := string(x.item.Case.Replies[0])
	if i := strings.IndexByte(reply, '{'); i >= 0 && p == 0 {
		quoted, _ := jsontext.AppendQuote(nil, pad)
		reply = reply[:i+1] + `"title":` + string(quoted) + "," + reply[i+1:]
	}
	c := x.withReply(pad + "\n" + reply)
	c.Limits.MaxReplyBytes = nil
	start := time.Now()
	_, failure := x.ask(c)
	return time.Since(start), failure == nil
}

// plainIDs reports whether no id of the old plan has white space round it, so
// that a name in a reply means one step for sure.
func (x *examination) plainIDs() bool {
	for i := range x.before.Steps {
		if id := x.before.Steps[i].ID; strings.TrimSpace(id) != id {
			return false
		}
	}
	return true
}
