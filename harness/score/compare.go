package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/score/stats"
)

// Verdict says what a comparison of one metric shows.
type Verdict string

// The verdicts.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference shown" // and a difference of interest is ruled out
	TooFew       Verdict = "too few"             // a difference of interest is still possible
	NoSample     Verdict = "no sample"           // written by hand: nothing can be inferred
)

// CompareOptions say what counts as a difference.
type CompareOptions struct {
	Alpha float64 // chance of any false alarm over all tests; 0 is 0.05
	// Detect is the smallest difference of a rate that matters; 0 is 0.05. For means it
	// is a share of the base's mean.
	Detect float64
	// Metrics are the metrics to compare; nil means [Questions]. Each additional metric
	// reduces the power of the others.
	Metrics []string
	Repeat  Repeat // the rule for cases with several samples; zero: the share counts
}

// Questions lists the metrics that Compare tests by default. The other metrics are parts
// or complements of these.
func Questions() []string {
	return []string{
		parseRate, ApplyRate, "apply_rate_after_retry", "intent_rate", "danger_rate", "loss_rate", "overflow_rate",
		"reply_tokens",
	}
}

// Comparison compares two results.
type Comparison struct {
	By     []string `json:"by"`
	Alpha  float64  `json:"alpha"`
	Detect float64  `json:"detect"`
	// Questions is the number of tests that p-values are corrected for. Rows in which too
	// few cases changed for any significant result are not tested, and equal rows count once.
	Questions int        `json:"questions"`
	Rows      []Row      `json:"rows"`
	Unmatched [][]string `json:"unmatched"` // groups that only one side has
	// BaseDamaged and NewDamaged are the prompts of each side that showed wrong ids.
	BaseDamaged []corpora.DamagedPrompt `json:"base_damaged_prompts,omitempty"`
	NewDamaged  []corpora.DamagedPrompt `json:"new_damaged_prompts,omitempty"`
	// Confusions count the outcomes of cases before and after, by group.
	Confusions []confusion `json:"confusions,omitempty"`
}

// Row compares one metric of one group.
// It has a field for each column of the comparison.
type Row struct {
	Key    []string `json:"key"`
	Metric string   `json:"metric"`
	// Pairs counts the cases that both sides have. Base and New are means over these
	// cases. Unpaired counts the other cases.
	Pairs    int     `json:"pairs"`
	Unpaired int     `json:"unpaired"`
	Base     float64 `json:"base"`
	New      float64 `json:"new"`
	// Difference is New − Base with its 95 % interval.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	// RulesOutLow and RulesOutHigh are the interval of level 1 − 2·Alpha, which decides whether
	// a difference of interest is ruled out.
	RulesOutLow  float64 `json:"rules_out_low,omitzero"`
	RulesOutHigh float64 `json:"rules_out_high,omitzero"`

	Test      string  `json:"test"` // McNemar, bounded mean or mean
	P         float64 `json:"p"`
	Corrected float64 `json:"p_corrected"` // by Holm; 1 if too few cases changed for a test
	Verdict   Verdict `json:"verdict"`
	// Needed is how many pairs detect the difference of interest with 80 % power, or rule
	// it out, given the observed variation and the corrected level; 0 if unknown.
	Needed int `json:"needed"`
	// Worsened and Improved count the changed cases. Flipped names the first worsened
	// cases, worst first. Risen names the first improved cases, best first.
	Worsened int      `json:"worsened"`
	Improved int      `json:"improved"`
	Flipped  []string `json:"flipped"`
	Risen    []string `json:"risen,omitempty"`

	// Detectable is the smallest true difference that these pairs detect with 80 % power,
	// given the observed variation and the corrected level; 0 if unknown.
	Detectable float64 `json:"detectable"`

	// Bare marks rows of documented replies. These are no sample, so the row has values
	// and changed cases, but no test.
	Bare bool `json:"no_interval,omitzero"`
	// Informational marks token counts that nobody asked to compare: they fail nothing.
	Informational bool `json:"informational,omitzero"`

	differences []float64 // by case, in order
	binary      bool      // each case has one reply on each side
	rate        bool      // values are between 0 and 1
}

// MarshalJSONTo omits interval, test and needed cases from rows of documented replies.
func (r Row) MarshalJSONTo(enc *jsontext.Encoder) error {
	type whole Row
	if !r.Bare {
		return json.MarshalEncode(enc, whole(r))
	}
	return json.MarshalEncode(enc, struct {
		whole
		Low        *float64 `json:"low,omitzero"`
		High       *float64 `json:"high,omitzero"`
		RulesLow   *float64 `json:"rules_out_low,omitzero"`
		RulesHigh  *float64 `json:"rules_out_high,omitzero"`
		Test       *string  `json:"test,omitzero"`
		P          *float64 `json:"p,omitzero"`
		Corrected  *float64 `json:"p_corrected,omitzero"`
		Needed     *int     `json:"needed,omitzero"`
		Detectable *float64 `json:"detectable,omitzero"`
	}{whole: whole(r)})
}

// More returns how many more pairs the difference of interest needs.
func (r *Row) More() int { return max(0, r.Needed-r.Pairs) }

// Compare compares two results with the same groups, metric by metric, over the cases
// that both have.
//
// It tests whether the mean over the cases differs. Cases can have different numbers of
// replies on the two sides. [stats.DifferenceTest] tests rates; for one reply on each side
// it equals McNemar's exact test. [stats.MeanTest] tests means of tokens. Holm's method
// corrects all p-values together, except tests that cannot be significant because too few
// cases changed (R. E. Tarone, A modified Bonferroni method for discrete data, Biometrics
// 46 (1990) 515–522).
//
// Without a significant difference the verdict is NoDifference if the 1 − 2·Alpha interval
// contains no difference of interest (D. J. Schuirmann, A comparison of the two one-sided
// tests procedure and the power approach, J. Pharmacokin. Biopharm. 15 (1987) 657–680).
// The chance of a wrong NoDifference is at most Alpha. Else the verdict is TooFew.
// Documented replies are no sample, so Compare does not test them.
func Compare(base, now *Result, o CompareOptions) (*Comparison, error) {
	base, now, err := aligned(base, now)
	if err != nil {
		return nil, err
	}
	o.Alpha, o.Detect = cmp.Or(o.Alpha, 0.05), cmp.Or(o.Detect, 0.05)
	usual := o.Metrics == nil
	if usual {
		o.Metrics = Questions()
	}
	if err := checkMetrics(o.Metrics); err != nil {
		return nil, err
	}
	c := &Comparison{
		By: base.By, Alpha: o.Alpha, Detect: o.Detect, Rows: []Row{}, Unmatched: unmatched(base, now),
		BaseDamaged: base.Damaged, NewDamaged: now.Damaged,
	}
	for _, b := range base.Groups {
		n := now.group(b.Key)
		if n == nil {
			continue
		}
		if b.ByCase == nil || n.ByCase == nil {
			return nil, fmt.Errorf("group %s has more than %d cases, so the result does not list them (compare the corpora "+
				"themselves)", names(b.Key), maxCases)
		}
		if x := confuse(base, now, &b, n); x != nil {
			c.Confusions = append(c.Confusions, *x)
		}
		for _, m := range metrics() {
			at := [2]int{slices.Index(base.Metrics, m.Name), slices.Index(now.Metrics, m.Name)}
			if !slices.Contains(o.Metrics, m.Name) || min(at[0], at[1]) < 0 {
				continue
			}
			if r, ok := compareMetric(&b, n, at, m, o); ok {
				if base.documented(&b) || now.documented(n) {
					r.bare()
				}
				r.Informational = usual && !r.rate
				c.Rows = append(c.Rows, r)
			}
		}
	}
	Correct(c)
	return c, nil
}

// aligned returns the two results with the same keys.
func aligned(base, now *Result) (one, two *Result, err error) {
	if !slices.Equal(base.By, now.By) {
		base, now = base.bySource(), now.bySource()
	}
	if !slices.Equal(base.By, now.By) {
		return nil, nil, fmt.Errorf("the results are grouped differently, by %s and by %s (score both with the same --by)",
			names(base.By), names(now.By))
	}
	return base, now, nil
}

func checkMetrics(list []string) error {
	for _, name := range list {
		if metricOf(name) == nil {
			return fmt.Errorf("unknown metric %q%s (see replanbench list metrics)", name,
				harness.DidYouMean(name, harness.Names(Metrics())))
		}
	}
	return nil
}

func names(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

func (r *Result) group(key []string) *Group {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return slices.Equal(g.Key, key) })
	if i < 0 {
		return nil
	}
	return &r.Groups[i]
}

func unmatched(base, now *Result) [][]string {
	list := [][]string{}
	for _, pair := range [][2]*Result{{base, now}, {now, base}} {
		for _, g := range pair[0].Groups {
			if pair[1].group(g.Key) == nil {
				list = append(list, g.Key)
			}
		}
	}
	return list
}

// pair holds the counts of one case on both sides.
type pair struct {
	name      string
	base, now float64 // means
	single    bool    // one reply on either side
}

// compareMetric compares one metric of a group. at contains its index in the counts of
// each side.
func compareMetric(b, n *Group, at [2]int, m metric, o CompareOptions) (Row, bool) {
	pairs, unpaired := match(b.ByCase, n.ByCase, at, o.Repeat, m)
	if len(pairs) == 0 {
		return Row{}, false
	}
	r := Row{Key: b.Key, Metric: m.Name, Pairs: len(pairs), Unpaired: unpaired, Flipped: []string{}}
	differences := make([]float64, len(pairs))
	binary := m.measure == nil
	for i, p := range pairs {
		r.Base += p.base / float64(len(pairs))
		r.New += p.now / float64(len(pairs))
		differences[i] = p.now - p.base
		binary = binary && p.single
	}
	r.flips(pairs, m.lower)
	r.differences, r.binary, r.rate = differences, binary, m.measure == nil
	r.Difference, _ = stats.Mean(clustersOf(differences))
	r.Low, r.High = r.interval(confidence)
	switch {
	case binary:
		r.Test = "McNemar"
	case r.rate:
		r.Test = "bounded mean"
	default:
		r.Test = "mean"
	}
	r.P = r.test(differences)
	return r, true
}

// bare removes the interval and the test from a row.
func (r *Row) bare() {
	r.Bare, r.Verdict = true, NoSample
	r.Low, r.High, r.RulesOutLow, r.RulesOutHigh, r.Test, r.P = 0, 0, 0, 0, "", 0
}

// test returns the p-value of differences.
func (r *Row) test(differences []float64) float64 {
	if r.rate {
		return stats.DifferenceTest(differences)
	}
	return stats.MeanTest(clustersOf(differences))
}

// interval returns the interval of the mean difference. With a single pair of token
// counts it is the difference itself.
func (r *Row) interval(confidence float64) (low, high float64) {
	switch {
	case r.rate:
		return stats.DifferenceInterval(r.differences, confidence)
	case r.Pairs == 1:
		return r.Difference, r.Difference
	}
	_, low, high = stats.MeanInterval(clustersOf(r.differences), confidence)
	return low, high
}

// plan sets how many pairs the difference of interest needs, and which difference these
// pairs can detect.
func (r *Row) plan(interest float64, d stats.Design) {
	var needed int
	changed := r.Worsened + r.Improved
	switch _, se := stats.Mean(clustersOf(r.differences)); {
	case r.binary:
		needed, _ = stats.NeededForPairs(changed, r.Pairs, interest, d)
		r.Detectable = stats.DetectableOfPairs(changed, r.Pairs, d)
	case r.rate:
		needed, _ = stats.NeededCases(r.differences, interest, d)
		r.Detectable = stats.DetectableMean(r.differences, d)
	default:
		needed, _ = stats.NeededClusters(r.Pairs, se, interest, d)
		if !math.IsInf(se, 0) {
			r.Detectable = stats.MinimumEffect(se, d)
		}
	}
	r.Needed = max(needed, fewest(d.Alpha))
}

// undecided returns the minimum number of pairs for a decision if the pairs that plan
// needs exist, but the observed difference lies between none and the one of interest.
// With so many pairs the interval excludes one of the two.
func (r *Row) undecided(interest, confidence float64) int {
	low, high := r.interval(confidence)
	farther := max(math.Abs(r.Difference), interest-math.Abs(r.Difference))
	ratio := (high - low) / 2 / farther
	return int(math.Ceil(float64(r.Pairs) * max(1, ratio*ratio)))
}

// fewest returns the minimum number of pairs for a significant exact test. With fewer
// pairs the p-value exceeds alpha even if all change in one direction.
func fewest(alpha float64) int { return 1 + int(math.Ceil(-math.Log2(alpha))) }

// match pairs the cases that both sides have, sorted by name.
func match(base, now []CaseCounts, at [2]int, repeat Repeat, m metric) (pairs []pair, unpaired int) {
	other := map[string]Count{}
	for _, c := range now {
		if n := c.count(at[1]); n.Asked > 0 {
			other[c.Case] = n
		}
	}
	unpaired = len(other)
	for _, c := range base {
		b, n, ok := c.count(at[0]), other[c.Case], other[c.Case].Asked > 0
		if b.Asked == 0 {
			continue
		}
		if ok && m.measure == nil && repeat.N > 0 {
			b, n, ok = repeat.both(b, n)
		}
		if !ok {
			unpaired++
			continue
		}
		unpaired--
		pairs = append(pairs, pair{c.Case, b.mean(), n.mean(), b.Asked == 1 && n.Asked == 1})
	}
	return pairs, unpaired
}

// count returns the counts of a metric, or zero if the report lacks them.
func (c CaseCounts) count(metric int) Count {
	if metric >= len(c.Counts) {
		return Count{}
	}
	return c.Counts[metric]
}

func (c Count) mean() float64 { return float64(c.Yes) / float64(c.Asked) }

// flips counts the changed cases, and names the first ones.
func (r *Row) flips(pairs []pair, lower bool) {
	var worse, better []pair
	for _, p := range pairs {
		d := p.now - p.base
		if lower {
			d = -d
		}
		switch {
		case d > 0:
			better = append(better, p)
		case d < 0:
			worse = append(worse, p)
		}
	}
	r.Worsened, r.Improved = len(worse), len(better)
	r.Flipped, r.Risen = append(r.Flipped, farthest(worse)...), farthest(better)
}

// farthest names the pairs with the largest differences.
func farthest(list []pair) (names []string) {
	const most = 20
	slices.SortStableFunc(list, func(a, b pair) int { return cmp.Compare(math.Abs(b.now-b.base), math.Abs(a.now-a.base)) })
	for _, p := range list[:min(most, len(list))] {
		names = append(names, p.name)
	}
	return names
}

// clustersOf returns a cluster for each case's difference.
func clustersOf(differences []float64) []stats.Cluster {
	return collect.Map(differences, func(d float64) stats.Cluster { return stats.Cluster{Sum: d, N: 1} })
}

// Correct corrects the p-values of several comparisons together, such as several prompts
// compared with one, and sets the verdicts.
func Correct(list ...*Comparison) {
	var p []float64
	questions := 0
	for _, c := range list {
		tested := c.tested()
		for _, x := range tested {
			if !math.IsNaN(x) {
				questions++
			}
		}
		p = append(p, tested...)
	}
	corrected := stats.Holm(p)
	for _, c := range list {
		c.Questions = questions
		c.judge(corrected[:len(c.Rows)])
		corrected = corrected[len(c.Rows):]
	}
}

// tested returns the p-values of the rows. NaN marks rows that are not tested: rows equal
// to an earlier one, rows in which too few cases changed, and documented replies.
func (c *Comparison) tested() []float64 {
	p := make([]float64, len(c.Rows))
	for i := range c.Rows {
		p[i] = c.Rows[i].P
		if c.Rows[i].Bare || c.Rows[i].lowest() > c.Alpha || c.twin(i) >= 0 {
			p[i] = math.NaN()
		}
	}
	return p
}

// lowest returns the p-value if all changed cases had changed in one direction.
func (r *Row) lowest() float64 {
	if !r.rate {
		return math.Pow(2, 1-float64(r.Worsened+r.Improved))
	}
	sizes := collect.Map(r.differences, math.Abs)
	return r.test(sizes)
}

// judge sets the verdicts from the corrected p-values.
func (c *Comparison) judge(corrected []float64) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Bare {
			continue
		}
		if twin := c.twin(i); twin >= 0 && r.rate == c.Rows[twin].rate {
			r.likeTwin(&c.Rows[twin], metricOf(r.Metric).lower != metricOf(c.Rows[twin].Metric).lower)
			continue
		}
		questions := c.Questions
		if r.Corrected = corrected[i]; math.IsNaN(r.Corrected) {
			r.Corrected = 1
			questions++ // with more cases the row would be tested too
		}
		design, interest := stats.Usual(), c.interest(r)
		design.Alpha = c.Alpha
		r.plan(interest, design.Among(questions))
		low, high := r.interval(1 - 2*c.Alpha)
		r.RulesOutLow, r.RulesOutHigh = low, high
		switch {
		case r.Corrected <= c.Alpha && (r.Difference > 0) != metricOf(r.Metric).lower:
			r.Verdict = Better
		case r.Corrected <= c.Alpha:
			r.Verdict = Worse
		case -interest < low && high < interest && r.Pairs >= fewest(c.Alpha):
			r.Verdict = NoDifference
		default:
			r.Verdict = TooFew
			if r.Needed <= r.Pairs {
				r.Needed = r.undecided(interest, 1-c.Alpha/float64(max(1, questions)))
			}
		}
	}
}

// likeTwin gives the row the result and the advice of an earlier row with equal differences.
// opposite says that a higher value is better in one of them only.
func (r *Row) likeTwin(twin *Row, opposite bool) {
	r.Corrected, r.Needed, r.Detectable = twin.Corrected, twin.Needed, twin.Detectable
	r.RulesOutLow, r.RulesOutHigh = twin.RulesOutLow, twin.RulesOutHigh
	switch r.Verdict = twin.Verdict; {
	case opposite && twin.Verdict == Better:
		r.Verdict = Worse
	case opposite && twin.Verdict == Worse:
		r.Verdict = Better
	}
}

// interest returns the smallest difference of a row that matters.
func (c *Comparison) interest(r *Row) float64 {
	if r.rate {
		return c.Detect
	}
	return c.Detect * r.Base
}

// twin returns the index of an earlier row of the same group with equal differences, or
// -1. For example, apply rates with and without retries are equal if there are no retries.
func (c *Comparison) twin(i int) int {
	return slices.IndexFunc(c.Rows[:i], func(r Row) bool {
		return !r.Bare && slices.Equal(r.Key, c.Rows[i].Key) && slices.Equal(r.differences, c.Rows[i].differences)
	})
}
