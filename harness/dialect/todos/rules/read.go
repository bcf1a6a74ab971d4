package rules

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// rewrite is a decoded reply.
type rewrite struct {
	list    string // the pointer to the items
	merge   bool
	items   []entry
	repairs []harness.Repair // of what items say in their own words
}

// entry is an item of a reply. Members that it leaves out are "".
type entry struct {
	spec.Item
	text string // the member that holds the content
}

// same reports whether two rewrites say the same.
func (r *rewrite) same(o *rewrite) bool {
	return r.merge == o.merge && slices.EqualFunc(r.items, o.items, func(a, b entry) bool { return a.Item == b.Item })
}

// reading is the result of reading a reply, and where a place of its document is in the reply.
type reading struct {
	reply.Reading[*rewrite]
	where func(pointer *string) string
}

// read reads a reply in the format of the settings. text is the reply, prepared for reading.
func read(text *reply.Text, raw harness.Reply, o reply.Options, s spec.Settings) reading {
	if s.Format == spec.Markdown {
		return readMarkdown(text, raw, o, s)
	}
	r := reply.ReadText(text, documents()[s.Form()], decoderOf(s), (*rewrite).same)
	if r.Refusal == nil {
		r.Repairs = append(r.Repairs, r.Doc.repairs...)
	}
	return reading{r, r.Where}
}

// documents are the declarations of rewrites by the settings that they depend on.
var documents = sync.OnceValue(func() map[spec.Settings]*document.Value {
	list := map[spec.Settings]*document.Value{}
	for _, s := range spec.Forms() {
		list[s] = new(spec.Document(s, false))
	}
	return list
})

type path = strictjson.Path

// decoder walks over a document and keeps the first fault.
type decoder struct {
	strictjson.Reader
	settings spec.Settings
	unknown  []string
	repairs  []harness.Repair
}

func decoderOf(s spec.Settings) reply.Decoder[*rewrite] {
	return func(root *strictjson.Value) (*rewrite, []harness.Warning, *harness.Refusal) {
		d := decoder{settings: s}
		doc := d.rewrite(root)
		if d.Fault != nil {
			return nil, nil, harness.RefuseFault(d.Fault)
		}
		doc.repairs = d.repairs
		return doc, harness.UnknownFields(d.unknown), nil
	}
}

func (d *decoder) rewrite(v *strictjson.Value) *rewrite {
	s := d.settings
	doc := &rewrite{list: "/" + s.List()}
	switch s.Format {
	case spec.PlanForm:
		d.known(v, path{}, "a rewrite", "explanation", "plan")
		d.Text(v, path{}, "explanation", false)
	case spec.Merge:
		d.known(v, path{}, "a rewrite", "todos", "merge")
		if m := d.Member(v, path{}, "merge", strictjson.Bool, false); m != nil {
			doc.merge = m.Text == "true"
		}
	default:
		d.known(v, path{}, "a rewrite", "todos")
	}
	items := d.Member(v, path{}, s.List(), strictjson.Array, true)
	if items == nil {
		return doc
	}
	doc.items = make([]entry, len(items.Items))
	for i := range items.Items {
		doc.items[i] = d.item(&items.Items[i], strictjson.PathTo(doc.list).Item(i), doc.merge)
	}
	return doc
}

// known faults or drops the members of an object that are none of these.
func (d *decoder) known(v *strictjson.Value, at path, what string, names ...string) {
	if d.settings.ExtraFields != harness.Drop {
		d.Known(v, at, what, names...)
		return
	}
	for _, m := range v.Counted() {
		if !slices.Contains(names, m.Name) {
			d.unknown = append(d.unknown, m.Name)
		}
	}
}

// item reads an item. In a merge it needs an id alone.
func (d *decoder) item(v *strictjson.Value, at path, merge bool) (e entry) {
	if !d.Is(v, strictjson.Object, at, "an item") {
		return e
	}
	e.text = d.settings.Text()
	if names := d.settings.TextNames(); len(names) > 1 {
		if i := slices.IndexFunc(names, func(n string) bool { return v.Get(n) != nil }); i >= 0 {
			e.text = names[i]
		}
	}
	names := []string{e.text, "status"}
	hasIDs := d.settings.HasIDs()
	if hasIDs {
		names = []string{"id", e.text, "status", "priority", "activeForm", "active_form"}
	}
	d.known(v, at, "an item", names...)
	if hasIDs {
		e.ID = d.text(v, at, "id", merge || d.settings.IDs == spec.Required)
		if e.ID != "" && d.settings.Texts == knob.Keep {
			e.ID = v.Given("id").Text
		}
	}
	if e.Content = d.text(v, at, e.text, !merge); e.Content != "" {
		e.Content = d.settings.Stored(v.Given(e.text).Text)
	}
	e.Status = d.status(v, at, !merge)
	if hasIDs {
		e.Priority, _ = d.Text(v, at, "priority", false)
		form, needed := "activeForm", d.settings.NeedsForm(merge)
		if v.Given(form) == nil && v.Given("active_form") != nil {
			form = "active_form"
		}
		e.ActiveForm, _ = d.Text(v, at, form, needed)
		e.Priority, e.ActiveForm = notBlank(e.Priority), notBlank(e.ActiveForm)
		if needed && e.ActiveForm == "" && v.Given(form) != nil {
			d.Fail(harness.EmptyID, at.Member(form), "%s is blank", form)
		}
	}
	d.mend(v, &e)
	return e
}

// text reads an id or a content: trimmed, and not blank.
func (d *decoder) text(v *strictjson.Value, at path, name string, required bool) string {
	text, ok := d.Text(v, at, name, required)
	text = strings.TrimSpace(text)
	if ok && text == "" {
		d.Fail(harness.EmptyID, at.Member(name), "%s is blank", name)
	}
	return text
}

func notBlank(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// status reads a status, in other words where they are understood.
func (d *decoder) status(v *strictjson.Value, at path, required bool) plan.Status {
	text, ok := d.Text(v, at, "status", required)
	if !ok {
		return ""
	}
	status := plan.Status(text)
	if d.settings.StatusWords == harness.Any {
		status = understood(text)
	}
	if !spec.IsStatus(status) || status == plan.Cancelled && d.settings.Format == spec.PlanForm {
		d.Fail(harness.BadType, at.Member("status"), "%q is not a status", text)
	}
	return status
}

// mend notes what was understood though it is said otherwise.
func (d *decoder) mend(v *strictjson.Value, e *entry) {
	if names := d.settings.TextNames(); len(names) > 1 && e.Content != "" && e.text != d.settings.Text() {
		d.repairs = append(d.repairs, harness.Repair{Rule: spec.RepairTextName, IDs: []string{e.Name()}})
	}
	if said := v.Given("status"); said != nil && e.Status != plan.Status(said.Text) {
		d.repairs = append(d.repairs, harness.Repair{Rule: spec.RepairStatusWord, IDs: []string{e.Name()}})
	}
}

// understood is the status that a word means; the word itself if it means none.
func understood(word string) plan.Status {
	said := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, strings.TrimSpace(word))
	if strings.HasPrefix(said, " ") || strings.HasSuffix(said, " ") {
		return plan.Status(word) // runs at the ends are no white space
	}
	switch s := strings.Join(strings.Fields(cases.Fold().String(said)), "_"); s {
	case "todo", "to_do", "open", "not_started", "planned":
		return plan.Pending
	case "inprogress", "doing", "active", "started", "working":
		return plan.InProgress
	case "complete", "done", "finished", "closed":
		return plan.Completed
	case "canceled", "skipped", "abandoned":
		return plan.Cancelled
	case string(plan.Pending), string(plan.InProgress), string(plan.Completed), string(plan.Cancelled):
		return plan.Status(s)
	}
	return plan.Status(word)
}
