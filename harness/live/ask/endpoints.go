package ask

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/live"
	"replanbench/harness/live/cassette"
)

// World is what requests take from the environment of the program.
type World struct {
	Getenv func(name string) string
	Hide   func(secrets ...string) // keeps secrets out of all output
}

// Endpoints says where requests go, how fast, and whether they go out at all.
// What may differ from one endpoint to another has its name in front.
type Endpoints struct {
	BaseURL           []string      `line:"no" sep:"none" default:"https://api.openai.com/v1" arg:"URL" help:"the URL of an OpenAI-compatible endpoint; for several endpoints, NAME=URL, with models MODEL@NAME"`
	KeyEnv            []string      `line:"no" sep:"none" default:"OPENAI_API_KEY" arg:"VARIABLE" help:"the environment VARIABLE with the key, or NAME=VARIABLE for one endpoint"`
	OrganizationEnv   string        `line:"no" rare:"" arg:"VARIABLE" help:"the environment VARIABLE with the organisation's id (default none is sent)"`
	ProjectEnv        string        `line:"no" rare:"" arg:"VARIABLE" help:"the environment VARIABLE with the project's id (default none is sent)"`
	API               string        `rare:"" enum:"${apis}" help:"the API of the endpoints"`
	Header            []string      `line:"no" rare:"" sep:"none" arg:"KEY=VALUE" help:"add a header, KEY=VALUE, or NAME:KEY=VALUE for one endpoint; $VARIABLE comes from the environment and reaches no file"`
	Query             []string      `line:"no" rare:"" sep:"none" arg:"KEY=VALUE" help:"add a parameter to the URL, KEY=VALUE, such as api-version=2024-10-21; NAME:KEY=VALUE for one endpoint"`
	Body              []string      `rare:"" sep:"none" arg:"KEY=JSON" help:"add a member to every request, KEY=JSON, such as reasoning_effort=low; NAME:KEY=JSON for one endpoint"`
	Timeout           time.Duration `line:"no" rare:"" default:"2m" help:"time limit of one request"`
	Tries             int           `line:"no" rare:"" default:"5" range:"1," help:"maximum number of attempts for a request that can be retried"`
	Concurrency       int           `line:"no" default:"8" range:"1," arg:"REQUESTS" help:"number of REQUESTS that run at once"`
	RequestsPerMinute int           `line:"no" rare:"" range:"0," arg:"REQUESTS" help:"each endpoint's limit of REQUESTS (default none)"`
	TokensPerMinute   int           `line:"no" rare:"" range:"0," arg:"TOKENS" help:"each endpoint's limit of TOKENS (default none)"`
	Record            string        `line:"no" conflicts:"replay" arg:"DIR" help:"record every exchange in this DIR"`
	Replay            string        `line:"no" arg:"DIR" help:"answer from the recording in this DIR; nothing is sent"`
}

const defaultBaseURL = "https://api.openai.com/v1"

// addresses are the endpoints by name. Models without an endpoint use the name "".
func (f *Endpoints) addresses() (map[string]string, error) {
	named := regexp.MustCompile(`^([A-Za-z0-9_.-]+)=(https?://.*)$`)
	list := map[string]string{}
	for _, s := range f.BaseURL {
		name, url := "", s
		if m := named.FindStringSubmatch(s); m != nil {
			name, url = m[1], m[2]
		}
		if _, twice := list[name]; twice {
			return nil, harness.Mistakef("--base-url %s: with several endpoints each needs a name of its own (NAME=URL)", s)
		}
		list[name] = url
	}
	return list, nil
}

// at splits MODEL@NAME, where there is an endpoint of that name.
func at(model string, addresses map[string]string) (name, endpoint string) {
	if i := strings.LastIndexByte(model, '@'); i > 0 {
		if _, ok := addresses[model[i+1:]]; ok {
			return model[:i], model[i+1:]
		}
	}
	return model, ""
}

// setting is a KEY=VALUE, of one endpoint or, with "", of all.
type setting struct{ endpoint, key, value string }

func settings(flag string, list []string, addresses map[string]string) ([]setting, error) {
	var out []setting
	for _, s := range list {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, harness.Mistakef("%s %s: write KEY=VALUE", flag, s)
		}
		name, rest, ok := strings.Cut(key, ":")
		if _, known := addresses[name]; ok && known {
			out = append(out, setting{name, rest, value})
		} else if ok {
			return nil, harness.Mistakef("%s %s: there is no endpoint %q%s (name it by --base-url %s=URL)", flag, s, name,
				harness.DidYouMean(name, slices.Collect(maps.Keys(addresses))), name)
		} else {
			out = append(out, setting{"", key, value})
		}
	}
	return out, nil
}

// owned are the members of a request that have flags of their own.
func owned() map[string]string {
	return map[string]string{
		"model": "--model", "temperature": "--temperature", "top_p": "--top-p", "seed": "--seed", "stop": "--stop",
		"stream":     "--stream",
		"max_tokens": "--reply-tokens", "max_completion_tokens": "--reply-tokens", "max_output_tokens": "--reply-tokens",
		"response_format": "--response-format", "tools": "--response-format tool", "messages": "--prompt",
		"input": "--prompt",
	}
}

// Bodies returns the further members of requests, by model.
func (f *Endpoints) Bodies(models []string) (map[string]map[string]jsontext.Value, error) {
	addresses, err := f.addresses()
	if err != nil {
		return nil, err
	}
	list, err := settings("--body", f.Body, addresses)
	if err != nil || list == nil {
		return nil, err
	}
	out := map[string]map[string]jsontext.Value{}
	for _, s := range list {
		if flag := owned()[s.key]; flag != "" {
			return nil, harness.Mistakef("--body %s: use %s", s.key, flag)
		}
		if !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(s.key) {
			return nil, harness.Mistakef("--body %s: the name of a member has letters, digits, _ and - (write what is within it as JSON)",
				s.key)
		}
		value := jsontext.Value(s.value)
		if !value.IsValid() {
			if value, err = json.Marshal(s.value); err != nil {
				return nil, harness.Mistakef("--body %s: %w", s.key, err)
			}
		}
		for _, m := range models {
			if _, endpoint := at(m, addresses); s.endpoint == "" || s.endpoint == endpoint {
				if out[m] == nil {
					out[m] = map[string]jsontext.Value{}
				}
				out[m][s.key] = value
			}
		}
	}
	return out, nil
}

// Routes opens the endpoints of the models.
func (f *Endpoints) Routes(w World, clock live.Clock, models []string) (map[string]live.Route, error) {
	if f.Timeout <= 0 {
		return nil, harness.Mistakef("--timeout %s: give a positive time, such as 2m", f.Timeout)
	}
	addresses, err := f.addresses()
	if err != nil {
		return nil, err
	}
	opened, routes := map[string]live.Route{}, map[string]live.Route{}
	endpoints := map[string]*live.Endpoint{}
	for name, url := range addresses {
		endpoint := &live.Endpoint{
			BaseURL: url, Timeout: f.Timeout, API: live.API(f.API),
			Transport: http.DefaultTransport.(*http.Transport).Clone(),
		}
		if err := f.secrets(endpoint, name, addresses, w); err != nil {
			return nil, err
		}
		endpoints[name] = endpoint
	}
	if err := f.cassettes(endpoints, clock.Now); err != nil {
		return nil, err
	}
	for name, endpoint := range endpoints {
		c, err := live.NewClient(*endpoint, clock.Now)
		if err != nil {
			return nil, harness.Mistaken(err)
		}
		opened[name] = live.Route{Client: c}
		if f.Replay == "" {
			opened[name] = live.Route{Client: c, Pace: live.NewPace(clock, f.RequestsPerMinute, f.TokensPerMinute)}
		}
	}
	for _, m := range models {
		model, endpoint := at(m, addresses)
		route, ok := opened[endpoint]
		if !ok {
			return nil, harness.Mistakef("--model %s names no endpoint (write %s@NAME with a NAME of --base-url: %s)", m, m,
				strings.Join(slices.Sorted(maps.Keys(addresses)), ", "))
		}
		route.Model = model
		routes[m] = route
	}
	return routes, nil
}

// keyEnv is the variable with the key of an endpoint.
func (f *Endpoints) keyEnv(endpoint string) string {
	variable := ""
	for _, s := range f.KeyEnv {
		name, v, named := strings.Cut(s, "=")
		switch {
		case !named && variable == "":
			variable = s
		case named && name == endpoint:
			return v
		}
	}
	return variable
}

// secrets reads the values of headers from the environment. A replay uses them only to
// remove them from its output.
func (f *Endpoints) secrets(endpoint *live.Endpoint, name string, addresses map[string]string, w World) error {
	for _, v := range []struct {
		env    string
		to     *string
		needed bool
		wayOut string
	}{
		{f.keyEnv(name), &endpoint.Key, endpoint.BaseURL == defaultBaseURL, "name another endpoint by --base-url"},
		{f.OrganizationEnv, &endpoint.Organization, true, "leave --organization-env out"},
		{f.ProjectEnv, &endpoint.Project, true, "leave --project-env out"},
	} {
		if v.env == "" {
			continue
		}
		*v.to = strings.TrimSpace(w.Getenv(v.env)) // files leave a newline behind keys
		if *v.to == "" && v.needed && f.Replay == "" {
			return harness.Mistakef("the environment variable %s is empty (set it, or %s)", v.env, v.wayOut)
		}
	}
	for _, x := range []struct {
		flag string
		list []string
		to   *[]live.Pair
	}{{"--header", f.Header, &endpoint.Headers}, {"--query", f.Query, &endpoint.Query}} {
		list, err := settings(x.flag, x.list, addresses)
		if err != nil {
			return err
		}
		for _, s := range list {
			if s.endpoint != "" && s.endpoint != name {
				continue
			}
			if variable, ok := strings.CutPrefix(s.value, "$"); ok {
				if s.value = strings.TrimSpace(w.Getenv(variable)); s.value == "" && f.Replay == "" {
					return harness.Mistakef("%s %s: the environment variable %s is empty", x.flag, s.key, variable)
				}
				endpoint.Hidden = append(endpoint.Hidden, s.value)
			}
			*x.to = append(*x.to, live.Pair{Name: s.key, Value: s.value})
		}
	}
	w.Hide(endpoint.Secrets()...)
	return nil
}

// cassettes puts recording or replay between the clients and the network. One cassette
// serves all endpoints, because the names of requests contain the endpoint.
func (f *Endpoints) cassettes(endpoints map[string]*live.Endpoint, now func() time.Time) error {
	if f.Record == "" && f.Replay == "" {
		return nil
	}
	var secrets []string
	for _, endpoint := range endpoints {
		secrets = append(secrets, endpoint.Secrets()...)
	}
	var r *cassette.Recorder
	var err error
	if f.Replay != "" {
		r, err = cassette.Replay(f.Replay)
	} else {
		r, err = cassette.Record(f.Record, http.DefaultTransport.(*http.Transport).Clone(), now, live.DefaultMaxBody,
			secrets...)
	}
	if err != nil {
		return harness.Mistaken(err)
	}
	for _, endpoint := range endpoints {
		endpoint.Transport = r
	}
	return nil
}
