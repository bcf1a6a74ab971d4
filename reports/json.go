package reports

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/reports/rows"
)

// Formats lists the formats that [Report.Write] knows.
func Formats() []string {
	return []string{"table", "markdown", "json", "jsonl", "csv", "parquet", "junit", "html", "latex", "sarif", "github"}
}

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string, colour bool) error {
	switch format {
	case "table":
		return r.Terminal(w, View{Colour: colour, Columns: width, Verbose: true})
	case "markdown":
		return r.Markdown(w)
	case "json":
		return r.JSON(w)
	case "jsonl":
		return rows.JSONLines(w, r.records())
	case "csv":
		return rows.CSV(w, r.records())
	case "parquet":
		return rows.Parquet(w, r.records())
	case "junit":
		return r.JUnit(w)
	case "html":
		return r.HTML(w)
	case "latex":
		return r.LaTeX(w)
	case "sarif":
		return r.SARIF(w)
	case "github":
		return r.GitHub(w)
	}
	return fmt.Errorf("reports have no format %q (they have %v)", format, Formats())
}

// JSON writes the report as JSON.
func (r *Report) JSON(w io.Writer) error { return WriteJSON(w, r) }

// WriteJSON writes v indented, with a fixed order of members and a final newline. It
// replaces invalid UTF-8, and keeps duplicate members in the documents of cases.
func WriteJSON(w io.Writer, v any) error {
	err := json.MarshalWrite(w, v, jsontext.WithIndent("  "), json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = io.WriteString(w, "\n")
	return err
}
