package score

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/score/stats"
)

// PassK estimates how often any or all of k replies apply, over the cases of a group that
// have at least k requests.
type PassK struct {
	K     int      `json:"k"`
	Cases int      `json:"cases"`
	Any   Interval `json:"any"` // pass@k: at least one applies
	All   Interval `json:"all"` // pass^k: every one applies
}

// Interval is an estimate with a 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// passed is up to which k pass@k is estimated for every k. Above it k grows in steps of
// 1, 2 and 5 times a power of ten, because each estimate costs up to 10 ms.
const passed = 10

// nextK returns the k after k.
func nextK(k int) int {
	power := 1
	for power*10 <= k {
		power *= 10
	}
	switch {
	case k < passed:
		return k + 1
	case k < 2*power:
		return 2 * power
	case k < 5*power:
		return 5 * power
	}
	return 10 * power
}

// maxSettings limits the settings that a group distinguishes.
const maxSettings = 20

// setting returns the parts of a request that change what a repetition is. Each ends with a comma.
func setting(r *corpora.Record) string {
	var s strings.Builder
	for _, name := range []string{
		"model", "prompt", "mode", "policy", "budget", "param.temperature", "param.top_p", "param.top_k",
		"param.max_tokens", "param.max_completion_tokens", "param.max_output_tokens",
	} {
		if v := keyOf(r, name, ""); v != "" {
			s.WriteString(strings.TrimPrefix(name, "param.") + " " + v + ", ")
		}
	}
	return s.String()
}

// set counts the setting of a first attempt.
func (t *tally) set(r *corpora.Record) {
	s := setting(r)
	if _, known := t.Settings[s]; !known && len(t.Settings) >= maxSettings {
		s = "other settings, "
	}
	t.Settings[s]++
}

// pooled lists the settings of a group with several, which has no pass@k: the parts in which they differ.
func (t *tally) pooled(metric int) []string {
	if len(t.Settings) < 2 || t.passes(metric) == nil {
		return nil
	}
	list := slices.Sorted(maps.Keys(t.Settings))
	for _, part := range strings.SplitAfter(list[0], ", ") {
		if !slices.ContainsFunc(list, func(s string) bool { return !strings.Contains(s, part) }) {
			for i := range list {
				list[i] = strings.Replace(list[i], part, "", 1)
			}
		}
	}
	for i, s := range list {
		list[i] = cmp.Or(strings.TrimSuffix(s, ", "), "none")
	}
	return list
}

// passes estimates pass@k and pass^k of applying for k up to the number of requests per
// case. It needs separate cases, and two cases with more than one request. Calls of a
// session do not count as repetitions, and neither do replies under different settings; see
// pooled.
func (t *tally) passes(metric int) []PassK {
	if t.Heaped || slices.ContainsFunc(slices.Collect(maps.Values(t.Names)), corpora.IsSession) {
		return nil
	}
	counts, most := t.clusters(metric), 0
	for _, c := range counts {
		most = max(most, c.N)
	}
	var list []PassK
	var rates stats.Rates
	for k := 1; k <= most; k = nextK(k) {
		var anyOf, allOf []stats.Cluster
		for _, c := range counts {
			one, ok := stats.PassAtK(c.N, int(c.Sum), k)
			all, also := stats.PassHatK(c.N, int(c.Sum), k)
			if ok && also && c.N > 1 {
				anyOf, allOf = append(anyOf, stats.Cluster{Sum: one, N: 1}), append(allOf, stats.Cluster{Sum: all, N: 1})
			}
		}
		if len(anyOf) > 1 {
			list = append(list, PassK{K: k, Cases: len(anyOf), Any: estimated(&rates, anyOf), All: estimated(&rates, allOf)})
		}
	}
	return list
}

// estimated returns the mean over the cases with an interval.
func estimated(rates *stats.Rates, cases []stats.Cluster) Interval {
	value, low, high := rates.Rate(cases, confidence)
	return Interval{Value: value, Low: low, High: high}
}

// Prices is a table of token prices.
type Prices struct {
	Currency string           `json:"currency"`
	Models   map[string]Price `json:"models"` // by name, or by a pattern with *
}

// Price is the price of one model per million tokens.
type Price struct {
	Prompt float64 `json:"prompt"`
	Reply  float64 `json:"reply"`
}

// ParsePrices reads a price table:
//
//	{"currency":"USD","models":{"some-model-*":{"prompt":0.15,"reply":0.60}}}
func ParsePrices(data []byte) (Prices, error) {
	var p Prices
	if err := json.Unmarshal(data, &p, json.RejectUnknownMembers(true)); err != nil {
		return p, fmt.Errorf(`not a price table: %w (write {"currency":"USD","models":{"NAME":{"prompt":0.15,"reply":0.60}}}, per million tokens)`, strictjson.Plain(err))
	}
	if p.Currency == "" || len(p.Models) == 0 {
		return p, fmt.Errorf(`a price table names its currency and at least one model`)
	}
	for name, price := range p.Models {
		if _, err := path.Match(name, ""); err != nil {
			return p, fmt.Errorf("the price of %q: %w", name, err)
		}
		if price.Prompt < 0 || price.Reply < 0 {
			return p, fmt.Errorf("the price of %q is below 0", name)
		}
	}
	return p, nil
}

// Of returns the cost of a request to a model; ok is false if the model has no price.
func (p Prices) Of(model string, promptTokens, replyTokens int) (cost float64, ok bool) {
	const million = 1e6
	price, ok := p.Models[model]
	if !ok {
		price, ok = p.matching(model)
	}
	if at := strings.LastIndexByte(model, '@'); !ok && at > 0 { // MODEL@ENDPOINT
		return p.Of(model[:at], promptTokens, replyTokens)
	}
	return (float64(promptTokens)*price.Prompt + float64(replyTokens)*price.Reply) / million, ok
}

// matching returns the price of the alphabetically first pattern that matches.
func (p Prices) matching(model string) (Price, bool) {
	for _, pattern := range slices.Sorted(maps.Keys(p.Models)) {
		if ok, err := path.Match(pattern, model); ok && err == nil {
			return p.Models[pattern], true
		}
	}
	return Price{}, false
}

// cost returns the sum of the costs, or nil without prices.
func (p Prices) cost(by map[string]*spent) *Cost {
	if p.Models == nil {
		return nil
	}
	c := &Cost{Currency: p.Currency}
	for _, model := range slices.Sorted(maps.Keys(by)) {
		s := by[model]
		amount, ok := p.Of(model, s.Prompt, s.Reply)
		if !ok {
			c.Unpriced += s.Requests
			continue
		}
		c.Unpriced += s.Unknown
		c.Amount += amount
	}
	return c
}
