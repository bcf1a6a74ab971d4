package planpatch

import (
	"embed"
	"io/fs"

	"replanbench/harness"
	"replanbench/harness/dialect"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts are those that ask for patches. The hardened one has, beside the rules of
// the plain one, a block on changing against removing, with a wrong example and the
// right ones: the cure that a published incident proposed.
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
			{Name: "plan_patch_retry", Text: "asks again, with what was wrong"},
			{Name: "plan_patch_retry.zh", Text: "the same in Chinese"},
			{Name: "full_plan", Text: "asks for the whole plan, when patches failed"},
			{Name: "full_plan.zh", Text: "the same in Chinese"},
		},
		First: "replan", Retry: "plan_patch_retry", FullPlan: "full_plan",
	}
}
