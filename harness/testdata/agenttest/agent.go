// Package agenttest holds a small agent with bugs that can be switched on, for the
// tests of what drives agents. It speaks chat completions, streamed; agent.mjs is
// its like in JavaScript and speaks Anthropic's messages, unstreamed.
package agenttest

import (
	"bufio"
	"bytes"
	_ "embed" // the profile and the agent in JavaScript
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Profile is the profile of both agents.
//
//go:embed profile.yaml
var Profile []byte

// Node is the agent in JavaScript.
//
//go:embed agent.mjs
var Node []byte

// Bugs lists the bugs, with the check, or the end of one, that finds each.
func Bugs() map[string]string {
	return map[string]string{
		"drops-done":        "done items vanish when the list is written",
		"appends":           "a rewrite is appended to the list",
		"any-status":        "a status that does not exist is stored",
		"blank":             "items without a content are stored",
		"duplicates":        "one content twice is stored",
		"refuses-empty":     "an empty list is refused",
		"error-clears":      "a refused call clears the list",
		"no-result":         "a refused call gets no result",
		"wrong-id":          "results name another call",
		"half-call":         "truncated arguments are executed as far as they go",
		"silent":            "it ends without a message when the server fails",
		"hangs":             "it waits for ever when the connection breaks",
		"loops":             "it sends more requests when the model is done",
		"gives-up":          "text before a call is more than it can take",
		"exit-code":         "a session that succeeded ends with 1",
		"forgets":           "it forgets the plan when the window is full",
		"assistant-first":   "its request begins with an assistant message",
		"cuts":              "items after the second are cut",
		"carries-out-twice": "it executes a call twice",
		"stops":             "it ends without a message when a call comes for the fifth time",
	}
}

type message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Calls   []*call `json:"tool_calls,omitempty"`
	CallID  string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type item map[string]any

type agent struct {
	bug      string
	messages []message
	todos    []item
	last     string // the arguments of the last call
	times    int    // how often it came in a row
	reminds  bool   // the plan is in a message behind the results, and not in the results
}

// Main runs the agent with a bug ("" is none) and returns its exit code. With SMALL_AGENT_REMINDS it shows its plan in
// reminders.
func Main(bug string) int {
	a := &agent{bug: bug, messages: []message{{Role: "user", Content: "fix the tests"}}}
	a.reminds = os.Getenv("SMALL_AGENT_REMINDS") != ""
	if bug == "assistant-first" {
		a.messages = append([]message{{Role: "assistant", Content: "Hello."}}, a.messages...)
	}
	for turn, failures := 0, 0; turn < 1000; turn++ {
		answer, used, err := a.ask()
		switch {
		case err != nil && bug == "silent":
			fmt.Println("New packages are available.\nCannot read properties of undefined (reading 'message')")
			return 0
		case err != nil && bug == "hangs" && !strings.Contains(err.Error(), "status"):
			time.Sleep(time.Hour)
		case err != nil && failures < 2:
			failures++
			continue
		case err != nil:
			fmt.Println("the model cannot be reached:", err)
			return 1
		}
		failures = 0
		if answer.Calls == nil {
			fmt.Println(answer.Content)
			if bug == "loops" {
				continue
			}
			if bug == "exit-code" {
				return 1
			}
			return 0
		}
		if bug == "gives-up" && answer.Content != "" {
			fmt.Println("unexpected text")
			return 1
		}
		if bug == "stops" && a.repeats(answer) == 5 {
			return 0
		}
		a.carryOut(answer)
		if used > 100_000 {
			a.compact()
		}
	}
	return 1
}

// compact makes the history shorter.
func (a *agent) compact() {
	summary := "What was done before was summarised."
	if a.bug != "forgets" {
		plan, _ := json.Marshal(a.todos)
		summary += " The plan: " + string(plan)
	}
	a.messages = []message{{Role: "user", Content: summary}}
}

// repeats counts how often a call came in a row.
func (a *agent) repeats(answer message) int {
	if text := answer.Calls[0].Function.Arguments; text != a.last {
		a.last, a.times = text, 0
	}
	a.times++
	return a.times
}

func (a *agent) carryOut(answer message) {
	a.messages = append(a.messages, answer)
	for _, c := range answer.Calls {
		result, err := a.write(c)
		if err != nil {
			result = "Error: " + err.Error()
			if a.bug == "error-clears" {
				a.todos = nil
			}
			if a.bug == "no-result" {
				continue
			}
		}
		a.keep()
		id := c.ID
		if a.bug == "wrong-id" {
			id += "x"
		}
		a.messages = append(a.messages, message{Role: "tool", Content: result, CallID: id})
		if a.bug == "carries-out-twice" {
			again := *c
			again.ID += "-again"
			a.messages = append(a.messages, message{Role: "assistant", Calls: []*call{&again}},
				message{Role: "tool", Content: result, CallID: again.ID})
		}
	}
	if a.reminds {
		plan, _ := json.Marshal(map[string]any{"todos": a.todos})
		a.messages = append(a.messages, message{Role: "user", Content: "<reminder>\n" + string(plan) + "\n</reminder>"})
	}
}

// write is the plan tool.
func (a *agent) write(c *call) (string, error) {
	if c.Function.Name == "look" {
		return "There is nothing to see.", nil
	}
	if c.Function.Name != "set_todos" {
		return "", errors.New("there is no tool " + c.Function.Name)
	}
	var in map[string]*[]item // a struct would also take Todos, with a capital
	err := json.NewDecoder(strings.NewReader(c.Function.Arguments)).Decode(&in)
	todos := in["todos"]
	if err != nil && a.bug == "half-call" {
		todos, err = &[]item{}, nil
	} else if len(in) != 1 {
		todos = nil
	}
	if err != nil || todos == nil {
		return "", errors.New("the arguments hold no todos")
	}
	if len(*todos) == 0 && a.bug == "refuses-empty" {
		return "", errors.New("the list is empty")
	}
	list, err := a.read(*todos)
	if err != nil {
		return "", err
	}
	if a.bug == "appends" {
		list = append(a.todos, list...)
	}
	if a.bug == "cuts" {
		list = list[:min(2, len(list))]
	}
	a.todos = list
	if a.reminds {
		return "Saved.", nil
	}
	text, _ := json.Marshal(map[string]any{"todos": a.todos})
	return "The plan is now " + string(text), nil
}

// read checks the items of a rewrite.
func (a *agent) read(items []item) ([]item, error) {
	list, contents, active := []item{}, map[string]bool{}, 0
	for _, i := range items {
		content, _ := i["content"].(string)
		status, _ := i["status"].(string)
		for name, v := range i {
			if text, ok := v.(string); strings.Contains(text, "\uFFFD") || !strings.Contains("content status", name) || !ok {
				return nil, errors.New("an item has a member that it should not have: " + name)
			}
		}
		normal := strings.Join(strings.Fields(content), " ")
		switch {
		case normal == "" && a.bug != "blank":
			return nil, errors.New("an item says nothing")
		case !strings.Contains(" pending in_progress completed cancelled ", " "+status+" ") && a.bug != "any-status":
			return nil, errors.New("unknown status " + status)
		case contents[normal] && a.bug != "duplicates":
			return nil, errors.New("an item is there twice")
		}
		if status == "in_progress" {
			active++
		}
		contents[normal] = true
		i["content"] = a.spelt(content, normal)
		if a.bug != "drops-done" || status != "completed" {
			list = append(list, i)
		}
	}
	if active > 1 {
		return nil, errors.New("several items are in progress")
	}
	return list, nil
}

// spelt is a content in the spelling that the list has it in, if it has.
func (a *agent) spelt(content, normal string) string {
	for _, i := range a.todos {
		if old := i["content"].(string); strings.Join(strings.Fields(old), " ") == normal {
			return old
		}
	}
	return strings.TrimSpace(content)
}

// keep writes the plan below HOME.
func (a *agent) keep() {
	file := filepath.Join(os.Getenv("HOME"), ".small", "plan.json")
	_ = os.MkdirAll(filepath.Dir(file), 0o700)
	text, _ := json.Marshal(map[string]any{"todos": append([]item{}, a.todos...)})
	_ = os.WriteFile(file, text, 0o600)
}

// ask asks the model.
func (a *agent) ask() (answer message, used int, err error) {
	var tools any
	_ = json.Unmarshal([]byte(`[{"type":"function","function":{"name":"set_todos","parameters":{"type":"object","properties":{"todos":{"type":"array"}}}}},{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]`), &tools)
	body, _ := json.Marshal(map[string]any{
		"model": os.Getenv("OPENAI_MODEL"), "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": a.messages, "tools": tools,
	})
	request, _ := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer, 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, 0, errors.New("status " + response.Status)
	}
	return readStream(bufio.NewReader(response.Body))
}

// readStream puts the pieces of a stream together.
func readStream(r *bufio.Reader) (answer message, used int, err error) {
	answer.Role = "assistant"
	finished := false
	for {
		line, err := r.ReadString('\n')
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if ok && strings.TrimSpace(data) != "[DONE]" {
			var chunk struct {
				Choices []struct {
					Delta struct {
						Content   string `json:"content"`
						ToolCalls []struct {
							Index int `json:"index"`
							call
						} `json:"tool_calls"`
					} `json:"delta"`
					Finish string `json:"finish_reason"`
				} `json:"choices"`
				Usage struct {
					Prompt float64 `json:"prompt_tokens"`
				} `json:"usage"`
			}
			if err := json.Unmarshal([]byte(data), &chunk); err != nil {
				return answer, 0, fmt.Errorf("a chunk cannot be read: %w", err)
			}
			used = max(used, int(chunk.Usage.Prompt))
			for _, c := range chunk.Choices {
				finished = finished || c.Finish == "stop" || c.Finish == "tool_calls"
				answer.Content += c.Delta.Content
				for _, piece := range c.Delta.ToolCalls {
					for piece.Index >= len(answer.Calls) {
						answer.Calls = append(answer.Calls, &call{Type: "function"})
					}
					whole := answer.Calls[piece.Index]
					whole.ID += piece.ID
					whole.Function.Name += piece.Function.Name
					whole.Function.Arguments += piece.Function.Arguments
				}
			}
		}
		switch {
		case finished && answer.Content == "" && answer.Calls == nil:
			return answer, 0, errors.New("the answer is empty")
		case err != nil && finished:
			return answer, used, nil
		case err != nil:
			return answer, 0, fmt.Errorf("the answer broke off: %w", err)
		}
	}
}
