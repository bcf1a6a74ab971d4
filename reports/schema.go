package reports

import _ "embed"

//go:embed report.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the report document. It is made
// from the Go types by a test, which keeps it up to date.
func Schema() []byte { return schema }
