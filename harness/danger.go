package harness

import "slices"

// Danger is one demand of a reply on finished work, whether it was refused, put
// right silently, or met.
type Danger struct {
	Kind string `json:"kind"` // see DangerKinds
	Step string `json:"step"` // as the plan spells its id
}

// The kinds of danger.
const (
	DangerEdit    = "edit"
	DangerRemoval = "removal"
	DangerReuse   = "reuse"
	DangerRewrite = "rewrite"
)

// DangerKinds lists what a reply can ask of finished work.
func DangerKinds() []Term {
	return []Term{
		{DangerEdit, "an update of a finished step"},
		{DangerRemoval, "a removal of a finished step, or a whole plan without it"},
		{DangerReuse, "a new step under the id of a finished one"},
		{DangerRewrite, "a whole plan that says something else of a finished step"},
	}
}

// AddDangers adds dangers to a list that has each one once.
func AddDangers(to []Danger, list ...Danger) []Danger {
	for _, d := range list {
		if !slices.Contains(to, d) {
			to = append(to, d)
		}
	}
	return to
}
