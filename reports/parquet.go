package reports

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replanbench/corpora"
	"replanbench/harness/score"
)

// rowsOfGroup and bytesOfGroup limit how much a table keeps in memory.
const (
	rowsOfGroup  = 10_000
	bytesOfGroup = 32 << 20
)

// newParquet returns a writer of rows. It needs a schema only if T has none.
func newParquet[T any](w io.Writer, schema ...parquet.WriterOption) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](w, append(schema,
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsOfGroup), parquet.CreatedBy("replanbench", "", ""),
	)...)
}

// validUTF8 replaces bytes that are not UTF-8, which a text in Parquet must not contain.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// figure is a row of the CSV with types, and with unescaped texts.
type figure struct {
	Section   string   `parquet:"section"`
	Subject   string   `parquet:"subject"`
	Measure   string   `parquet:"measure"`
	Count     *int64   `parquet:"count"`
	N         *int64   `parquet:"n"`
	Share     *float64 `parquet:"share"`
	Low       *float64 `parquet:"low"`
	High      *float64 `parquet:"high"`
	Text      string   `parquet:"text"`
	Reproduce string   `parquet:"reproduce"`
}

// Parquet writes every figure and every failure of the report as one table, with the
// rows of [Report.CSV]. Shares are from 0 to 1, and unknown numbers are null.
func (r *Report) Parquet(w io.Writer) error {
	if table, ok := r.tabled(); ok {
		return parquetTable(w, table)
	}
	var rows []figure
	for _, x := range r.records() {
		rows = append(rows, figure{
			x.section, x.subject, x.measure, integer(x.count), integer(x.n),
			number64(x.share), number64(x.low), number64(x.high), x.text, x.again,
		})
	}
	eachText(reflect.ValueOf(rows), validUTF8)
	out := newParquet[figure](w)
	_, err := out.Write(rows)
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
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
	Reply        []byte   `parquet:"reply"`

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

// Replies writes requests with their scores as Parquet, row by row.
type Replies struct {
	out  *parquet.GenericWriter[reply]
	size int // bytes of replies in the group
}

// NewReplies returns a writer of requests.
func NewReplies(w io.Writer) *Replies { return &Replies{out: newParquet[reply](w)} }

// Write writes one request.
func (x *Replies) Write(s score.Score, r *corpora.Record) error {
	row := reply{
		ID: s.ID, Case: s.Case, Dialect: r.Dialect, Source: r.Source, Model: r.Model, Prompt: r.Prompt, Mode: r.Mode(),
		Temperature: number64(r.Param("temperature")), Params: string(r.Params), Sample: int64(r.Sample),
		FinishReason: r.FinishReason, Tags: slices.Clone(r.Tags), Reply: []byte(r.Reply),
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
