package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Policy is a pipeline of steps: each trims what the one before it left.
type Policy []Step

// Step is one built-in policy with its parameters.
type Step struct {
	Name   string
	Params []int // one value for each parameter, in the order of its definition
}

// Param is a threshold of a policy.
type Param struct {
	Name              string
	Default, Min, Max int
	Text              string
}

// Claims are what a policy promises for every history. What a history lacks to
// begin with, no policy has to mend: an orphan or a break of alternation that
// stood in the input is not held against it.
type Claims struct {
	Pairs      bool // a tool result and its call stay or go together
	Alternates bool // after normalisation the roles alternate, with one leading system message
	Fits       bool // at most max_tokens, or cannot_fit
	Protects   bool // constraints, plan and last user message stay whole
	Once       bool // of equal tool results and error messages one stays whole
}

// definition is a built-in policy.
type definition struct {
	name, text string
	params     []Param
	claims     Claims
}

// definitions are the built-in policies. Nothing writes to them.
var definitions = sync.OnceValue(func() []definition {
	over := Param{"over", 95, 1, 100, "trims where the history takes more than this percentage of the budget"}
	messages := Param{"messages", 4, 0, 1 << 20, "and has more than so many messages in all"}
	keep := Param{"keep", 3, 0, 1 << 20, "how many of the last messages stay, in addition to the system messages"}
	careful := Claims{Pairs: true, Alternates: true, Fits: true, Protects: true}
	fit := Param{"over", 100, 1, 100, "drops until the history takes at most this percentage of the budget"}
	count := Param{"n", 4, 0, 1 << 20, "how many others stay"}
	share := Param{"percent", 25, 0, 100, "percentage of the budget that one message may take"}
	repoMap := Param{"repo_map", 20, 0, 100, "percentage of the budget that a repo map may take"}
	systemPrompt := Param{"system_prompt", 50, 0, 100, "percentage of the budget that a system prompt may take"}
	row := func(name, text string, claims Claims, params ...Param) definition {
		return definition{name: name, text: text, params: params, claims: claims}
	}
	return []definition{
		row("none", "leaves the history as it is", Claims{}),
		row("window", "keeps the system messages and the last n others", Claims{}, count),
		row("section_caps", "cuts an oversized repo map or system prompt at a line boundary", Claims{}, repoMap,
			systemPrompt),
		row("emergency", "where the budget is nearly used up: keeps the system messages and the last few others", Claims{},
			over, messages, keep),
		row("clamp", "cuts the middle out of every single message that takes too much of the budget", Claims{Pairs: true},
			share),
		row("dedup", "keeps equal tool results, equal error messages and equal untagged messages of the user once: each "+
			"later one becomes a short reference to the first",
			Claims{Pairs: true, Alternates: true, Protects: true, Once: true}),
		row("priority", "drops old tool results with their calls, then old chat, then other context, until the history fits",
			careful, fit),
		row("pinned", "like emergency, but constraints, plan and last user message stay; then drops further, then cuts, "+
			"until the history fits",
			careful, over, messages, keep),
	}
})

// Policies lists the built-in policies, each with its parameters and their
// defaults, and what it does.
func Policies() []harness.Term {
	var terms []harness.Term
	for _, d := range definitions() {
		terms = append(terms, harness.Term{Name: d.name, Text: d.signature() + d.text})
	}
	return terms
}

func (d *definition) signature() string {
	if len(d.params) == 0 {
		return ""
	}
	params := collect.Map(d.params, func(p Param) string { return fmt.Sprintf("%s=%d", p.Name, p.Default) })
	return "(" + strings.Join(params, ", ") + ") "
}

func define(name string) (definition, bool) {
	defs := definitions()
	i := slices.IndexFunc(defs, func(d definition) bool { return d.name == name })
	if i < 0 {
		return definition{}, false
	}
	return defs[i], true
}

func (d *definition) defaults() []int {
	return collect.Map(d.params, func(p Param) int { return p.Default })
}

// set gives the parameter of that name a value.
func (d *definition) set(values []int, name string, n int) error {
	i := slices.IndexFunc(d.params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		if len(d.params) == 0 {
			return fmt.Errorf("%s takes no parameters", d.name)
		}
		return fmt.Errorf("%s has no parameter %q (it is %s)", d.name, name, strings.TrimSpace(d.name+d.signature()))
	}
	if p := d.params[i]; n < p.Min || n > p.Max {
		return fmt.Errorf("%s of %s is %d, and must be %d to %d", name, d.name, n, p.Min, p.Max)
	}
	values[i] = n
	return nil
}

func (d *definition) has(param string) bool {
	return slices.ContainsFunc(d.params, func(p Param) bool { return p.Name == param })
}

// PolicyNames lists the names of the built-in policies.
func PolicyNames() []string {
	return collect.Map(definitions(), func(d definition) string { return d.name })
}

func unknownPolicy(name string) error {
	names := PolicyNames()
	if near := harness.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown policy %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown policy %q (the policies are %s)", name, strings.Join(names, ", "))
}

// Claims returns what the pipeline promises: to fit, and to say things once, where
// one of its steps does, since no step adds tokens or texts; the rest, where all of
// its steps do.
func (p Policy) Claims() Claims {
	c := Claims{Pairs: true, Alternates: true, Protects: true}
	for _, s := range p {
		d, _ := define(s.Name)
		c.Pairs = c.Pairs && d.claims.Pairs
		c.Alternates = c.Alternates && d.claims.Alternates
		c.Protects = c.Protects && d.claims.Protects
		c.Fits = c.Fits || d.claims.Fits
		c.Once = c.Once || d.claims.Once
	}
	return c
}

// Exact reports whether the rules say to the letter what the policy leaves.
// Where it cuts texts, or picks what to drop, they leave room.
func (p Policy) Exact() bool {
	return !slices.ContainsFunc(p, func(s Step) bool {
		return !slices.Contains([]string{"none", "window", "emergency"}, s.Name)
	})
}

// String writes the pipeline as [ParsePolicy] reads it. Parameters behind the
// last that differs from its default are left out.
func (p Policy) String() string {
	steps := collect.Map(p, func(s Step) string { return s.String() })
	return strings.Join(steps, "|")
}

func (s Step) String() string {
	d, _ := define(s.Name)
	last := len(s.Params)
	for last > 0 && s.Params[last-1] == d.params[last-1].Default {
		last--
	}
	if last == 0 {
		return s.Name
	}
	values := make([]string, last)
	for i := range values {
		values[i] = strconv.Itoa(s.Params[i])
	}
	return s.Name + "(" + strings.Join(values, ", ") + ")"
}

// maxSteps bounds a pipeline.
const maxSteps = 64

// ParsePolicy reads a pipeline such as
//
//	section_caps|emergency|clamp(25)
//
// Bars separate steps. Parameters are in parentheses, by position or as name=value; a
// parameter that is left out has its default. The error names the column.
func ParsePolicy(text string) (Policy, error) {
	policy := make(Policy, 0, 1+strings.Count(text, "|"))
	at := 0
	for part := range strings.SplitSeq(text, "|") {
		if len(policy) == maxSteps {
			return nil, policyError(text, at, fmt.Errorf("a policy has at most %d steps", maxSteps))
		}
		step, offset, err := parseStep(part)
		if err != nil {
			return nil, policyError(text, at+offset, err)
		}
		policy = append(policy, step)
		at += offset + len("|")
	}
	return policy, nil
}

func policyError(text string, offset int, err error) error {
	return fmt.Errorf("policy, column %d: %w", 1+utf8.RuneCountInString(text[:offset]), err)
}

// parseStep reads one step. It returns the offset of its end, or of the error.
func parseStep(part string) (Step, int, error) {
	start := skipBlanks(part, 0)
	end := start
	for end < len(part) && (part[end] == '_' || part[end]|0x20 >= 'a' && part[end]|0x20 <= 'z') {
		end++
	}
	name := part[start:end]
	if name == "" {
		return Step{}, start, fmt.Errorf("a policy's name is missing (for example emergency|clamp(25))")
	}
	d, ok := define(name)
	if !ok {
		return Step{}, start, unknownPolicy(name)
	}
	step := Step{name, d.defaults()}
	at := skipBlanks(part, end)
	if at < len(part) && part[at] == '(' {
		params, _, closed := strings.Cut(part[at+1:], ")")
		if !closed {
			return Step{}, at, fmt.Errorf("the parenthesis after %s is not closed", name)
		}
		if offset, err := d.parseParams(step.Params, params); err != nil {
			return Step{}, at + 1 + offset, err
		}
		at = skipBlanks(part, at+len(params)+len("()"))
	}
	if at < len(part) {
		return Step{}, at, fmt.Errorf("unexpected %q after %s (steps are separated by |)", firstRune(part[at:]), name)
	}
	return step, at, nil
}

// parseParams sets the values that a text gives. It returns the offset of its end, or of
// the error.
func (d *definition) parseParams(values []int, text string) (at int, err error) {
	if strings.TrimSpace(text) == "" {
		return at, nil
	}
	var given []string
	for part := range strings.SplitSeq(text, ",") {
		here := skipBlanks(text, at)
		name, value, named := strings.Cut(part, "=")
		if !named {
			switch {
			case len(d.params) == 0:
				return here, fmt.Errorf("%s takes no parameters", d.name)
			case len(given) >= len(d.params):
				return here, fmt.Errorf("%s takes at most %d parameters", d.name, len(d.params))
			}
			name, value = d.params[len(given)].Name, part
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return here, fmt.Errorf("%q is no whole number", strings.TrimSpace(value))
		}
		if name = strings.TrimSpace(name); slices.Contains(given, name) {
			return here, fmt.Errorf("%s has two values for %s", d.name, name)
		}
		if err := d.set(values, name, n); err != nil {
			return here, err
		}
		at += len(part) + len(",")
		given = append(given, name)
	}
	return at, nil
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}
