package generators

// wrap is what a document can stand in.
type wrap int

const (
	wrapNone     wrap = iota
	wrapArray         // [ document ]
	wrapString        // "document"
	wrapObject        // {"patch": document}
	wrapCall          // {"name": …, "arguments": document}
	wrapCallText      // {"name": …, "arguments": "document"}
	wrapTagged        // <tool_call>{"name": …}</tool_call>
)

// wrapped puts what stands in b from the offset start into a wrapper.
func wrapped(b []byte, start int, how wrap) []byte {
	if how == wrapNone {
		return b
	}
	doc := string(b[start:])
	b = b[:start]
	switch how {
	case wrapArray:
		return append(append(append(b, '['), doc...), ']')
	case wrapString:
		return appendText(b, doc)
	case wrapObject:
		return append(append(append(b, `{"patch": `...), doc...), '}')
	case wrapCall:
		return append(append(append(b, `{"name": "update_plan", "arguments": `...), doc...), '}')
	case wrapCallText:
		return append(appendText(append(b, `{"name": "update_plan", "arguments": `...), doc), '}')
	default:
		b = append(b, "<tool_call>\n{\"name\": \"update_plan\", \"arguments\": "...)
		return append(append(b, doc...), "}\n</tool_call>"...)
	}
}
