package defect

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// readingDefects are defects of finding and parsing the document in a reply.
func readingDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("first-of-two-objects", "takes the first JSON object of a reply even if it is not a patch",
			mutant.Reading(firstObject)),
		mutant.New("last-of-two-objects", "takes the last JSON object of a reply even if it is not a patch",
			mutant.Reading(lastObject)),
		mutant.New("first-brace-to-last-brace", "parses everything from the first brace to the last one",
			mutant.Reading(outermostBraces)),
		mutant.New("counts-braces-in-strings", "ends an object at a brace inside a string", mutant.Reading(naiveBraces)),
		mutant.New("reads-think-block", "takes an object in a <think> block for the reply", mutant.Reading(openThink)),
		mutant.New("chokes-on-bom", "finds no document after a byte order mark", mutant.Reading(chokeOnBOM)),
		mutant.New("completes-cut-off-replies", "closes open strings and brackets of a cut-off reply and applies the rest",
			mutant.Reading(closeBrackets)),
		mutant.New("strips-slashes-in-strings", "removes // and the text after it from strings",
			mutant.Reading(stripSlashes)),
		mutant.New("single-quotes-in-strings", "turns single quotes in strings into double quotes",
			mutant.Reading(func(s string) string { return strings.ReplaceAll(s, "'", `"`) })),
		mutant.New("trailing-commas-in-strings", "removes commas before brackets inside strings", mutant.Reading(dropCommas)),
		mutant.New("unescapes-html", "decodes HTML entities before parsing", mutant.Reading(html.UnescapeString)),
		mutant.New("replaces-invalid-utf8", "replaces invalid UTF-8 instead of rejecting it",
			mutant.Reading(func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })),
		mutant.New("replaces-lone-surrogates", "replaces lone surrogates instead of rejecting them",
			mutant.Reading(replaceSurrogates)),
		mutant.New("ends-at-nul", "reads a reply only up to the first NUL byte",
			mutant.Reading(func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s })),
		mutant.New("ignores-reply-limit", "ignores max_reply_bytes", mutant.Asking(ignoreReplyLimit)),
		mutant.New("cuts-huge-replies", "cuts a reply that is too large and reads the rest", mutant.Asking(cutReply)),
		mutant.New("ignores-depth-limit", "ignores max_depth", mutant.Asking(ignoreDepth)),
		mutant.New("panics-on-deep-nesting", "recurses with every bracket and overflows the stack",
			mutant.Asking(panicOnDepth)),
	}
}

// hide makes the braces of a text no braces, so that no object is found there
// but the text stays as long.
func hide(text string) string { return strings.ReplaceAll(text, "{", "(") }

func firstObject(reply string) string {
	if list := mutant.Objects(reply); len(list) > 1 {
		end := list[0].End
		return reply[:end] + hide(reply[end:])
	}
	return reply
}

func lastObject(reply string) string {
	if list := mutant.Objects(reply); len(list) > 1 {
		start := list[len(list)-1].Start
		return hide(reply[:start]) + reply[start:]
	}
	return reply
}

func outermostBraces(reply string) string {
	start, end := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')+1
	if list := mutant.Objects(reply); len(list) == 0 || list[0].Start == start && list[0].End == end {
		return reply
	}
	return hide(reply) // it is no JSON
}

// naiveBraces cuts a reply where the braces of its first object seem to be
// balanced, strings or not.
func naiveBraces(reply string) string {
	list := mutant.Objects(reply)
	if len(list) == 0 {
		return reply
	}
	open := 0
	for i := list[0].Start; i < len(reply); i++ {
		switch reply[i] {
		case '{':
			open++
		case '}':
			open--
		}
		if open == 0 {
			if i+1 == list[0].End {
				return reply
			}
			return reply[:i+1]
		}
	}
	return hide(reply)
}

func openThink(reply string) string {
	return strings.NewReplacer("<think>", "Thinking: ", "</think>", " ").Replace(reply)
}

func chokeOnBOM(reply string) string {
	if strings.HasPrefix(reply, "\uFEFF") {
		return hide(reply)
	}
	return reply
}

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
	surrogates    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
	})
)

func stripSlashes(reply string) string { return slashComment().ReplaceAllString(reply, "") }

func dropCommas(reply string) string { return trailingComma().ReplaceAllString(reply, "$1") }

func replaceSurrogates(reply string) string {
	return surrogates().ReplaceAllStringFunc(reply, func(escape string) string {
		if len(escape) == len(`\ud83d\ude80`) {
			return escape // a pair
		}
		return `\ufffd`
	})
}

func ignoreReplyLimit(c *harness.Case) {
	size := harness.DefaultMaxReplyBytes
	for _, r := range c.Replies {
		size = max(size, len(r))
	}
	if limit := c.Limits.MaxReplyBytes; limit == nil || *limit > 0 {
		c.Limits.MaxReplyBytes = &size
	}
}

func cutReply(c *harness.Case) {
	limit := harness.DefaultMaxReplyBytes
	if n := c.Limits.MaxReplyBytes; n != nil {
		limit = max(*n, 0)
	}
	*c = mutant.Reread(*c, func(reply string) string {
		if len(reply) <= limit {
			return reply
		}
		end := limit
		for end > 0 && !utf8.RuneStart(reply[end]) {
			end--
		}
		return reply[:end]
	})
}

func ignoreDepth(c *harness.Case) {
	if limit := c.Limits.MaxDepth; limit == nil || *limit > 0 {
		c.Limits.MaxDepth = new(5000)
	}
}

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
