package history

import (
	"errors"
	"fmt"
	"strings"

	"replanbench/harness"
)

// Fate is what became of one message.
type Fate struct {
	Index  int    `json:"index"` // in the input
	Role   Role   `json:"role"`
	Tag    string `json:"tag,omitzero"`
	Before int    `json:"before"` // tokens
	After  int    `json:"after"`  // tokens; 0 for a dropped message
	Action Action `json:"action"`
	By     string `json:"by,omitzero"` // the step that dropped it or cut it last
}

// Action is what was done to a message.
type Action string

// The actions.
const (
	Kept       Action = "kept"
	WasCut     Action = "cut"
	WasDropped Action = "dropped"
)

// Result is a trimmed history and the report of what was kept, cut and lost.
type Result struct {
	Messages      []Message
	Before, After int   // tokens
	Dropped       []int // indices of the input, rising
	Cut           []harness.Cut
	Fates         []Fate // one for each message of the input
}

// CannotFit is the error of a policy that claims to fit where what it may not
// drop is too large.
type CannotFit struct {
	Max    int
	Needed int    // tokens of what must stay
	Large  []Fate // what must stay, largest first
}

func (e *CannotFit) Error() string {
	var parts []string
	for _, f := range e.Large[:min(3, len(e.Large))] {
		parts = append(parts, fmt.Sprintf("%s with %d", f.where(), f.Before))
	}
	if more := len(e.Large) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("what must stay takes %d tokens and max_tokens is %d: %s (raise max_tokens, or put clamp or "+
		"section_caps before this step)",
		e.Needed, e.Max, strings.Join(parts, ", "))
}

// where names a message for people: "message 5 (tool, tool_result)".
func (f Fate) where() string {
	if f.Tag == "" {
		return fmt.Sprintf("message %d (%s)", f.Index, f.Role)
	}
	return fmt.Sprintf("message %d (%s, %s)", f.Index, f.Role, f.Tag)
}

// IsCannotFit reports whether an error of [Trim] says that the history
// cannot fit, and returns it.
func IsCannotFit(err error) (*CannotFit, bool) {
	var e *CannotFit
	ok := errors.As(err, &e)
	return e, ok
}

// Trimmer applies the steps of a policy to a history. maxTokens is at least 1. The
// history is not changed. The only error is *CannotFit.
type Trimmer func(p Policy, h *Counted, maxTokens int) (*Result, error)
