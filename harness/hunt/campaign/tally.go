package campaign

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/judge"
)

// tally is what came of the cases of one chunk.
// It has a field for each count of the report.
type tally struct {
	err         error // the chunk was not finished
	judged      uint64
	unsupported uint64
	valid       uint64
	accepted    uint64
	hits        []hit
	blamed      []blamed
	calls       uint64 // of the engine, to judge
	attribution uint64 // of the engine, to find culprits
	lost        uint64 // plain cases that the engine failed on, or refused
	coverage    Coverage
	checks      []uint64 // by the place of the check
	unseen      []uint64 // the same
	dialect     string
	codes       []harness.Term // of the dialect
	became      map[fate]uint64
	knobs       []knob
}

// knob counts the values of a knob.
type knob struct {
	harness.Knob
	values Tally
}

// fate is a fault and what came of a case with it.
type fate struct{ fault, became string }

// hit is a case that broke something.
type hit struct {
	index     uint64
	traits    []string
	judgement judge.Judgement
}

func newTally(dialect string) tally {
	v := all.Vocabulary(dialect)
	n := len(all.Rules(dialect).Checks)
	t := tally{
		dialect: dialect, codes: v.Codes, checks: make([]uint64, n), unseen: make([]uint64, n),
		coverage: emptyCoverage(), became: map[fate]uint64{},
	}
	for _, k := range v.Settings() {
		t.knobs = append(t.knobs, knob{k, Tally{}})
	}
	return t
}

// count takes one judged case in.
func (t *tally) count(s *generators.Sample, j *judge.Judgement) {
	for _, f := range s.Traits {
		t.coverage.Faults[f]++
	}
	t.faults(s.Traits, j)
	if s.Valid {
		t.valid++
	}
	if j.Unsupported != "" {
		t.unsupported++
		return
	}
	if s.Valid && j.Outcome.Verdict != harness.Applied {
		t.lost++
	}
	if s.Valid && len(j.Breaks) == 0 && j.Outcome.Verdict == harness.Applied {
		t.accepted++
	}
	for i := range t.checks {
		t.checks[i] += uint64(j.Exercised >> i & 1)
		t.unseen[i] += uint64(j.Unseen >> i & 1)
	}
	t.outcome(&j.Outcome)
	for i := range t.knobs {
		k := &t.knobs[i]
		if !k.List {
			k.values[k.Of(&j.Profile)]++
			continue
		}
		for v := range strings.SplitSeq(k.Of(&j.Profile), ",") {
			k.values[strings.TrimSpace(v)]++
		}
	}
}

// faults notes what came of a case with these faults.
func (t *tally) faults(planted []string, j *judge.Judgement) {
	became := failed
	switch {
	case j.Unsupported != "":
		became = string(harness.Unsupported)
	case j.Outcome.Code != "":
		became = string(j.Outcome.Code)
	case j.Outcome.Verdict != "":
		became = string(j.Outcome.Verdict)
	}
	if len(planted) == 0 {
		t.became[fate{noFault, became}]++
	}
	for _, f := range planted {
		t.became[fate{f, became}]++
	}
}

func (t *tally) outcome(o *harness.Outcome) {
	c := &t.coverage
	if o.Code != "" {
		c.Codes[string(o.Code)]++
	}
	if o.Rung != "" {
		c.Rungs[string(o.Rung)]++
	}
	if o.Tier != "" {
		c.Tiers[string(o.Tier)]++
	}
	for i := range o.Repairs {
		c.Repairs[o.Repairs[i].Rule]++
	}
	for i := range o.Warnings {
		c.Warnings[o.Warnings[i].Code]++
	}
	for i := range o.Events {
		c.Events[o.Events[i].Event]++
		if code := o.Events[i].Code; code != "" && o.Code != code {
			c.Codes[string(code)]++
		}
	}
	for i := range o.Operations {
		c.Results[o.Operations[i].Result]++
		if code := o.Operations[i].Result; t.isCode(code) && code != string(o.Code) {
			c.Codes[code]++
		}
		for _, w := range o.Operations[i].Warnings {
			c.Warnings[w]++
		}
	}
	for i := range o.Trace {
		if event := o.Trace[i].Event; event != "" {
			c.Events[event]++
		}
		if code := o.Trace[i].Code; code != "" && code != o.Code {
			c.Codes[string(code)]++
		}
	}
}

// isCode reports whether a result is a code of the dialect.
func (t *tally) isCode(result string) bool {
	return slices.ContainsFunc(t.codes, func(c harness.Term) bool { return c.Name == result })
}

// close turns what was counted in a hurry into names.
func (t *tally) close() {
	for i, check := range all.Rules(t.dialect).Checks {
		if t.checks[i] > 0 {
			t.coverage.Checks[check.Name] = t.checks[i]
		}
		if t.unseen[i] > 0 {
			t.coverage.Unseen[check.Name] = t.unseen[i]
		}
	}
	for f, n := range t.became {
		t.coverage.Outcomes[f.fault+" "+f.became] = n
	}
	for _, k := range t.knobs {
		for value, n := range k.values {
			t.coverage.Knobs[k.Name+"="+value] = n
		}
	}
}
