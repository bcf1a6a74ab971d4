package generate

import (
	"strings"

	"replanbench/generators"
)

// wordingTraits are texts of steps that careless readers take for something else:
// each stays as it is.
func wordingTraits() []patchTrait {
	fault := generators.Family("text")
	said := func(name, theme string, texts ...string) patchTrait {
		return patchTrait{
			Trait: fault(name, "a description holds "+theme+": it stays as it is").Says(theme, "add"), kind: inPatch, puts: adds,
			plant: func(d *draft) effect {
				text := generators.Pick(&d.Choices, texts)
				return d.addDescribed(text, generators.Quoted(text))
			},
		}
	}
	return []patchTrait{
		said("text-comment", "what looks like a comment", "see http://x.y/z", "/* not */ done", "fix # 7"),
		said("text-fence", "a fence", "```json\n{\"title\":\"no\"}\n```", "run `make`"),
		said("text-think", "a think block", "<think>{\"title\":\"no\"}</think>", "write </think>"),
		said("text-braces", "braces", "close the } brace", "the {braces} and [brackets]", "a ] b } c"),
		said("text-commas", "a comma before a bracket", "drop the ,] and the ,}", "f(a, b,)}, g"),
		said("text-apostrophe", "single quotes", "it's error text", "the 'quoted' name", "don't"),
		said("text-quotes", "quotation marks", `say "hi" to all`, `"`, "“so”"),
		said("text-backslash", "backslashes", `a path C:\tmp`, `\n is no line`, `\`),
		said("text-spaces", "white space in a row", "line one\nline two", "two  blanks", " at both ends ", "tab\there"),
		said("text-literals", "None, True or False", "None, True and False", "null"),
		said("text-non-ascii", "letters beyond ASCII", "der Zähler", "数据库迁移", "the 🚀 launch", "e\u0301t\u00e9"),
		said("text-json", "JSON", `{"type":"PlanPatch","title":"no"}`, `{"id":"x"}`),
		said("text-empty", "nothing", ""),
		said("text-long", "hundreds of characters", strings.Repeat("word ", 60)+"end", strings.Repeat("x", 300), strings.Repeat("長い", 150)),
	}
}
