package corpora

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// replyColumns are the names of the column with the reply, the best first.
func replyColumns() []string {
	return []string{"reply", "response", "output", "completion", "answer", "prediction", "generated_text"}
}

// rowFields maps columns to the fields with the same names.
func rowFields() string {
	fields := []string{"id", "case", "plan", "max_plan_steps", "failed_step", "retry_of", "model", "dialect"}
	for i, name := range fields {
		fields[i] = name + "=" + name
	}
	for _, name := range slices.Backward(replyColumns()) { // the last mapping that finds a value counts
		fields = append(fields, "reply="+name)
	}
	return strings.Join(fields, " ")
}

// readRows reads a table of replies: JSON Lines, a JSON list of objects, or CSV with a header.
// A cell may contain JSON, such as the plan.
func readRows(name string, found func(draft) bool) error {
	switch extension(name) {
	case ".csv":
		return csvRows(name, ',', found)
	case ".tsv":
		return csvRows(name, '\t', found)
	}
	if !isList(name) {
		return eachLine(name, found, rowReply)
	}
	doc, err := readDocument(name)
	if err != nil {
		return err
	}
	for i, row := range elements(doc) {
		answers, err := rowReply(row)
		if !handOn(Problem{Source: name, Line: i + 1}, row, answers, err, found) {
			break
		}
	}
	return nil
}

// isList reports whether a file begins with a JSON list. Lines are not read whole: there may be many.
func isList(name string) bool {
	for batch, err := range File(name).Batches() {
		return err == nil && bytes.HasPrefix(bytes.TrimSpace(batch.Data), []byte("["))
	}
	return false
}

// extension returns the extension of a file, without the one of its compression.
func extension(name string) string {
	return filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst"))
}

// csvRows reads each line below the header as an object of texts.
func csvRows(name string, comma rune, found func(draft) bool) error {
	data, err := readWhole(name)
	if err != nil {
		return err
	}
	table := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	table.Comma = comma
	header, err := table.Read()
	if err != nil {
		return fmt.Errorf("no header line: %w", err)
	}
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if damaged, ok := errors.AsType[*csv.ParseError](err); ok {
			if !handOn(Problem{Source: name, Line: damaged.StartLine}, nil, nil, damaged.Err, found) {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		line, _ := table.FieldPos(0)
		row := rowOf(header, cells)
		answers, err := rowReply(row)
		if !handOn(Problem{Source: name, Line: line}, row, answers, err, found) {
			return nil
		}
	}
}

// rowOf returns a line of a table as an object. An empty cell is a missing member, except for a reply.
func rowOf(header, cells []string) jsontext.Value {
	members := map[string]string{}
	for i, name := range header {
		if cells[i] != "" || slices.Contains(replyColumns(), name) {
			members[name] = cells[i]
		}
	}
	return encode(members)
}

// rowReply returns the reply of a row. The mappings of the importer fill most of the record.
func rowReply(row jsontext.Value) ([]answer, error) {
	if row.Kind() != '{' {
		return nil, errors.New("the row is not an object")
	}
	r := answer{Record: Record{Params: params(row)}, mapped: true}
	if prompt := text(lookup(row, "prompt")); len(prompt) <= longestName && !strings.Contains(prompt, "\n") {
		r.Prompt = prompt
	} else {
		r.PromptSHA256, r.Messages = hash(lookup(row, "prompt")), asked(lookup(row, "prompt"))
	}
	return []answer{r}, nil
}

// longestName is the number of bytes up to which a column prompt is a name, and not the prompt itself.
const longestName = 80
