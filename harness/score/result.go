package score

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score/stats"
)

// confidence is the confidence level of all intervals.
const confidence = 0.95

// Result contains the scores of corpora.
// Its many fields are the members of the report's JSON.
type Result struct {
	By      []string        `json:"by" join:"keep"`
	Metrics []string        `json:"metrics" join:"first"` // in the order of Group.ByCase
	Sources []string        `json:"sources" join:"keep"`  // of the replies; with several, By ends with source
	Profile harness.Profile `json:"profile" join:"first"`
	Budget  int             `json:"budget,omitzero" join:"first"` // tokens
	Corpora []string        `json:"corpora" join:"first"`
	Records int             `json:"records"` // scored records, including retries
	Left    int             `json:"left"`    // records that the options exclude
	// LeftValues lists up to ten values of the keys of Where that excluded records have.
	LeftValues map[string][]string `json:"-" join:"keep"`
	Retries    int                 `json:"retries"`              // retries among Records
	Bad        int                 `json:"bad"`                  // skipped lines
	Problems   []string            `json:"problems" join:"keep"` // the first skipped lines
	// Failed counts the records of requests without a reply. Records does not include them.
	Failed int `json:"failed,omitzero"`
	// Damaged lists the prompts that showed wrong ids, see [corpora.Record.Damaged].
	Damaged []corpora.DamagedPrompt `json:"damaged_prompts,omitempty" join:"keep"`
	Groups  []Group                 `json:"groups" join:"keep"`
	// Overflow is present if prompts were trimmed.
	Overflow *Overflow `json:"overflow,omitzero" join:"keep"`
	// Part is present in the scores of a shard. It replaces ByCase of the groups.
	Part *part `json:"part,omitzero" join:"keep"`
}

// Group contains the figures of the requests with the same keys.
type Group struct {
	Key      []string       `json:"key"`      // values in the order of Result.By
	Requests int            `json:"requests"` // first attempts
	Cases    int            `json:"cases"`    // of the requests; 4096 means 4096 or more
	Unscored map[string]int `json:"unscored"` // requests that were not judged, by reason
	Rates    []Rate         `json:"rates"`
	Means    []Rate         `json:"means"`
	Rungs    []Rung         `json:"rungs"`
	Failures []Failure      `json:"failures"` // the ten most frequent codes
	Dangers  []Danger       `json:"dangers,omitempty"`
	// Similar counts the requests whose items have no ids and were matched by similar text.
	Similar int `json:"matched_by_similarity,omitzero"`
	// Listed are the first replies of a documented group. They are handwritten examples, so
	// reports list them one by one, and the rates have no intervals.
	Listed  []Listed `json:"listed,omitempty"`
	Tokens  Tokens   `json:"tokens"`
	Cost    *Cost    `json:"cost,omitzero"`
	Prompts *Prompts `json:"prompts,omitzero"` // absent if none was recorded
	Passes  []PassK  `json:"passes,omitempty"` // absent if each case has one request
	// Pooled lists the settings of replies that cannot be pooled to pass@k, if there are
	// several.
	Pooled []string `json:"pooled_settings,omitempty"`
	// ByCase contains the counts of rates and means by case, in the order of
	// Result.Metrics, for comparisons. It is absent with more than 4096 cases.
	ByCase []CaseCounts `json:"by_case,omitempty"`
}

// CaseCounts are the counts of the requests of one case.
type CaseCounts struct {
	Case   string  `json:"case"`
	Counts []Count `json:"counts"`
}

// Rate is a share or a mean with its 95 % interval, which allows for several replies to a
// case. For a mean, Yes is the sum. The N of [Saving] counts tokens of plans.
type Rate struct {
	Name  string  `json:"name"` // see Metrics
	Yes   int     `json:"yes"`
	N     int     `json:"n"`     // requests that have the property
	Cases int     `json:"cases"` // cases of these requests
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Bare rates have no interval, because handwritten replies are no sample.
	Bare bool `json:"no_interval,omitzero"`
}

// MarshalJSONTo omits the ends of a missing interval.
func (r Rate) MarshalJSONTo(enc *jsontext.Encoder) error {
	type whole Rate
	if !r.Bare {
		return json.MarshalEncode(enc, whole(r))
	}
	return json.MarshalEncode(enc, struct {
		Name  string  `json:"name"`
		Yes   int     `json:"yes"`
		N     int     `json:"n"`
		Cases int     `json:"cases"`
		Value float64 `json:"value"`
		Bare  bool    `json:"no_interval"`
	}{r.Name, r.Yes, r.N, r.Cases, r.Value, true})
}

// Danger counts the requests with one kind of danger to finished work.
type Danger struct {
	Kind    string `json:"kind"` // see harness.DangerKinds
	N       int    `json:"n"`
	Example string `json:"example"` // id of the first such record
	Step    string `json:"step"`    // the step in danger
}

// Listed is a documented reply with its outcome.
type Listed struct {
	ID         string          `json:"id"`
	Verdict    harness.Verdict `json:"verdict,omitzero"`
	Code       harness.Code    `json:"code,omitzero"`
	Rung       harness.Rung    `json:"rung,omitzero"`
	Danger     bool            `json:"danger,omitzero"`
	Provenance string          `json:"provenance,omitzero"`
}

// maxListed limits the listed replies of a group.
const maxListed = 100

// Rung counts the ladders that ended on a rung.
type Rung struct {
	Name string `json:"name"` // failed: on none
	N    int    `json:"n"`
}

// Failure counts the first replies that were rejected with a code.
type Failure struct {
	Code    harness.Code `json:"code"`
	N       int          `json:"n"`
	Example string       `json:"example"` // id of the first such record
	Message string       `json:"message"` // of this record
}

// Tokens contains distributions over all replies, including retries.
type Tokens struct {
	Prompt Spread `json:"prompt"`
	Reply  Spread `json:"reply"`
	Total  Spread `json:"total"`
}

// Spread describes a distribution of token counts.
type Spread struct {
	N   int `json:"n"` // replies with a known number
	P50 int `json:"p50"`
	P95 int `json:"p95"`
	Max int `json:"max"`
	Sum int `json:"sum"`
}

// Cost is the cost of the replies.
type Cost struct {
	Currency string  `json:"currency"`
	Amount   float64 `json:"amount"`
	Unpriced int     `json:"unpriced"` // replies without a price or without token counts
}

// oneSource sets the sources. It removes an implicit source key if all replies have the
// same source.
func (r *Result) oneSource(implied bool) {
	r.Sources = []string{}
	i := slices.Index(r.By, "source")
	for _, t := range corpora.Sources() {
		if slices.ContainsFunc(r.Groups, func(g Group) bool { return g.Key[i] == t.Name }) {
			r.Sources = append(r.Sources, t.Name)
		}
	}
	if !implied || len(r.Sources) > 1 {
		return
	}
	r.By = r.By[:i]
	for j := range r.Groups {
		r.Groups[j].Key = r.Groups[j].Key[:i]
	}
}

// bySource returns the result with the source as a key, even with a single source.
func (r *Result) bySource() *Result {
	if slices.Contains(r.By, "source") || len(r.Sources) != 1 {
		return r
	}
	with := *r
	with.By = append(slices.Clone(r.By), "source")
	with.Groups = slices.Clone(r.Groups)
	for i := range with.Groups {
		with.Groups[i].Key = append(slices.Clone(with.Groups[i].Key), r.Sources[0])
	}
	return &with
}

// Rate returns a rate by its name.
func (g *Group) Rate(name string) (Rate, bool) { return named(g.Rates, name) }

// Mean returns a mean by its name.
func (g *Group) Mean(name string) (Rate, bool) { return named(g.Means, name) }

func named(list []Rate, name string) (Rate, bool) {
	i := slices.IndexFunc(list, func(r Rate) bool { return r.Name == name })
	if i < 0 {
		return Rate{}, false
	}
	return list[i], true
}

func (t *tally) group(o *Options, questions []metric) Group {
	g := Group{
		Key: t.Key, Requests: t.Requests, Similar: t.Similar, Cases: len(t.Cases), Unscored: t.Unscored,
		Rates: []Rate{}, Means: []Rate{}, Rungs: []Rung{}, Failures: t.failures(),
		Tokens: Tokens{t.Prompt.describe(), t.Reply.describe(), t.Total.describe()},
		Cost:   o.Prices.cost(t.Spent), Prompts: t.Prompts.describe(),
	}
	bare, rates := t.documented(o), stats.Rates{}
	for i, q := range questions {
		if q.share != "" && !t.asked(i) {
			continue // a rate of another dialect
		}
		if q.measure != nil {
			g.Means = append(g.Means, bared(newMean(q.Name, t.clusters(i)), bare))
		} else {
			g.Rates = append(g.Rates, newRate(q.Name, t.clusters(i), bare, &rates))
		}
		if q.Name == ApplyRate && !bare {
			if g.Pooled = t.pooled(i); g.Pooled == nil {
				g.Passes = t.passes(i)
			}
		}
	}
	if bare {
		for _, l := range t.Listed {
			g.Listed = append(g.Listed, l.Listed)
		}
	}
	for _, kind := range harness.DangerKinds() {
		if d := t.Dangers[kind.Name]; d != nil {
			g.Dangers = append(g.Dangers, d.Danger)
		}
	}
	for hash, name := range t.Names {
		g.ByCase = append(g.ByCase, CaseCounts{name, t.Cases[hash]})
	}
	slices.SortFunc(g.ByCase, func(a, b CaseCounts) int { return strings.Compare(a.Case, b.Case) })
	for _, r := range harness.Rungs() {
		g.Rungs = append(g.Rungs, Rung{r.Name, t.Rungs[harness.Rung(r.Name)]})
	}
	g.Rungs = append(g.Rungs, Rung{"failed", t.Rungs[""]})
	return g
}

// asked reports whether any request has the property of a metric.
func (t *tally) asked(i int) bool {
	for _, c := range t.Cases {
		if c[i].Asked > 0 {
			return true
		}
	}
	return false
}

// documented reports whether the replies of the group were written by hand.
func (t *tally) documented(o *Options) bool {
	i := slices.Index(o.By, "source")
	return i >= 0 && i < len(t.Key) && t.Key[i] == corpora.Documented
}

// documented reports whether the replies of a group were written by hand.
func (r *Result) documented(g *Group) bool {
	if i := slices.Index(r.By, "source"); i >= 0 && i < len(g.Key) {
		return g.Key[i] == corpora.Documented
	}
	return slices.Equal(r.Sources, []string{corpora.Documented})
}

// bared removes the interval of a rate if bare.
func bared(r Rate, bare bool) Rate {
	if bare {
		r.Low, r.High, r.Bare = 0, 0, true
	}
	return r
}

// newRate returns a rate with its interval, unless bare. before caches intervals.
func newRate(name string, clusters []stats.Cluster, bare bool, before *stats.Rates) Rate {
	r := sum(name, clusters)
	switch {
	case r.N == 0:
	case bare:
		r.Value = float64(r.Yes) / float64(r.N)
	default:
		r.Value, r.Low, r.High = before.Rate(clusters, confidence)
	}
	return bared(r, bare)
}

// HasInterval reports whether Low and High are an interval. A mean over a single case has
// none.
func (r *Rate) HasInterval() bool { return r.N > 0 && !r.Bare && (r.Cases > 1 || r.Low < r.High) }

// newMean returns a mean with its interval. For a single case the interval is the mean.
func newMean(name string, clusters []stats.Cluster) Rate {
	r := sum(name, clusters)
	if r.N > 0 {
		r.Value, r.Low, r.High = stats.MeanInterval(clusters, confidence)
	}
	if r.Cases < 2 {
		r.Low, r.High = r.Value, r.Value
	}
	return r
}

func sum(name string, clusters []stats.Cluster) Rate {
	r := Rate{Name: name, Cases: len(clusters)}
	for _, c := range clusters {
		r.Yes, r.N = r.Yes+int(c.Sum), r.N+c.N
	}
	return r
}

// failures returns the ten most frequent codes.
func (t *tally) failures() []Failure {
	const top = 10
	list := []Failure{}
	for _, code := range slices.Sorted(maps.Keys(t.Codes)) {
		list = append(list, t.Codes[code].Failure)
	}
	slices.SortStableFunc(list, func(a, b Failure) int { return b.N - a.N })
	return list[:min(top, len(list))]
}

func (s spread) describe() Spread {
	var d Spread
	for v, n := range s {
		d.N += n
		d.Sum += v * n
		d.Max = max(d.Max, v)
	}
	d.P50, d.P95 = s.at(0.5), s.at(0.95)
	return d
}

// leadingNumber returns the number at the beginning of a text, such as 4 for "4–7" and 100
// for "100–200 %". It returns −∞ for other texts, so that they sort first.
func leadingNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if from, _, ok := strings.Cut(s, "–"); ok {
		s = from
	} else if from, _, ok := strings.Cut(s, " "); ok {
		s = from
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) {
		return math.Inf(-1)
	}
	return x
}

// existing lists the values that replies have for some keys.
func existing(values map[string][]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if names := slices.DeleteFunc(values[key], func(v string) bool { return v == "" }); len(names) > 0 {
			list = append(list, "they have "+key+" "+strings.Join(names, ", "))
		} else {
			list = append(list, "none has "+key)
		}
	}
	return strings.Join(list, "; ")
}

// Nothing says why there was nothing to score.
func (r *Result) Nothing() string {
	switch {
	case len(r.Problems) > 0:
		what := fmt.Sprintf("%d bad lines, the first: %s", r.Bad, r.Problems[0])
		if r.Bad == 1 {
			what = "1 bad line: " + r.Problems[0]
		}
		if strings.HasSuffix(what, ")") {
			return what // with a way out of its own
		}
		return what + " (a corpus is JSON Lines, see replanbench schema record; replanbench corpus import reads CSV files, JSON " +
			"lists and recordings of other tools)"
	case r.Left > 0:
		return fmt.Sprintf("--where leaves out all %d (%s)", r.Left, existing(r.LeftValues))
	case r.Failed > 0:
		return fmt.Sprintf("none of its %d cells got one", r.Failed)
	}
	return "the corpus holds none"
}

// Counted says what the tables count of the request.
func (s *Score) Counted() string {
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return "no"
	}
	if s.Unscored != "" {
		return "not scored, " + s.Unscored
	}
	list := []string{
		"parse " + yes(s.Tier != harness.TierNone), "apply " + yes(s.Verdict == harness.Applied),
		"ladder ends on " + cmp.Or(string(s.Rung), "failed"), fmt.Sprintf("retries %d", s.Retries),
		"danger " + yes(s.Danger),
	}
	for _, d := range s.Dangers {
		list = append(list, d.Kind+" of "+d.Step)
	}
	if s.Ladder >= 0 {
		list = append(list, fmt.Sprintf("%d tokens", s.Ladder))
	}
	return strings.Join(list, ", ")
}
