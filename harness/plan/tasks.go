package plan

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// jsonTask is a task of a graph in JSON.
type jsonTask struct {
	ID        string         `json:"id"`
	Subject   string         `json:"subject"`
	Status    Status         `json:"status"`
	BlockedBy []string       `json:"blocked_by,omitzero"`
	Extra     jsontext.Value `json:",embed"`
}

func (p *Plan) jsonTasks() []jsonTask {
	tasks := make([]jsonTask, len(p.Steps))
	for i, s := range p.Steps {
		tasks[i] = jsonTask{s.ID, s.Description, s.Status, s.Dependencies, s.Extra}
	}
	return tasks
}

// DecodeTasks reads the plan of a case that is a graph of tasks. It checks the shape of every
// task, but not the graph.
func DecodeTasks(data []byte) (*Plan, error) {
	r := newReader(data)
	defer r.Parser.Release()
	p := &Plan{}
	v := r.Parse(data, maxDepth)
	if r.Fault == nil && r.Is(v, strictjson.Object, path{}, "a graph of tasks") {
		r.Known(v, path{}, "a graph of tasks", "tasks")
		r.graph(p, v)
		for i := range p.Steps {
			item, at := &v.Get("tasks").Items[i], strictjson.PathTo("/tasks").Item(i)
			if item.Kind != strictjson.Object {
				break
			}
			r.Known(item, at, "a task", "id", "subject", "description", "status", "blocked_by", "parent")
			r.Text(item, at, "description", false)
			r.Text(item, at, "parent", false)
		}
	}
	if r.Fault != nil {
		return nil, r.Fault
	}
	return p, nil
}

func (r *reader) graph(p *Plan, v *strictjson.Value) {
	p.Tasks, p.Steps = true, []Step{}
	tasks := r.Member(v, path{}, "tasks", strictjson.Array, true)
	if tasks == nil {
		return
	}
	p.Steps = make([]Step, len(tasks.Items))
	for i := range tasks.Items {
		r.task(&p.Steps[i], &tasks.Items[i], strictjson.PathTo("/tasks").Item(i))
	}
}

func (r *reader) task(s *Step, v *strictjson.Value, at path) {
	if !r.Is(v, strictjson.Object, at, "a task") {
		return
	}
	s.ID, _ = r.Text(v, at, "id", true)
	s.Description, _ = r.Text(v, at, "subject", true)
	status, _ := r.Text(v, at, "status", true)
	s.Status = Status(status)
	s.Dependencies = r.Texts(v, at, "blocked_by")
	s.Extra = v.Rest(r.data, func(m *strictjson.Member) bool {
		return m.Value.Kind == strictjson.Null || m.Value.Kind == strictjson.String && m.Value.Text == "" ||
			slices.Contains([]string{"id", "subject", "status", "blocked_by"}, m.Name)
	})
}
