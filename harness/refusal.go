package harness

import (
	"fmt"
	"slices"

	"replanbench/harness/document/strictjson"
)

// Refusal says why a case or a reply was not applied.
type Refusal struct {
	Code    Code
	At      *string // JSON Pointer into the document; nil where there is no place
	Message string
}

// Refuse refuses something that has no place in a document.
func Refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// RefuseAt refuses the value at a JSON Pointer.
func RefuseAt(code Code, at, format string, args ...any) *Refusal {
	r := &Refusal{Code: code, At: &at, Message: format}
	if len(args) > 0 {
		r.Message = fmt.Sprintf(format, args...)
	}
	return r
}

// RefuseFault refuses a document, or nothing if there is no fault. The place is
// one in the document.
func RefuseFault(f *strictjson.Fault) *Refusal {
	if f == nil {
		return nil
	}
	return &Refusal{Code: f.Code, At: &f.Pointer, Message: f.Message}
}

// RefuseDocument is [RefuseFault] for one of several documents of a case: place
// and message begin with its name.
func RefuseDocument(f *strictjson.Fault) *Refusal {
	if f == nil {
		return nil
	}
	return RefuseAt(f.Code, f.Document+f.Pointer, "%s", f)
}

// In puts the line and column of the place before the message; where may be "".
func (r *Refusal) In(where string) *Refusal {
	if where != "" {
		r.Message = where + ": " + r.Message
	}
	return r
}

// Outcome is a rejection for this reason alone.
func (r *Refusal) Outcome() Outcome {
	return Outcome{Verdict: Rejected, Code: r.Code, At: r.At, Message: r.Message}
}

// OutcomeOfReply is [Refusal.Outcome] with empty lists of repairs and warnings, for an engine that returns them.
func (r *Refusal) OutcomeOfReply() Outcome {
	out := r.Outcome()
	out.Repairs, out.Warnings = []Repair{}, []Warning{}
	return out
}

// UnknownFields is the warning about unknown members; nil if there are none.
func UnknownFields(names []string) []Warning {
	if names == nil {
		return nil
	}
	return []Warning{{Code: WarnUnknownField, IDs: names}}
}

// Notes collects warnings or repairs: one for each code, each id once, in their order. The zero
// value is ready to use.
type Notes struct {
	list []Warning
	met  map[[2]string]bool // code and id, of notes with many ids
}

// Add adds ids to the note of a code.
func (n *Notes) Add(code string, ids ...string) {
	i := slices.IndexFunc(n.list, func(w Warning) bool { return w.Code == code })
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, Warning{Code: code})
	}
	for _, id := range ids {
		if w := &n.list[i]; !n.has(w, id) {
			w.IDs = append(w.IDs, id)
		}
	}
}

// has looks through a few ids, and takes a map for many, so that the time stays linear.
func (n *Notes) has(w *Warning, id string) bool {
	const few = 16
	if len(w.IDs) < few {
		return slices.Contains(w.IDs, id)
	}
	if n.met == nil {
		n.met = map[[2]string]bool{}
	}
	if len(w.IDs) == few {
		for _, known := range w.IDs {
			n.met[[2]string{w.Code, known}] = true
		}
	}
	key := [2]string{w.Code, id}
	met := n.met[key]
	n.met[key] = true
	return met
}

// Warn adds warnings.
func (n *Notes) Warn(list []Warning) {
	for _, w := range list {
		n.Add(w.Code, w.IDs...)
	}
}

// Repair adds repairs.
func (n *Notes) Repair(list []Repair) {
	for _, r := range list {
		n.Add(r.Rule, r.IDs...)
	}
}

// Warnings returns the notes as warnings; never nil.
func (n *Notes) Warnings() []Warning { return append([]Warning{}, n.list...) }

// Repairs returns the notes as repairs; never nil.
func (n *Notes) Repairs() []Repair {
	list := make([]Repair, len(n.list))
	for i, w := range n.list {
		list[i] = Repair{Rule: w.Code, IDs: w.IDs}
	}
	return list
}
