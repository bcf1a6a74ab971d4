package dialect

import (
	"io/fs"

	"replanbench/harness"
)

// Prompts are the templates by which models are asked in a dialect, Jinja2 text in
// the files NAME.j2. The same name with .zh behind it is a template in Chinese.
type Prompts struct {
	Files fs.FS
	List  []harness.Term // their names, in the order of lists
	// First, Retry and FullPlan name those that ask for an edit, again after a
	// refusal, and for a whole plan; "" where the dialect never asks so.
	First, Retry, FullPlan string
	Chinese                []string // the names of Chinese prompts that do not end in .zh
	// Step names the template that asks for the next action in a step; "" where a case is
	// no session. Retry then asks for a replan.
	Step string
}
