package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness/live"
	"replanbench/harness/live/cassette"
	"replanbench/harness/score"
	"replanbench/reports"
)

// endpointFlags say where requests go, how fast, and whether they go out at all.
type endpointFlags struct {
	baseURL         string
	keyEnv          string
	organizationEnv string
	projectEnv      string
	timeout         time.Duration
	tries           int
	concurrency     int
	requests        int
	tokens          int
	record          string
	replay          string
}

const defaultBaseURL = "https://api.openai.com/v1"

func (f *endpointFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.baseURL, "base-url", defaultBaseURL, "the `URL` of an OpenAI-compatible endpoint")
	flags.StringVar(&f.keyEnv, "key-env", "OPENAI_API_KEY", "the environment `VARIABLE` with the key")
	flags.StringVar(&f.organizationEnv, "organization-env", "", "the environment `VARIABLE` with the organisation's id (default none is sent)")
	flags.StringVar(&f.projectEnv, "project-env", "", "the environment `VARIABLE` with the project's id (default none is sent)")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Minute, "how long one request may take")
	flags.IntVar(&f.tries, "tries", 5, "how often to try a request, where trying again can help")
	flags.IntVar(&f.concurrency, "concurrency", 8, "how many `REQUESTS` may run at once")
	flags.IntVar(&f.requests, "requests-per-minute", 0, "the endpoint's limit of `REQUESTS` (default none)")
	flags.IntVar(&f.tokens, "tokens-per-minute", 0, "the endpoint's limit of `TOKENS` (default none)")
	flags.StringVar(&f.record, "record", "", "record every exchange in this `DIRECTORY`")
	flags.StringVar(&f.replay, "replay", "", "answer from the recording in this `DIRECTORY`; nothing is sent")
}

// client opens the endpoint.
func (f *endpointFlags) client(e env, now func() time.Time) (*live.Client, error) {
	switch {
	case f.record != "" && f.replay != "":
		return nil, usagef("give --record or --replay, not both")
	case f.tries < 1 || f.concurrency < 1 || f.timeout <= 0:
		return nil, usagef("--tries, --concurrency and --timeout must be above 0")
	case f.requests < 0 || f.tokens < 0:
		return nil, usagef("--requests-per-minute and --tokens-per-minute cannot be below 0")
	}
	endpoint := live.Endpoint{BaseURL: f.baseURL, Timeout: f.timeout, Transport: http.DefaultTransport.(*http.Transport).Clone()}
	if err := f.secrets(&endpoint, e); err != nil {
		return nil, err
	}
	if err := f.cassettes(&endpoint, now); err != nil {
		return nil, err
	}
	c, err := live.NewClient(endpoint, now)
	return c, usageError(err)
}

// secrets reads what is sent in headers from the environment. In replay it is
// needed for nothing but to be kept out of what is written.
func (f *endpointFlags) secrets(endpoint *live.Endpoint, e env) error {
	for _, v := range []struct {
		env    string
		to     *string
		needed bool
		wayOut string
	}{
		{f.keyEnv, &endpoint.Key, f.baseURL == defaultBaseURL, "name another endpoint by --base-url"},
		{f.organizationEnv, &endpoint.Organization, true, "leave --organization-env out"},
		{f.projectEnv, &endpoint.Project, true, "leave --project-env out"},
	} {
		if v.env == "" {
			continue
		}
		*v.to = strings.TrimSpace(e.getenv(v.env)) // files leave a newline behind keys
		if *v.to == "" && v.needed && f.replay == "" {
			return usagef("the environment variable %s is empty (set it, or %s)", v.env, v.wayOut)
		}
	}
	return nil
}

// cassettes puts recording or replay between the client and the network.
func (f *endpointFlags) cassettes(endpoint *live.Endpoint, now func() time.Time) error {
	var r *cassette.Recorder
	var err error
	switch {
	case f.replay != "":
		r, err = cassette.Replay(f.replay)
	case f.record != "":
		r, err = cassette.Record(f.record, endpoint.Transport, now, live.DefaultMaxBody, endpoint.Secrets()...)
	default:
		return nil
	}
	endpoint.Transport = r
	return usageError(err)
}

// comparePrompts puts every other prompt beside the first, case by case, by
// model, temperature and format. The p-values are corrected for all of it.
func comparePrompts(ctx context.Context, source corpora.Source, plan live.Plan, o score.Options) ([]reports.Comparison, error) {
	o.By, o.EveryCase = []string{"model", "temperature", "mode"}, true
	side := func(prompt string) (*score.Result, error) {
		o.Where = map[string]string{"prompt": prompt}
		return score.Run(ctx, []corpora.Source{source}, o)
	}
	base, err := side(plan.Prompts[0].Name)
	if err != nil {
		return nil, err
	}
	var list []reports.Comparison
	for _, set := range plan.Prompts[1:] {
		now, err := side(set.Name)
		if err != nil {
			return nil, err
		}
		if base.Records == 0 || now.Records == 0 {
			continue
		}
		c, err := score.Compare(base, now, score.CompareOptions{})
		if err != nil {
			return nil, err
		}
		list = append(list, reports.Comparison{Base: plan.Prompts[0].Name, New: set.Name, Comparison: *c})
	}
	together := make([]*score.Comparison, len(list))
	for i := range list {
		together[i] = &list[i].Comparison
	}
	score.Correct(together...)
	return list, nil
}
