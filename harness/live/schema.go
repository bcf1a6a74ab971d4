package live

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/all"
)

// PatchSchema is the schema of patches to bind decoding with: that of the dialect
// without its patterns, which several servers refuse. So an id that is
// blank passes. The members keep their order, in which servers make models
// write them.
func PatchSchema() (jsontext.Value, error) {
	data, ok := all.Schema("planpatch")
	if !ok {
		return nil, errors.New("there is no schema of patches")
	}
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		kind, members := from.StackIndex(from.StackDepth())
		token, err := from.ReadToken()
		switch {
		case err == io.EOF:
			return jsontext.Value(bytes.TrimSpace(out.Bytes())), nil
		case err != nil:
			return nil, err
		}
		atName := kind == jsontext.KindBeginObject && members%2 == 0 && token.Kind() == jsontext.KindString
		if atName && (token.String() == "pattern" || token.String() == "$schema") {
			if err := from.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
}
