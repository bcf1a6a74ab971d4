package generators

import (
	"strings"

	"replanbench/harness"
)

// replyText is how an update is written, and what that does to it.
type replyText struct {
	style                          style
	before, fence, fenceEnd, after string
	wrap                           wrap
	mend                           bool         // the syntax takes mending
	bent                           bool         // the shape takes bending
	code                           harness.Code // why the update cannot be read; "" if it can
	instead                        *string      // in place of everything
	meta                           *metadata    // in place of what was drawn
	noOperations                   bool         // the list is empty, or none
	operations                     *value       // in place of the list
	noList                         bool         // the member operations is absent
	first, last                    []field      // more members of the document
	unclosed                       bool         // the text ends behind the last operation
	padding                        int          // bytes of white space behind everything
}

func (t *replyText) tier() harness.Tier {
	switch {
	case t.bent || t.wrap != wrapNone:
		return harness.TierCoerced
	case t.mend || t.unclosed:
		return harness.TierRepaired
	case t.before != "" || t.fence != "" || t.fenceEnd != "" || t.after != "":
		return harness.TierExtracted
	}
	return harness.TierStrict
}

// dressReply draws how the update is written.
func (u *updater) dressReply() {
	switch u.below(8) {
	case 0, 1, 2, 3:
	case 4, 5:
		u.text.style.gap = " "
	default:
		u.text.style = style{indent: 2, gap: " ", newline: "\n"}
	}
	if !u.profile.Reading.Extract || u.below(4) > 0 {
		return
	}
	switch u.below(3) {
	case 0:
		u.text.fence, u.text.fenceEnd = "```json\n", "\n```"
	case 1:
		u.text.before = pick(&u.choices, openings)
	default:
		u.text.before, u.text.after = pick(&u.choices, openings), pick(&u.choices, closings)
	}
}

// alone takes away what stands round the document.
func (u *updater) alone() {
	u.text.before, u.text.fence, u.text.fenceEnd, u.text.after = "", "", "", ""
}

// document is the update as JSON. Where the text is to end behind the last
// operation, the operations stand last.
func (u *updater) document(meta metadata) value {
	v := object(u.text.first...)
	list := value{isList: true}
	for _, a := range u.acts {
		list.items = append(list.items, a.doc)
	}
	if u.text.operations != nil {
		list = *u.text.operations
	}
	about, ok := meta.value()
	behind := u.oneIn(4) && !u.text.unclosed
	if ok && !behind {
		v.add("plan_metadata", about)
	}
	if !u.text.noList {
		v.add("operations", list)
	}
	if ok && behind {
		v.add("plan_metadata", about)
	}
	v.fields = append(v.fields, u.text.last...)
	return v
}

func (u *updater) writeReply(meta metadata) string {
	t := &u.text
	if t.instead != nil {
		return *t.instead
	}
	w := writer{style: t.style, b: append([]byte(t.before), t.fence...)}
	start := len(w.b)
	w.value(u.document(meta))
	if t.unclosed {
		for _, closing := range []string{"}", "]"} {
			w.b = []byte(strings.TrimSuffix(strings.TrimRight(string(w.b), " \r\n"), closing))
		}
		return string(w.b)
	}
	w.b = wrapped(w.b, start, t.wrap)
	w.b = append(append(w.b, t.fenceEnd...), t.after...)
	return string(w.b) + strings.Repeat(" ", t.padding)
}
