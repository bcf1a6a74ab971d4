package dialect

import (
	"embed"
	"io/fs"

	"replanbench/harness"
)

// Prompts are the templates of a dialect for requests to models: Jinja2 text in
// the files NAME.j2. NAME.zh.j2 is the template in Chinese.
type Prompts struct {
	Files fs.FS
	List  []harness.Term // their names, in the order of lists
	// First, Retry and FullPlan name the templates that request an edit, a retry after a
	// rejection, and a full plan; "" if the dialect has no such request.
	First, Retry, FullPlan string
	Chinese                []string // the names of Chinese prompts that do not end in .zh
	// Step names the template that requests the next action in a step; "" if a case is
	// not a session. Retry then requests a replan.
	Step string
}

// Templates returns the files in the folder prompts of a dialect's embedded files.
func Templates(embedded embed.FS) fs.FS {
	files, err := fs.Sub(embedded, "prompts")
	if err != nil {
		panic(err) // fs.Sub fails only for an invalid path
	}
	return files
}
