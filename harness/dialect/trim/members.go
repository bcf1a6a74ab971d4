package trim

import "replanbench/harness/outcome"

// members lists those of outcomes.
func members() outcome.Members {
	messages := outcome.Messages()
	messages.Required = outcome.Always
	return outcome.Members{outcome.At(), messages, outcome.Tokens(), outcome.Dropped(), outcome.Cut()}
}
