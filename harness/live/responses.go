package live

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tidwall/gjson"
)

// response makes one exchange by the interface responses.
func (c *Client) response(ctx context.Context, r Request) (Answer, error) {
	body, err := r.responses()
	if err != nil {
		return Answer{}, err
	}
	if !r.Params.Stream {
		res, err := c.ask(ctx, responsesPath, body)
		if err != nil {
			return Answer{}, err
		}
		return r.responded(res)
	}
	s := c.events(ctx, responsesPath, body)
	defer s.Close()
	events := 0
	for s.Next() {
		events++
		switch event := s.Current(); textAt(event.Result, "type") {
		case "response.completed", "response.incomplete", "response.failed":
			return r.responded(event.Get("response"))
		}
	}
	if s.Err() != nil {
		return Answer{}, s.Err()
	}
	return Answer{}, &Failure{Class: StreamCut, Status: http.StatusOK, Message: fmt.Sprintf("the stream ended after %d events without the whole response", events)}
}

// responded is the answer that a response holds.
func (r Request) responded(res gjson.Result) (Answer, error) {
	a := Answer{PromptTokens: -1, ReplyTokens: -1}
	a.usage(res.Get("usage"), "input_tokens", "output_tokens")
	switch {
	case textAt(res, "status") == "failed":
		return a, &Failure{Class: ServerError, Status: http.StatusOK, Message: "the response failed: " + textAt(res, "error.message")}
	case !res.Get("output").IsArray():
		return a, &Failure{Class: NoChoices, Status: http.StatusOK, Message: "the answer has no output"}
	}
	text, refusal := "", ""
	var calls []called
	for _, item := range res.Get("output").Array() {
		if textAt(item, "type") == "function_call" {
			calls = append(calls, called{textAt(item, "name"), textAt(item, "arguments")})
		}
		for _, part := range item.Get("content").Array() {
			refusal += textAt(part, "refusal")
			if textAt(part, "type") == "output_text" {
				text += textAt(part, "text")
			}
		}
	}
	finish := "stop"
	if reason := textAt(res, "incomplete_details.reason"); reason == "max_output_tokens" {
		finish = "length"
	} else if reason != "" {
		finish = reason
	}
	a.take(r, text, refusal, finish, calls)
	return a, nil
}
