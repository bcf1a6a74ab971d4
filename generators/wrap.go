package generators

// Wrap is a wrapper around a document.
type Wrap int

// The wrappers.
const (
	WrapNone     Wrap = iota
	WrapArray         // [ document ]
	WrapString        // "document"
	WrapObject        // {"patch": document}
	WrapCall          // {"name": …, "arguments": document}
	WrapCallText      // {"name": …, "arguments": "document"}
	WrapTagged        // <tool_call>{"name": …}</tool_call>
)

// Wrapped puts the bytes of b from the offset start into a wrapper.
func Wrapped(b []byte, start int, how Wrap) []byte {
	if how == WrapNone {
		return b
	}
	doc := string(b[start:])
	b = b[:start]
	switch how {
	case WrapArray:
		return append(append(append(b, '['), doc...), ']')
	case WrapString:
		return AppendText(b, doc)
	case WrapObject:
		return append(append(append(b, `{"patch": `...), doc...), '}')
	case WrapCall:
		return append(append(append(b, `{"name": "update_plan", "arguments": `...), doc...), '}')
	case WrapCallText:
		return append(AppendText(append(b, `{"name": "update_plan", "arguments": `...), doc), '}')
	default:
		b = append(b, "<tool_call>\n{\"name\": \"update_plan\", \"arguments\": "...)
		return append(append(b, doc...), "}\n</tool_call>"...)
	}
}
