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
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
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

// hide replaces braces, so that no object is found, and keeps the length.
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
			closers = append(closers, c+2) // '}' is '{' + 2, ']' is '[' + 2
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

// decodingDefects are defects of making a patch or a plan of a JSON object.
func decodingDefects() []mutant.Defect {
	return []mutant.Defect{
		decoding("ignores-extra-fields", "drops unknown members without a warning", func(o mutant.Reply) {
			members := []string{"id", "description", "dependencies", "tools_expected", "status"}
			o.Keep("type", "title", "remove_steps", "update_steps", "add_steps", "reason", "steps", "verification_policy")
			for _, item := range o.Items("update_steps") {
				item.Keep(members[:4]...)
			}
			for _, item := range o.Items("add_steps") {
				item.Keep(members...)
			}
		}),
		decoding("ignores-type", "accepts an object of any type as a patch", func(o mutant.Reply) {
			if !o.Says("type", "PlanPatch") && o.Get("steps") == nil {
				o.Drop("type")
			}
		}),
		decoding("full-plan-as-patch", "reads a full plan as a patch that changes nothing", func(o mutant.Reply) {
			if o.Get("steps") != nil {
				o.Keep("reason")
			}
		}),
		decoding("crash-on-null", "panics if a list or an id is null", func(o mutant.Reply) {
			for _, m := range o.Members {
				if m.Value.Kind == strictjson.Null && strings.HasSuffix(m.Name, "_steps") {
					panic("'NoneType' object is not iterable")
				}
			}
			for _, v := range references(o.Object) {
				if v.Kind == strictjson.Null {
					panic("'NoneType' object has no attribute 'strip'")
				}
			}
		}),
		decoding("null-empties-lists", "reads null in an update as an empty list", func(o mutant.Reply) {
			for _, item := range o.Items("update_steps") {
				for _, name := range []string{"dependencies", "tools_expected"} {
					if v := item.Get(name); v != nil && v.Kind == strictjson.Null {
						item.Set(name, mutant.Texts())
					}
				}
			}
		}),
		decoding("skips-items-of-wrong-type", "skips list items of the wrong type without a warning", func(o mutant.Reply) {
			not := func(kind strictjson.Kind) func(*strictjson.Value) bool {
				return func(v *strictjson.Value) bool { return v.Kind != kind }
			}
			o.Filter("remove_steps", not(strictjson.String))
			for _, name := range []string{"update_steps", "add_steps", "steps"} {
				o.Filter(name, not(strictjson.Object))
			}
			for _, item := range steps(o.Object) {
				for _, name := range []string{"dependencies", "tools_expected"} {
					item.Filter(name, not(strictjson.String))
				}
			}
		}),
		decoding("numbers-as-ids", "accepts a number as an id", func(o mutant.Reply) {
			for _, v := range references(o.Object) {
				if v.Kind == strictjson.Number {
					*v = mutant.Text(v.Text)
				}
			}
		}),
		decoding("accepts-missing-description", "adds a step without a description", func(o mutant.Reply) {
			for _, item := range o.Items("add_steps", "steps") {
				if v := item.Get("description"); v == nil || v.Kind == strictjson.Null {
					item.Set("description", mutant.Text(""))
				}
			}
		}),
		stepwise("keeps-spaces-in-ids", "keeps leading and trailing white space in the id of a new step",
			func(e edit, s *plan.Step) {
				if item, ok := e.written(s.ID); ok && e.Old.Step(s.ID) == nil {
					s.ID = item.Get("id").Text
				}
			}),
	}
}

// conflictDefects are defects in treating an id that is named twice or unknown.
func conflictDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("keeps-instead-of-replacing", "keeps the old step and adds another when a patch removes and adds one id",
			mutant.Under(func(p *harness.Profile) {
				if p.Conflicts == harness.Replace {
					p.Conflicts = harness.Keep
				}
			})),
		decoding("drops-conflicting-add", "drops an added step whose id exists without a warning", func(o mutant.Reply) {
			o.Filter("add_steps", func(v *strictjson.Value) bool {
				return o.Step(mutant.ID(v)) != nil && !o.Has("remove_steps", mutant.ID(v))
			})
		}),
		decoding("add-overwrites", "overwrites an existing step with an added one", func(o mutant.Reply) {
			// It reads the step as an update, unless another list of the patch names it.
			taken := o.Filter("add_steps", func(v *strictjson.Value) bool {
				id := mutant.ID(v)
				return v.Kind == strictjson.Object && o.Step(id) != nil && !o.Has("remove_steps", id) && !o.Has("update_steps", id)
			})
			for i := range taken {
				mutant.Object{Value: &taken[i]}.Drop("status")
			}
			o.Move("update_steps", taken)
		}),
		decoding("adds-in-reverse", "adds new steps in reverse order", func(o mutant.Reply) {
			if list := o.Get("add_steps"); list != nil {
				slices.Reverse(list.Items)
			}
		}),
		decoding("update-inserts", "adds a step when an update names an unknown one", func(o mutant.Reply) {
			moved := o.Filter("update_steps", func(v *strictjson.Value) bool {
				return v.Kind == strictjson.Object && isUnknown(o, v)
			})
			for i := range moved {
				if moved[i].Get("description") == nil {
					mutant.Object{Value: &moved[i]}.Set("description", mutant.Text(""))
				}
			}
			o.Move("add_steps", moved)
		}),
		decoding("skips-unknown-updates", "skips an update of an unknown step without a warning", func(o mutant.Reply) {
			o.Filter("update_steps", func(v *strictjson.Value) bool { return isUnknown(o, v) })
		}),
		mutant.Answers("refuses-duplicate-removes", "rejects a patch that removes a step twice", func(out *harness.Outcome) {
			if out.Verdict == harness.Applied && out.Warned(harness.WarnDuplicateRemove) != nil {
				*out = refused(harness.UnknownStep)
			}
		}),
		mutant.Answers("forgets-repairs", "resolves conflicts without reporting it",
			func(out *harness.Outcome) { out.Repairs = []harness.Repair{} }),
	}
}

func isUnknown(o mutant.Reply, v *strictjson.Value) bool {
	id := mutant.ID(v)
	return id != "" && o.Step(id) == nil && !o.Has("remove_steps", id) && !o.Has("add_steps", id)
}
