package reports

import (
	"fmt"
	"strings"

	"replanbench/harness"
)

// Wider counts what the next level of judging would add to a run.
type Wider struct {
	Level     harness.Level `json:"level"`
	Causes    int           `json:"causes"`
	Scenarios int           `json:"scenarios"`
}

// wider returns what the next level would add; nil at the widest level.
func (r *Report) wider() *Wider {
	next := r.Judge.Next()
	if next == "" {
		return nil
	}
	w := &Wider{Level: next}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			w.Causes += r.Fuzz.Campaigns[i].Wider
		}
	}
	if r.Agent != nil {
		w.Causes += r.Agent.Wider
	}
	if r.Scenarios != nil {
		for _, s := range r.Scenarios.Results {
			if s.Wider == next {
				w.Scenarios++
			}
		}
	}
	return w
}

// line is what the next level would add, in words; "" for nil.
func (w *Wider) line() string {
	if w == nil {
		return ""
	}
	parts := []string{counted(w.Causes, "more cause")}
	if w.Scenarios > 0 {
		parts = append(parts, counted(w.Scenarios, "more scenario"))
	}
	return fmt.Sprintf("%s: %s (--judge %s)", w.Level, strings.Join(parts, ", "), w.Level)
}

// widerLine is what the next level would add to one case, in words; "" at the widest level.
func widerLine(level harness.Level, breaks int) string {
	next := level.Next()
	if next == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s (--judge %s)", next, counted(breaks, "more violation"), next)
}
