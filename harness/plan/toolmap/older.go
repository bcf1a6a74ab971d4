package toolmap

import (
	"cmp"
	"maps"
	"slices"

	"go.yaml.in/yaml/v4"
)

// older is a map, or a file of the time when profiles of agents were no maps: their members are
// now in the section agent, or have other names.
type older struct {
	Map  `yaml:",inline"`
	Tool *struct {
		Names  []string       `yaml:"names"`
		Where  string         `yaml:"where"`
		With   yaml.Node      `yaml:"with"`
		Member string         `yaml:"member"`
		Add    map[string]any `yaml:"add"`
	} `yaml:"tool"`
	Refused   Pattern   `yaml:"refused"`
	Package   yaml.Node `yaml:"package"`
	Command   yaml.Node `yaml:"command"`
	Probe     yaml.Node `yaml:"probe"`
	Child     yaml.Node `yaml:"child"`
	Window    yaml.Node `yaml:"window"`
	Resume    yaml.Node `yaml:"resume"`
	State     yaml.Node `yaml:"state"`
	Settings  yaml.Node `yaml:"settings"`
	Env       yaml.Node `yaml:"env"`
	Arguments yaml.Node `yaml:"arguments"`
}

// upgrade returns the map with all members under their names of today.
func (o *older) upgrade() *Map {
	m := &o.Map
	m.upgradeServer()
	section := map[string]*yaml.Node{
		"package": &o.Package, "command": &o.Command, "probe": &o.Probe, "child": &o.Child, "window": &o.Window,
		"resume": &o.Resume, "state": &o.State, "settings": &o.Settings, "env": &o.Env, "arguments": &o.Arguments,
	}
	for _, name := range slices.Sorted(maps.Keys(section)) {
		if node := section[name]; node.Kind != 0 {
			m.move(name, "agent."+name)
			m.agent(name, node)
		}
	}
	if o.Refused.Regexp != nil {
		m.move("refused", "result.refused")
		m.Result.Refused = append(m.Result.Refused, Place{Match: o.Refused})
	}
	if o.Tool == nil {
		return m
	}
	m.move("tool", "tools")
	m.Name = cmp.Or(m.Name, "agent")
	if o.Tool.With.Kind != 0 {
		m.agent("with", &o.Tool.With)
	}
	for _, name := range o.Tool.Names {
		t := Tool{Tool: name, Where: o.Tool.Where, Call: Rewrite, Fill: map[string]any{}}
		for member, v := range o.Tool.Add {
			t.Fill["*."+member] = v
		}
		if o.Tool.Member != "" {
			t.Members = map[string]Member{o.Tool.Member: {To: "text"}}
		}
		m.Tools = append(m.Tools, t)
	}
	return m
}

// upgradeServer takes the rules of a server out of its section.
func (m *Map) upgradeServer() {
	kept := m.Server.Content[:0]
	for i := 0; i+1 < len(m.Server.Content); i += 2 {
		to := map[string]*[]string{"knobs": &m.Rules, "without": &m.Without}[m.Server.Content[i].Value]
		if to == nil || m.Server.Content[i+1].Decode(to) != nil {
			kept = append(kept, m.Server.Content[i:i+2]...)
			continue
		}
		m.move("server."+m.Server.Content[i].Value, map[bool]string{true: "rules", false: "without"}[to == &m.Rules])
	}
	m.Server.Content = kept
}

// agent adds a member to the section agent.
func (m *Map) agent(name string, value *yaml.Node) {
	m.Agent.Kind = yaml.MappingNode
	m.Agent.Content = append(m.Agent.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
}

func (m *Map) move(from, to string) { m.former = append(m.former, from+" is "+to+" now") }

// Called returns the name of the map.
func (m *Map) Called() string { return m.Name }

// Former lists the members that the file has under former names, with their names of today.
func (m *Map) Former() []string { return m.former }
