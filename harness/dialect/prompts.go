package dialect

import (
	"embed"
	"io/fs"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
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

// Bilingual lists prompts by pairs of name and text, each with its version in Chinese.
func Bilingual(pairs ...string) (list []harness.Term) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, harness.Term{Name: pairs[i], Text: pairs[i+1]},
			harness.Term{Name: pairs[i] + ".zh", Text: "the same in Chinese"})
	}
	return list
}

// Pair are the prompts of a dialect without a ladder: the template name requests an edit, name_retry
// a retry. embedded has the files.
func Pair(embedded embed.FS, name, text, retry string) Prompts {
	return Prompts{
		Files: Templates(embedded), List: Bilingual(name, text, name+"_retry", retry), First: name, Retry: name + "_retry",
	}
}

// Templates returns the files in the folder prompts of a dialect's embedded files.
func Templates(embedded embed.FS) fs.FS {
	files, err := fs.Sub(embedded, "prompts")
	if err != nil {
		panic(err) // fs.Sub fails only for an invalid path
	}
	return files
}

// WithText returns the needs of a case, and [harness.NeedText] if a reply is not one plain JSON
// object. Only engines that read replies themselves can take such a case.
func WithText(needs func(harness.Case) []string) func(harness.Case) []string {
	return func(c harness.Case) []string {
		list := needs(c)
		limited := func(need string) bool { return need == "max_reply_bytes" || need == "max_depth" }
		if slices.ContainsFunc(list, limited) || slices.ContainsFunc(c.Replies, needsText) {
			list = append(slices.Clip(list), harness.NeedText)
		}
		return list
	}
}

// needsText reports whether a reply is something else than one well-formed JSON object that is
// the document itself: no text around it, no member twice, no wrapper.
func needsText(r harness.Reply) bool {
	p := strictjson.Borrow(string(r))
	defer p.Release()
	doc, err := p.All(harness.DefaultMaxDepth)
	return err != nil || doc.Root.Kind != strictjson.Object || len(doc.Duplicates)+len(doc.Surrogates) > 0 ||
		wraps(&doc.Root)
}

// wraps reports whether the document is in a member of the object.
func wraps(v *strictjson.Value) bool {
	for _, name := range []string{"args", "arguments", "input"} {
		if v.Get(name) != nil {
			return true
		}
	}
	return len(v.Members) == 1 && v.Members[0].Value.Kind == strictjson.Object
}
