// Package choice turns the flags of a user into the options of scoring. The tags of its structs
// make them flags.
package choice

import (
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
	"replanbench/harness/history"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
)

// Scoring says how replies are scored.
type Scoring struct {
	By        []string `list:"${keys}" default:"${by}" arg:"KEYS" help:"group by these KEYS, such as model,prompt,temperature,mode (see replanbench list keys)"`
	Where     []string `sep:"none" list:"${keys}" arg:"KEY=VALUE" help:"score only replies with this KEY=VALUE; may be given several times"`
	Rules     `set:"judge=score under"`
	Ladder    string   `rare:"" arg:"RUNGS" help:"the fallback ladder, RUNGS such as patch,retry,react (default that of the profile)"`
	Tokenizer string   `default:"o200k_base" list:"${tokenizers}" arg:"NAME" help:"the tokenizer that counts: a NAME of replanbench list tokenizers, or none"`
	Budget    []int    `arg:"TOKENS" help:"budget in TOKENS of prompt and reply together (default no limit)"`
	Policy    []string `sep:"none" list:"${trimming}" arg:"PIPELINE" help:"also measure recorded prompts, trimmed to --budget by this PIPELINE; may be given several times (see replanbench list trimming)"`
	TagRules  []string `name:"tag" sep:"none" rare:"" arg:"TAG=REGEXP" help:"tag untagged messages of prompts that match: TAG=REGEXP; may be given several times"`
	Prices    string   `arg:"FILE" help:"a price table, a JSON FILE: {\"currency\":\"USD\",\"models\":{\"NAME\":{\"prompt\":0.15,\"reply\":0.60}}}, per million tokens"`
	Work      `set:"work=batches of replies"`
}

// noTokenizer counts nothing.
const noTokenizer = "none"

// Options returns the options of scoring.
func (f *Scoring) Options(in files.Inputs) (score.Options, error) {
	o := score.Options{By: f.By, Workers: f.Workers}
	var err error
	if o.Profile, err = f.rules(); err != nil {
		return o, err
	}
	for _, w := range f.Where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return o, harness.Mistakef("--where %s: write KEY=VALUE", w)
		}
		if first, twice := o.Where[key]; twice && first != value {
			return o, harness.Mistakef("--where %s: already given as %q (give it once)", w, first)
		}
		if o.Where == nil {
			o.Where = map[string]string{}
		}
		o.Where[key] = value
	}
	for i, key := range append(slices.Clip(f.By), slices.Sorted(maps.Keys(o.Where))...) {
		if err := score.CheckKey(key); err != nil && i < len(f.By) {
			return o, harness.Mistakef("--by: %w", err)
		} else if err != nil {
			return o, harness.Mistakef("--where: %w", err)
		}
	}
	if f.Tokenizer != noTokenizer {
		if o.Counter, err = tokens.New(f.Tokenizer); err != nil {
			return o, harness.Mistakef("--tokenizer: %w", err)
		}
	}
	if err := f.prompts(&o); err != nil {
		return o, err
	}
	if f.Prices == "" {
		return o, nil
	}
	data, err := in.Read(f.Prices)
	if err != nil {
		return o, err
	}
	if o.Prices, err = score.ParsePrices(data); err != nil {
		return o, harness.Mistakef("%s: %w", f.Prices, err)
	}
	return o, nil
}

// prompts says how recorded prompts are measured.
func (f *Scoring) prompts(o *score.Options) error {
	for _, b := range f.Budget {
		if b < 0 || b > history.MaxTokens {
			return harness.Mistakef("--budget %d: the budget is 1 to %d tokens", b, history.MaxTokens)
		}
	}
	if len(f.Budget) > 1 {
		return harness.Mistakef("--budget: give one budget (live --send-trimmed takes several)")
	}
	for _, b := range f.Budget {
		o.Budget = b
	}
	if f.Policy != nil && o.Budget == 0 {
		return harness.Mistakef("--policy: give --budget, the number of tokens to trim to")
	}
	if f.Policy != nil && f.Tokenizer == noTokenizer {
		return harness.Mistakef("--policy: trimming needs a --tokenizer other than none")
	}
	var err error
	o.Trim = all.Trimmer().Trim
	if o.Policies, err = Policies(f.Policy); err != nil {
		return err
	}
	o.Tags, err = Tags(f.TagRules)
	return err
}

// Tags reads the rules of --tag.
func Tags(rules []string) ([]history.TagRule, error) {
	var list []history.TagRule
	for _, s := range rules {
		r, err := history.ParseTagRule(s)
		if err != nil {
			return nil, harness.Mistakef("--tag: %w", err)
		}
		list = append(list, r)
	}
	return list, nil
}

// rules returns the profile and the ladder.
func (f *Scoring) rules() (harness.Profile, error) {
	p := harness.Reference()
	set, err := (&byname.Engine{Profile: f.Profile}).Settings()
	if err != nil {
		return p, err
	}
	if set != nil {
		p = *set
	}
	if f.Ladder != "" {
		if err := p.Set("ladder", f.Ladder); err != nil {
			return p, harness.Mistakef("--ladder: %w", err)
		}
	}
	return p, nil
}

// Gate holds the conditions that scores must meet.
type Gate struct {
	Require      []string `sep:"none" list:"${metrics}" key:"thresholds" arg:"THRESHOLD" help:"a THRESHOLD that the scores must meet, such as \"parse_rate >= 0.95\", \"apply_rate.low >= 0.7 where model=NAME\"; may be given several times"`
	Baseline     string   `old:"earlier" key:"baseline" help:"the old name of --earlier"`
	AllowMissing bool     `rare:"" key:"allow_missing" help:"with --earlier: accept groups and cases that only one of the two scores has"`
}

// SampleRule says how many samples of a case must pass.
type SampleRule struct {
	Repeat string `rare:"" arg:"K of N" help:"with several samples per case: the case passes if K of N samples pass, such as \"2 of 3\""`
}

// Rule returns the rule of --repeat.
func (f *SampleRule) Rule() (r score.Repeat, err error) {
	if f.Repeat == "" {
		return r, nil
	}
	if r, err = score.ParseRepeat(f.Repeat); err != nil {
		return r, harness.Mistakef("--repeat: %w", err)
	}
	return r, nil
}

// Conditions returns the conditions that scores must meet. read returns the scores of a report.
func (f *Gate) Conditions(repeat SampleRule, read func(name string) (*score.Result, error)) (score.Gate, error) {
	var g score.Gate
	for _, s := range f.Require {
		t, err := score.ParseThreshold(s)
		if err != nil {
			return g, harness.Mistakef("--require: %w", err)
		}
		g.Thresholds = append(g.Thresholds, t)
	}
	var err error
	if g.Repeat, err = repeat.Rule(); err != nil {
		return g, err
	}
	if f.Baseline != "" {
		g.Baseline, err = read(f.Baseline)
	}
	g.AllowMissing = f.AllowMissing
	return g, err
}

// Rules selects the rules.
type Rules struct {
	Profile []string `sep:"none" list:"${profiles}" arg:"PROFILE" help:"${judge} this PROFILE: a profile's name or knob=value; may be given several times (see replanbench list profiles, list knobs)"`
}

// Work is the number of concurrent units of work; 0 means one per processor.
type Work struct {
	Workers int `range:"0,1024" line:"no" key:"workers" help:"number of ${work} that run at once (default one per processor${many})"`
}

// Policies reads the pipelines of --policy.
func Policies(list []string) ([]history.Policy, error) {
	var policies []history.Policy
	for _, text := range list {
		p, err := history.ParsePolicy(text)
		if err != nil {
			return nil, harness.Mistakef("--policy %q: %w", text, err)
		}
		policies = append(policies, p)
	}
	return policies, nil
}
