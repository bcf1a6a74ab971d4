package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// replyText is how an update is written.
type replyText struct {
	style         generators.Style
	before, after string
	wrap          generators.Wrap
	instead       *string            // in place of everything
	meta          *metadata          // in place of what was drawn
	rotated       bool               // members are in another order
	operations    *generators.Value  // in place of the list
	noList        bool               // the member operations is absent
	first, last   []generators.Field // more members of the document
	unclosed      bool               // the text ends behind the last operation
	padding       int                // bytes of white space behind everything
}

// tier is how far reading has to go.
func (u *updater) tier() harness.Tier {
	took := u.takes
	if t := &u.text; t.before != "" || t.after != "" {
		took |= generators.Extract
	}
	return took.Tier()
}

// document is the update as JSON.
func (u *updater) document(meta metadata) generators.Value {
	t := &u.text
	v := generators.Object(t.first...)
	list := generators.Value{IsList: true}
	for _, a := range u.acts {
		if t.rotated && len(a.doc.Fields) > 1 {
			a.doc.Fields = append(slices.Clone(a.doc.Fields[1:]), a.doc.Fields[0])
		}
		list.Items = append(list.Items, a.doc)
	}
	if t.operations != nil {
		list = *t.operations
	}
	about, ok := meta.value()
	if ok && !t.rotated {
		v.Add("plan_metadata", about)
	}
	if !t.noList {
		v.Add("operations", list)
	}
	if ok && t.rotated {
		v.Add("plan_metadata", about)
	}
	v.Fields = append(v.Fields, t.last...)
	return v
}

func (u *updater) writeReply(meta metadata) string {
	t := &u.text
	if t.instead != nil {
		return *t.instead
	}
	w := generators.Writer{Style: t.style, B: []byte(t.before)}
	start := len(w.B)
	w.Value(u.document(meta))
	if t.unclosed {
		for _, closing := range []string{"}", "]"} {
			w.B = []byte(strings.TrimSuffix(strings.TrimRight(string(w.B), " \r\n"), closing))
		}
		return string(w.B)
	}
	w.B = generators.Wrapped(w.B, start, t.wrap)
	w.B = append(w.B, t.after...)
	return string(w.B) + strings.Repeat(" ", t.padding)
}
