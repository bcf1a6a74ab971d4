package live

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/history"
	"replanbench/harness/live/prompt"
)

// Plan is what a run asks: every combination of these, a cell each.
type Plan struct {
	Dialect *dialect.Dialect // that has a Climb
	Cases   Cases
	Prompts []prompt.Set
	System  string // a system message before every prompt; "" is none
	// History are messages between the system message and every prompt.
	History []history.Message
	// Tags say what untagged messages before a reply contain.
	Tags []history.TagRule
	// Arms trim prompts; without any, prompts are sent whole. Trim applies them.
	Arms         []Arm
	Trim         history.Trimmer
	Models       []string
	Temperatures []*float64 // nil leaves it to the endpoint
	Formats      []Format
	Samples      int
	// Params holds what all cells have: TopP, Seed (of sample 0; each further
	// sample takes the next), ReplyTokens, Stop, Schema, Stream.
	Params Params
	// Bodies are the further members of requests, by model.
	Bodies  map[string]map[string]jsontext.Value
	Profile harness.Profile // the rules, with the ladder
}

// Cells is how many cells the plan has.
func (p *Plan) Cells() int { return p.Cases.N * p.perCase() }

// perCase is how many cells each case has.
func (p *Plan) perCase() int {
	return len(p.Prompts) * len(p.arms()) * len(p.Models) * len(p.Temperatures) * len(p.Formats) * p.Samples
}

// asking are the rungs of the ladder that ask the model.
func (p *Plan) asking() []harness.Rung {
	return slices.DeleteFunc(slices.Clone(p.Profile.Ladder), func(r harness.Rung) bool { return r == harness.RungReact })
}

// cell is one combination: a case asked of a model by a prompt.
type cell struct {
	place       int // in the order of the plan
	c           *Case
	prompt      int
	set         *prompt.Set
	arm         *Arm // nil sends the whole prompt
	model       string
	temperature *float64
	format      Format
	sample      int
}

// cells goes through the cells of some cases, case by case, so that every prompt has
// met the same cases at any time. first is the place of the first case.
func (p *Plan) cells(first, n int) iter.Seq2[cell, error] {
	return func(yield func(cell, error) bool) {
		for i := first; i < first+n; i++ {
			c, err := p.Cases.At(i)
			if err != nil {
				yield(cell{}, err)
				return
			}
			place := i * p.perCase()
			for combination := range p.combinations() {
				for sample := range p.Samples {
					combination.place, combination.c, combination.sample = place, &c, sample
					if !yield(combination, nil) {
						return
					}
					place++
				}
			}
		}
	}
}

// combinations are the cells that each case has, but for the case and the sample.
func (p *Plan) combinations() iter.Seq[cell] {
	return func(yield func(cell) bool) {
		for s := range p.Prompts {
			for _, arm := range p.arms() {
				for c := range p.calls() {
					c.prompt, c.set, c.arm = s, &p.Prompts[s], arm
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

// calls are the cells that each prompt has.
func (p *Plan) calls() iter.Seq[cell] {
	return func(yield func(cell) bool) {
		for _, model := range p.Models {
			for _, t := range p.Temperatures {
				for _, f := range p.Formats {
					if !yield(cell{model: model, temperature: t, format: f}) {
						return
					}
				}
			}
		}
	}
}

// group names what a cell is reported with.
func (c *cell) group() Key {
	k := Key{Prompt: c.set.Name, Model: c.model, Temperature: decimal(c.temperature), Format: string(c.format)}
	if c.arm != nil {
		k.Policy, k.Budget = c.arm.Policy.String(), c.arm.Budget
	}
	return k
}

// Key is what cells are reported by.
type Key struct {
	Prompt      string `json:"prompt"`
	Model       string `json:"model"`
	Temperature string `json:"temperature"` // "" where it was not set
	Format      string `json:"format"`
	Policy      string `json:"policy,omitzero"` // "" where prompts are sent whole
	Budget      int    `json:"budget,omitzero"`
}

func decimal(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'g', -1, 64)
}

func (p *Plan) params(c *cell) Params {
	params := p.Params
	params.Temperature, params.Format, params.Body = c.temperature, c.format, p.Bodies[c.model]
	if params.Seed != nil {
		seed := *params.Seed + int64(c.sample)
		params.Seed = &seed
	}
	return params
}

// record returns the record of a request before its reply came. t is nil where the
// prompt is sent whole.
func (p *Plan) record(c *cell, attempt int, first string, messages []Message, t *corpora.Trim) (corpora.Record, error) {
	params, err := p.params(c).recorded()
	if err != nil {
		return corpora.Record{}, err
	}
	asked, err := json.Marshal(messages)
	if err != nil {
		return corpora.Record{}, err
	}
	r := corpora.Record{
		V: corpora.Version, Dialect: p.Dialect.Name, Case: c.c.ID, Plan: c.c.Plan, Limits: c.c.Limits, Tools: c.c.Tools,
		Verify: c.c.Verify,
		Prompt: c.set.Name, PromptSHA256: p.promptHash(c), Messages: asked, Model: c.model, Params: params,
		Sample: c.sample, Attempt: attempt, RetryOf: first, Source: corpora.Recorded, Intent: c.c.Intent, Trim: t,
	}
	if attempt > 1 { // the question depends on earlier replies
		r.PromptSHA256 = hash(string(asked))
	}
	arm := ""
	if t != nil {
		arm = fmt.Sprintf("/%s@%d", t.Policy, t.Budget)
	}
	r.ID = fmt.Sprintf("%s/%s/%s/t%s/%s%s/s%d/a%d/%s", c.c.ID, c.set.Name, c.model, decimal(c.temperature), c.format, arm,
		c.sample, attempt, hash(r.Key())[:8])
	return r, nil
}

// promptHash is the hash of the template or, with a system message or a history, of
// all of them.
func (p *Plan) promptHash(c *cell) string {
	template := c.set.SHA256()
	if p.System == "" && len(p.History) == 0 {
		return template
	}
	var text strings.Builder
	text.WriteString(p.System + "\x00")
	for _, m := range sendable(p.History) {
		text.WriteString(m.Role + "\x00" + m.Content + "\x00")
	}
	return hash(text.String() + template)
}

func hash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// recorded are the parameters as a record has them.
func (p Params) recorded() (jsontext.Value, error) {
	format := p.Format
	if format == Free {
		format = ""
	}
	m := struct {
		MaxTokens   int      `json:"max_tokens,omitzero"`
		Format      Format   `json:"response_format,omitzero"`
		Seed        *int64   `json:"seed,omitzero"`
		Stop        []string `json:"stop,omitempty"`
		Stream      bool     `json:"stream,omitzero"`
		Temperature *float64 `json:"temperature,omitzero"`
		TopP        *float64 `json:"top_p,omitzero"`
		// Body are further members, each under its own name.
		Body map[string]jsontext.Value `json:",embed"`
	}{p.ReplyTokens, format, p.Seed, p.Stop, p.Stream, p.Temperature, p.TopP, p.Body}
	return json.Marshal(m, json.Deterministic(true))
}
