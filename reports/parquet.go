package reports

import (
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replanbench/corpora"
	"replanbench/harness/score"
	"replanbench/reports/rows"
)

// bytesOfGroup is how many bytes of replies a table keeps in memory.
const bytesOfGroup = 32 << 20

// validUTF8 replaces bytes that are not UTF-8, which a text in Parquet must not contain.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// reply is a request as a row: the first reply and its score. Each field is a column.
type reply struct {
	ID           string   `parquet:"id"`
	Case         string   `parquet:"case"`
	Dialect      string   `parquet:"dialect"`
	Source       string   `parquet:"source"`
	Model        string   `parquet:"model"`
	Prompt       string   `parquet:"prompt"`
	Mode         string   `parquet:"mode"`
	Temperature  *float64 `parquet:"temperature"`
	Params       string   `parquet:"params"` // JSON
	Sample       int64    `parquet:"sample"`
	FinishReason string   `parquet:"finish_reason"`
	Tags         []string `parquet:"tags,list"`
	Reply        string   `parquet:"reply"`

	Unscored string   `parquet:"unscored"`
	Tier     string   `parquet:"tier"`
	Verdict  string   `parquet:"verdict"`
	Code     string   `parquet:"code"`
	Message  string   `parquet:"message"`
	Rung     string   `parquet:"rung"`
	Retries  int64    `parquet:"retries"`
	Danger   bool     `parquet:"danger"`
	Dangers  []string `parquet:"dangers,list"` // KIND:STEP
	Lost     bool     `parquet:"lost"`
	CutOff   bool     `parquet:"cut_off"`
	Intent   string   `parquet:"intent"`
	Changed  string   `parquet:"changed"`

	PromptTokens *int64  `parquet:"prompt_tokens"`
	ReplyTokens  *int64  `parquet:"reply_tokens"`
	LadderTokens *int64  `parquet:"ladder_tokens"`
	PlanTokens   int64   `parquet:"plan_tokens"`
	LatencyMS    float64 `parquet:"latency_ms"`
}

// temperature returns the temperature of a request, or null.
func temperature(r *corpora.Record) *float64 {
	x, err := strconv.ParseFloat(r.Param("temperature"), 64)
	if err != nil {
		return nil
	}
	return &x
}

// Replies writes requests with their scores as Parquet, row by row.
type Replies struct {
	out  *parquet.GenericWriter[reply]
	size int // bytes of replies in the group
}

// NewReplies returns a writer of requests.
func NewReplies(w io.Writer) *Replies { return &Replies{out: rows.NewParquet[reply](w)} }

// Write writes one request.
func (x *Replies) Write(s score.Score, r *corpora.Record) error {
	row := reply{
		ID: s.ID, Case: s.Case, Dialect: r.Dialect, Source: r.Source, Model: r.Model, Prompt: r.Prompt, Mode: r.Mode(),
		Temperature: temperature(r), Params: string(r.Params), Sample: int64(r.Sample),
		FinishReason: r.FinishReason, Tags: slices.Clone(r.Tags), Reply: string(r.Reply),
		Unscored: s.Unscored, Tier: string(s.Tier), Verdict: string(s.Verdict), Code: string(s.Code), Message: s.Message,
		Rung:    string(s.Rung),
		Retries: int64(s.Retries), Danger: s.Danger, Lost: s.Lost, CutOff: s.CutOff, Intent: s.Intent, Changed: s.Changed,
		PromptTokens: known(s.Prompt), ReplyTokens: known(s.Reply), LadderTokens: known(s.Ladder),
		PlanTokens: int64(s.Whole), LatencyMS: r.LatencyMS,
	}
	for _, d := range s.Dangers {
		row.Dangers = append(row.Dangers, d.Kind+":"+d.Step)
	}
	eachText(reflect.ValueOf(&row), validUTF8)
	if _, err := x.out.Write([]reply{row}); err != nil {
		return err
	}
	if x.size += len(row.Reply); x.size < bytesOfGroup {
		return nil
	}
	x.size = 0
	return x.out.Flush()
}

// Close ends the table.
func (x *Replies) Close() error { return x.out.Close() }

// known returns a number of tokens, or null if it is unknown.
func known(tokens int) *int64 {
	if tokens < 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}
