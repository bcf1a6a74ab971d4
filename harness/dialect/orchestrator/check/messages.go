package check

import (
	"sort"
	"strings"
	"unicode/utf8"

	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// resultsBounded: of a tool's result that is longer than allowed the messages show
// no more than that: of its head and, behind that, of its tail.
func resultsBounded(x *judge.Examination) judge.Result {
	limit := x.Item.Case.Limits.MaxToolResultChars
	tools := x.Parsed(x.Item.Case.Tools)
	if limit == nil || *limit < 1 || tools == nil {
		return judge.Skip()
	}
	messages, others := messages(x), told(x)
	calls, r := 0, judge.Skip()
	for _, e := range x.Out.Trace {
		if e.Event != spec.EventToolCalled || calls == len(tools.Items) {
			continue
		}
		output := tools.Items[calls].Get("output")
		calls++
		if output == nil || output.Kind != strictjson.String || utf8.RuneCountInString(output.Text) <= *limit ||
			shown(others, output.Text) > 0 {
			continue
		}
		if messages == nil {
			return untold(x)
		}
		r = judge.Held()
		for _, m := range messages.Items {
			content := m.Get("content")
			if content == nil || content.Kind != strictjson.String {
				continue
			}
			switch n := shown(content.Text, output.Text); {
			case n > *limit:
				return judge.Brokef("over", e.Step, "messages",
					"the messages show %d characters of a tool's result; %d are allowed", n, *limit)
			case n >= least && strings.ContainsRune(content.Text, utf8.RuneError) &&
				!strings.ContainsRune(output.Text, utf8.RuneError):
				return judge.Broke("cut", e.Step, "messages", "the messages cut a tool's result within a character")
			}
		}
	}
	return r
}

// told returns the other texts that a model gets. If a result has the same text, no check
// can find out how much of the result the model got.
func told(x *judge.Examination) string {
	var b strings.Builder
	b.Write(x.Item.Case.Plan)
	for _, r := range x.Item.Case.Replies {
		b.WriteByte('\n')
		b.WriteString(string(r))
	}
	return b.String()
}

// untold is the result of a check of messages where there are none.
func untold(x *judge.Examination) judge.Result {
	if x.Gives("messages") {
		return judge.Skip()
	}
	return judge.Unseen()
}

// least is how many characters in common are no chance.
const least = 16

// shown counts the characters of a text that another one contains: the longest
// head of it, and behind that the longest tail.
func shown(in, text string) int {
	all := []rune(text)
	head := longest(len(all), func(n int) bool { return strings.Contains(in, string(all[:n])) })
	begin := string(all[:head])
	in = in[strings.Index(in, begin)+len(begin):]
	tail := longest(len(all)-head, func(n int) bool { return strings.Contains(in, string(all[len(all)-n:])) })
	return head + tail
}

// longest is the greatest n up to most for which it holds, if it holds for all
// that are less; 0 where that is too few to mean anything.
func longest(most int, holds func(n int) bool) int {
	n := sort.Search(most, func(n int) bool { return !holds(n + 1) })
	if n < least {
		return 0
	}
	return n
}
