package check

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/strictjson"
)

// Rewriter writes the object of a request anew with something changed.
type Rewriter struct {
	Rename       func(string) string // each id
	ReverseLists bool                // of remove_steps and update_steps
	reverseNames bool                // of every object
	spaced       bool                // white space wherever it may stand
	Text         string
	Out          []byte
}

// Rewrite returns the reply with its object written anew.
func (r *Request) Rewrite(w Rewriter) string {
	w.Text = r.Text[r.Start:r.End]
	w.Out = make([]byte, 0, len(r.Text)+len(r.Text)/4)
	w.Value(r.Root, nil)
	return r.Text[:r.Start] + string(w.Out) + r.Text[r.End:]
}

// PlainIDs reports whether no id in the request is blank or has white space
// round it.
func (r *Request) PlainIDs() bool {
	plain := true
	note := func(id string) string {
		plain = plain && id != "" && strings.TrimSpace(id) == id
		return id
	}
	r.Rewrite(Rewriter{Rename: note})
	return plain
}

// place is the chain of member names above a value; items of a list have the
// list's own.
type place []string

// Value writes v, which stands at the place.
func (w *Rewriter) Value(v *strictjson.Value, at place) {
	switch {
	case v.Kind == strictjson.Object:
		w.object(v, at)
	case v.Kind == strictjson.Array:
		w.array(v, at)
	case v.Kind == strictjson.String && w.Rename != nil && at.isID():
		w.Out, _ = jsontext.AppendQuote(w.Out, w.Rename(v.Text))
	case v.Kind == strictjson.String && w.Rename != nil && at.isAnchor():
		w.Out, _ = jsontext.AppendQuote(w.Out, w.anchor(v.Text))
	default:
		w.Out = append(w.Out, w.Text[v.Start:v.End]...)
	}
}

// isID reports whether a string at the place is an id, of a patch, a plan, a
// plan in a history, or an update by operations.
func (p place) isID() bool {
	switch {
	case len(p) > 1 && p[0] == "history":
		return p[1:].isID()
	case len(p) > 1 && p[0] == "operations":
		switch strings.Join(p[1:], "/") {
		case "step_id", "stepID", "stepId", "id", "step_data/id", "step_data/dependencies":
			return true
		}
		return false
	}
	switch len(p) {
	case 1:
		return p[0] == "remove_steps"
	case 2:
		return (p[0] == "update_steps" || p[0] == "add_steps" || p[0] == "steps") && (p[1] == "id" || p[1] == "dependencies")
	}
	return false
}

// isAnchor reports whether a string at the place may name a step to stand
// beside.
func (p place) isAnchor() bool { return len(p) == 2 && p[0] == "operations" && p[1] == "position" }

// anchor renames the step that a position names, if it names one.
func (w *Rewriter) anchor(text string) string {
	side, id, ok := strings.Cut(text, ":")
	if !ok || side != "before" && side != "after" {
		return text
	}
	return side + ":" + w.Rename(id)
}

func (w *Rewriter) object(v *strictjson.Value, at place) {
	w.Out = append(w.Out, '{')
	for i := range v.Members {
		m := &v.Members[i]
		if w.reverseNames {
			m = &v.Members[len(v.Members)-1-i]
		}
		w.next(i)
		w.Out, _ = jsontext.AppendQuote(w.Out, m.Name)
		w.Out = append(w.Out, ':')
		w.Value(&m.Value, append(at[:len(at):len(at)], m.Name))
	}
	w.end('}')
}

func (w *Rewriter) array(v *strictjson.Value, at place) {
	reverse := w.ReverseLists && len(at) == 1 && (at[0] == "remove_steps" || at[0] == "update_steps")
	w.Out = append(w.Out, '[')
	for i := range v.Items {
		item := &v.Items[i]
		if reverse {
			item = &v.Items[len(v.Items)-1-i]
		}
		w.next(i)
		w.Value(item, at)
	}
	w.end(']')
}

// next begins the i-th member or item.
func (w *Rewriter) next(i int) {
	if i > 0 {
		w.Out = append(w.Out, ',')
	}
	if w.spaced {
		w.Out = append(w.Out, "\n\t "...)
	}
}

func (w *Rewriter) end(bracket byte) {
	if w.spaced {
		w.Out = append(w.Out, "\r\n"...)
	}
	w.Out = append(w.Out, bracket)
}
