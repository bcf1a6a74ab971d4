package score_test

import (
	"testing"

	"replanbench/harness/score"
)

// FuzzParsePrices checks that a table that is taken has a price of at least nothing.
func FuzzParsePrices(f *testing.F) {
	f.Add([]byte(`{"currency":"USD","models":{"m*":{"prompt":0.15,"reply":0.60}}}`), "model")
	f.Add([]byte(`{"currency":"USD","models":{"[":{}}}`), "[")
	f.Fuzz(func(t *testing.T, data []byte, model string) {
		p, err := score.ParsePrices(data)
		if err != nil {
			return
		}
		if cost, ok := p.Of(model, 1000, 1000); ok && !(cost >= 0) {
			t.Errorf("%q costs %v", model, cost)
		}
	})
}
