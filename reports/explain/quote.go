package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Texts longer than these are cut, in characters.
const (
	longestText = 400
	longestID   = 60
	around      = 32 // columns quoted on either side of a place, of long lines
)

// quote shows a line of a text with a mark under the column.
func (s *Section) quote(name, text string, line, column int, pointer string) {
	where := fmt.Sprintf("at %s:%d:%d", name, line, column)
	if pointer != "" {
		where += "  " + escape.Cut(pointer, longestText)
	}
	s.add("", 1, style.Faint, "%s", where)
	quoted, ok := lineOf(text, line)
	if !ok {
		return
	}
	before, after := split(quoted, column-1)
	mark := max(1, twwidth.Width(escape.Terminal(token(after))))
	before, after = escape.Terminal(before), escape.Terminal(after)
	if twwidth.Width(before+after) > 2*around {
		before, after = lastColumns(before), firstColumns(after)
	}
	number := fmt.Sprintf("%5d | ", line)
	s.add("", 1, style.Plain, "%s", number+before+after)
	pad := strings.Repeat(" ", len(number)-2) + "| " + strings.Repeat(" ", twwidth.Width(before))
	s.add("", 1, style.Bad, "%s", pad+strings.Repeat("^", min(mark, max(1, twwidth.Width(after)))))
}

// lineOf returns a line of a text, counted from 1.
func lineOf(text string, line int) (string, bool) {
	for n := range line {
		head, tail, more := strings.Cut(text, "\n")
		if n == line-1 {
			return strings.TrimSuffix(head, "\r"), true
		}
		if !more {
			break
		}
		text = tail
	}
	return "", false
}

// split cuts a text behind n characters.
func split(s string, n int) (before, after string) {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at], s[at:]
}

// firstColumns cuts harmless text behind as many columns as are quoted on a
// side, lastColumns before.
func firstColumns(s string) string {
	columns := 0
	for i, r := range s {
		if columns += twwidth.Width(string(r)); columns > around {
			return s[:i] + "…"
		}
	}
	return s
}

func lastColumns(s string) string {
	columns, at := 0, len(s)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if columns += twwidth.Width(string(r)); columns > around {
			return "…" + s[at:]
		}
		at -= n
	}
	return s
}

// token is the JSON token that a text begins with: a string, a literal, or one
// bracket.
func token(s string) string {
	if s == "" || s[0] == '{' || s[0] == '[' {
		return s[:min(1, len(s))]
	}
	if s[0] != '"' {
		if end := strings.IndexAny(s, ",:]} \t"); end >= 0 {
			return s[:max(1, end)]
		}
		return s
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

// hint adds what one can do about a refusal.
func (s *Section) hint(text string) {
	if text != "" {
		s.add("", 1, style.Faint, "hint: %s", text)
	}
}

// hintFor says how to get out of a refusal in a dialect. Runs and trimming are
// refused for what the case holds, and not for what one reply says.
func hintFor(dialect string, code harness.Code) string {
	switch dialect {
	case "orchestrator":
		return runHint(code)
	case "trim":
		return trimHint(code)
	}
	return hint(code)
}

func runHint(code harness.Code) string {
	switch code {
	case harness.InvalidPlan:
		return hint(code)
	case harness.BadLimit:
		return "max_replans and planning_retries are at least 0, other limits and interrupt_after at least 1"
	case harness.RepliesExhausted:
		return "the script ended before the run: add the reply, tool result or verification that comes next"
	case harness.ReplanFailed:
		return "the trace has the code of each rung; a ladder that ends with react goes on without another plan"
	case harness.MaxReplansReached:
		return "the trace says which step asked; raise max_replans, or max_step_tool_calls if steps fail for want of rounds"
	case harness.DependencyDeadlock:
		return "what is left needs a step that failed: another plan must update or remove that one, or raise max_replans"
	case harness.VerificationFailed:
		return "a run is done only when its verification passes: its errors stand in the trace"
	}
	return "tools and verify are lists of objects with ok; a tool result may have output and writes, a verification errors"
}

func trimHint(code harness.Code) string {
	switch code {
	case harness.CannotFit:
		return hint(code)
	case harness.BadLimit:
		return "max_tokens is at least 1; replanbench list trimming names the thresholds of each policy"
	}
	return "replanbench schema trim is the form of messages, budget and policy"
}

// hint says how to get out of a refusal: what the reply should say instead, or
// which policy would take it.
func hint(code harness.Code) string {
	switch code {
	case harness.NoDocument:
		return "the reply must hold one JSON object; --profile lenient also repairs broken JSON"
	case harness.WrongDocument:
		return "a patch has no steps and no other type than PlanPatch; whole plans need the rung fullplan"
	case harness.InvalidUTF8:
		return "read and store the reply as UTF-8, and never cut it within a character"
	case harness.ReplyTooLarge:
		return "ask for a shorter reply, or raise max_reply_bytes"
	case harness.TooDeep:
		return "a patch nests three deep; something else was sent, or raise max_depth"
	case harness.DuplicateKey:
		return "give the member once; --profile duplicate_keys=last lets the last one count"
	case harness.ExtraField:
		return "leave the member out; --profile reading.coerce=true strips such members, extra_fields=drop those of added steps"
	case harness.MissingField:
		return "give the member; an added step needs id and description, an update its id"
	case harness.BadType:
		return "ids and texts are strings, the three lists are lists; --profile reading.coerce=true coerces some of it"
	case harness.EmptyID:
		return "give every step an id of its own that is not blank"
	case harness.BadLimit:
		return "a limit is at least 1; leave it out for the default"
	case harness.InvalidPlan:
		return "repair the plan itself: no reply is read before it is sound"
	case harness.IDConflict:
		return "name each id in one list only; --profile conflicts=replace settles such conflicts"
	case harness.DuplicateID:
		return "an added step needs an id that is new; to change an existing step put it in update_steps"
	case harness.UnknownStep:
		return "use an id of the plan, spelled the same; a new step goes in add_steps"
	case harness.DoneImmutable:
		return "finished work stays as it is; add a new step that corrects it"
	}
	return applyHint(code)
}

func applyHint(code harness.Code) string {
	switch code {
	case harness.OverCapacity:
		return "the plan is over its limit already: remove steps before adding, or raise max_plan_steps"
	case harness.MissingDependency:
		return "name a step that will be in the plan; for edges to a removed step there is --profile orphans=bridge or detach"
	case harness.DependencyCycle:
		return "a step may not wait for itself, not even by way of others"
	case harness.EmptyPatch:
		return "the reply must change something: an update to equal values or a removal of an unknown step does not"
	case harness.EmptyPlan:
		return "leave at least one step in the plan"
	case harness.CannotFit:
		return "what must be kept is larger than the budget alone: shorten it, or raise the budget"
	case harness.RepliesExhausted:
		return "give another reply (--reply FILE), or end the ladder with react"
	}
	return ""
}
