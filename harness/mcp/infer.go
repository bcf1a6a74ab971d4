package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan/toolmap"
)

// probesOfValue is how many cases must distinguish a value of a knob from the assumed one.
const probesOfValue = 2

// lax lists the values that allow more than the reference, with what a server does that has
// them. Values that break a safety check are not listed: the check reports them.
func lax() map[string]string {
	return map[string]string{
		"blank=allow":             "Accepts blank subjects",
		"done_edit=allow":         "Finished tasks can be edited",
		"reopen=allow":            "Finished tasks can be reopened",
		"delete_done=allow":       "Finished tasks can be deleted",
		"unknown_dependency=drop": "Drops unknown dependencies without an error",
		"early=warn":              "Blocked tasks can start and end",
		"early=allow":             "Blocked tasks can start and end",
		"delete_needed=unlink":    "Tasks that others need can be deleted, and lose their edges",
		"delete_needed=cascade":   "Deletes tasks with the one that they need",
	}
}

// Judge sets the rules by which the server is judged: those that its tools promise, and more.
func (e *Engine) Judge(more []string) (err error) {
	e.given = more
	e.Rules, err = e.Profile.rules(more)
	return err
}

// unpromised lists the knobs whose value nothing says.
func (e *Engine) unpromised() (list []harness.Knob) {
	for _, k := range spec.Knobs() {
		said := slices.ContainsFunc(slices.Concat(e.Profile.Rules, e.given), func(s string) bool {
			name, _, set := strings.Cut(s, "=")
			return !set || name == k.Name // a set says all
		})
		if !said && k.Values != nil && k.Name != "batch" && k.Name != "ids" {
			list = append(list, k)
		}
	}
	return list
}

// Infer finds the values of the knobs that nothing promises by what the server does, and judges
// it by them. A value that allows more than the reference is an advisory cause. It ends at the
// time until, if that is not zero. The server then gets no case that depends on a knob for which
// there was no time; left names these knobs.
func (e *Engine) Infer(ctx context.Context, seed uint64, until time.Time, tell func(string)) (
	list []cause.Behaviour, left []string, err error,
) {
	known := &probes{answers: map[string]*harness.Outcome{}}
	knobs := e.unpromised()
	found := map[string]*cause.Behaviour{}
	for round := 1; round <= probesOfValue && e.open == nil; round++ { // knobs hide each other
		for i, k := range knobs {
			if late(until) {
				if round == 1 {
					e.open = knobs[i:]
				}
				break
			}
			tell(fmt.Sprintf("what the server allows: %s (%d of %d)", k.Name, i+1, len(knobs)))
			if found[k.Name], err = e.inferKnob(ctx, known, k, seed, round); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, k := range knobs {
		if b := found[k.Name]; b != nil {
			list = append(list, *b)
		}
	}
	for _, k := range e.open {
		left = append(left, k.Name)
	}
	return list, left, nil
}

// probes are the answers of the server to cases; nil is none.
type probes struct {
	mu      sync.Mutex
	answers map[string]*harness.Outcome
}

// ask asks the server cases at once, except those that it was asked before.
func (p *probes) ask(ctx context.Context, e *Engine, cases []harness.Case) ([]*harness.Outcome, error) {
	list := make([]*harness.Outcome, len(cases))
	errs := make([]error, len(cases))
	var all sync.WaitGroup
	for i := range cases {
		all.Go(func() { list[i], errs[i] = p.one(ctx, e, cases[i]) })
	}
	all.Wait()
	return list, errors.Join(errs...)
}

func (p *probes) one(ctx context.Context, e *Engine, c harness.Case) (*harness.Outcome, error) {
	key := fmt.Sprintf("%s\x00%q", c.Plan, c.Replies)
	p.mu.Lock()
	out, ok := p.answers[key]
	p.mu.Unlock()
	if ok {
		return out, nil
	}
	answer, err := e.Eval(ctx, c)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, harness.ErrStopped):
		return nil, err
	case err == nil && answer.Verdict != harness.Unsupported:
		out = &answer
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[key] = out
	return out, nil
}

// inferKnob sets a knob to the value that explains most answers. Of two that explain as many, the
// lax one counts: a server that is stricter in some calls only has no bug.
func (e *Engine) inferKnob(ctx context.Context, known *probes, k harness.Knob, seed uint64, each int) (
	*cause.Behaviour, error,
) {
	var profiles []harness.Profile
	for _, v := range k.Values {
		p := e.Rules
		if err := p.Set(k.Name, v, spec.Knobs()...); err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	cases, err := e.telling(profiles, seed, each)
	if err != nil {
		return nil, err
	}
	answers, err := known.ask(ctx, e, cases)
	if err != nil {
		return nil, err
	}
	explained := make([]uint64, len(profiles))
	var asked uint64
	var example *harness.Case
	for i, out := range answers {
		if out == nil {
			continue
		}
		asked++
		example = &cases[i]
		for n, p := range profiles {
			if want := rules.Eval(cases[i], p); alike(&want, out) {
				explained[n]++
			}
		}
	}
	best := max(slices.Index(k.Values, k.Get(e.Rules)), 0)
	says := func(n int) string { return lax()[k.Name+"="+k.Values[n]] } // "" if it is not lax
	for n := range profiles {
		ties := explained[n] == explained[best] && explained[n] > 0 && says(n) != "" && says(best) == ""
		if explained[n] > explained[best] || ties {
			best = n
		}
	}
	e.Rules = profiles[best]
	if says(best) == "" || asked == 0 {
		return nil, nil
	}
	return &cause.Behaviour{
		Knob: k.Name, Declared: k.Default, Found: k.Values[best], Explained: explained[best], Probes: asked,
		Class: judge.Accepts, Example: example, Advisory: says(best) + "; its tools promise nothing about it",
	}, nil
}

// telling returns cases to which the rules answer differently under the profiles, at most so
// many for each profile.
func (e *Engine) telling(profiles []harness.Profile, seed uint64, each int) (list []harness.Case, err error) {
	seen := map[string]int{}
	for _, p := range profiles {
		source, err := all.Source("tasks", generators.Options{Profile: &p, Without: e.Profile.without(), MaxSteps: 3})
		if err != nil {
			return nil, err
		}
		n := uint64(len(source.Traits()))
		for i := range n {
			if len(list) >= each*len(profiles) {
				return list, nil
			}
			s := source.At(seed, generators.PlainCases+i)
			first := rules.Eval(s.Case, profiles[0])
			same := !slices.ContainsFunc(profiles[1:], func(o harness.Profile) bool {
				out := rules.Eval(s.Case, o)
				return !alike(&first, &out)
			})
			key := strings.Join(s.Traits, ",")
			if same || seen[key] > 0 {
				continue
			}
			if _, reason := e.read(s.Case); reason == "" {
				seen[key]++
				list = append(list, s.Case)
			}
		}
	}
	return list, nil
}

// alike compares results and graphs of two outcomes, whatever the ids of created tasks.
func alike(want, got *harness.Outcome) bool {
	w, g := spec.Results(want), spec.Results(got)
	if len(w) != len(g) {
		return false
	}
	for i := range w {
		if w[i].OK != g[i].OK {
			return false
		}
	}
	if want.Plan == nil || got.Plan == nil {
		return (want.Plan == nil) == (got.Plan == nil)
	}
	return outline(spec.GraphOf(want.Plan)) == outline(spec.GraphOf(got.Plan))
}

// Guessed says that the profile was guessed; "" for a profile that was written.
func (e *Engine) Guessed() string {
	if e.Profile.guess == nil {
		return ""
	}
	line := fmt.Sprintf("no profile fits the server %q; its tools were mapped by their names (replanbench mcp probe shows how)", e.name)
	return strings.Join(append([]string{line}, e.Profile.guess.doubts...), "; ")
}

// Probe says what was understood of the server.
func (e *Engine) Probe() explain.Story {
	p, read := e.Profile, e.Profile.Server.State.Tool
	story := explain.Story{Headline: "Profile " + p.Name, Meaning: "it fits the server", Tone: style.Good}
	calls := explain.Section{Title: "Tools and their calls"}
	if p.guess != nil {
		story.Meaning = "guessed from the names of its tools"
		for _, doubt := range p.guess.doubts {
			calls.Add("", 0, style.Doubtful, "%s", doubt)
		}
	}
	for _, t := range e.tools {
		uses := 0
		for _, u := range p.Tools {
			if u.Tool == t.Name {
				uses++
				calls.Add("", 0, style.Plain, "%s → %s", u.Tool, describe(&u))
			}
		}
		if uses == 0 && t.Name != read {
			calls.Add("", 0, style.Faint, "%s is not used", t.Name)
		}
	}
	if read != "" {
		calls.Add("", 0, style.Plain, "the tasks are read with %s", read)
	}
	lacks := explain.Section{Title: "Not tested: no tool does it (replanbench list capabilities --dialect tasks)"}
	lacks.Add("", 0, style.Plain, "%s", strings.Join(p.without(), ", "))
	story.Sections = []explain.Section{calls, lacks}
	return story
}

// describe says what a use of a tool means.
func describe(t *toolmap.Tool) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.Members)) {
		parts = append(parts, name+" as "+t.Members[name].To)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Set)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, t.Set[name]))
	}
	if parts == nil {
		return t.Call
	}
	return t.Call + " (" + strings.Join(parts, ", ") + ")"
}

// Describe returns the profile of the server as YAML, with its tools as comments.
func (e *Engine) Describe() (string, error) {
	if e.Profile.guess != nil {
		return e.Profile.guess.draft()
	}
	text, err := Source(e.Profile.Name)
	if err != nil {
		text, err = yaml.Marshal(e.Profile.Map)
	}
	return offers(e.name, e.version, e.tools) + string(text), err
}

// offers lists tools with their arguments as comments. Required arguments have a star.
func offers(server, version string, tools []*tool) string {
	var b strings.Builder
	line := func(text string) string { return brief(strings.Join(strings.Fields(text), " ")) }
	fmt.Fprintf(&b, "# %s offers:\n", line(server+" "+version))
	for _, t := range tools {
		about, _, _ := strings.Cut(strings.TrimSpace(t.Text), "\n")
		names := slices.Sorted(maps.Keys(propertiesOf(t.Schema)))
		for i, name := range names {
			if slices.Contains(requiredOf(t.Schema), name) {
				names[i] += "*"
			}
		}
		fmt.Fprintf(&b, "#   %s(%s): %s\n", line(t.Name), line(strings.Join(names, ", ")), line(about))
	}
	return b.String()
}

// comments help a person to complete a profile.
const comments = `# An entry of tools maps a tool to a call (create, update, delete, replace, get, list, next), and its
# arguments to members of the call (replanbench help tasks):
#   - {tool: NAME, call: update, members: {ARGUMENT: id, ARGUMENT: status}}
# What cannot be guessed, below server:
#   env: [NAME=value]            variables; {dir} is the working directory
#   files: [{name, content}]     files to write before it starts
#   run: [[git, init]]           commands before it starts
#   memory: true                 it keeps its tasks in memory
#   shared: true                 several processes may work on the same tasks
#   next: {one: true}            the next tool names one task; in_progress: also one in progress
#   state: {file: tasks.json}    a file with the tasks, to set up and read graphs without calls
`

// Traffic says how much the server was called.
func (e *Engine) Traffic(seconds float64) string {
	n := e.Calls()
	return fmt.Sprintf("%s %s (profile %s): %d calls of tools, %.0f per second", e.name, e.version, e.Profile.Name, n,
		float64(n)/max(seconds, 0.001))
}
