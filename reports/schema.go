package reports

import _ "embed"

//go:embed report.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the report document. A test generates
// it from the Go types and keeps it up to date.
func Schema() []byte { return schema }
