package generators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// maxCalls bounds the sessions of the dialect planmode, but for what faults add.
const maxCalls = 12

// sessionMaker makes samples of the dialect planmode.
type sessionMaker struct {
	opts Options
	menu menu[sessionFault, *sessionFault]
}

func newSessionMaker(opts Options) (Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > maxCalls {
		opts.MaxSteps = maxCalls
	}
	m, err := newMenu[sessionFault, *sessionFault](sessionFaults, opts.Faults)
	if err != nil {
		return nil, err
	}
	return &sessionMaker{opts: opts, menu: m}, nil
}

// scripter is a sample of the dialect planmode in the making: a session as it
// is meant, which notes of each call that it writes down what must come of it.
type scripter struct {
	choices
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
	files   []textFile // beside the plan file
	links   []field    // name and target

	phase string // "" in the mode normal
	asks  bool

	calls []value
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

func (m *sessionMaker) make(c choices) Sample {
	s := &scripter{choices: c}
	faults := m.menu.order(&s.choices)
	s.begin(faults)
	n := 1 + s.below(min(8, m.opts.MaxSteps))
	places := make([]int, len(faults))
	for i := range faults {
		places[i] = s.below(n + 1)
	}
	for i := range n + 1 {
		for j, f := range faults {
			if places[j] == i && f.plant != nil && f.plant(s) {
				s.faults = append(s.faults, f.Name)
			}
		}
		switch room := m.opts.MaxSteps - len(s.calls); {
		case i == n || room <= 0:
		case room == 1: // a step may take two calls
			s.look()
		default:
			s.step()
		}
	}
	return s.sample()
}

// begin draws where the session begins.
func (s *scripter) begin(faults []*sessionFault) {
	s.session = pick(&s.choices, []string{"session", "s1", "séance 7"})
	agent := s.oneIn(8)
	for _, f := range faults {
		agent = (agent || f.who == agents) && f.who != users
	}
	if agent {
		s.agent = pick(&s.choices, []string{"true", "coder", "plan"})
		for _, t := range []string{"write", "edit", "bash"} {
			if s.below(2) == 0 {
				s.tools = append(s.tools, t)
			}
		}
	}
	for _, name := range []string{"src/main.go", "README.md", "docs/notes.md"} {
		if s.below(3) > 0 {
			s.files = append(s.files, textFile{name, pick(&s.choices, phrases)})
		}
	}
	if s.oneIn(4) || agent && s.below(2) == 0 {
		s.phase = sessionPhases[s.below(len(sessionPhases))]
	}
	s.drawName()
	for _, f := range faults {
		if f.prepare != nil && f.prepare(s) && f.plant == nil {
			s.faults = append(s.faults, f.Name)
		}
	}
	if s.known && !s.blocked && s.plan == nil && s.slug != "" && s.oneIn(3) {
		s.plan = new(s.planText())
	}
	if s.phase != "" {
		s.path = s.name()
	}
	s.start = harness.Case{Dialect: harness.PlanMode, Context: written(s.context())}
	if tree := s.tree(); len(tree.fields) > 0 {
		s.start.Files = written(tree)
	}
}

// drawName decides how the session comes to the name of its plan file.
func (s *scripter) drawName() {
	s.seed = s.below(1000)
	switch s.below(5) {
	case 0: // drawn from the seed alone: no script can know it
	case 1, 2:
		s.slugs, s.known = []string{pick(&s.choices, slugPool[:])}, true
	default:
		s.slug, s.known = pick(&s.choices, slugPool[:]), true
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
func (s *scripter) sample() Sample {
	sample := Sample{Profile: harness.Reference(), Case: s.start, Faults: s.faults, Valid: len(s.faults) == 0}
	sample.Case.Calls = written(value{isList: true, items: s.calls})
	if s.broken.code != "" {
		s.broken.replace(&sample.Case)
		sample.Want = Want{Verdict: harness.Rejected, Codes: []harness.Code{s.broken.code}}
		return sample
	}
	sample.Want = Want{Verdict: harness.Applied, More: s.more()}
	if s.code != "" {
		sample.Want.Verdict, sample.Want.Codes = harness.Rejected, []harness.Code{s.code}
	}
	return sample
}

// tree writes the files that there are.
func (s *scripter) tree() value {
	files := object()
	for _, f := range s.files {
		files.add(f.name, text(f.content))
	}
	for _, l := range s.links {
		files.add(l.name, object(field{"link", l.value}))
	}
	if s.plan != nil {
		files.add(s.path, text(*s.plan))
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

func (s *scripter) context() value {
	v := object()
	switch s.agent {
	case "":
		if s.oneIn(4) {
			v.add("agent", raw("false"))
		}
	case "true":
		v.add("agent", raw("true"))
	default:
		v.add("agent", text(s.agent))
	}
	if len(s.tools) > 0 {
		v.add("agent_tools", texts(s.tools))
	}
	if s.phase != "" {
		v.add("phase", text(s.phase))
	}
	v.add("seed", raw(fmt.Sprint(s.seed)))
	if s.slug != "" {
		v.add("slug", text(s.slug))
	}
	if len(s.slugs) > 0 {
		v.add("slugs", texts(s.slugs))
	}
	if len(s.taken) > 0 {
		v.add("taken", texts(s.taken))
	}
	if s.session != "session" {
		v.add("session", text(s.session))
	}
	return v
}

// written writes a value as compact JSON.
func written(v value) jsontext.Value {
	var w writer
	w.value(v)
	return w.b
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

// Faults lists the faults in the order of their families.
func sessionFaultList() []Fault { return listed(sessionFaults) }
