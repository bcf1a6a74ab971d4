package reports

import (
	"cmp"
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

// Parquet writes the rows of [Report.CSV] as one table, with types and unescaped texts.
func (r *Report) Parquet(w io.Writer) error {
	rows := r.rows()
	types := make([]reflect.StructField, len(rows[0]))
	for i, f := range rows[0] {
		types[i] = reflect.StructField{
			Name: "F" + strconv.Itoa(i), Type: reflect.TypeOf(f.value),
			Tag: reflect.StructTag("parquet:" + strconv.Quote(strings.ReplaceAll(f.name, ",", " "))),
		}
	}
	row := reflect.StructOf(types)
	out := newParquet[any](w, parquet.SchemaOf(reflect.New(row).Interface()))
	var err error
	for _, fields := range rows {
		x := reflect.New(row).Elem()
		for i, f := range fields {
			x.Field(i).Set(reflect.ValueOf(f.value))
		}
		eachText(x, validUTF8)
		_, failed := out.Write([]any{x.Interface()})
		err = cmp.Or(err, failed)
	}
	if err = cmp.Or(err, out.Close()); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
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
func NewReplies(w io.Writer) *Replies { return &Replies{out: newParquet[reply](w)} }

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
