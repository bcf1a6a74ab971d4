package reports

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"replanbench/corpora"
	"replanbench/harness/score"
)

// figure is a row of the report as Parquet: what a row of the CSV is, with types, and
// with texts as they are.
type figure struct {
	Section   string   `parquet:"section,dict"`
	Subject   string   `parquet:"subject,dict"`
	Measure   string   `parquet:"measure,dict"`
	Count     *int64   `parquet:"count,optional"`
	N         *int64   `parquet:"n,optional"`
	Share     *float64 `parquet:"share,optional"`
	Low       *float64 `parquet:"low,optional"`
	High      *float64 `parquet:"high,optional"`
	Text      string   `parquet:"text"`
	Reproduce string   `parquet:"reproduce"`
}

// Parquet writes every figure and every failure of the report as one table, that of
// [Report.CSV]: shares are from 0 to 1, and what there is not is null.
func (r *Report) Parquet(w io.Writer) error {
	var rows []figure
	for _, x := range r.records() {
		rows = append(rows, figure{
			x.section, x.subject, x.measure, integer(x.count), integer(x.n),
			number64(x.share), number64(x.low), number64(x.high), x.text, x.again,
		})
	}
	out := parquet.NewGenericWriter[figure](w, parquet.Compression(&zstd.Codec{}))
	if _, err := out.Write(rows); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return out.Close()
}

func integer(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func number64(s string) *float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &x
}

// reply is a request as a row: the first reply with what came of it.
type reply struct {
	ID           string   `parquet:"id"`
	Case         string   `parquet:"case,dict"`
	Dialect      string   `parquet:"dialect,dict"`
	Source       string   `parquet:"source,dict"`
	Model        string   `parquet:"model,dict"`
	Prompt       string   `parquet:"prompt,dict"`
	Mode         string   `parquet:"mode,dict"`
	Temperature  *float64 `parquet:"temperature,optional"`
	Params       string   `parquet:"params"` // JSON
	Sample       int64    `parquet:"sample"`
	FinishReason string   `parquet:"finish_reason,dict"`
	Tags         []string `parquet:"tags,list"`
	Reply        []byte   `parquet:"reply"`

	Unscored string   `parquet:"unscored,dict"`
	Tier     string   `parquet:"tier,dict"`
	Verdict  string   `parquet:"verdict,dict"`
	Code     string   `parquet:"code,dict"`
	Message  string   `parquet:"message"`
	Rung     string   `parquet:"rung,dict"`
	Retries  int64    `parquet:"retries"`
	Danger   bool     `parquet:"danger"`
	Dangers  []string `parquet:"dangers,list"` // KIND:STEP
	Lost     bool     `parquet:"lost"`
	CutOff   bool     `parquet:"cut_off"`
	Intent   string   `parquet:"intent,dict"`
	Changed  string   `parquet:"changed,dict"`

	PromptTokens *int64  `parquet:"prompt_tokens,optional"`
	ReplyTokens  *int64  `parquet:"reply_tokens,optional"`
	LadderTokens *int64  `parquet:"ladder_tokens,optional"`
	PlanTokens   int64   `parquet:"plan_tokens"`
	LatencyMS    float64 `parquet:"latency_ms"`
}

// Replies writes requests with their scores as Parquet, row by row.
type Replies struct{ out *parquet.GenericWriter[reply] }

// NewReplies returns a writer of requests.
func NewReplies(w io.Writer) *Replies {
	return &Replies{parquet.NewGenericWriter[reply](w, parquet.Compression(&zstd.Codec{}))}
}

// Write writes one request.
func (x *Replies) Write(s score.Score, r *corpora.Record) error {
	row := reply{
		ID: s.ID, Case: s.Case, Dialect: r.Dialect, Source: r.Source, Model: r.Model, Prompt: r.Prompt, Mode: r.Mode(),
		Temperature: number64(r.Param("temperature")), Params: string(r.Params), Sample: int64(r.Sample), FinishReason: r.FinishReason, Tags: r.Tags, Reply: []byte(r.Reply),
		Unscored: s.Unscored, Tier: string(s.Tier), Verdict: string(s.Verdict), Code: string(s.Code), Message: s.Message, Rung: string(s.Rung),
		Retries: int64(s.Retries), Danger: s.Danger, Lost: s.Lost, CutOff: s.CutOff, Intent: s.Intent, Changed: s.Changed,
		PromptTokens: known(s.Prompt), ReplyTokens: known(s.Reply), LadderTokens: known(s.Ladder), PlanTokens: int64(s.Whole), LatencyMS: r.LatencyMS,
	}
	for _, d := range s.Dangers {
		row.Dangers = append(row.Dangers, d.Kind+":"+d.Step)
	}
	_, err := x.out.Write([]reply{row})
	return err
}

// Close ends the table.
func (x *Replies) Close() error { return x.out.Close() }

// known is a number of tokens; null where it is not known.
func known(tokens int) *int64 {
	if tokens < 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}
