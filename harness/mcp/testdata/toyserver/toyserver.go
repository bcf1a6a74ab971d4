// Package toyserver is a small task server with switches for bugs. Tests run it to see that each
// bug is found.
package toyserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bugs lists the switches with what each does.
func Bugs() map[string]string {
	return map[string]string{
		"cycle":       "stores dependency cycles",
		"unknown":     "stores edges to unknown tasks",
		"drops":       "drops edges to unknown tasks and does not report it",
		"blank":       "creates tasks with blank titles",
		"reopen":      "reopens finished tasks",
		"edit-done":   "edits finished tasks",
		"delete-done": "deletes finished tasks",
		"early":       "starts and ends blocked tasks",
		"exit":        "ends when a task depends on itself",
		"half":        "changes the description in an update that it rejects",
		"silent":      "reports another description and does not store it",
		"forget":      "clears the descriptions of all other tasks in an update",
		"race":        "reads and writes the store without a lock",
		"memory":      "loses all tasks in a restart",
		"reuse":       "assigns the id of a deleted task again",
		"renumber":    "numbers the tasks anew when one is deleted",
		"unmarked":    "reports errors as texts without isError",
		"stdout":      "writes a log to standard output",
		"ready":       "names blocked tasks as ready",
	}
}

// Task is a task of the store.
type Task struct {
	ID          int    `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Status      string `json:"status"`
	BlockedBy   []int  `json:"blocked_by"`
}

// state is what the file contains.
type state struct {
	Last  int    `json:"last"`
	Tasks []Task `json:"tasks"`
}

type server struct {
	mu    sync.Mutex
	bug   string
	file  string
	kept  state // with bug memory
	log   io.Writer
	exit  func()
	delay time.Duration // of each answer
}

// change reads the store, changes it, and writes it unless the change is rejected.
func (s *server) change(f func(*state) error) error {
	time.Sleep(s.delay)
	if s.bug != "race" {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	st := state{s.kept.Last, slices.Clone(s.kept.Tasks)}
	if s.bug != "memory" {
		data, err := os.ReadFile(s.file)
		if err == nil {
			err = json.Unmarshal(data, &st)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the store is damaged: %w", err)
		}
	}
	if s.bug == "race" {
		time.Sleep(2 * time.Millisecond)
	}
	rejected := f(&st)
	if rejected != nil && s.bug != "half" {
		return rejected
	}
	if s.bug == "memory" {
		s.kept = st
		return rejected
	}
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s.%d", s.file, time.Now().UnixNano())
	if err := errors.Join(os.WriteFile(name, data, 0o600), os.Rename(name, s.file)); err != nil {
		return err
	}
	return rejected
}

func (st *state) find(id int) *Task {
	for i := range st.Tasks {
		if st.Tasks[i].ID == id {
			return &st.Tasks[i]
		}
	}
	return nil
}

func (st *state) blocked(t *Task) bool {
	return slices.ContainsFunc(t.BlockedBy, func(id int) bool {
		b := st.find(id)
		return b != nil && (b.Status == "todo" || b.Status == "doing")
	})
}

func (st *state) reaches(from, to int, seen map[int]bool) bool {
	t := st.find(from)
	if from == to || t == nil || seen[from] {
		return from == to
	}
	seen[from] = true
	return slices.ContainsFunc(t.BlockedBy, func(b int) bool { return st.reaches(b, to, seen) })
}

// edges returns the blockers of a task that it may have.
func (s *server) edges(st *state, id int, list []int) (kept []int, err error) {
	kept = []int{}
	for _, b := range list {
		if st.find(b) == nil && s.bug == "drops" {
			continue
		}
		if st.find(b) == nil && s.bug != "unknown" {
			return nil, fmt.Errorf("there is no task %d", b)
		}
		if b == id && s.bug == "exit" {
			s.exit()
		}
		if id != 0 && st.reaches(b, id, map[int]bool{}) && s.bug != "cycle" {
			return nil, fmt.Errorf("tasks %d and %d would wait for each other", id, b)
		}
		kept = append(kept, b)
	}
	return kept, nil
}

// Created is the result of create_task.
type Created struct {
	ID int `json:"id" jsonschema:"the id of the new task"`
}

type createArgs struct {
	Title       string `json:"title" jsonschema:"what is to be done"`
	Description string `json:"description,omitempty"`
	BlockedBy   []int  `json:"blocked_by,omitempty" jsonschema:"ids of tasks that come first"`
}

func (s *server) create(_ context.Context, _ *mcp.CallToolRequest, a createArgs) (*mcp.CallToolResult, Created, error) {
	var made Created
	err := s.change(func(st *state) error {
		if strings.TrimSpace(a.Title) == "" && s.bug != "blank" {
			return errors.New("the title is blank")
		}
		blockers, err := s.edges(st, 0, a.BlockedBy)
		if err != nil {
			return err
		}
		st.Last++
		if s.bug == "reuse" {
			st.Last = 1
			for st.find(st.Last) != nil {
				st.Last++
			}
		}
		made.ID = st.Last
		st.Tasks = append(st.Tasks, Task{st.Last, a.Title, a.Description, "todo", blockers})
		return nil
	})
	return s.answer(err, "created task %d", made.ID), made, s.marked(err)
}

type updateArgs struct {
	ID          int     `json:"id"`
	Title       *string `json:"title,omitempty"`
	Description *string `json:"description,omitempty"`
	BlockedBy   *[]int  `json:"blocked_by,omitempty" jsonschema:"replaces the present list"`
}

// Done is the result of a change.
type Done struct {
	Done bool `json:"done"`
}

func (s *server) update(_ context.Context, _ *mcp.CallToolRequest, a updateArgs) (*mcp.CallToolResult, Done, error) {
	err := s.change(func(st *state) error {
		t := st.find(a.ID)
		if t == nil {
			return fmt.Errorf("there is no task %d", a.ID)
		}
		edits := a.Title != nil && *a.Title != t.Title || a.Description != nil && *a.Description != t.Description ||
			a.BlockedBy != nil && !slices.Equal(*a.BlockedBy, t.BlockedBy)
		if t.Status == "done" && edits && s.bug != "edit-done" {
			return fmt.Errorf("task %d is finished", a.ID)
		}
		if a.Title != nil {
			if strings.TrimSpace(*a.Title) == "" {
				return errors.New("the title is blank")
			}
			t.Title = *a.Title
		}
		if a.BlockedBy != nil {
			blockers, err := s.edges(st, a.ID, *a.BlockedBy)
			if err != nil {
				t.Description = "half of an update" // stored with the bug half only
				return err
			}
			t.BlockedBy = unique(blockers)
		}
		if a.Description != nil && s.bug != "silent" {
			t.Description = *a.Description
		}
		for i := range st.Tasks {
			if s.bug == "forget" && st.Tasks[i].ID != a.ID {
				st.Tasks[i].Description = ""
			}
		}
		return nil
	})
	return s.answer(err, "updated task %d", a.ID), Done{err == nil}, s.marked(err)
}

func unique(list []int) []int {
	list = slices.Sorted(slices.Values(list))
	return slices.Compact(list)
}

type statusArgs struct {
	ID     int    `json:"id"`
	Status string `json:"status" jsonschema:"todo, doing, done or cancelled"`
}

func (s *server) setStatus(_ context.Context, _ *mcp.CallToolRequest, a statusArgs) (*mcp.CallToolResult, Done, error) {
	err := s.change(func(st *state) error {
		t := st.find(a.ID)
		switch {
		case t == nil:
			return fmt.Errorf("there is no task %d", a.ID)
		case !slices.Contains([]string{"todo", "doing", "done", "cancelled"}, a.Status):
			return fmt.Errorf("there is no status %q", a.Status)
		case t.Status == "done" && a.Status != "done" && s.bug != "reopen":
			return fmt.Errorf("task %d is finished", a.ID)
		case a.Status != t.Status && (a.Status == "doing" || a.Status == "done") && st.blocked(t) && s.bug != "early":
			return fmt.Errorf("task %d is blocked", a.ID)
		}
		t.Status = a.Status
		return nil
	})
	return s.answer(err, "task %d is %s", a.ID, a.Status), Done{err == nil}, s.marked(err)
}

type idArgs struct {
	ID int `json:"id"`
}

func (s *server) delete(_ context.Context, _ *mcp.CallToolRequest, a idArgs) (*mcp.CallToolResult, Done, error) {
	err := s.change(func(st *state) error {
		t := st.find(a.ID)
		switch {
		case t == nil:
			return fmt.Errorf("there is no task %d", a.ID)
		case t.Status == "done" && s.bug != "delete-done":
			return fmt.Errorf("task %d is finished", a.ID)
		}
		for _, o := range st.Tasks {
			if slices.Contains(o.BlockedBy, a.ID) {
				return fmt.Errorf("task %d needs task %d", o.ID, a.ID)
			}
		}
		st.Tasks = slices.DeleteFunc(st.Tasks, func(o Task) bool { return o.ID == a.ID })
		for i := range st.Tasks {
			if s.bug == "renumber" { // edges stay as they are
				st.Tasks[i].ID = i + 1
			}
		}
		return nil
	})
	return s.answer(err, "deleted task %d", a.ID), Done{err == nil}, s.marked(err)
}

// List is the result of next_tasks and list_tasks.
type List struct {
	Tasks []Task `json:"tasks"`
}

func (s *server) list(ready bool) mcp.ToolHandlerFor[struct{}, List] {
	return func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, List, error) {
		list := List{Tasks: []Task{}}
		err := s.change(func(st *state) error {
			for i := range st.Tasks {
				t := &st.Tasks[i]
				if t.BlockedBy == nil {
					t.BlockedBy = []int{}
				}
				if !ready || t.Status == "todo" && (!st.blocked(t) || s.bug == "ready") {
					list.Tasks = append(list.Tasks, *t)
				}
			}
			return nil
		})
		return nil, list, err
	}
}

func (s *server) marked(err error) error {
	if s.bug == "unmarked" {
		return nil
	}
	return err
}

// answer is the text of a result; nil leaves it to the library.
func (s *server) answer(err error, format string, args ...any) *mcp.CallToolResult {
	if s.bug == "stdout" {
		fmt.Fprintln(s.log, "a tool was called")
	}
	text := fmt.Sprintf(format, args...)
	if err != nil {
		text = "Error: " + err.Error()
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// Main serves standard input until it is closed, or Streamable HTTP at the address TOY_ADDRESS. The
// bug is one of [Bugs], or "". TOY_DELAY is how long each answer takes.
func Main(bug string) (err error) {
	s := &server{bug: bug, file: "tasks.json", log: os.Stdout, exit: func() { os.Exit(1) }}
	if text := os.Getenv("TOY_DELAY"); text != "" {
		if s.delay, err = time.ParseDuration(text); err != nil {
			return err
		}
	}
	if address := os.Getenv("TOY_ADDRESS"); address != "" {
		h := &http.Server{Addr: address, Handler: s.handler(), ReadHeaderTimeout: time.Minute}
		return h.ListenAndServe()
	}
	return s.tools().Run(context.Background(), &mcp.StdioTransport{})
}

// Pipe serves within this process, with the store in a directory.
func Pipe(bug, dir string) (io.WriteCloser, io.ReadCloser) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	s := &server{bug: bug, file: filepath.Join(dir, "tasks.json"), log: out}
	s.exit = func() {
		_ = errors.Join(in.Close(), out.Close())
		runtime.Goexit()
	}
	go func() { _ = s.tools().Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}) }()
	return toIn, fromOut
}

// Handler serves Streamable HTTP without a bug.
func Handler(file string) http.Handler { return (&server{file: file}).handler() }

func (s *server) handler() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.tools() }, nil)
}

func (s *server) tools() *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "toy-tasks", Version: "1.0.0"}, nil)
	mcp.AddTool(m, &mcp.Tool{Name: "create_task", Description: "Create a task."}, s.create)
	mcp.AddTool(m, &mcp.Tool{
		Name: "update_task", Description: "Change a task. Finished tasks cannot be edited, and cycles are rejected.",
	}, s.update)
	mcp.AddTool(m, &mcp.Tool{
		Name: "set_status", Description: "Set the status of a task. Finished tasks cannot be reopened, and blocked tasks cannot be started.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"status":{"type":"string","enum":["todo","doing","done","cancelled"]}},"required":["id","status"],"additionalProperties":false}`),
	}, s.setStatus)
	mcp.AddTool(m, &mcp.Tool{Name: "delete_task", Description: "Delete a task. Finished tasks cannot be deleted."}, s.delete)
	mcp.AddTool(m, &mcp.Tool{Name: "next_tasks", Description: "The tasks that can be started."}, s.list(true))
	mcp.AddTool(m, &mcp.Tool{Name: "list_tasks", Description: "All tasks."}, s.list(false))
	return m
}
