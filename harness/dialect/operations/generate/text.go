package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// replyText is how an update is written.
type replyText struct {
	style                          generators.Style
	before, fence, fenceEnd, after string
	wrap                           generators.Wrap
	instead                        *string            // in place of everything
	meta                           *metadata          // in place of what was drawn
	noOperations                   bool               // the list is empty, or none
	operations                     *generators.Value  // in place of the list
	noList                         bool               // the member operations is absent
	first, last                    []generators.Field // more members of the document
	unclosed                       bool               // the text ends behind the last operation
	padding                        int                // bytes of white space behind everything
}

// tier is how far reading has to go.
func (u *updater) tier() harness.Tier {
	took := u.takes
	if t := &u.text; t.before != "" || t.fence != "" || t.fenceEnd != "" || t.after != "" {
		took |= generators.Extract
	}
	return took.Tier()
}

// dressReply draws how the update is written.
func (u *updater) dressReply() {
	switch u.Below(8) {
	case 0, 1, 2, 3:
	case 4, 5:
		u.text.style.Gap = " "
	default:
		u.text.style = generators.Style{Indent: 2, Gap: " ", Newline: "\n"}
	}
	if !u.profile.Reading.Extract || u.Below(4) > 0 {
		return
	}
	switch u.Below(3) {
	case 0:
		u.text.fence, u.text.fenceEnd = "```json\n", "\n```"
	case 1:
		u.text.before = generators.Pick(&u.Choices, generators.Openings)
	default:
		u.text.before, u.text.after = generators.Pick(&u.Choices, generators.Openings), generators.Pick(&u.Choices, generators.Closings)
	}
}

// alone takes away what stands round the document.
func (u *updater) alone() {
	u.text.before, u.text.fence, u.text.fenceEnd, u.text.after = "", "", "", ""
}

// document is the update as JSON. Where the text is to end behind the last
// operation, the operations stand last.
func (u *updater) document(meta metadata) generators.Value {
	v := generators.Object(u.text.first...)
	list := generators.Value{IsList: true}
	for _, a := range u.acts {
		list.Items = append(list.Items, a.doc)
	}
	if u.text.operations != nil {
		list = *u.text.operations
	}
	about, ok := meta.value()
	behind := u.OneIn(4) && !u.text.unclosed
	if ok && !behind {
		v.Add("plan_metadata", about)
	}
	if !u.text.noList {
		v.Add("operations", list)
	}
	if ok && behind {
		v.Add("plan_metadata", about)
	}
	v.Fields = append(v.Fields, u.text.last...)
	return v
}

func (u *updater) writeReply(meta metadata) string {
	t := &u.text
	if t.instead != nil {
		return *t.instead
	}
	w := generators.Writer{Style: t.style, B: append([]byte(t.before), t.fence...)}
	start := len(w.B)
	w.Value(u.document(meta))
	if t.unclosed {
		for _, closing := range []string{"}", "]"} {
			w.B = []byte(strings.TrimSuffix(strings.TrimRight(string(w.B), " \r\n"), closing))
		}
		return string(w.B)
	}
	w.B = generators.Wrapped(w.B, start, t.wrap)
	w.B = append(append(w.B, t.fenceEnd...), t.after...)
	return string(w.B) + strings.Repeat(" ", t.padding)
}
