package generate

import (
	_ "embed"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
)

//go:embed traits.json
var table []byte

// row is a trait of the table, which brings tasks and calls. The traits of reply text and shape follow
// from the declaration of a reply.
type row struct {
	generators.Row
	// Graph has tasks as NAME:STATUS>BLOCKERS^PARENT; a status is p, i, c or x.
	Graph string `json:"graph"`
	step         // the first call; a row about replies has none
	Then  []step `json:"then"`
	// Loose reports that the rules leave open what comes of the calls.
	Loose bool `json:"loose"`
	// Limit is the limit of tasks: "reached" allows those that are open, "zero" is invalid.
	Limit string `json:"limit"`
	// Replies are the replies of the case. @body is the reply of the other traits, @many 199 calls.
	Replies []string `json:"replies"`
	// Plan is an invalid plan in place of the graph.
	Plan jsontext.Value `json:"plan"`
	// Nulls writes null for members that the tasks of the graph do not have.
	Nulls bool `json:"nulls"`
	// Fault is what happens to a store during the calls.
	Fault string `json:"fault"`
	// Alone marks rows of which a case has at most one.
	Alone bool `json:"alone"`
}

// step is a call with what must come of it.
type step struct {
	// Send is the call. In it, @A is the id of the task A, @upper the id of the last task in upper case, @last the id of
	// the last created task, and @far one that no created task has. @s is a new subject, @same the subject of the first
	// task, and @long a million characters. @any is a member that changes a task.
	Send jsontext.Value `json:"send"`
	// Want is the rejection of the call: CODE PLACE, or KNOB=VALUE,…:CODE PLACE under one of these values.
	// The first that holds counts. Without one the call is carried out.
	Want  []string `json:"want"`
	Times int      `json:"times"` // 0 is once
}

// steps lists the calls of the row.
func (r row) steps() (list []step) {
	if r.Send == nil {
		return nil
	}
	for _, s := range append([]step{r.step}, r.Then...) {
		list = append(list, slices.Repeat([]step{s}, max(1, s.Times))...)
	}
	return list
}
