package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// WithReply returns the case with another text for its only reply.
func WithReply(x *judge.Examination, text string) harness.Case {
	c := x.Item.Case
	c.Replies = []harness.Reply{harness.Reply(text)}
	return c
}

// Renamer gives each id another name, always the same.
func Renamer() func(id string) string {
	names := make(map[string]string)
	return func(id string) string {
		if names[id] == "" {
			names[id] = "renamed-" + strconv.Itoa(len(names)+1)
		}
		return names[id]
	}
}

// Renamed returns the plan with other ids, dependencies included; nil for none.
func Renamed(p *plan.Plan, rename func(string) string) *plan.Plan {
	if p == nil {
		return nil
	}
	p = p.Clone()
	p.Rename(rename)
	return p
}

// RenamedAll is Renamed also in the history of the plan.
func RenamedAll(p *plan.Plan, l *document.Layout, rename func(string) string) *plan.Plan {
	p = Renamed(p, rename)
	for i := 0; p != nil && p.Record != nil && i < len(p.Record.History); i++ {
		p.Record.History[i] = changed(p.Record.History[i], Rename(l, rename))
	}
	return p
}

// changed returns a document after a change; a malformed one stays as it is.
func changed(doc jsontext.Value, change func(*strictjson.Node)) jsontext.Value {
	const maxDepth = 1000
	n := strictjson.NewTree(string(doc), maxDepth)
	if n == nil {
		return doc
	}
	change(n)
	return jsontext.Value(n.String())
}

// Single reports whether the case has a plan and one reply, which may be written another way.
func Single(x *judge.Examination) bool {
	return x.Before != nil && len(x.Item.Case.Replies) == 1 && x.Item.Case.Limits.MaxReplyBytes == nil
}

// Rewritings are the checks that write the reply of a [Single] case with other ids and in another layout. only returns
// its request, nil if it is ambiguous. made reports whether the engine may generate ids; nil if it never does.
func Rewritings(l *document.Layout, only func(*judge.Examination) *Request, made func(*judge.Examination) bool,
) []judge.Check {
	relates := func(name, text string, look func(*judge.Examination, *Request) judge.Result) judge.Check {
		return judge.Relates(name, text, func(x *judge.Examination) judge.Result {
			if r := only(x); r != nil {
				return look(x, r)
			}
			return judge.Skip()
		})
	}
	return []judge.Check{
		relates(RenameIDs, RenameText,
			func(x *judge.Examination, r *Request) judge.Result {
				if !PlainIDs(x) || !r.PlainIDs(l) || made != nil && made(x) {
					return judge.Skip()
				}
				rename := Renamer()
				c := WithReply(x, r.Rewrite(Rename(l, rename)))
				c.Plan = changed(c.Plan, Rename(l, rename))
				c.Results = changed(c.Results, func(n *strictjson.Node) {
					for i := range n.Kids {
						n.Kids[i].Name = strictjson.Quote(rename(n.Kids[i].Key()))
					}
				})
				return x.Related(c, RenamedAll(x.Out.Plan, l, rename), "every id is renamed")
			}),
		relates(Layout, "white space, key order and fences around the same JSON change nothing", relaid),
	}
}

// relaid: another layout of the reply's JSON changes nothing.
func relaid(x *judge.Examination, r *Request) judge.Result {
	text := r.rewrite(reverseMembers, "\n\t ", "\r\n")
	if x.Profile.Reading.Extract && x.Declared().Arguments != harness.ParsedArguments &&
		strings.TrimSpace(r.Text) == r.Text[r.Start:r.End] {
		text = "```json\n" + text + "\n```\n"
	}
	return x.Related(WithReply(x, text), x.Out.Plan, "the reply's JSON is laid out otherwise")
}

// Twice sends the reply of a case again with the new plan, and runs the dialect's checks of plans and some others on
// the outcome.
func Twice(x *judge.Examination, c harness.Case, plans []judge.Check, checks ...judge.Check) judge.Result {
	if !x.Edited() || x.After.Check() != nil {
		return judge.Skip()
	}
	var err error
	if c.Plan, err = json.Marshal(x.After); err != nil {
		return judge.Skip()
	}
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	second := &judge.Examination{Ctx: x.Ctx, Judge: x.Judge, Item: &judge.Item{Case: c}, Profile: x.Profile, Out: out}
	second.Decode()
	total := judge.Check{Name: judge.Total, Run: (*judge.Examination).Total}
	for _, check := range slices.Concat([]judge.Check{total}, plans, checks) {
		if check.Name == Atomic {
			continue
		}
		if r := check.Run(second); r.Broken != nil {
			r.Broken.Message = "the same reply again, on the new plan: " + r.Broken.Message
			r.Broken.Kind, r.Broken.Case = check.Name+"/"+r.Broken.Kind, &c
			r.Broken.Got = judge.Answer(out)
			return r
		}
	}
	return judge.Held()
}

// boundedEvery thins the checks for bounded further: a long reply costs as
// much as dozens of short ones.
const boundedEvery = 16

// bounded: four times the reply takes about four times as long. One case in many is tried, with
// one padding; where a campaign's case is judged alone, what the campaign tried.
func bounded(x *judge.Examination) judge.Result {
	h := judge.Mix(x.Item.Salt ^ 0x626f756e646564)
	if len(x.Item.Case.Replies) == 0 || x.Declared().Arguments == harness.ParsedArguments ||
		(x.Judge.Options.Every > 1 || x.Item.Salt != 0) && h%boundedEvery != 0 {
		return judge.Skip()
	}
	return linear(x, padding(h>>32%uint64(len(paddings))))
}

// linear: four times the padding takes about four times as long. Only what takes long is
// looked at, so that noise of the machine never shows.
func linear(x *judge.Examination, kind padding) judge.Result {
	const (
		long    = 16 << 10 // bytes of padding
		slow    = 8 * time.Millisecond
		tooMuch = 9  // times as long for 4 times the padding; quadratic is 16
		rounds  = 8  // of measuring both, before it is held against the engine
		many    = 40 // of them where full is near slow
	)
	took, failure := padded(x, kind, long, x.Ask)
	if failure != nil && failure.Kind == harness.Hang {
		quarter, failed := padded(x, kind, long/4, x.AskUncounted)
		switch {
		case failed != nil: // even a quarter is too long
		case took < tooMuch*quarter:
			return judge.Skip() // its time is not known
		default:
			return tooSlow(kind, long, tooMuch)
		}
	}
	if failure != nil {
		if _, failed := padded(x, kind, len(paddings[kind].unit), x.AskUncounted); failed != nil {
			return judge.Skip() // it fails on the reply itself, or on any padding
		}
		return judge.Brokef("fails:"+kind.String(), "", "", "the engine fails on the reply with %s", kind.much(long))
	}
	if took < slow {
		return judge.Held()
	}
	// The fastest of answers taken in turn: other cases under way, and other
	// work of the machine, delay both alike. But where a quarter is less than
	// the slice of time that a loaded machine gives at once, it goes through
	// while the whole is interrupted; of many tries, one of the whole does, too.
	full, quarter := took, time.Duration(math.MaxInt64/tooMuch)
	for i := 0; i < rounds || i < many && full < 3*slow; i++ {
		f, failed := padded(x, kind, long, x.AskUncounted)
		q, failedToo := padded(x, kind, long/4, x.AskUncounted)
		full, quarter = min(full, f), min(quarter, q)
		if failed != nil || failedToo != nil || full < slow || i >= 2 && full < tooMuch*quarter {
			return judge.Held()
		}
	}
	return tooSlow(kind, long, tooMuch)
}

func tooSlow(kind padding, long, times int) judge.Result {
	return judge.Brokef("slow:"+kind.String(), "", "",
		"a reply with %s takes more than %d times as long as with a quarter of them", kind.much(long), times)
}

// padding is what a long reply is made long with.
type padding int

// manyItems is the padding that repeats an item of a list, with other names.
const manyItems = "items of a list"

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
	{manyItems, "0123456789abcdef"}, // one item for each
}

func (p padding) String() string { return paddings[p].name }

// much says how much longer a reply is with about size bytes of it.
func (p padding) much(size int) string {
	if paddings[p].name == manyItems {
		return strconv.Itoa(size/len(paddings[p].unit)) + " more items in a list"
	}
	return fmt.Sprintf("%d bytes of %s around it", size, p)
}

// padded measures the answer to the first reply with about size bytes put before
// it or into its title.
func padded(x *judge.Examination, p padding, size int, ask func(harness.Case) (harness.Outcome,
	*harness.Failure),
) (time.Duration, *harness.Failure) {
	pad := strings.Repeat(paddings[p].unit, size/len(paddings[p].unit))
	reply := string(x.Item.Case.Replies[0])
	if i := strings.IndexByte(reply, '{'); i >= 0 && p == 0 {
		quoted, _ := jsontext.AppendQuote(nil, pad)
		reply = reply[:i+1] + `"title":` + string(quoted) + "," + reply[i+1:]
	}
	text := pad + "\n" + reply
	c := WithReply(x, text)
	if paddings[p].name == manyItems {
		c = WithReply(x, scaled(reply, size/len(paddings[p].unit)))
		c.Limits.MaxPlanSteps = nil
	}
	c.Limits.MaxReplyBytes = nil
	start := time.Now()
	_, failure := ask(c)
	return time.Since(start), failure
}

// scaled repeats the last object of the longest list of a reply n times, each time with other
// ids, names and texts. A reply without such a list stays as it is.
func scaled(reply string, n int) string {
	root := strictjson.NewTree(reply, harness.DefaultMaxDepth)
	if root == nil {
		return reply
	}
	var list *strictjson.Node
	root.Walk(func(v *strictjson.Node, _ []string) {
		objects := v.Kind == strictjson.Array && len(v.Kids) > 0 && v.Kids[len(v.Kids)-1].Kind == strictjson.Object
		if objects && (list == nil || len(v.Kids) > len(list.Kids)) {
			list = v
		}
	})
	if list == nil {
		return reply
	}
	item := list.Kids[len(list.Kids)-1].AppendJSON(nil, "", "")
	doc, err := strictjson.Parse(item, harness.DefaultMaxDepth)
	if err != nil {
		return reply
	}
	for i := range n {
		another := doc.Root.Tree(string(item))
		another.Walk(func(v *strictjson.Node, at []string) {
			if v.Kind == strictjson.String && len(at) > 0 && slices.Contains(naming, at[len(at)-1]) {
				v.Raw = strictjson.Quote(v.Text() + " " + strconv.Itoa(i))
			}
		})
		list.Append(*another)
	}
	return string(root.AppendJSON(nil, "", ""))
}

// naming are the members that tell items of a list from each other.
var naming = []string{"id", "step_id", "content", "description", "name", "subject"}

// PlainIDs reports whether no id of the old plan has white space round it, so
// that a name in a reply means one step for sure.
func PlainIDs(x *judge.Examination) bool {
	return !slices.ContainsFunc(x.Before.Steps, func(s plan.Step) bool { return strings.TrimSpace(s.ID) != s.ID })
}
