package gate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/score"
	"replanbench/reports"
)

// Scoring says how corpora are scored, and what becomes of the scores.
type Scoring struct {
	score.Options
	Conditions score.Gate
	Columns    []string // of the one table that is shown; nil: all tables are shown
	Scores     string   // the file of every score; "" is none
}

// Section scores the corpora and compares the result with the conditions. It returns the
// scores so far if the run ends early, and nil without any.
func (o Scoring) Section(ctx context.Context, sources []corpora.Source) (*reports.Score, error) {
	result, err := writingScores(o.Scores, o.Options, func(o score.Options) (*score.Result, error) {
		return score.Run(ctx, sources, o)
	})
	if result == nil {
		return nil, harness.Mistaken(err)
	}
	if result.Records == 0 && err == nil && result.Part == nil {
		return nil, harness.Mistakef("no reply could be scored: %s", result.Nothing())
	}
	section := &reports.Score{Result: *result, Columns: o.Columns}
	if err != nil {
		return section, err
	}
	if result.Part != nil { // all shards together are judged
		if o.Shard.First() { // once is enough
			section.Gate = &o.Conditions
		}
		return section, nil
	}
	if section.Breaches, err = o.Conditions.Check(result); err != nil {
		return nil, harness.Mistaken(err)
	}
	return section, nil
}

// writingScores runs a scoring that also writes every score to a file. It goes on
// where that fails.
func writingScores(name string, o score.Options,
	run func(score.Options) (*score.Result, error),
) (result *score.Result, err error) {
	if name == "" {
		return run(o)
	}
	if err := replaceable(name); err != nil {
		return nil, err
	}
	return result, errors.Join(files.Write(name, func(w io.Writer) error {
		put, end := scoreLines(w)
		if strings.HasSuffix(name, ".parquet") {
			table := reports.NewReplies(w)
			put, end = table.Write, table.Close
		}
		var lost error
		o.Each = func(s score.Score, r *corpora.Record) error {
			if lost == nil {
				lost = put(s, r)
			}
			return nil
		}
		result, err = run(o)
		return cmp.Or(err, lost, end())
	}))
}

// replaceable refuses to overwrite a file that does not contain scores, such as the corpus
// to score.
func replaceable(name string) error {
	head := firstLine(name)
	if len(head) == 0 || bytes.HasPrefix(head, []byte("PAR1")) {
		return nil
	}
	var line struct {
		Tier    string `json:"tier"`
		Verdict string `json:"verdict"`
	}
	if json.Unmarshal(head, &line) == nil && line.Tier != "" && line.Verdict != "" {
		return nil
	}
	return harness.Mistakef("%s exists and has no scores, so it is not overwritten (to score its replies, give it as an "+
		"argument: replanbench score %[1]s)", name)
}

// NoCorpus refuses to overwrite recorded replies with a report.
func NoCorpus(name string) error {
	if _, err := corpora.Decode(firstLine(name)); err == nil {
		return harness.Mistakef("%s has recorded replies, so no report is written over them (name another file, or remove it)",
			name)
	}
	return nil
}

// firstLine returns at most 64 KiB of the first line of a regular file, or nothing if it cannot be read.
func firstLine(name string) []byte {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil
	}
	head, _, _ := bytes.Cut(files.Head(name, 64<<10), []byte("\n"))
	return head
}

// scoreLines writes scores as JSON Lines.
func scoreLines(w io.Writer) (put func(score.Score, *corpora.Record) error, end func() error) {
	put = func(s score.Score, _ *corpora.Record) error {
		err := json.MarshalWrite(w, s)
		if err == nil {
			_, err = io.WriteString(w, "\n")
		}
		return err
	}
	return put, func() error { return nil }
}
