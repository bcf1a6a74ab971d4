package session

import "testing"

// TestAboutSummary distinguishes requests for a summary from notices that contain one.
func TestAboutSummary(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Please provide a concise summary of our conversation so far.":                       true,
		"Summarize what was done.":                                                           true,
		"You are performing a context checkpoint compaction. Create a handoff for the next.": true,
		"<task-notification><summary>Agent completed.</summary></task-notification>":         false,
		"Continue with the task.":                                                            false,
	} {
		if got := aboutSummary.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
