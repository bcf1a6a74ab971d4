package campaign

import (
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
		coverage: NewCoverage(), became: map[fate]uint64{},
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
	t.coverage.Count(&j.Outcome, t.codes)
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
