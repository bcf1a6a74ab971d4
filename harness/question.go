package harness

import "github.com/go-json-experiment/json/jsontext"

// Question is what a run asks a model next.
type Question struct {
	Kind QuestionKind
	Plan jsontext.Value // the plan so far; nil while there is none
	Step string         // the id of the step that the question is about; "" is none
	// Told holds the results and corrections since the last reply, for the model.
	Told []string
	Why  *Refusal // what refused the last reply; nil if nothing did
}

// QuestionKind is the kind of a question.
type QuestionKind string

// The questions of a run.
const (
	AskPlan   QuestionKind = "plan"   // for a whole plan
	AskStep   QuestionKind = "step"   // for the next action in a step
	AskReplan QuestionKind = "replan" // for a change of the plan
)

// Answer gets the reply to a question. It reports false where no reply can be had.
type Answer func(Question) (Reply, bool)
