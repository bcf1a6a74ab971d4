package defect

import "replanbench/harness/dialect/mutant"

// knobDefects follow other values of knobs than the profile has.
func knobDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("sorts-active-first", "sorts the list by status", under("order=active_first")),
		mutant.New("assigns-ids", "gives ids to items that have none", under("ids=engine")),
		mutant.New("respells-contents", "stores equal contents in the spelling of the reply", under("text=respell")),
		mutant.New("keeps-white-space", "stores white space around contents", under("text=keep")),
		mutant.New("cuts-contents", "cuts contents after 60 characters", under("max_text=60")),
	}
}
