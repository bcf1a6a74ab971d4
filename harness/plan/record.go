package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// Record is what a plan of the dialect operations holds in addition to its steps.
// Step.Extra holds the steps' members name, assigned_specialist, priority and parameters.
type Record struct {
	ID          string
	Name        string
	Description string
	Version     int              // from 1
	History     []jsontext.Value // the plan before each update, oldest first
}

// The statuses of the dialect operations. Pending and Failed are the same as
// elsewhere; Completed is its done.
const (
	Running   Status = "running"
	Completed Status = "completed"
	Skipped   Status = "skipped"
)

// RecordStatuses lists the statuses that a plan with a Record may hold.
func RecordStatuses() []Status { return []Status{Pending, Running, Completed, Failed, Skipped} }

// Name is the member name of a step of a plan with a Record; "" if it has none.
func (s *Step) Name() string {
	parser := strictjson.Borrow(string(s.Extra))
	defer parser.Release()
	doc, err := parser.All(maxDepth)
	if err != nil {
		return ""
	}
	if v := doc.Root.Get("name"); v != nil {
		return v.Text
	}
	return ""
}

// Finished is the status of finished work in this plan: done, or completed.
func (p *Plan) Finished() Status {
	if p.Record != nil || p.Listed || p.Tasks {
		return Completed
	}
	return Done
}

func (p *Plan) known(s Status) bool {
	switch s {
	case Pending:
		return true
	case Failed:
		return !p.Listed
	case Cancelled:
		return p.Listed
	case InProgress, Done, Blocked:
		return p.Record == nil && (s == InProgress || !p.Listed)
	case Running, Completed, Skipped:
		return p.Record != nil || p.Listed && s == Completed
	}
	return false
}

func (p *Plan) statusNames() string {
	list := Statuses()
	switch {
	case p.Record != nil:
		list = RecordStatuses()
	case p.Listed:
		list = listStatuses()
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// Equal reports whether two records are the same; nil equals only nil.
func (r *Record) Equal(s *Record) bool {
	if r == nil || s == nil {
		return r == s
	}
	return r.ID == s.ID && r.Name == s.Name && r.Description == s.Description && r.Version == s.Version &&
		slices.EqualFunc(r.History, s.History, equalSnapshots)
}

// equalSnapshots compares two entries of a history as plans: an absent member
// equals its default.
func equalSnapshots(a, b jsontext.Value) bool {
	if strictjson.Equal(a, b) {
		return true
	}
	p, x := decodeSnapshot(a)
	q, y := decodeSnapshot(b)
	return p != nil && q != nil && p.Equal(q) && x.reason == y.reason && (x.reasons == nil || y.reasons == nil ||
		slices.Equal(x.reasons, y.reasons))
}

// cause is why a plan of a history was changed: as a whole, and by operation,
// where that is given.
type cause struct {
	reason  string
	reasons []string
}

// decodeSnapshot returns a plan as a history keeps it and why it was changed;
// nil if it is none.
func decodeSnapshot(raw jsontext.Value) (p *Plan, why cause) {
	p, err := decode(raw, recorded)
	doc, _ := strictjson.Parse(raw, maxDepth)
	if err != nil || doc == nil {
		return nil, cause{}
	}
	if r := doc.Root.Get("update_reason"); r != nil {
		why.reason = r.Text
	}
	if list := doc.Root.Get("operations"); list != nil {
		why.reasons = []string{}
		for i := range list.Items {
			text := ""
			if r := list.Items[i].Get("reason"); r != nil {
				text = r.Text
			}
			why.reasons = append(why.reasons, text)
		}
	}
	return p, why
}

// IsDefault reports whether a member of a step that only a recorded plan has
// says no more than its absence.
func IsDefault(name string, v *strictjson.Value) bool {
	switch name {
	case "name", "assigned_specialist":
		return v.Kind == strictjson.Null || v.Kind == strictjson.String && v.Text == ""
	case "parameters":
		return v.Kind == strictjson.Null || v.Kind == strictjson.Object && len(v.Members) == 0
	case "priority":
		return v.Kind == strictjson.Null
	}
	return false
}

// IsMember reports whether a dialect gives a meaning to that member of Step.Extra.
func IsMember(name string) bool {
	switch name {
	case "name", "assigned_specialist", "parameters", "priority", "active_form", "description", "parent":
		return true
	}
	return false
}

// KeepExtra removes the members of every Step.Extra whose names keep does not report.
func (p *Plan) KeepExtra(keep func(name string) bool) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Extra == nil {
			continue
		}
		parser := strictjson.Borrow(string(s.Extra))
		if doc, err := parser.All(maxDepth); err == nil {
			s.Extra = new(strictjson.Reader).Rest(&doc.Root, s.Extra, func(m *strictjson.Member) bool { return !keep(m.Name) })
		}
		parser.Release()
	}
}

// Clone returns a deep copy.
func (r *Record) Clone() *Record {
	if r == nil {
		return nil
	}
	c := *r
	c.History = make([]jsontext.Value, len(r.History))
	for i, h := range r.History {
		c.History[i] = h.Clone()
	}
	return &c
}

// Snapshot is the plan as a history keeps it: without the history itself, and
// with the reason why it was changed and what became of each operation, a list of
// objects with the members type, step_id, result and reason.
func (p *Plan) Snapshot(reason string, operations jsontext.Value) jsontext.Value {
	b := p.appendRecord(make(jsontext.Value, 0, 512+stepSize*len(p.Steps)))
	b = quoted(b, `,"update_reason":`, reason)
	return append(append(append(b, `,"operations":`...), operations...), '}')
}

// appendRecord appends the plan without its history and its end.
func (p *Plan) appendRecord(b []byte) []byte {
	r := p.Record
	if b = append(b, '{'); r.ID != "" {
		b = append(quoted(b, `"id":`, r.ID), ',')
	}
	b = quoted(quoted(b, `"name":`, r.Name), `,"description":`, r.Description)
	b = strconv.AppendInt(append(b, `,"version":`...), int64(r.Version), 10)
	return p.appendSteps(b, `,"steps":[`)
}

// quoted appends a prefix and a text as JSON. listed appends a prefix and a list of texts.
func quoted(b []byte, before, text string) []byte {
	return strictjson.AppendQuote(append(b, before...), text)
}

func listed(b []byte, before string, list []string) []byte {
	b, separator := append(append(b, before...), '['), ""
	for _, text := range list {
		b, separator = quoted(b, separator, text), ","
	}
	return append(b, ']')
}

// DecodeRecord is [Decode] for plans of the dialect operations: their members
// are id, name, description, version (absent: 1), steps and history, and a step
// may have a name in place of a description.
func DecodeRecord(data []byte) (*Plan, error) { return DecodeRecordAnd(data, nil) }

// DecodeRecordAnd is DecodeRecord for a caller that also looks at the document of a sound plan. Values and their
// memory are only good during the call of look, whose error is returned; nil is nothing to look at.
func DecodeRecordAnd(data []byte, look func(root *strictjson.Value) error) (*Plan, error) {
	return decodeSound(data, recorded, look)
}

// DecodeParsedRecord is DecodeRecord for a text that was parsed before; doc is nil if it was not.
func DecodeParsedRecord(data []byte, doc *strictjson.Document) (*Plan, error) {
	return (&reader{strictjson.Reader{Parsed: doc}, data}).valid(recorded, nil)
}

// maxVersion is the largest integer that every JSON reader takes for itself.
const maxVersion = 1<<53 - 1

// form is the kind of plan that a document is read as.
type form int

const (
	titled form = iota
	recorded
	either // recorded if it has a version and no title
)

func (r *reader) record(v *strictjson.Value) *Record {
	rec := &Record{Version: 1, History: []jsontext.Value{}}
	rec.ID, _ = r.Text(v, path{}, "id", false)
	rec.Name, _ = r.Text(v, path{}, "name", false)
	rec.Description, _ = r.Text(v, path{}, "description", false)
	if n := v.Get("version"); n != nil && n.Kind != strictjson.Null {
		var err error
		if rec.Version, err = strconv.Atoi(n.Text); n.Kind != strictjson.Number || err != nil || rec.Version < 1 ||
			rec.Version > maxVersion {
			r.Fail(strictjson.CodeBadType, path{}.Member("version"), "version must be an integer from 1 to 2^53-1")
		}
	}
	items := r.Items(v, path{}, "history")
	rec.History = slices.Grow(rec.History, len(items))
	for i := range items {
		rec.History = append(rec.History, r.Raw(&items[i], r.data))
	}
	return rec
}
