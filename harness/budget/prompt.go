package budget

// Use is what a prompt takes of a budget, and what a policy would have sent in
// its place.
type Use struct {
	Tokens      int
	Utilisation float64   // of the budget: 1 is full
	Sections    []Section // by tag
	Trimmed     *Result   // nil if the policy says that it cannot fit
}

// Measure measures the prompt of a call.
func Measure(messages []Message, tok Tokenizer, policy Policy, maxTokens int) Use {
	h := Count(messages, tok)
	u := Use{Tokens: h.Total, Utilisation: h.Utilisation(maxTokens), Sections: h.Sections()}
	if r, err := policy.Trim(h, maxTokens); err == nil {
		u.Trimmed = r
	}
	return u
}
