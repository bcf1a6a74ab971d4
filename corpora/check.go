package corpora

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"replanbench/harness"
)

// Validator checks more than reading does: replies are unique, and retries name an earlier
// reply. It needs about 100 bytes of memory per record.
type Validator struct {
	Records, WithoutPlan, Problems int
	Failed                         int // records of requests without a reply

	keys map[[16]byte]string // id by key
	ids  map[[16]byte]bool
}

// Check yields the problems of a corpus. It ends with an error if it cannot open the corpus.
func (v *Validator) Check(s Source) iter.Seq2[*Problem, error] {
	if v.keys == nil {
		v.keys, v.ids = map[[16]byte]string{}, map[[16]byte]bool{}
	}
	return func(yield func(*Problem, error) bool) {
		for batch, err := range s.Batches() {
			if err != nil {
				yield(nil, err)
				return
			}
			for e := range batch.Entries(nil) {
				p := e.Problem
				if p == nil {
					p = v.record(s.Name, &e)
				}
				if p == nil {
					continue
				}
				v.Problems++
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func (v *Validator) record(source string, e *Entry) *Problem {
	r := &e.Record
	if r.Failure != nil { // the reply may yet come, under the same id and key
		v.Failed++
		return nil
	}
	v.Records++
	if r.Plan == nil {
		v.WithoutPlan++
	}
	id, key := digest(r.ID), digest(r.Key())
	twin, again := v.keys[key]
	known := v.ids[digest(r.RetryOf)]
	used := v.ids[id]
	v.keys[key], v.ids[id] = r.ID, true
	problem := func(format string, args ...any) *Problem {
		return &Problem{Source: source, Line: e.Line, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case used:
		return problem("duplicate id %q", r.ID)
	case again:
		return problem("%q has model, prompt, params, case, sample and attempt of %q (give repeated replies different "+
			"samples)", r.ID, twin)
	case r.RetryOf != "" && !known:
		return problem("%q is a retry of %q, which must come before it", r.ID, r.RetryOf)
	}
	return nil
}

func digest(s string) [16]byte {
	sum := sha256.Sum256([]byte(s))
	return [16]byte(sum[:16])
}

// Stats summarizes corpora.
type Stats struct {
	Records      int                       `json:"records"`
	Cases        int                       `json:"cases"`
	Bad          int                       `json:"bad"`    // skipped lines
	Failed       int                       `json:"failed"` // requests without a reply
	ReplyBytes   int                       `json:"reply_bytes"`
	PromptTokens int                       `json:"prompt_tokens"` // as the endpoints reported
	ReplyTokens  int                       `json:"reply_tokens"`
	Counts       map[string]map[string]int `json:"counts"` // by kind and value

	cases map[[16]byte]bool
}

// Add counts the records of a corpus.
func (s *Stats) Add(source Source) error {
	if s.Counts == nil {
		s.Counts, s.cases = map[string]map[string]int{}, map[[16]byte]bool{}
	}
	for r, err := range source.Records() {
		if p := (*Problem)(nil); errors.As(err, &p) {
			s.Bad++
			continue
		}
		if err != nil {
			return err
		}
		s.record(&r)
	}
	s.Cases = len(s.cases)
	return nil
}

func (s *Stats) record(r *Record) {
	if r.Failure != nil {
		s.Failed++
		s.count("failure", r.Failure.Class)
		return
	}
	s.Records++
	s.cases[digest(r.CaseKey())] = true
	s.ReplyBytes += len(r.Reply)
	if r.Usage != nil {
		s.PromptTokens += r.Usage.PromptTokens
		s.ReplyTokens += r.Usage.CompletionTokens
	}
	plan := "with a plan"
	if r.Plan == nil {
		plan = "without a plan"
	}
	for kind, value := range map[string]string{
		"dialect": r.Dialect, "source": r.Source, "model": r.Model, "prompt": r.Prompt, "mode": r.Mode(), "plan": plan,
		"finish_reason": r.FinishReason, "attempt": fmt.Sprint(r.Attempt), "run": r.Tag("run"),
	} {
		s.count(kind, value)
	}
}

func (s *Stats) count(kind, value string) {
	if s.Counts[kind] == nil {
		s.Counts[kind] = map[string]int{}
	}
	s.Counts[kind][value]++
}

// String summarizes the result in a line.
func (v *Validator) String() string {
	failed := ""
	if v.Failed > 0 {
		failed = fmt.Sprintf("; %s without a reply", counted(v.Failed, "request"))
	}
	return fmt.Sprintf("%s, %d without a plan%s; %s", counted(v.Records, "record"), v.WithoutPlan, failed,
		counted(v.Problems, "problem"))
}

// Collect counts the records of corpora.
func Collect(sources []Source) (*Stats, error) {
	var s Stats
	for _, source := range sources {
		if err := s.Add(source); err != nil {
			return nil, harness.Mistaken(err)
		}
	}
	return &s, nil
}

// counted returns a number with its noun, in the plural if needed.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// String returns the counts of records, bytes and tokens, in lines.
func (s *Stats) String() string {
	text := fmt.Sprintf("%s of %s, %s", counted(s.Records, "record"), counted(s.Cases, "case"), counted(s.Bad, "bad line"))
	if s.Failed > 0 {
		text += fmt.Sprintf("\n%s without a reply", counted(s.Failed, "request"))
	}
	return text + fmt.Sprintf("\n%d bytes of replies; tokens as reported: %d of prompts, %d of replies", s.ReplyBytes,
		s.PromptTokens, s.ReplyTokens)
}

// Text writes the counts as a list. fit escapes values for the terminal.
func (s *Stats) Text(w io.Writer, fit func(string) string) {
	fmt.Fprintln(w, s)
	for _, kind := range slices.Sorted(maps.Keys(s.Counts)) {
		for _, value := range slices.Sorted(maps.Keys(s.Counts[kind])) {
			fmt.Fprintf(w, "  %-14s %7d  %s\n", kind, s.Counts[kind][value], fit(cmp.Or(value, "–")))
		}
	}
}
