package generate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// formats are the formats of replies.
type formats uint8

const (
	todos formats = 1 << iota
	steps
	boxes
	merges

	withIDs = todos | merges
	inJSON  = withIDs | steps
)

func formatOf(name string) formats { return 1 << slices.Index(formatNames[:], name) }

var formatNames = [...]string{spec.Todos, spec.PlanForm, spec.Markdown, spec.Merge}

// slip is something odd about a member.
type slip struct {
	Member string         `json:"member"` // "text" is the member of the content
	Value  jsontext.Value `json:"value"`  // nil leaves the member out, "text" is the content
	Code   harness.Code   `json:"code"`   // "" if it is no fault
	// Fine is a setting under which it is no fault; "" is none.
	Fine string `json:"fine"`
}

// textMember is the name, in the table, of the member that contains the content, and of the content.
const textMember = "text"

// write writes a rewrite in the format of the rules.
func (d *draft) write(r *rewrite) string {
	var text string
	if d.settings.Format == spec.Markdown {
		text = d.writeBoxes(r)
	} else {
		text = deform.Write(d.document(r))
	}
	if r.change != nil {
		return r.change(text)
	}
	return text
}

// document is a rewrite as JSON.
func (d *draft) document(r *rewrite) generators.Value {
	list := generators.List(collect.Map(r.entries, func(e *entry) generators.Value { return d.item(e, r.merge) })...)
	doc := generators.Object(generators.Field{Name: d.settings.List(), Value: list})
	if r.merge {
		doc.Add("merge", generators.Raw("true"))
	}
	return slipped(doc, r.slips)
}

func (d *draft) item(e *entry, merge bool) generators.Value {
	v := generators.Object(d.Fields(4)...)
	member := func(name, text string) {
		if text != "" {
			v.Add(name, generators.Text(text))
		}
	}
	if !e.quiet {
		member(d.settings.Text(), e.words)
		member("status", string(e.status))
	}
	member("id", e.id)
	member("priority", e.priority)
	if member("activeForm", e.form); e.form == "" && d.settings.NeedsForm(merge) {
		member("activeForm", "doing the next step")
	}
	return slipped(v, e.slips)
}

// slipped writes what is odd.
func slipped(v generators.Value, slips []slip) generators.Value {
	for _, s := range slips {
		switch {
		case s.Value == nil:
			v.Drop(s.Member)
		case v.Get(s.Member) != nil:
			*v.Get(s.Member) = generators.Raw(string(s.Value))
		default:
			v.Add(s.Member, generators.Raw(string(s.Value)))
		}
	}
	return v
}

// boxMarks are the marks of statuses.
var boxMarks = map[plan.Status]string{plan.Pending: " ", plan.Completed: "x", plan.InProgress: "-"}

// writeBoxes writes a rewrite as Markdown.
func (d *draft) writeBoxes(r *rewrite) string {
	return strings.Join(collect.Map(r.entries, func(e *entry) string {
		return cmp.Or(e.line, "- ["+boxMarks[e.status]+"] "+e.words)
	}), "\n")
}

var actions = [...]string{
	"explain", "benchmark", "remove", "deploy", "configure", "migrate", "inspect", "publish", "translate", "compile",
	"validate", "backup",
	"document", "squash", "parametrise", "simplify", "harden", "measure", "describe", "monitor", "encrypt", "unlock",
	"orchestrate", "throttle",
}

var objects = [...]string{
	"tests", "parser", "login", "billing", "queue", "schema", "exports", "metrics", "uploads", "invoices", "avatars",
	"glossary",
	"firmware", "proxies", "widgets", "timezone", "backlog", "index", "webhook", "calendar", "keyboard", "gateway",
	"histogram",
}

// phrases is how many there are.
const phrases = len(actions) * len(objects)

// phrase is the i-th content: a short ASCII text that is neither equal nor
// similar to another.
func phrase(j *collect.Joiner, i int) string {
	n := len(objects)
	return j.Join(actions[(i/n+i%n)%len(actions)], " ", objects[i%n])
}

// say makes a content that no other item has.
func (d *draft) say() string {
	d.texts++
	return phrase(&d.Joiner, (d.first+d.texts)%phrases)
}
