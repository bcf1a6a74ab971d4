package planpatch

import (
	"embed"

	"replanbench/harness"
	"replanbench/harness/dialect"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts ask for patches. Two pairs differ in one block on changing against removing
// a step, with wrong and right examples: replan and replan.hardened, and replan.before
// and replan.after, which quote the design documents of a published incident.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: []harness.Term{
			{Name: "replan", Text: "requests a patch and states the rules"},
			{Name: "replan.zh", Text: "the same in Chinese"},
			{Name: "replan.hardened", Text: "adds wrong and right examples of updating and removing steps"},
			{Name: "replan.hardened.zh", Text: "the same in Chinese"},
			{Name: "replan.before", Text: "the Chinese prompt of the documents before the fix: states the constraint in one line"},
			{Name: "replan.after", Text: "the Chinese prompt of the documents after the fix: adds the ⚠️ block with ❌ and ✅ " +
				"examples"},
			{Name: "plan_patch_retry", Text: "retries with the reason of the rejection"},
			{Name: "plan_patch_retry.zh", Text: "the same in Chinese"},
			{Name: "full_plan", Text: "requests a full plan after patches failed"},
			{Name: "full_plan.zh", Text: "the same in Chinese"},
		},
		Chinese: []string{"replan.before", "replan.after"},
		First:   "replan", Retry: "plan_patch_retry", FullPlan: "full_plan",
	}
}
