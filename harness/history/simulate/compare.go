package simulate

import (
	"context"

	"replanbench/harness/history"
	"replanbench/harness/hunt/shard"
)

// Single is one history under every policy.
type Single struct {
	Name      string            `json:"name"`
	Messages  int               `json:"messages"`
	Tokens    int               `json:"tokens"`
	MaxTokens int               `json:"max_tokens"`
	Sections  []history.Section `json:"sections"`
	Policies  []One             `json:"policies"`
	Explain   bool              `json:"explain"`          // show every message
	Rebuilt   bool              `json:"rebuilt,omitzero"` // the texts are made up, to figures that are documented
}

// One is what one policy made of one history.
type One struct {
	Policy    string         `json:"policy"`
	CannotFit string         `json:"cannot_fit,omitzero"` // why, if it cannot
	Messages  int            `json:"messages"`
	Tokens    int            `json:"tokens"`
	Fates     []history.Fate `json:"fates,omitzero"`
	Tally     Tally          `json:"tally"` // of this one history
}

// NewSingle trims one history by every policy.
func NewSingle(name string, s Sample, policies []history.Policy, trim history.Trimmer) Single {
	h := s.History
	one := Single{Name: name, Messages: len(h.Messages), Tokens: h.Total, MaxTokens: s.MaxTokens, Sections: h.Sections()}
	tallies := Run(context.Background(), policies, 1, func(int) Sample { return s }, Options{Trim: trim})
	for i, p := range policies {
		x := One{Policy: p.String(), Tally: tallies[i]}
		if r, err := trim(p, h, s.MaxTokens); err != nil {
			x.CannotFit = err.Error()
		} else {
			x.Messages, x.Tokens, x.Fates = len(r.Messages), r.After, r.Fates
		}
		one.Policies = append(one.Policies, x)
	}
	return one
}

// Many is the policies over many histories, and over many budgets.
type Many struct {
	Name    string    `json:"name"`
	N       int       `json:"n" join:"first"`
	Tallies []Tally   `json:"tallies" join:"place"`
	Sweep   []Share   `json:"sweep,omitzero" join:"place"`
	Seconds []float64 `json:"seconds,omitzero" join:"place"` // spent by each policy, where it was measured

	Shard shard.Shard `json:"-" join:"keep"` // the part of the histories that was trimmed
}

// Asked is how many histories were to be trimmed.
func (m *Many) Asked() int { return m.Shard.Size(m.N) }

// Share is the policies with a budget that is a share of each history.
type Share struct {
	Percent int     `json:"percent" join:"first"`
	Tallies []Tally `json:"tallies" join:"place"`
}

// NewMany trims the histories of a source by every policy. Where time is
// measured, one goroutine trims. A sweep tries shares of each history as budgets
// too.
func NewMany(ctx context.Context, policies []history.Policy, s Source, o Options, sweep bool) *Many {
	m := &Many{Name: s.Name, N: s.N, Shard: o.Shard}
	untimed := Options{Trim: o.Trim, Workers: o.Workers, Shard: o.Shard}
	if o.Clock != nil {
		o.Workers = 1
	}
	m.Tallies = Run(ctx, policies, s.N, s.At, o)
	for i := range m.Tallies {
		if o.Clock != nil {
			m.Seconds = append(m.Seconds, m.Tallies[i].Time.Seconds())
		}
	}
	if !sweep {
		return m
	}
	for _, percent := range []int{150, 100, 75, 50, 25, 10} {
		tallies := Run(ctx, policies, s.N, func(i int) Sample {
			x := s.At(i)
			x.MaxTokens = max(1, x.History.Total*percent/100)
			return x
		}, untimed)
		m.Sweep = append(m.Sweep, Share{percent, tallies})
	}
	return m
}
