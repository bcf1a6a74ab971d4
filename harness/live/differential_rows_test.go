package live

import (
	"fmt"
	"net/http"
	"strings"
)

// row is a response, the class of its failure ("" for a reply), and why the client and
// the library differ on it.
type row struct {
	name string
	response
	class Class
	why   string
}

func differential() (rows []row) {
	for _, list := range [][]row{
		contentRows(), bodyRows(), statusRows(), typeRows(), streamRows(), eventRows(),
		responsesRows(),
	} {
		rows = append(rows, list...)
	}
	return rows
}

func wholeChat(name, body string, class Class, why string) row {
	return row{name, response{Chat, false, false, http.StatusOK, jsonType, body}, class, why}
}

func chatStream(name, body string, class Class, why string) row {
	return row{name, response{Chat, true, false, http.StatusOK, streamType, body}, class, why}
}

// message is a chat completion with these members of its message.
func message(members string) string {
	return `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",` + members + `}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`
}

// deltas is a stream whose events have these members in their deltas.
func deltas(members ...string) string {
	var b strings.Builder
	for _, m := range members {
		fmt.Fprintf(&b, `data: {"id":"x","choices":[{"index":0,"delta":{%s},"finish_reason":null}]}`+"\n\n", m)
	}
	return b.String()
}

const (
	endOfChat = `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage     = `data: {"id":"x","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}` + "\n\n"
	done      = "data: [DONE]\n\n"
)

func output(items, more string) string {
	return `{"id":"x","object":"response","status":"completed","output":[` + items +
		`],"usage":{"input_tokens":5,"output_tokens":2}` + more + `}`
}

func outputText(text string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + text + `,"annotations":[]}]}`
}

// contentRows sends one content in each of the four forms.
func contentRows() (rows []row) {
	for _, c := range []struct{ name, json, whole, chunk, responses string }{
		{"text", `"a plan"`, same, same, same},
		{"escapes", `"\u00e9 \n \" \\ \/ \t"`, same, same, same},
		{"a pair", `"\ud83d\ude00"`, same, same, same},
		{"a lone high surrogate", `"\ud800 lone"`, same, same, same},
		{"a lone low surrogate", `"lone \udc00"`, same, same, same},
		{"a high surrogate at the end", `"lone \ud83d"`, same, same, same},
		{"two high surrogates", `"\ud83d\ud83d\ude00"`, doubleHigh, doubleHigh, doubleHigh},
		{"malformed UTF-8", "\"a \xff\xfe b\"", runs, runs, runs},
		{"an encoded surrogate", "\"a \xed\xa0\x80 b\"", runs, runs, runs},
		{"NUL", `"a\u0000b"`, same, same, same},
		{"U+2028", `"a` + "\u2028" + `b"`, same, same, same},
		{"JSON", `"{\"update_steps\":[]}"`, same, same, same},
		{"empty", `""`, same, same, same},
		{"spaces", `"  "`, same, same, same},
		{"null", `null`, same, same, same},
		{"a number", `5`, same, same, same},
		{"an object", `{"a":1}`, same, same, same},
		{
			"a list of texts", `[{"type":"text","text":"a "},{"type":"text","text":"plan"}]`, listOfParts, listOfParts,
			listOfParts,
		},
		{
			"a list with a thought", `[{"type":"thinking","thinking":"so"},{"type":"text","text":"a plan"}]`, listOfParts,
			listOfParts, listOfParts,
		},
		{"an empty list", `[]`, listOfParts, listOfParts, listOfParts},
	} {
		inStream := "data: " + `{"type":"response.completed","response":` + output(outputText(c.json), "") + "}\n\n"
		rows = append(rows,
			wholeChat("content: "+c.name, message(`"content":`+c.json), "", c.whole),
			chatStream("content: "+c.name, deltas(`"role":"assistant","content":`+c.json)+endOfChat+usage+done, "", c.chunk),
			row{
				"output: " + c.name,
				response{Responses, false, false, 200, jsonType, output(outputText(c.json), "")},
				"",
				c.responses,
			},
			row{"output: " + c.name, response{Responses, true, false, 200, streamType, inStream}, "", c.responses},
		)
	}
	return rows
}

func bodyRows() []row {
	good := message(`"content":"a plan"`)
	calls := func(list string) string { return message(`"content":null,"tool_calls":[` + list + `]`) }
	call := func(name, arguments string) string {
		return fmt.Sprintf(`{"id":"t","type":"function","function":{"name":%q,"arguments":%s}}`, name, arguments)
	}
	tool := func(name, body, why string) row {
		return row{name, response{Chat, false, true, 200, jsonType, body}, "", why}
	}
	return []row{
		wholeChat("an empty body", "", BadJSON, same),
		wholeChat("spaces", "  \n", BadJSON, same),
		wholeChat("half an object", good[:len(good)/2], BadJSON, same),
		wholeChat("null", "null", BadJSON, same),
		wholeChat("a string", `"hello"`, BadJSON, same),
		wholeChat("a list", `[`+good+`]`, BadJSON, same),
		wholeChat("a number", `1`, BadJSON, same),
		wholeChat("a page", `<html></html>`, BadJSON, same),
		wholeChat("spaces around", " \n"+good+"\n ", "", same),
		wholeChat("text after the object", good+" and more", BadJSON, trailing),
		wholeChat("two objects", good+good, BadJSON, trailing),
		wholeChat("a byte-order mark", "\uFEFF"+good, "", mark),
		wholeChat("a stream", deltas(`"content":"a plan"`)+endOfChat+done, BadJSON, same),
		wholeChat("control characters", message("\"content\":\"a\x01b\""), BadJSON, same),
		wholeChat("an empty object", `{}`, NoChoices, same),
		wholeChat("no choices", `{"choices":[]}`, NoChoices, same),
		wholeChat("null choices", `{"choices":null}`, NoChoices, same),
		wholeChat("choices that are an object", `{"choices":{"0":{"message":{"content":"a"}}}}`, NoChoices, same),
		wholeChat("choices that are a text", `{"choices":"a plan"}`, NoChoices, same),
		wholeChat("choices of numbers", `{"choices":[5]}`, NoChoices, same),
		wholeChat("an error", `{"error":{"message":"busy","code":"server_error"}}`, ServerError, same),
		wholeChat("an error as text", `{"error":"busy"}`, ServerError, same),
		wholeChat("an error without quota", `{"error":{"message":"m","code":"insufficient_quota"}}`, Quota, same),
		wholeChat("an error with a number", `{"error":{"message":"m","code":429}}`, RateLimit, same),
		wholeChat("an error of the prompt", `{"error":{"message":"m","code":"context_length_exceeded"}}`, ContextLength,
			same),
		wholeChat("a null error", strings.Replace(good, `{"id"`, `{"error":null,"id"`, 1), "", same),
		wholeChat("duplicate members", `{"choices":[],`+good[1:], NoChoices, same),
		wholeChat("unknown members", `{"more":{"a":[1,2.5e300]},`+good[1:], "", same),
		wholeChat("no message", `{"choices":[{"finish_reason":"stop"}]}`, "", same),
		wholeChat("no finish reason", `{"choices":[{"message":{"content":"a"}}]}`, "", same),
		wholeChat("another finish reason", strings.Replace(good, `"stop"`, `"length"`, 1), "", same),
		wholeChat("no usage", `{"choices":[{"finish_reason":"stop","message":{"content":"a"}}]}`, "", same),
		wholeChat("negative counts", strings.Replace(good, `"prompt_tokens":5`, `"prompt_tokens":-5`, 1), "", implausible),
		wholeChat("huge counts", strings.Replace(good, `"prompt_tokens":5`, `"prompt_tokens":1e300`, 1), "", implausible),
		wholeChat("half of the counts", strings.Replace(good, `"completion_tokens":2,`, "", 1), "", implausible),
		wholeChat("two choices", strings.Replace(good, `"choices":[`,
			`"choices":[{"index":1,"finish_reason":"length","message":{"content":"b"}},`, 1), "", same),
		wholeChat("a refusal", message(`"content":null,"refusal":"no"`), "", same),
		wholeChat("reasoning", message(`"content":"a","reasoning_content":"so"`), "", same),
		wholeChat("an unexpected call", calls(call("f", `"{}"`)), "", same),
		tool("a call", calls(call(toolName, `"{\"a\":1}"`)), same),
		tool("arguments as an object", calls(call(toolName, `{"a":1}`)), same),
		tool("the second of two calls", calls(call("f", `"{}"`)+","+call(toolName, `"{}"`)), same),
		tool("text instead of a call", good, same),
		tool("arguments with a lone surrogate", calls(call(toolName, `"\ud800"`)), same),
	}
}

func statusRows() (rows []row) {
	good, bad := message(`"content":"a plan"`), `{"error":{"message":"m","type":"t","code":"c"}}`
	for _, s := range []struct {
		status int
		body   string
		class  Class
		why    string
	}{
		{201, good, "", same},
		{202, good, "", same},
		{203, good, "", same},
		{206, good, "", same},
		{299, good, "", same},
		{204, "", BadJSON, same},
		{301, good, Redirect, redirected},
		{302, good, Redirect, redirected},
		{307, good, Redirect, redirected},
		{308, good, Redirect, redirected},
		{304, good, Redirect, redirected},
		{400, bad, BadRequest, same},
		{400, "", BadRequest, same},
		{401, bad, Unauthorized, same},
		{403, good, Unauthorized, same},
		{404, "<html>", NotFound, same},
		{408, bad, Timeout, same},
		{409, bad, ServerError, same},
		{413, bad, BadRequest, same},
		{418, "[1]", BadRequest, same},
		{422, `{"error":"x"}`, BadRequest, same},
		{425, bad, ServerError, same},
		{429, bad, RateLimit, same},
		{429, `{"error":{"code":"insufficient_quota"}}`, Quota, same},
		{429, "slow", RateLimit, same},
		{500, bad, ServerError, same},
		{502, "<html>", ServerError, same},
		{503, "", ServerError, same},
		{529, "null", ServerError, same},
		{400, `{"error":{"code":"context_length_exceeded"}}`, ContextLength, same},
		{600, bad, ServerError, same},
	} {
		for _, stream := range []bool{false, true} {
			r := row{
				fmt.Sprintf("status %d", s.status),
				response{Chat, stream, false, s.status, jsonType, s.body},
				s.class,
				s.why,
			}
			if stream && s.class == "" {
				r.kind, r.body = streamType, deltas(`"content":"a plan"`)+endOfChat+done
			}
			if stream && s.class == Redirect {
				continue
			}
			if stream && s.status == http.StatusNoContent {
				r.class = StreamCut
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func typeRows() (rows []row) {
	good := message(`"content":"a plan"`)
	events := deltas(`"content":"a plan"`) + endOfChat + usage + done
	for _, k := range []struct {
		kind         string
		class        Class
		whole, event string
	}{
		{"application/json; charset=utf-8", "", same, same},
		{"APPLICATION/JSON", "", same, same},
		{"application/problem+json", "", same, same},
		{"application/vnd.api+json; x=1", "", same, same},
		{"text/event-stream; charset=utf-8", "", eitherForm, same},
		{"text/html", WrongType, same, streamLabel},
		{"text/plain", WrongType, same, streamLabel},
		{"", WrongType, same, streamLabel},
		{"application/octet-stream", WrongType, same, streamLabel},
		{";;", WrongType, same, streamLabel},
	} {
		rows = append(rows,
			row{"type " + k.kind, response{Chat, false, false, 200, k.kind, good}, k.class, k.whole},
			row{"type " + k.kind, response{Chat, true, false, 200, k.kind, events}, k.class, k.event},
		)
	}
	return rows
}

// streamRows are about how events are written.
func streamRows() []row {
	good := deltas(`"content":"a "`, `"content":"plan"`) + endOfChat + usage + done
	crlf := strings.ReplaceAll(good, "\n", "\r\n")
	return []row{
		chatStream("a stream", good, "", same),
		chatStream("line feeds of Windows", crlf, "", same),
		chatStream("carriage returns", strings.ReplaceAll(good, "\n", "\r"), "", lastEvent),
		chatStream("a byte-order mark", "\uFEFF"+good, "", mark),
		chatStream("comments", ": ping\n\n"+strings.ReplaceAll(good, "\n\n", "\n: ping\n\n"), "", same),
		chatStream("names of events", strings.ReplaceAll(good, "data: ", "event: message\ndata: "), "", same),
		chatStream("ids", strings.ReplaceAll(good, "data: ", "id: 1\nretry: 5\ndata: "), "", same),
		chatStream("no space", strings.ReplaceAll(good, "data: ", "data:"), "", same),
		chatStream("without [DONE]", strings.TrimSuffix(good, done), "", same),
		chatStream("without the last empty line", strings.TrimSuffix(deltas(`"content":"a"`)+endOfChat, "\n"), "", lastEvent),
		chatStream("without the last line feed", strings.TrimSuffix(deltas(`"content":"a"`)+endOfChat, "\n\n"), "",
			lastEvent),
		chatStream("events after [DONE]", good+deltas(`"content":"more"`), "", same),
		chatStream("an object over two lines", "data: {\"choices\":[{\"index\":0,\ndata: "+
			"\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n", "", same),
		chatStream("an empty stream", "", StreamCut, same),
		chatStream("only [DONE]", done, StreamCut, same),
		chatStream("only comments", ": ping\n\n", StreamCut, same),
		chatStream("cut between events", deltas(`"content":"a"`), StreamCut, cutStream),
		chatStream("cut, with [DONE]", deltas(`"content":"a"`)+done, StreamCut, cutStream),
		chatStream("cut in an event", good[:len(good)/3], BadJSON, cutStream),
		chatStream("usage alone", usage+done, NoChoices, same),
		chatStream("an event that is a text", "data: hello\n\n"+good, BadJSON, same),
		chatStream("an event that is a string", "data: \"hello\"\n\n"+good, BadJSON, same),
		chatStream("an event that is a list", "data: []\n\n"+good, BadJSON, same),
		chatStream("half an object", "data: {\"choices\":[\n\n"+good, BadJSON, same),
		chatStream("a null event", "data: null\n\n"+good, "", same),
		chatStream("an empty object", "data: {}\n\n"+good, "", same),
		chatStream("a whole answer", message(`"content":"a plan"`), "", eitherForm),
		chatStream("an error as JSON", `{"error":{"message":"m","code":"rate_limit_exceeded"}}`, RateLimit, same),
		chatStream("a page", "<html>", StreamCut, same),
		{"a whole answer as JSON", response{Chat, true, false, 200, jsonType, message(`"content":"a plan"`)}, "", eitherForm},
		{"a whole answer as JSON with a lone surrogate", response{
			Chat, true, false, 200, jsonType,
			message(`"content":"\ud800"`),
		}, "", eitherForm},
		{"JSON without choices", response{Chat, true, false, 200, jsonType, `{}`}, NoChoices, same},
		{"a stream as JSON", response{Chat, true, false, 200, jsonType, good}, "", same},
	}
}

// eventRows are about what events contain.
func eventRows() []row {
	good := deltas(`"content":"a plan"`) + endOfChat + done
	errorEvent := func(e string) string { return deltas(`"content":"a"`) + "data: {\"error\":" + e + "}\n\n" }
	called := func(list ...string) string {
		for i, c := range list {
			list[i] = `"tool_calls":[` + c + `]`
		}
		return deltas(list...) + strings.Replace(endOfChat, "stop", "tool_calls", 1) + done
	}
	second := strings.ReplaceAll(deltas(`"content":"b"`), `"index":0`, `"index":1`)
	return []row{
		chatStream("an error", errorEvent(`{"message":"m","code":"server_error"}`), ServerError, same),
		chatStream("an error of the rate", errorEvent(`{"message":"m","code":"rate_limit_exceeded"}`), RateLimit, same),
		chatStream("an error by type", errorEvent(`{"message":"m","type":"rate_limit_error"}`), RateLimit, same),
		chatStream("an error by number", errorEvent(`{"message":"m","code":502}`), ServerError, same),
		chatStream("an error of the quota", errorEvent(`{"message":"m","code":"insufficient_quota"}`), Quota, same),
		chatStream("an error of the key", errorEvent(`{"message":"m","code":"invalid_api_key"}`), Unauthorized, same),
		chatStream("an error of the model", errorEvent(`{"message":"m","code":"model_not_found"}`), NotFound, same),
		chatStream("an error of the request", errorEvent(`{"message":"m","type":"invalid_request_error"}`), BadRequest, same),
		chatStream("an error of the prompt", errorEvent(`{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}`), ContextLength, same),
		chatStream("an error of time", errorEvent(`{"message":"m","code":"timeout"}`), Timeout, same),
		chatStream("an overloaded endpoint", errorEvent(`{"message":"m","type":"overloaded_error"}`), ServerError, same),
		chatStream("an unknown error", errorEvent(`{"message":"m","code":"odd"}`), ServerError, same),
		chatStream("an error as text", errorEvent(`"busy"`), ServerError, same),
		chatStream("a null error", strings.ReplaceAll(good, `{"id"`, `{"error":null,"id"`), "", nullError),
		chatStream("choices that are an object", "data: {\"choices\":{\"0\":{}}}\n\n"+good, NoChoices, notAList),
		chatStream("choices that are a text", "data: {\"choices\":\"x\"}\n\n"+good, NoChoices, notAList),
		chatStream("null choices", "data: {\"choices\":null}\n\n"+good, "", same),
		chatStream("a split pair", deltas(`"content":"\ud83d"`, `"content":"\ude00"`)+endOfChat, "", splitPair),
		chatStream("a pair that is not one", deltas(`"content":"\ud83d"`, `"content":"x"`)+endOfChat, "", same),
		chatStream("another choice before", second+good, "", same),
		chatStream("only another choice", second+strings.Replace(endOfChat, `"index":0`, `"index":1`, 1), StreamCut,
			manyChoices),
		chatStream("a refusal", deltas(`"refusal":"n"`, `"refusal":"o"`)+endOfChat, "", same),
		chatStream("reasoning", deltas(`"reasoning_content":"so"`, `"content":"a"`)+endOfChat, "", same),
		chatStream("nothing", endOfChat, "", same),
		chatStream("the finish reason twice", good[:len(good)-len(done)]+endOfChat, "", same),
		chatStream("counts in every event", usage+good+usage, "", same),
		{"a call", response{
			Chat, true, true, 200, streamType,
			called(`{"index":0,"id":"t","function":{"name":"edit_plan","arguments":""}}`,
				`{"index":0,"function":{"arguments":"{\"a\""}}`, `{"index":0,"function":{"arguments":":1}"}}`),
		}, "", same},
		{"two calls", response{
			Chat, true, true, 200, streamType,
			called(`{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}`,
				`{"index":1,"id":"u","function":{"name":"edit_plan","arguments":"{}"}}`),
		}, "", same},
		{"a call with a lone surrogate", response{
			Chat, true, true, 200, streamType,
			called(`{"index":0,"id":"t","function":{"name":"edit_plan","arguments":"\ud800"}}`),
		}, "", same},
		{"an unexpected call", response{
			Chat, true, false, 200, streamType,
			called(`{"index":0,"id":"t","function":{"name":"f","arguments":"{}"}}`),
		}, "", same},
	}
}

func responsesRows() []row {
	good := output(outputText(`"a plan"`), "")
	whole := func(name, body string, class Class, why string) row {
		return row{name, response{Responses, false, false, 200, jsonType, body}, class, why}
	}
	stream := func(name, body string, class Class, why string) row {
		return row{name, response{Responses, true, false, 200, streamType, body}, class, why}
	}
	event := func(name, members string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, members)
	}
	completed := event("response.completed", `"response":`+good)
	call := `{"type":"function_call","name":"edit_plan","call_id":"c","arguments":"{\"a\":1}"}`
	failed := strings.Replace(good, "completed", "failed", 1)
	return []row{
		whole("an empty object", `{}`, NoChoices, same),
		whole("output that is an object", `{"status":"completed","output":{}}`, NoChoices, same),
		whole("null output", `{"status":"completed","output":null}`, NoChoices, same),
		whole("no output", output("", ""), "", same),
		whole("two messages", output(outputText(`"a "`)+","+outputText(`"plan"`), ""), "", same),
		whole("reasoning", output(`{"type":"reasoning","summary":[{"type":"summary_text","text":"so"}]},`+outputText(`"a"`),
			""), "", same),
		whole("a refusal", output(`{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`, ""), "", same),
		whole("incomplete", output(outputText(`"a"`), `,"incomplete_details":{"reason":"max_output_tokens"}`), "", same),
		whole("filtered", output(outputText(`"a"`), `,"incomplete_details":{"reason":"content_filter"}`), "", same),
		whole("null details", output(outputText(`"a"`), `,"incomplete_details":null,"error":null`), "", same),
		whole("an unknown item", output(`{"type":"odd"},`+outputText(`"a"`), ""), "", same),
		whole("failed", failed, ServerError, failedStatus),
		whole("failed by the rate", strings.Replace(failed, `{"id"`,
			`{"error":{"code":"rate_limit_exceeded","message":"m"},"id"`, 1), RateLimit, failedStatus),
		whole("an error", `{"error":{"code":"invalid_api_key","message":"m"}}`, Unauthorized, same),
		whole("a byte-order mark", "\uFEFF"+good, "", mark),
		{"a call", response{Responses, false, true, 200, jsonType, output(call, "")}, "", same},
		{"a call in a stream", response{Responses, true, true, 200, streamType, event("response.completed", `"response":`+
			output(call, ""))}, "", same},
		stream("a stream", event("response.created",
			`"response":{"status":"in_progress"}`)+event("response.output_text.delta", `"delta":"a"`)+completed, "", same),
		stream("incomplete", event("response.incomplete", `"response":`+
			output(outputText(`"a"`), `,"incomplete_details":{"reason":"max_output_tokens"}`)), "", same),
		stream("cut", event("response.output_text.delta", `"delta":"a"`), StreamCut, same),
		stream("failed", event("response.failed", `"response":`+
			strings.Replace(failed, `{"id"`, `{"error":{"code":"server_error","message":"m"},"id"`, 1)), ServerError,
			failedStatus),
		stream("an error event", event("error", `"code":"rate_limit_exceeded","message":"m"`), RateLimit, same),
		stream("an error event in an object", event("error", `"error":{"code":"invalid_api_key","message":"m"}`),
			Unauthorized, same),
		stream("a byte-order mark", "\uFEFF"+completed, "", same),
		stream("without the last empty line", strings.TrimSuffix(completed, "\n"), "", lastEvent),
		stream("a whole answer", good, "", eitherForm),
		{"a whole answer as JSON", response{Responses, true, false, 200, jsonType, good}, "", eitherForm},
	}
}
