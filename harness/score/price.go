package score

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
)

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
