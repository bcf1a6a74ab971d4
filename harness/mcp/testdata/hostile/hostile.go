// Package hostile is a server that breaks the protocol in one way. It is written by hand, because
// the SDK does not let a server do these things.
package hostile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

const tools = `{"tools":[
{"name":"create_task","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},
{"name":"set_status","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"status":{"type":"string"}},"required":["id","status"]}},
{"name":"list_tasks","inputSchema":{"type":"object"}}]}`

// Main serves standard input, in one of these ways: hang, flood, logs, twice, handshake, sampling,
// fork, or "" for none.
func Main(way string) {
	if way == "handshake" {
		os.Exit(3)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 8<<20)
	send := func(m message) {
		data, _ := json.Marshal(m)
		fmt.Printf(`{"jsonrpc":"2.0",%s`+"\n", data[1:])
	}
	var list []map[string]any
	calls := 0
	for in.Scan() {
		var m message
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := message{ID: m.ID}
		switch m.Method {
		case "initialize":
			answer.Result = json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case "tools/list":
			answer.Result = json.RawMessage(tools)
		case "tools/call":
			if calls++; calls > 3 {
				misbehave(way, in, send, m)
			}
			answer.Result = call(m.Params, &list)
		default:
			answer.Result = json.RawMessage(`{}`)
		}
		send(answer)
		if way == "twice" && calls > 1 { // before the last call, so that its answer comes after
			send(answer)
		}
	}
}

// misbehave does what the way says, before a call is answered.
func misbehave(way string, in *bufio.Scanner, send func(message), m message) {
	switch way {
	case "hang":
		time.Sleep(time.Hour)
	case "flood":
		fmt.Println(strings.Repeat("x", 65<<20))
	case "logs":
		fmt.Println("INFO a tool was called")
	case "sampling":
		send(message{ID: json.RawMessage(`"s1"`), Method: "sampling/createMessage", Params: json.RawMessage(
			`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`)})
		in.Scan() // the answer, which is an error
	case "fork":
		child := exec.Command("sleep", "3600")
		child.Stdout = os.Stdout
		if child.Start() == nil {
			os.Exit(0)
		}
	}
}

func call(params json.RawMessage, list *[]map[string]any) json.RawMessage {
	var p struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	_ = json.Unmarshal(params, &p)
	text := ""
	switch p.Name {
	case "create_task":
		id := len(*list) + 1
		*list = append(*list, map[string]any{"id": id, "title": p.Arguments["title"], "status": "pending"})
		text = fmt.Sprintf(`{"id":%d}`, id)
	case "set_status":
		for _, t := range *list {
			if fmt.Sprint(t["id"]) == fmt.Sprint(p.Arguments["id"]) {
				t["status"], text = p.Arguments["status"], "done"
			}
		}
		if text == "" {
			return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no such task"}]}`)
		}
	case "list_tasks":
		data, _ := json.Marshal(map[string]any{"tasks": append([]map[string]any{}, *list...)})
		text = string(data)
	}
	data, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}})
	return data
}
