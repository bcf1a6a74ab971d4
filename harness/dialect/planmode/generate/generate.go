// Package generate makes samples of the dialect planmode: a session as it is
// meant, which notes of each call that it writes down what must come of it.
package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// maxCalls bounds the sessions of the dialect planmode, but for what faults add.
const maxCalls = 12

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[sessionFault]{Traits: faults(), MaxSteps: maxCalls, Make: makeSample}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(faults()) }

// scripter is a sample of the dialect planmode in the making: a session as it
// is meant, which notes of each call that it writes down what must come of it.
type scripter struct {
	generators.Choices
	faults []string

	session string
	agent   string // "" of the main session, "true", or a name
	tools   []string
	slug    string   // that the case gives as the session's own; "" is none
	slugs   []string // that the case gives as draws
	taken   []string
	seed    int

	full    bool // no name is free
	path    string
	known   bool // the script may write the path out
	blocked bool // something else stands in place of the plan file
	plan    *string
	files   []textFile         // beside the plan file
	links   []generators.Field // name and target

	phase string // "" in the mode normal
	asks  bool

	calls []generators.Value
	trace []harness.TraceItem
	code  harness.Code // of the first refusal

	start  harness.Case // all but the calls
	broken malformed    // a document that is none
}

// textFile is a file with what it holds.
type textFile struct{ name, content string }

// malformed says which document of a case is replaced, by what, and the code
// that this leads to.
type malformed struct {
	document, text string
	code           harness.Code
}

// Names that scripts write out; none has a word in common with another.
var slugPool = [...]string{
	"calm-baking-fox", "amber-tracing-owl", "brisk-mending-otter", "quiet-sorting-finch", "lucid-folding-crane", "mild-stacking-badger",
	"proud-waving-heron", "rosy-digging-mole", "sunny-rowing-seal", "tidy-knitting-wren", "vivid-sailing-gull", "zesty-hiking-goat",
}

var sessionPhases = [...]string{"explore", "design", "review", "finalize", "exit"}

func makeSample(d generators.Draw[sessionFault]) generators.Sample {
	s := &scripter{Choices: d.Choices}
	s.begin(d.Kept())
	n := 1 + s.Below(min(8, d.Max))
	places := make([]int, len(d.Kept()))
	for i := range d.Kept() {
		places[i] = s.Below(n + 1)
	}
	for i := range n + 1 {
		for j, f := range d.Kept() {
			if places[j] == i && f.plant != nil && f.plant(s) {
				s.faults = append(s.faults, f.Name)
			}
		}
		switch room := d.Max - len(s.calls); {
		case i == n || room <= 0:
		case room == 1: // a step may take two calls
			s.look()
		default:
			s.step()
		}
	}
	return s.sample(d.Profile)
}

// begin draws where the session begins.
func (s *scripter) begin(faults []sessionFault) {
	s.session = generators.Pick(&s.Choices, []string{"session", "s1", "séance 7"})
	agent := s.OneIn(8)
	for _, f := range faults {
		agent = (agent || f.who == agents) && f.who != users
	}
	if agent {
		s.agent = generators.Pick(&s.Choices, []string{"true", "coder", "plan"})
		for _, t := range []string{"write", "edit", "bash"} {
			if s.Below(2) == 0 {
				s.tools = append(s.tools, t)
			}
		}
	}
	for _, name := range []string{"src/main.go", "README.md", "docs/notes.md"} {
		if s.Below(3) > 0 {
			s.files = append(s.files, textFile{name, generators.Pick(&s.Choices, generators.Phrases)})
		}
	}
	if s.OneIn(4) || agent && s.Below(2) == 0 {
		s.phase = sessionPhases[s.Below(len(sessionPhases))]
	}
	s.drawName()
	for _, f := range faults {
		if f.prepare != nil && f.prepare(s) && f.plant == nil {
			s.faults = append(s.faults, f.Name)
		}
	}
	if s.known && !s.blocked && s.plan == nil && s.slug != "" && s.OneIn(3) {
		s.plan = new(s.planText())
	}
	if s.phase != "" {
		s.path = s.name()
	}
	s.start = harness.Case{Dialect: "planmode", Context: written(s.context())}
	if tree := s.tree(); len(tree.Fields) > 0 {
		s.start.Files = written(tree)
	}
}

// drawName decides how the session comes to the name of its plan file.
func (s *scripter) drawName() {
	s.seed = s.Below(1000)
	switch s.Below(5) {
	case 0: // drawn from the seed alone: no script can know it
	case 1, 2:
		s.slugs, s.known = []string{generators.Pick(&s.Choices, slugPool[:])}, true
	default:
		s.slug, s.known = generators.Pick(&s.Choices, slugPool[:]), true
		s.path = s.name()
	}
}

// name is the path of the plan file; one that is drawn stands for any.
func (s *scripter) name() string {
	switch {
	case s.slug != "":
		return "plans/" + s.slug + ".md"
	case len(s.slugs) > 0:
		i := slices.IndexFunc(s.slugs, func(slug string) bool { return !slices.Contains(s.taken, slug) && !s.hasPlanOf(slug) })
		return "plans/" + s.slugs[max(i, 0)] + ".md"
	}
	return "plans/any-any-any.md"
}

// hasPlanOf reports whether another session's plan file has that name.
func (s *scripter) hasPlanOf(slug string) bool {
	return slices.ContainsFunc(s.files, func(f textFile) bool { return strings.EqualFold(f.name, "plans/"+slug+".md") })
}

// sample writes the session down.
func (s *scripter) sample(p harness.Profile) generators.Sample {
	sample := generators.Sample{Profile: p, Case: s.start, Traits: s.faults}
	sample.Case.Calls = written(generators.Value{IsList: true, Items: s.calls})
	if s.broken.code != "" {
		s.broken.replace(&sample.Case)
		sample.Want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{s.broken.code}}
		return sample
	}
	sample.Want = generators.Want{Verdict: harness.Applied, More: s.more()}
	if s.code != "" {
		sample.Want.Verdict, sample.Want.Codes = harness.Rejected, []harness.Code{s.code}
	}
	return sample
}

// tree writes the files that there are.
func (s *scripter) tree() generators.Value {
	files := generators.Object()
	for _, f := range s.files {
		files.Add(f.name, generators.Text(f.content))
	}
	for _, l := range s.links {
		files.Add(l.Name, generators.Object(generators.Field{Name: "link", Value: l.Value}))
	}
	if s.plan != nil {
		files.Add(s.path, generators.Text(*s.plan))
	}
	return files
}

// more is where the session ended.
func (s *scripter) more() *harness.Outcome {
	out := &harness.Outcome{Trace: s.trace, Mode: "normal", Phase: s.phase, Path: s.path}
	if s.trace == nil {
		out.Trace = []harness.TraceItem{}
	}
	if s.phase != "" {
		out.Mode = "plan"
	}
	if s.plan != nil {
		out.Content = *s.plan
	}
	return out
}

func (s *scripter) context() generators.Value {
	v := generators.Object()
	switch s.agent {
	case "":
		if s.OneIn(4) {
			v.Add("agent", generators.Raw("false"))
		}
	case "true":
		v.Add("agent", generators.Raw("true"))
	default:
		v.Add("agent", generators.Text(s.agent))
	}
	if len(s.tools) > 0 {
		v.Add("agent_tools", generators.Texts(s.tools))
	}
	if s.phase != "" {
		v.Add("phase", generators.Text(s.phase))
	}
	v.Add("seed", generators.Raw(fmt.Sprint(s.seed)))
	if s.slug != "" {
		v.Add("slug", generators.Text(s.slug))
	}
	if len(s.slugs) > 0 {
		v.Add("slugs", generators.Texts(s.slugs))
	}
	if len(s.taken) > 0 {
		v.Add("taken", generators.Texts(s.taken))
	}
	if s.session != "session" {
		v.Add("session", generators.Text(s.session))
	}
	return v
}

// written writes a value as compact JSON.
func written(v generators.Value) jsontext.Value {
	var w generators.Writer
	w.Value(v)
	return w.B
}

func (m *malformed) replace(c *harness.Case) {
	var raw jsontext.Value
	if m.text != "" {
		raw = jsontext.Value(m.text)
	}
	switch m.document {
	case "context":
		c.Context = raw
	case "files":
		c.Files = raw
	case "calls":
		c.Calls = raw
	}
}
