package generate

import (
	"strings"

	"replanbench/generators"
)

// wordingTraits add steps whose text looks like syntax. An engine must keep it unchanged.
func wordingTraits() []patchTrait {
	fault := generators.Family("text")
	described := func(name, theme string, texts ...string) patchTrait {
		return patchTrait{
			Trait: fault(name, "a description contains "+theme+": it stays unchanged").Says(theme, "add"), kind: inPatch,
			puts: adds,
			plant: func(d *draft) effect {
				text := generators.Pick(&d.Choices, texts)
				return d.addDescribed(text, generators.Quoted(text))
			},
		}
	}
	return []patchTrait{
		described("text-comment", "comment marks", "see http://x.y/z", "/* not */ done", "fix # 7"),
		described("text-fence", "a code fence", "```json\n{\"title\":\"no\"}\n```", "run `make`"),
		described("text-think", "a <think> block", "<think>{\"title\":\"no\"}</think>", "write </think>"),
		described("text-braces", "braces", "close the } brace", "the {braces} and [brackets]", "a ] b } c"),
		described("text-commas", "a comma before a bracket", "drop the ,] and the ,}", "f(a, b,)}, g"),
		described("text-apostrophe", "single quotes", "it's error text", "the 'quoted' name", "don't"),
		described("text-quotes", "quotation marks", `say "hi" to all`, `"`, "“so”"),
		described("text-backslash", "backslashes", `a path C:\tmp`, `\n is no line`, `\`),
		described("text-spaces", "repeated white space", "line one\nline two", "two  blanks", " at both ends ", "tab\there"),
		described("text-literals", "None, True or False", "None, True and False", "null"),
		described("text-non-ascii", "non-ASCII letters", "der Zähler", "数据库迁移", "the 🚀 launch", "e\u0301t\u00e9"),
		described("text-json", "JSON", `{"type":"PlanPatch","title":"no"}`, `{"id":"x"}`),
		described("text-empty", "no characters", ""),
		described("text-long", "hundreds of characters", strings.Repeat("word ", 60)+"end", strings.Repeat("x", 300),
			strings.Repeat("長い", 150)),
	}
}
