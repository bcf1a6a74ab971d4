package defects

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
)

// readingRows are defects of finding and parsing the document in a reply.
func readingRows() []row {
	return []row{
		{"first-of-two-objects", "takes the first JSON object of a reply, whatever it is", reading(firstObject)},
		{"last-of-two-objects", "takes the last JSON object of a reply, whatever it is", reading(lastObject)},
		{"first-brace-to-last-brace", "takes everything from the first brace to the last for the document", reading(outermostBraces)},
		{"counts-braces-in-strings", "ends an object at a brace that stands in a string", reading(naiveBraces)},
		{"reads-think-block", "takes an object in a <think> block for the answer", reading(openThink)},
		{"chokes-on-bom", "finds nothing in a reply that begins with a byte order mark", reading(chokeOnBOM)},
		{"only-bare-json", "reads no reply with anything round the JSON", policy(func(p *harness.Profile) { p.Reading.Extract = false })},
		{"mends-unasked", "mends the syntax although the profile says not to", policy(func(p *harness.Profile) { p.Reading.Repair = true })},
		{"bends-unasked", "bends the shape although the profile says not to", policy(func(p *harness.Profile) { p.Reading.Coerce = true })},
		{"completes-cut-off-replies", "closes the strings and brackets of a reply that was cut off, and applies what is left", reading(closeBrackets)},
		{"strips-slashes-in-strings", "takes // in a string for a comment and strips it", reading(stripSlashes)},
		{"single-quotes-in-strings", "turns the single quotes in strings into double ones", reading(func(s string) string { return strings.ReplaceAll(s, "'", `"`) })},
		{"trailing-commas-in-strings", "removes commas before brackets, in strings too", reading(dropCommas)},
		{"unescapes-html", "turns HTML entities into what they stand for before parsing", reading(html.UnescapeString)},
		{"replaces-invalid-utf8", "replaces bytes that are not UTF-8 and goes on", reading(func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })},
		{"replaces-lone-surrogates", "replaces the escape of half a character and goes on", reading(replaceSurrogates)},
		{"ends-at-nul", "reads a reply up to the first NUL only", reading(func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s })},
		{"ignores-reply-limit", "reads replies of any size", always(ignoreReplyLimit)},
		{"cuts-huge-replies", "cuts a reply that is too large and reads the rest", always(cutReply)},
		{"ignores-depth-limit", "reads objects nested to any depth", always(ignoreDepth)},
		{"panics-on-deep-nesting", "recurses with every bracket and runs out of stack", always(panicOnDepth)},
		{"last-duplicate-key-wins", "lets the last of two members of one name win without a word", policy(func(p *harness.Profile) { p.DuplicateKeys = harness.Last })},
	}
}

// hide makes the braces of a text no braces, so that no object is found there
// but the text stays as long.
func hide(text string) string { return strings.ReplaceAll(text, "{", "(") }

func firstObject(reply string) string {
	if list := objects(reply); len(list) > 1 {
		end := list[0].end
		return reply[:end] + hide(reply[end:])
	}
	return reply
}

func lastObject(reply string) string {
	if list := objects(reply); len(list) > 1 {
		start := list[len(list)-1].start
		return hide(reply[:start]) + reply[start:]
	}
	return reply
}

func outermostBraces(reply string) string {
	start, end := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')+1
	if list := objects(reply); len(list) == 0 || list[0].start == start && list[0].end == end {
		return reply
	}
	return hide(reply) // it is no JSON
}

// naiveBraces cuts a reply where the braces of its first object seem to be
// balanced, strings or not.
func naiveBraces(reply string) string {
	list := objects(reply)
	if len(list) == 0 {
		return reply
	}
	open := 0
	for i := list[0].start; i < len(reply); i++ {
		switch reply[i] {
		case '{':
			open++
		case '}':
			open--
		}
		if open == 0 {
			if i+1 == list[0].end {
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

// closeBrackets closes what is open at the end of the reply's last object.
func closeBrackets(reply string) string {
	start := strings.IndexByte(reply, '{')
	if start < 0 || len(objects(reply)) > 0 {
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
	for i := len(closers) - 1; i >= 0; i-- {
		reply += string(closers[i])
	}
	return reply
}

var (
	slashComment  = regexp.MustCompile(`//[^"\n]*`)
	trailingComma = regexp.MustCompile(`,(\s*[}\]])`)
	surrogates    = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
)

func stripSlashes(reply string) string { return slashComment.ReplaceAllString(reply, "") }

func dropCommas(reply string) string { return trailingComma.ReplaceAllString(reply, "$1") }

func replaceSurrogates(reply string) string {
	return surrogates.ReplaceAllStringFunc(reply, func(escape string) string {
		if len(escape) == len(`\ud83d\ude80`) {
			return escape // a pair
		}
		return `\ufffd`
	})
}

func ignoreReplyLimit(c harness.Case, p harness.Profile) harness.Outcome {
	size := harness.DefaultMaxReplyBytes
	for _, r := range c.Replies {
		size = max(size, len(r))
	}
	if limit := c.Limits.MaxReplyBytes; limit == nil || *limit > 0 {
		c.Limits.MaxReplyBytes = &size
	}
	return right(c, p)
}

func cutReply(c harness.Case, p harness.Profile) harness.Outcome {
	limit := harness.DefaultMaxReplyBytes
	if n := c.Limits.MaxReplyBytes; n != nil {
		limit = max(*n, 0)
	}
	return reading(func(reply string) string {
		if len(reply) <= limit {
			return reply
		}
		end := limit
		for end > 0 && !utf8.RuneStart(reply[end]) {
			end--
		}
		return reply[:end]
	})()(c, p)
}

func ignoreDepth(c harness.Case, p harness.Profile) harness.Outcome {
	depth := 5000
	if limit := c.Limits.MaxDepth; limit == nil || *limit > 0 {
		c.Limits.MaxDepth = &depth
	}
	return right(c, p)
}

func panicOnDepth(c harness.Case, p harness.Profile) harness.Outcome {
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
	return right(c, p)
}
