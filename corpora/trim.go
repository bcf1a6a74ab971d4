package corpora

import (
	"slices"
	"strings"

	"replanbench/harness/history"
)

// Trim describes how a policy trimmed a prompt.
type Trim struct {
	Policy    string `json:"policy"`
	Budget    int    `json:"budget"` // in tokens
	Tokenizer string `json:"tokenizer,omitzero"`
	Before    int    `json:"before"` // tokens of the untrimmed prompt
	After     int    `json:"after"`  // tokens of the sent prompt; 0 if the policy cannot make it fit
	// Overflow is Before divided by Budget. A prompt above 1 does not fit.
	Overflow float64 `json:"overflow"`
	// Lost are the dropped or cut messages of the untrimmed prompt.
	Lost []history.Fate `json:"lost,omitempty"`
}

// Name lists the tags, or else roles, of the dropped or cut messages, each once. It returns
// "nothing" for a prompt that was sent whole.
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

// Class returns the class of the overflow in percent of the budget.
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
