package planpatch

import (
	"embed"
	"io/fs"

	"replanbench/harness"
	"replanbench/harness/dialect"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts ask for patches. Two pairs differ in one block on changing against removing
// a step, with wrong and right examples: replan and replan.hardened, and replan.before
// and replan.after, which quote the design documents of a published incident.
func prompts() dialect.Prompts {
	files, err := fs.Sub(templates, "prompts")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return dialect.Prompts{
		Files: files,
		List: []harness.Term{
			{Name: "replan", Text: "asks for a patch, with the rules"},
			{Name: "replan.zh", Text: "the same in Chinese"},
			{Name: "replan.hardened", Text: "the same with a block on changing against removing, wrong and right examples"},
			{Name: "replan.hardened.zh", Text: "the same in Chinese"},
			{Name: "replan.before", Text: "the documents' prompt before their cure, in Chinese as there: lists the constraint in one line"},
			{Name: "replan.after", Text: "the documents' prompt after it: has the ⚠️ block with the ❌ and ✅ examples, word for word"},
			{Name: "plan_patch_retry", Text: "asks again, with what was wrong"},
			{Name: "plan_patch_retry.zh", Text: "the same in Chinese"},
			{Name: "full_plan", Text: "asks for the whole plan, when patches failed"},
			{Name: "full_plan.zh", Text: "the same in Chinese"},
		},
		Chinese: []string{"replan.before", "replan.after"},
		First:   "replan", Retry: "plan_patch_retry", FullPlan: "full_plan",
	}
}
