package check

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document"
	"replanbench/harness/strictjson"
)

// Rewriter writes the object of a request anew with something changed.
type Rewriter struct {
	Rename       func(string) string // each id
	ReverseLists bool                // that are sets
	reverseNames bool                // of every object
	spaced       bool                // white space wherever it may stand
	Layout       *document.Layout    // where ids stand
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
func (r *Request) PlainIDs(l *document.Layout) bool {
	plain := true
	note := func(id string) string {
		plain = plain && id != "" && strings.TrimSpace(id) == id
		return id
	}
	r.Rewrite(Rewriter{Rename: note, Layout: l})
	return plain
}

// Value writes v, which stands at the place.
func (w *Rewriter) Value(v *strictjson.Value, at []string) {
	switch {
	case v.Kind == strictjson.Object:
		w.object(v, at)
	case v.Kind == strictjson.Array:
		w.array(v, at)
	case v.Kind == strictjson.String && w.Rename != nil && w.Layout.IsID(at):
		w.Out, _ = jsontext.AppendQuote(w.Out, w.Rename(v.Text))
	case v.Kind == strictjson.String && w.Rename != nil && w.Layout.IsAnchor(at):
		w.Out, _ = jsontext.AppendQuote(w.Out, w.anchor(v.Text))
	default:
		w.Out = append(w.Out, w.Text[v.Start:v.End]...)
	}
}

// anchor renames the step that a position names, if it names one.
func (w *Rewriter) anchor(text string) string {
	side, id, ok := strings.Cut(text, ":")
	if !ok || side != "before" && side != "after" {
		return text
	}
	return side + ":" + w.Rename(id)
}

func (w *Rewriter) object(v *strictjson.Value, at []string) {
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

func (w *Rewriter) array(v *strictjson.Value, at []string) {
	reverse := w.ReverseLists && w.Layout.IsSet(at)
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
