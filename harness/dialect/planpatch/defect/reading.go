package defect

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// readingDefects are defects of finding and parsing the document in a reply.
func readingDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Reads("first-of-two-objects", "takes the first JSON object of a reply even if it is not a patch",
			func(reply string) string {
				if list := mutant.Objects(reply); len(list) > 1 {
					end := list[0].End
					return reply[:end] + hide(reply[end:])
				}
				return reply
			}),
		mutant.Reads("last-of-two-objects", "takes the last JSON object of a reply even if it is not a patch",
			func(reply string) string {
				if list := mutant.Objects(reply); len(list) > 1 {
					start := list[len(list)-1].Start
					return hide(reply[:start]) + reply[start:]
				}
				return reply
			}),
		mutant.Reads("first-brace-to-last-brace", "parses everything from the first brace to the last one",
			func(reply string) string {
				start, end := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')+1
				if list := mutant.Objects(reply); len(list) == 0 || list[0].Start == start && list[0].End == end {
					return reply
				}
				return hide(reply) // it is no JSON
			}),
		mutant.Reads("reads-think-block", "takes an object in a <think> block for the reply", func(reply string) string {
			return strings.NewReplacer("<think>", "Thinking: ", "</think>", " ").Replace(reply)
		}),
		mutant.Reads("chokes-on-bom", "finds no document after a byte order mark", func(reply string) string {
			if strings.HasPrefix(reply, "\uFEFF") {
				return hide(reply)
			}
			return reply
		}),
		mutant.Reads("completes-cut-off-replies", "closes open strings and brackets of a cut-off reply and applies the rest",
			closeBrackets),
		mutant.Reads("strips-slashes-in-strings", "removes // and the text after it from strings",
			func(reply string) string { return slashComment().ReplaceAllString(reply, "") }),
		mutant.Reads("single-quotes-in-strings", "turns single quotes in strings into double quotes",
			func(s string) string { return strings.ReplaceAll(s, "'", `"`) }),
		mutant.Reads("trailing-commas-in-strings", "removes commas before brackets inside strings",
			func(reply string) string { return trailingComma().ReplaceAllString(reply, "$1") }),
		mutant.Reads("unescapes-html", "decodes HTML entities before parsing", html.UnescapeString),
		mutant.Reads("ends-at-nul", "reads a reply only up to the first NUL byte",
			func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s }),
		mutant.Asks("panics-on-deep-nesting", "recurses with every bracket and overflows the stack", panicOnDepth),
	}
}

// hide makes the braces of a text no braces, so that no object is found there
// but the text stays as long.
func hide(text string) string { return strings.ReplaceAll(text, "{", "(") }

// closeBrackets closes the open brackets at the end of the reply's last object.
func closeBrackets(reply string) string {
	start := strings.IndexByte(reply, '{')
	if start < 0 || len(mutant.Objects(reply)) > 0 {
		return reply
	}
	var closers []byte
	inString := false
	for i := start; i < len(reply); i++ {
		switch c := reply[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			closers = append(closers, c+2) // '{' and '}', '[' and ']' lie two apart
		case (c == '}' || c == ']') && len(closers) > 0:
			closers = closers[:len(closers)-1]
		}
	}
	if inString {
		reply += `"`
	}
	for _, closer := range slices.Backward(closers) {
		reply += string(closer)
	}
	return reply
}

var (
	slashComment  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`//[^"\n]*`) })
	trailingComma = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,(\s*[}\]])`) })
)

func panicOnDepth(c *harness.Case) {
	const stack = 64
	for _, r := range c.Replies {
		depth := 0
		for i := range len(r) {
			switch r[i] {
			case '{', '[':
				depth++
			case '}', ']':
				depth = max(depth-1, 0)
			}
			if depth > stack {
				panic(fmt.Sprintf("maximum recursion depth exceeded at byte %d", i))
			}
		}
	}
}
