package corpora

import (
	"slices"
	"strings"

	"replanbench/harness/history"
)

// Trim is what a policy did to a prompt before the prompt was sent.
type Trim struct {
	Policy    string `json:"policy"`
	Budget    int    `json:"budget"` // in tokens
	Tokenizer string `json:"tokenizer,omitzero"`
	Before    int    `json:"before"` // tokens of the whole prompt
	After     int    `json:"after"`  // tokens of what was sent; 0 where the policy refused
	// Overflow is Before as a share of Budget. A prompt above 1 does not fit.
	Overflow float64 `json:"overflow"`
	// Lost are the messages of the whole prompt that were dropped or cut.
	Lost []history.Fate `json:"lost,omitempty"`
}

// Name names the messages that were dropped or cut, by tag or else by role, each
// once. It is "nothing" where the whole prompt was sent.
func (t *Trim) Name() string {
	var names []string
	for _, f := range t.Lost {
		name := f.Tag
		if name == "" {
			name = string(f.Role)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Class is the degree of overflow as a class, in per cent of the budget.
func (t *Trim) Class() string {
	switch {
	case t.Overflow <= 1:
		return "0–100 %"
	case t.Overflow <= 2:
		return "100–200 %"
	case t.Overflow <= 4:
		return "200–400 %"
	case t.Overflow <= 8:
		return "400–800 %"
	}
	return "800 % and more"
}
