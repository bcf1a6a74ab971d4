package score

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/score/stats"
)

// Repeat is the rule for cases with several samples: a case passes if at least K of N
// samples pass. With more than N samples the share K/N decides. Cases with fewer samples
// are not judged, and are counted separately.
type Repeat struct{ K, N int }

// ParseRepeat reads "2 of 3".
func ParseRepeat(s string) (Repeat, error) {
	var r Repeat
	var rest string
	n, _ := fmt.Sscanf(s+" .", "%d of %d %s", &r.K, &r.N, &rest)
	if n != 3 || rest != "." || r.K < 1 || r.K > r.N {
		return Repeat{}, fmt.Errorf("repeat rule %q: write K of N, such as 2 of 3", s)
	}
	return r, nil
}

func (r Repeat) String() string { return fmt.Sprintf("%d of %d", r.K, r.N) }

// judge merges the results of a case into one; ok is false if the case has too few samples.
func (r Repeat) judge(c Count) (one Count, ok bool) {
	if c.Asked < r.N {
		return Count{}, false
	}
	one.Asked = 1
	if c.Yes*r.N >= r.K*c.Asked {
		one.Yes = 1
	}
	return one, true
}

func (r Repeat) both(a, b Count) (one, two Count, ok bool) {
	one, first := r.judge(a)
	two, second := r.judge(b)
	return one, two, first && second
}

// Threshold is a lower or upper limit for a rate.
type Threshold struct {
	Metric  string
	Bound   string // point, low or high: the compared end of the interval
	AtLeast bool   // else at most
	Value   float64
	Where   map[string]string // the groups that it applies to, by key; nil: all
}

// ParseThreshold reads a threshold in the form of the configuration:
//
//	parse_rate >= 0.95
//	apply_rate.low >= 0.7 where model=some-model,mode=free
//	danger_rate <= 0.01
//
// .low and .high mean the ends of the 95 % interval instead of the rate itself.
func ParseThreshold(s string) (Threshold, error) {
	wrong := func(format string, args ...any) (Threshold, error) { //nolint:unparam // so that it can be returned
		return Threshold{}, fmt.Errorf("threshold %q: %s", s, fmt.Sprintf(format, args...))
	}
	condition, where, filtered := strings.Cut(s, " where ")
	parts := strings.Fields(condition)
	if len(parts) != 3 || parts[1] != ">=" && parts[1] != "<=" {
		return wrong("write METRIC >= VALUE or METRIC <= VALUE, such as parse_rate >= 0.95")
	}
	t := Threshold{Bound: "point", AtLeast: parts[1] == ">="}
	name, bound, ok := strings.Cut(parts[0], ".")
	if ok {
		t.Bound = bound
	}
	if t.Bound != "point" && t.Bound != "low" && t.Bound != "high" {
		return wrong("no bound %q (a rate has .low and .high)", bound)
	}
	t.Metric = name
	if err := checkMetrics([]string{name}); err != nil {
		return wrong("%v", err)
	}
	value, err := strconv.ParseFloat(parts[2], 64)
	if err != nil {
		return wrong("%q is not a number", parts[2])
	}
	if metricOf(name).measure == nil && !(value >= 0 && value <= 1) {
		return wrong("a rate lies between 0 and 1 (95 %% is 0.95)")
	}
	t.Value = value
	if !filtered {
		return t, nil
	}
	t.Where = map[string]string{}
	for clause := range strings.SplitSeq(where, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(clause), "=")
		if !ok {
			return wrong("write where KEY=VALUE,KEY=VALUE")
		}
		if err := CheckKey(key); err != nil {
			return wrong("%v", err)
		}
		t.Where[key] = value
	}
	return t, nil
}

// MarshalText returns the threshold in the form that UnmarshalText reads.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses a threshold.
func (t *Threshold) UnmarshalText(text []byte) (err error) {
	*t, err = ParseThreshold(string(text))
	return err
}

func (t Threshold) String() string {
	metric, sign := t.Metric, "<="
	if t.Bound != "point" {
		metric += "." + t.Bound
	}
	if t.AtLeast {
		sign = ">="
	}
	s := fmt.Sprintf("%s %s %v", metric, sign, t.Value)
	if t.Where == nil {
		return s
	}
	var clauses []string
	for k, v := range t.Where {
		clauses = append(clauses, k+"="+v)
	}
	slices.Sort(clauses)
	return s + " where " + strings.Join(clauses, ",")
}

// Gate contains the conditions for a result.
type Gate struct {
	Thresholds []Threshold
	Repeat     Repeat  // zero: each reply counts
	Baseline   *Result // no metric may be worse than in it; nil: no baseline
	Compare    CompareOptions
	// AllowMissing accepts groups, cases and metric values that only the baseline or only
	// the result has. Without it they are breaches.
	AllowMissing bool
}

// Breach is a violated condition.
type Breach struct {
	Rule    string   `json:"rule"` // the threshold, "no worse than the baseline" or "covers what the baseline covers"
	Group   []string `json:"group"`
	Message string   `json:"message"`
	Cases   []string `json:"cases,omitempty"` // cases that became worse
}

// Check returns the breaches of the gate. A threshold without matching groups or data is a
// breach too: a gate that checks nothing must not pass.
func (g Gate) Check(r *Result) ([]Breach, error) {
	breaches := []Breach{}
	for _, t := range g.Thresholds {
		found, err := g.threshold(t, r)
		if err != nil {
			return nil, err
		}
		breaches = append(breaches, found...)
	}
	if g.Baseline == nil {
		return breaches, nil
	}
	o := g.Compare
	o.Repeat = g.Repeat
	c, err := Compare(g.Baseline, r, o)
	if err != nil {
		return nil, fmt.Errorf("comparing with the baseline: %w", err)
	}
	if len(c.Rows) == 0 {
		breaches = append(breaches, Breach{
			Rule: "no worse than the baseline", Group: []string{},
			Message: "the baseline has no case of this result, so nothing was compared",
		})
	}
	for _, row := range c.Rows {
		if row.Verdict == Worse && !row.Informational {
			breaches = append(breaches, Breach{Rule: "no worse than the baseline", Group: row.Key, Message: fmt.Sprintf(
				"%s changed from %.3f to %.3f over %d cases (p %.4f, Holm-corrected for %d tests)",
				row.Metric, row.Base, row.New, row.Pairs, row.Corrected, c.Questions), Cases: row.Flipped})
		}
	}
	if g.AllowMissing {
		return breaches, nil
	}
	missing, err := g.missing(r)
	return append(breaches, missing...), err
}

// missing returns a breach for each difference in coverage between baseline and result.
func (g Gate) missing(r *Result) ([]Breach, error) {
	base, now, err := aligned(g.Baseline, r)
	if err != nil {
		return nil, err
	}
	var breaches []Breach
	breach := func(key []string, format string, args ...any) {
		breaches = append(breaches, Breach{
			Rule: "covers what the baseline covers", Group: key,
			Message: fmt.Sprintf(format, args...),
		})
	}
	for _, b := range base.Groups {
		n := now.group(b.Key)
		if n == nil {
			breach(b.Key, "the group is missing, with its %d cases", len(b.ByCase))
			continue
		}
		before, after := caseNames(&b), caseNames(n)
		if list := without(before, after); list != nil {
			breach(b.Key, "%d of %d cases are missing: %s", len(list), len(before), first(list))
		}
		if list := without(after, before); list != nil {
			breach(b.Key, "%d of %d cases are new: %s", len(list), len(after), first(list))
		}
		for _, m := range metrics() {
			if list := g.unanswered(m, base, now, &b, n); list != nil {
				breach(b.Key, "%s has no value in %d cases where the baseline has one: %s", m.Name, len(list), first(list))
			}
		}
	}
	for _, n := range now.Groups {
		if base.group(n.Key) == nil {
			breach(n.Key, "the group is new, with its %d cases", len(n.ByCase))
		}
	}
	return breaches, nil
}

// unanswered lists the cases in which only the first of two groups has a value of a
// compared metric.
func (g Gate) unanswered(m metric, base, now *Result, b, n *Group) []string {
	asked := g.Compare.Metrics
	if asked == nil {
		asked = Questions()
	}
	if !slices.Contains(asked, m.Name) {
		return nil
	}
	answered := func(r *Result, c CaseCounts) bool {
		at := slices.Index(r.Metrics, m.Name)
		if at < 0 {
			return false
		}
		count := c.count(at)
		if m.measure == nil && g.Repeat.N > 0 {
			_, ok := g.Repeat.judge(count)
			return ok
		}
		return count.Asked > 0
	}
	after := map[string]CaseCounts{}
	for _, c := range n.ByCase {
		after[c.Case] = c
	}
	var list []string
	for _, c := range b.ByCase {
		if other, both := after[c.Case]; both && answered(base, c) && !answered(now, other) {
			list = append(list, c.Case)
		}
	}
	return list
}

func caseNames(g *Group) []string {
	return collect.Map(g.ByCase, func(c CaseCounts) string { return c.Case })
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	in := map[string]bool{}
	for _, x := range b {
		in[x] = true
	}
	var list []string
	for _, x := range a {
		if !in[x] {
			list = append(list, x)
		}
	}
	return list
}

// first joins the first elements of a list and counts the others.
func first(list []string) string {
	const most = 10
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func (g Gate) threshold(t Threshold, r *Result) ([]Breach, error) {
	for _, key := range slices.Sorted(maps.Keys(t.Where)) {
		if !slices.Contains(r.By, key) {
			return nil, fmt.Errorf("threshold %s: the groups are not made by %s (add it to --by)", t, key)
		}
	}
	var breaches []Breach
	matched := false
	for _, group := range r.Groups {
		if !t.covers(r.By, group.Key) {
			continue
		}
		matched = true
		rate, skipped, err := g.rate(&group, t.Metric)
		if err != nil {
			return nil, err
		}
		if message := t.breach(rate, skipped); message != "" {
			breaches = append(breaches, Breach{Rule: t.String(), Group: group.Key, Message: message})
		}
	}
	if !matched {
		breaches = append(breaches, Breach{
			Rule: t.String(), Group: []string{},
			Message: "no group matches, so nothing was checked",
		})
	}
	return breaches, nil
}

func (t Threshold) covers(by, key []string) bool {
	for i, k := range by {
		if v, ok := t.Where[k]; ok && v != key[i] {
			return false
		}
	}
	return true
}

// breach returns a message if the rate violates the threshold, or "".
func (t Threshold) breach(r Rate, skipped int) string {
	left := ""
	if skipped > 0 {
		left = fmt.Sprintf("; %d cases have too few samples", skipped)
	}
	switch {
	case r.N == 0:
		return "there is no data" + left
	case t.Bound != "point" && r.Bare:
		return "replies written by hand give no interval"
	case t.Bound != "point" && !r.HasInterval():
		return "a single case gives no interval" + left
	}
	value := map[string]float64{"point": r.Value, "low": r.Low, "high": r.High}[t.Bound]
	if t.AtLeast && value >= t.Value || !t.AtLeast && value <= t.Value {
		return ""
	}
	if r.Bare {
		return fmt.Sprintf("%.4f (%d of %d)%s", r.Value, r.Yes, r.N, left)
	}
	return fmt.Sprintf("%.4f (%d of %d, 95 %% interval %.4f to %.4f)%s", r.Value, r.Yes, r.N, r.Low, r.High, left)
}

// rate returns the rate of a group over replies or, with a repeat rule, over cases.
func (g Gate) rate(group *Group, name string) (r Rate, skipped int, err error) {
	i := slices.Index(harness.Names(Metrics()), name)
	if g.Repeat.N == 0 || metricOf(name).measure != nil {
		for _, r := range slices.Concat(group.Rates, group.Means) {
			if r.Name == name {
				return r, 0, nil
			}
		}
		return Rate{Name: name}, 0, nil
	}
	if group.ByCase == nil && group.Requests > 0 {
		return Rate{}, 0, fmt.Errorf("group %s: the rule %s needs separate cases, and there are more than %d",
			names(group.Key), g.Repeat, maxCases)
	}
	var clusters []stats.Cluster
	for _, c := range group.ByCase {
		one, ok := g.Repeat.judge(c.count(i))
		if !ok {
			skipped++
			continue
		}
		clusters = append(clusters, stats.Cluster{Sum: float64(one.Yes), N: one.Asked})
	}
	return newRate(name, clusters, group.Listed != nil, &stats.Rates{}), skipped, nil
}
