package trim

import "replanbench/harness/dialect/outcome"

// members lists the members of outcomes. An engine need not report what it did to the
// messages that it gives.
func members() outcome.Members {
	messages := outcome.Messages()
	messages.Required = outcome.Always
	return outcome.Members{
		outcome.At(), messages, outcome.Optionally(outcome.Tokens()),
		outcome.Optionally(outcome.Dropped()), outcome.Optionally(outcome.Cut()),
	}
}
