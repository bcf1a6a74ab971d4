package invariant

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/strictjson"
)

// rewriter writes the object of a request anew with something changed.
type rewriter struct {
	rename       func(string) string // each id
	reverseLists bool                // of remove_steps and update_steps
	reverseNames bool                // of every object
	spaced       bool                // white space wherever it may stand
	text         string
	out          []byte
}

// rewrite returns the reply with its object written anew.
func (r *request) rewrite(w rewriter) string {
	w.text = r.text[r.start:r.end]
	w.out = make([]byte, 0, len(r.text)+len(r.text)/4)
	w.value(r.root, nil)
	return r.text[:r.start] + string(w.out) + r.text[r.end:]
}

// plainIDs reports whether no id in the request is blank or has white space
// round it.
func (r *request) plainIDs() bool {
	plain := true
	note := func(id string) string {
		plain = plain && id != "" && strings.TrimSpace(id) == id
		return id
	}
	r.rewrite(rewriter{rename: note})
	return plain
}

// place is the chain of member names above a value; items of a list have the
// list's own.
type place []string

// value writes v, which stands at the place.
func (w *rewriter) value(v *strictjson.Value, at place) {
	switch {
	case v.Kind == strictjson.Object:
		w.object(v, at)
	case v.Kind == strictjson.Array:
		w.array(v, at)
	case v.Kind == strictjson.String && w.rename != nil && at.isID():
		w.out, _ = jsontext.AppendQuote(w.out, w.rename(v.Text))
	case v.Kind == strictjson.String && w.rename != nil && at.isAnchor():
		w.out, _ = jsontext.AppendQuote(w.out, w.anchor(v.Text))
	default:
		w.out = append(w.out, w.text[v.Start:v.End]...)
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
func (w *rewriter) anchor(text string) string {
	side, id, ok := strings.Cut(text, ":")
	if !ok || side != "before" && side != "after" {
		return text
	}
	return side + ":" + w.rename(id)
}

func (w *rewriter) object(v *strictjson.Value, at place) {
	w.out = append(w.out, '{')
	for i := range v.Members {
		m := &v.Members[i]
		if w.reverseNames {
			m = &v.Members[len(v.Members)-1-i]
		}
		w.next(i)
		w.out, _ = jsontext.AppendQuote(w.out, m.Name)
		w.out = append(w.out, ':')
		w.value(&m.Value, append(at[:len(at):len(at)], m.Name))
	}
	w.end('}')
}

func (w *rewriter) array(v *strictjson.Value, at place) {
	reverse := w.reverseLists && len(at) == 1 && (at[0] == "remove_steps" || at[0] == "update_steps")
	w.out = append(w.out, '[')
	for i := range v.Items {
		item := &v.Items[i]
		if reverse {
			item = &v.Items[len(v.Items)-1-i]
		}
		w.next(i)
		w.value(item, at)
	}
	w.end(']')
}

// next begins the i-th member or item.
func (w *rewriter) next(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
	if w.spaced {
		w.out = append(w.out, "\n\t "...)
	}
}

func (w *rewriter) end(bracket byte) {
	if w.spaced {
		w.out = append(w.out, "\r\n"...)
	}
	w.out = append(w.out, bracket)
}
