package simulate

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// The documented incident: the figures of a run that ended because one search
// result filled the context eight times over. They are all that is known of it.
const (
	incidentMessages  = 6
	incidentTokens    = 265_759
	IncidentMaxTokens = 32_768
)

// Incident is a reconstruction that meets these figures, whose texts are made up.
// It rebuilds the incident for a tokenizer: a system prompt, the replan
// constraints, the plan, a user message, a tool call, and the search result
// that is as large as the documented total asks for.
func Incident(tok tokens.Tokenizer) []history.Message {
	messages := []history.Message{
		{
			Role: history.System, Tag: history.TagSystemPrompt,
			Content: "You are a coding agent. Work through the plan step by step. Use the tools; never guess file contents.",
		},
		{
			Role: history.User, Tag: history.TagConstraints,
			Content: "Replan rules: one list per step id; done steps stay as they are; at most 8 steps.",
		},
		{Role: history.Assistant, Tag: history.TagPlan, Content: incidentPlan},
		{Role: history.User, Content: "Step s2 failed: the handler still imports the old client. Find every use of it and " +
			"replan."},
		{Role: history.Assistant, Calls: []history.Call{{ID: "call_1", Raw: jsontext.Value(
			`{"id":"call_1","type":"function","function":{"name":"search","arguments":"{\"pattern\":\"OldClient\",\"path\":\".\"}"}}`)}}},
		{Role: history.Tool, CallID: "call_1", Tag: history.TagToolResult},
	}
	rest := history.Count(messages, tok).Total
	messages[incidentMessages-1].Content = searchResult(tok, incidentTokens-rest)
	return messages
}

const incidentPlan = `# Replace the old client
- [x] s1: list the packages that import it
- [ ] s2: move the handler to the new client (needs s1)
- [ ] s3: move the workers to the new client (needs s1)
- [ ] s4: delete the old client (needs s2, s3)
- [ ] s5: run all tests (needs s4)`

// searchResult makes the output of a search that costs exactly so many tokens:
// as many lines as fit, and then words of one token each.
func searchResult(tok tokens.Tokenizer, want int) string {
	line := func(i int) string {
		return fmt.Sprintf("services/handler_%03d/client.go:%d: c := legacy.NewOldClient(ctx, cfg.Endpoint)\n", i%700,
			10+i%90)
	}
	var lines strings.Builder
	left := want
	for i := 0; ; i++ {
		// A line begins with a letter and ends with its newline, so that
		// counts of lines add up.
		n := tok.Count(line(i))
		if n > left {
			break
		}
		left -= n
		lines.WriteString(line(i))
	}
	return tokens.Exactly(tok, want, lines.String()+"matches")
}
