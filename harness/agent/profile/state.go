package profile

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan/toolmap"
)

// Answer is what an agent's tool said of a call.
type Answer struct {
	Refused bool
	// Plan is the plan as the agent states it now, in the dialect's form; nil if it
	// states none.
	Plan jsontext.Value
	// Shown reports whether the plan is in the result of the call.
	Shown bool
	State *State // where the plan was; nil if it was not found
}

// maxState bounds a file that holds a state.
const maxState = 16 << 20

// Call is a call of the plan tool that an agent has answered.
type Call struct {
	ID     string // "" is none
	Result string
	Failed bool          // as the agent itself marked it
	Output func() string // what the agent printed since the answer of the model; nil is nothing
	// Said returns the texts of a place of the next request; nil is nothing.
	Said func(where string) string
	Tool string // "" is the plan tool
}

// Read reads the result of a call, and the files of an agent with that HOME.
func (p *Profile) Read(c Call, home string) Answer {
	result, failed := c.Result, c.Failed
	c.Tool = cmp.Or(c.Tool, p.main().Tool)
	a := Answer{Refused: failed || p.Answer(c.Tool, toolmap.Answer{Text: result}).Refused}
	for _, s := range p.State {
		text := result
		switch {
		case s.Message != "":
			if c.Said == nil {
				continue
			}
			text = c.Said(s.Message)
		case s.File == "" && !p.uses(c.Tool, "list", "get", toolmap.Rewrite):
			continue
		case s.File != "":
			var ok bool
			if text, ok = s.file(home, c.ID); !ok {
				continue
			}
		case s.Stdout && (a.Refused || c.Output == nil):
			continue
		case s.Stdout:
			text = printed(c.Output)
		case a.Refused:
			continue // it may show what was refused
		}
		if a.Plan = p.read(&s, text); a.Plan != nil {
			a.Shown, a.State = s.File == "" && !s.Stdout && s.Message == "", &s
			return a
		}
	}
	return a
}

// Silent reports whether the agent states no plan after a refusal.
func (p *Profile) Silent() bool {
	for _, s := range p.State {
		if s.File != "" || s.Message != "" {
			return false
		}
	}
	return true
}

// Late reports whether the agent states the plan in a log: as it is behind all calls
// of a turn, and for calls alone that have an id.
func (p *Profile) Late() bool { return p.State[0].Told != "" }

// Prints reports whether the agent states the plan in what it prints.
func (p *Profile) Prints() bool { return p.State[0].Stdout }

// Reminds reports whether the agent states the plan in messages, which it may leave out.
func (p *Profile) Reminds() bool { return p.State[0].Message != "" }

// Nothing is the empty plan, with which an agent begins in an empty HOME.
func (p *Profile) Nothing() jsontext.Value { return p.State[0].plan(nil) }

// How long a log may lag behind the agent's work, and how often it is looked at.
const (
	lag  = 3 * time.Second
	look = 10 * time.Millisecond
	// printing is the time that an agent may take to print a plan that it has applied. still is
	// the number of looks without a change after which it is complete: agents print item by item.
	printing = 3 * time.Second
	still    = 20
)

// printed returns what the agent printed, and waits for it.
func printed(output func() string) (text string) {
	for waited, same := time.Duration(0), 0; waited < printing && (text == "" || same < still); waited += look {
		time.Sleep(look)
		now := output()
		if same++; now != text {
			text, same = now, 0
		}
	}
	return text
}

// file reads the newest file. It waits until a log contains the call.
func (s *State) file(home, call string) (text string, ok bool) {
	for waited := time.Duration(0); ; waited += look {
		text, ok = s.newest(home)
		if s.Told == "" || call == "" || strings.Contains(text, strings.ReplaceAll(s.Told, "{call}", call)) || waited >= lag {
			return text, ok
		}
		time.Sleep(look)
	}
}

// StateFile returns the file in which an agent with that HOME keeps its plan; "" is none.
func (p *Profile) StateFile(home string) string {
	for _, s := range p.State {
		if s.File != "" && s.Told == "" {
			return newestName(home, s.File)
		}
	}
	return ""
}

// Kept returns the plan in a file of an agent; nil if there is none.
func (p *Profile) Kept(file string) jsontext.Value {
	data, err := files.Read(file, maxState)
	if file == "" || err != nil {
		return nil
	}
	for _, s := range p.State {
		if s.File != "" {
			return p.read(&s, string(data))
		}
	}
	return nil
}

// newest reads the newest file below a directory, or all of them as a list.
func (s *State) newest(home string) (string, bool) {
	if s.Each {
		return all(home, s.File)
	}
	best := newestName(home, s.File)
	if best == "" {
		return "", false
	}
	data, err := files.Read(best, maxState)
	return string(data), err == nil
}

// all reads the files of a pattern below a directory as a list in JSON.
func all(home, pattern string) (string, bool) {
	names, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(pattern))) // a wrong pattern matches nothing
	var list []string
	for _, name := range names {
		if data, err := files.Read(name, maxState); err == nil {
			list = append(list, string(data))
		}
	}
	return "[" + strings.Join(list, ",") + "]", home != "" && list != nil
}

// newestName returns the newest file of a pattern below a directory; "" is none.
func newestName(home, pattern string) (best string) {
	if home == "" {
		return ""
	}
	names, err := filepath.Glob(filepath.Join(home, filepath.FromSlash(pattern)))
	if err != nil {
		return ""
	}
	var at int64
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && (best == "" || info.ModTime().UnixNano() > at) {
			best, at = name, info.ModTime().UnixNano()
		}
	}
	return best
}

// read finds the plan in a text; nil if it is not there.
func (p *Profile) read(s *State, text string) jsontext.Value {
	if s.Behind.Regexp != nil {
		found := s.Behind.FindAllStringIndex(text, -1)
		if found == nil {
			return nil
		}
		text = text[found[len(found)-1][1]:]
	}
	plan := p.found(s, text)
	if plan == nil && s.Empty.In(text) {
		return s.plan(nil)
	}
	return plan
}

// found finds the items of the plan in a text.
func (p *Profile) found(s *State, text string) jsontext.Value {
	if s.Match.Regexp != nil {
		return p.matches(s, text)
	}
	for rest, at := text, 0; at >= 0; {
		if at = strings.IndexAny(rest, "[{"); at < 0 {
			break
		}
		rest = rest[at:]
		value, err := jsontext.NewDecoder(strings.NewReader(rest), jsontext.AllowDuplicateNames(true),
			jsontext.AllowInvalidUTF8(true)).ReadValue()
		if err == nil {
			if plan := p.list(s, string(value)); plan != nil {
				return plan
			}
		}
		rest = rest[1:]
	}
	return nil
}

// list takes the list out of a JSON value.
func (p *Profile) list(s *State, text string) jsontext.Value {
	tree := strictjson.NewTree(text, maxDepth)
	if tree != nil && s.JSON != "-" {
		tree = tree.Get(s.JSON)
	}
	if tree == nil || tree.Kind != strictjson.Array || s.JSON == "-" && text == "[ ]" { // an open box in Markdown
		return nil
	}
	items := make([]string, len(tree.Kids))
	for i := range tree.Kids {
		item := &tree.Kids[i]
		for i := range item.Kids {
			k := &item.Kids[i]
			if k.Name = s.name(k.Key()); k.Name == status && k.Kind == strictjson.String {
				k.Raw = strictjson.Quote(p.Word(k.Text()))
			} else if k.Name == `"id"` && k.Kind == strictjson.Number && p.main().Numbers("id") {
				k.Kind, k.Raw = strictjson.String, strictjson.Quote(k.Raw)
			}
		}
		if (s.Members != nil || s.JSON == "-") && item.Kind != strictjson.Object {
			return nil
		}
		items[i] = p.item(s, item.String())
	}
	return s.plan(items)
}

// item gives the members of a task the names and the form of the dialect.
func (p *Profile) item(s *State, text string) string {
	var object map[string]any
	if s.Members == nil || json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	return string(p.Object(s.Members, object).JSON())
}

// Item returns the task that the call get shows as JSON, in the form of the dialect; "" if there is none.
func (p *Profile) Item(s *State, result string) string {
	at := strings.IndexByte(result, '{')
	if at < 0 {
		return ""
	}
	value, err := jsontext.NewDecoder(strings.NewReader(result[at:])).ReadValue()
	if err != nil {
		return ""
	}
	return p.item(s, string(value))
}

// status is the JSON of the name of a status.
const status = `"status"`

// name is the JSON of a member's name in the dialect's plan.
func (s *State) name(name string) string {
	if other, ok := s.Names[name]; ok {
		name = other
	}
	return strictjson.Quote(name)
}

// matches makes an item of each match.
func (p *Profile) matches(s *State, text string) jsontext.Value {
	found := s.Match.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return nil
	}
	items := make([]string, len(found))
	for i, at := range found {
		var b strings.Builder
		if s.Rest != "" {
			end := at[1] + len(untagged(text[at[1]:]))
			if i+1 < len(found) {
				end = max(at[1], found[i+1][0])
			}
			b.WriteString("{" + s.name(s.Rest) + ":" + strictjson.Quote(strings.TrimSuffix(text[at[1]:end], "\n")))
		}
		for group, name := range s.Match.SubexpNames() {
			if name == "" || at[2*group] < 0 {
				continue
			}
			value := text[at[2*group]:at[2*group+1]]
			if s.name(name) == status {
				value = p.Word(value)
			}
			b.WriteString(map[bool]string{true: "{", false: ","}[b.Len() == 0])
			b.WriteString(s.name(name) + ":" + strictjson.Quote(value))
		}
		items[i] = p.item(s, b.String()+"}")
	}
	return s.plan(items)
}

// Misread reports whether a list that an agent shows can be read as other items: a text of the edit has a line
// that looks like an item. A file is the plan itself, however it reads.
func (s *State) Misread(edit string) (misread bool) {
	tree := strictjson.NewTree(edit, maxDepth)
	if tree == nil || s.Match.Regexp == nil || s.File != "" {
		return false
	}
	tree.Walk(func(n *strictjson.Node, _ []string) {
		_, more, lines := strings.Cut(n.Text(), "\n")
		misread = misread || lines && s.Match.MatchString(more)
	})
	return misread
}

// Shown lists the members of items that lines of text show; nil is any.
func (s *State) Shown() []string {
	if s.Match.Regexp == nil {
		return nil
	}
	names := slices.Concat(s.Match.SubexpNames(), []string{s.Rest})
	for i, name := range names {
		names[i] = cmp.Or(s.Names[name], name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// untagged returns a text up to a line that closes a tag, as round a reminder.
func untagged(text string) string {
	before, _, _ := strings.Cut(text, "\n</")
	return before
}

// plan is the dialect's plan with these items.
func (s *State) plan(items []string) jsontext.Value {
	var b bytes.Buffer
	b.WriteString("{" + strictjson.Quote(s.List) + ":[" + strings.Join(items, ",") + "]}")
	return b.Bytes()
}
