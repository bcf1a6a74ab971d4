package gate

import (
	"cmp"
	"context"
	"errors"
	"io"
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
	Replies    string   // the file of every score; "" is none
}

// Section scores the corpora and compares the result with the conditions. It returns the
// scores so far if the run ends early, and nil without any.
func (o Scoring) Section(ctx context.Context, sources []corpora.Source) (*reports.Score, error) {
	result, err := writingReplies(o.Replies, o.Options, func(o score.Options) (*score.Result, error) {
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

// writingReplies runs a scoring that also writes every score to a file. It goes on
// where that fails.
func writingReplies(name string, o score.Options,
	run func(score.Options) (*score.Result, error),
) (result *score.Result, err error) {
	if name == "" {
		return run(o)
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
