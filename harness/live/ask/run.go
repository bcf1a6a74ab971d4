// Package ask makes the requests of a run from the flags of a user: cases, prompts, endpoints,
// limits. It also compares the values of a run. The tags of its structs make them flags.
package ask

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/files"
	"replanbench/harness/history"
	sessions "replanbench/harness/history/recorded"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live"
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
)

// Run says which models get which prompts for which cases, and how their replies are scored. It
// has a field for each flag of live that decides the requests.
type Run struct {
	Model []string `arg:"MODELS" help:"send the prompts to these MODELS (a,b)"`
	Prompts
	Cases
	Temperature    []float64 `arg:"TEMPERATURES" help:"request with these TEMPERATURES (a,b; default the endpoint's)"`
	TopP           *float64  `rare:"" help:"the endpoint's top_p (default not sent)"`
	Seed           *int64    `rare:"" help:"the seed of the first sample; each further sample takes the next number (default not sent)"`
	Samples        int       `default:"1" range:"1," help:"number of samples for each case"`
	ReplyTokens    int       `rare:"" arg:"TOKENS" help:"limit of a reply in TOKENS (default the endpoint's)"`
	ReplyTokensAs  string    `rare:"" line:"no" enum:"max_tokens,max_completion_tokens" help:"how --reply-tokens is sent"`
	Stop           []string  `rare:"" sep:"none" arg:"TEXT" help:"a TEXT that ends a reply; may be given several times"`
	ResponseFormat []string  `default:"free" line:"yes" arg:"FORMATS" help:"the response FORMATS: free, json_object, json_schema, tool (the edit is the arguments of a tool call)"`
	Schema         string    `rare:"" arg:"FILE" help:"the JSON Schema FILE of json_schema and tool (default that of an edit, see replanbench schema, without patterns)"`
	Stream         bool      `rare:"" line:"no" help:"stream replies"`
	MaxRequests    int       `line:"no" rare:"" range:"0," arg:"REQUESTS" help:"stop after this number of REQUESTS over the whole run, retries and earlier sessions included"`
	MaxTokens      int       `line:"no" rare:"" range:"0," arg:"TOKENS" help:"stop before this number of TOKENS, over the whole run; running requests reserve their prompt and --reply-tokens"`
	MaxCost        float64   `line:"no" arg:"AMOUNT" help:"stop before this AMOUNT, over the whole run; needs --prices"`
	Race           bool      `whole:"" rare:"" help:"stop a prompt early once it is worse than another"`
	Endpoints      `group:"Flags of the endpoint"`
	choice.Scoring `rare:"" set:"by=prompt,model,temperature,mode"`
	Arms
}

// keys are the keys that separate the scores of a run.
func keys() []string { return []string{"prompt", "model", "temperature", "mode"} }

// Check rejects a run that makes no sense.
func (f *Run) Check(scoring score.Options) error {
	switch {
	case len(f.Model) == 0:
		return harness.Mistakef("--model is missing: name the model to ask (a,b for several)")
	case scoring.Counter == nil:
		return harness.Mistakef("--tokenizer none: live must count tokens (chars/4 is a cheap estimate)")
	case f.MaxCost > 0 && scoring.Prices.Models == nil:
		return harness.Mistakef("--max-cost needs --prices")
	case f.MaxCost < 0:
		return harness.Mistakef("--max-cost %v: give a positive amount", f.MaxCost)
	case len(slices.Compact(slices.Sorted(slices.Values(f.Model)))) != len(f.Model):
		return harness.Mistakef("--model names a model twice (--samples asks more often)")
	case f.API == string(live.Responses) && (f.Seed != nil || f.Stop != nil):
		return harness.Mistakef("--api responses has neither a seed nor texts that end a reply: leave --seed and --stop out")
	}
	for _, m := range f.Model {
		if _, ok := scoring.Prices.Of(m, 0, 0); f.MaxCost > 0 && !ok {
			return harness.Mistakef("--max-cost: the model %s has no price", m)
		}
	}
	return nil
}

// Plan returns the requests of a shard of the run.
func (f *Run) Plan(in files.Inputs, part shard.Shard) (live.Plan, error) {
	p := live.Plan{Dialect: f.Of(), Models: f.Model, Samples: f.Samples}
	var err error
	if p.Bodies, err = f.Bodies(f.Model); err != nil {
		return p, err
	}
	if p.Cases, err = f.Load(in, p.Dialect); err != nil {
		return p, err
	}
	if p.Cases = p.Cases.Of(part); p.Cases.N == 0 {
		return p, harness.Mistakef("--shard %s holds none of the cases (take fewer shards)", part)
	}
	if p.Prompts, err = f.Sets(in); err != nil {
		return p, err
	}
	if p.System, err = f.SystemText(in); err != nil {
		return p, err
	}
	if err = f.addArms(in, &p); err != nil {
		return p, err
	}
	for _, t := range f.Temperature {
		p.Temperatures = append(p.Temperatures, &t)
	}
	if p.Temperatures == nil {
		p.Temperatures = []*float64{nil}
	}
	for _, name := range f.ResponseFormat {
		if !slices.Contains(live.Formats(), name) {
			return p, harness.Mistakef("--response-format: unknown format %q%s (the formats are %s)", name,
				harness.DidYouMean(name, live.Formats()), strings.Join(live.Formats(), ", "))
		}
		p.Formats = append(p.Formats, live.Format(name))
	}
	p.Params = live.Params{
		ReplyTokens: f.ReplyTokens, Completion: f.ReplyTokensAs == "max_completion_tokens", Stop: f.Stop,
		Stream: f.Stream, TopP: f.TopP, Seed: f.Seed,
	}
	p.Params.Schema, err = f.jsonSchema(in)
	return p, err
}

// Cut returns the limits of a shard. None of them may become 0, which is no
// limit.
func (f *Run) Cut(part shard.Shard) (limits live.Limits, err error) {
	limits = live.Limits{Requests: f.MaxRequests, Tokens: f.MaxTokens, Cost: f.MaxCost}
	for _, x := range []struct {
		flag  string
		limit *int
	}{
		{"--max-requests", &limits.Requests},
		{"--max-tokens", &limits.Tokens},
		{"--requests-per-minute", &f.RequestsPerMinute},
		{"--tokens-per-minute", &f.TokensPerMinute},
	} {
		whole := *x.limit
		if whole <= 0 {
			continue
		}
		if *x.limit = part.Share(whole); *x.limit == 0 {
			return limits, harness.Mistakef("%s %d leaves nothing for --shard %s (raise it, or take fewer shards)", x.flag, whole, part)
		}
	}
	limits.Cost /= float64(max(1, part.N))
	return limits, nil
}

func (f *Run) jsonSchema(in files.Inputs) (jsontext.Value, error) {
	if f.Schema == "" {
		return live.PatchSchema(f.Of())
	}
	data, err := in.Read(f.Schema)
	if err == nil && !jsontext.Value(data).IsValid() {
		err = harness.Mistakef("--schema %s: not JSON", f.Schema)
	}
	return data, err
}

// Arms are ways to trim prompts before they are sent, and texts in front of them.
type Arms struct {
	SendTrimmed bool   `rare:"" help:"trim each prompt with each --policy to each --budget before sending; each pair is an arm, and arms are compared"`
	History     string `rare:"" arg:"FILE" help:"a FILE with messages that precede every prompt, such as a recorded session (a case may have its own in history)"`
}

// Scored returns the options of scoring. The budgets and policies of arms are not
// among them, because each record has its own.
func (f *Run) Scored(in files.Inputs) (score.Options, error) {
	flags := f.Scoring
	if f.SendTrimmed {
		flags.Policy, flags.Budget = nil, nil
		if slices.Equal(flags.By, keys()) {
			flags.By = append(slices.Clone(flags.By), "policy", "budget")
		}
	}
	return flags.Options(in)
}

// addArms adds to a plan its history and its arms.
func (f *Run) addArms(in files.Inputs, p *live.Plan) (err error) {
	if p.History, err = f.messages(in); err != nil {
		return err
	}
	if p.Tags, err = choice.Tags(f.TagRules); err != nil || !f.SendTrimmed {
		return err
	}
	if f.Policy == nil || f.Budget == nil {
		return harness.Mistakef("--send-trimmed: give --policy and --budget, by which and to how many tokens prompts are trimmed")
	}
	policies, err := choice.Policies(f.Policy)
	if err != nil {
		return err
	}
	for i, b := range f.Budget {
		if b < 1 || b > history.MaxTokens || slices.Contains(f.Budget[:i], b) {
			return harness.Mistakef("--budget %d: give different budgets from 1 to %d tokens", b, history.MaxTokens)
		}
	}
	for i, policy := range policies {
		if slices.ContainsFunc(policies[:i], func(other history.Policy) bool { return other.String() == policy.String() }) {
			return harness.Mistakef("--policy %s is given twice", policy)
		}
	}
	p.Arms, p.Trim = live.Arms(policies, f.Budget), all.Trimmer().Trim
	return nil
}

// messages reads the history, which must be one.
func (f *Arms) messages(in files.Inputs) ([]history.Message, error) {
	if f.History == "" {
		return nil, nil
	}
	data, err := in.Read(f.History)
	if err != nil {
		return nil, err
	}
	list, problems := sessions.Read(f.History, data)
	switch {
	case len(problems) > 0:
		return nil, harness.Mistakef("--history %s: %v", f.History, problems[0])
	case len(list) != 1:
		return nil, harness.Mistakef("--history %s: holds %d histories, and must hold one (give cases a history of their own instead)",
			f.History, len(list))
	}
	return list[0].Messages, nil
}

// ProgressLine describes the progress of a run.
func ProgressLine(p live.Progress) string {
	line := fmt.Sprintf("%d of %d cells", p.Cells, p.Total)
	if p.Left > 0 {
		line += ", " + p.Left.Round(time.Second).String() + " left"
	}
	line += fmt.Sprintf(", %.1f/s, %d requests, %d tokens", p.Rate, p.Spent.Requests,
		p.Spent.PromptTokens+p.Spent.ReplyTokens)
	if p.Currency != "" {
		line += fmt.Sprintf(", %.4f %s", p.Spent.Cost, p.Currency)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	return line
}

// Tokenizer is what counts tokens for the scores and for the run alike.
type Tokenizer interface {
	Name() string
	Count(text string) int
}
