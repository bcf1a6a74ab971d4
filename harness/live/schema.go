package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect"
)

// PatchSchema is the schema of patches to bind decoding with: the dialect's first one
// without its patterns, which several servers refuse. So an id that is
// blank passes. The members keep their order, in which servers make models
// write them.
func PatchSchema(d *dialect.Dialect) (jsontext.Value, error) {
	if len(d.Schemas) == 0 {
		return nil, fmt.Errorf("the dialect %s has no reply schema", d.Name)
	}
	data := d.Schemas[0].Data
	var out bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		kind, members := from.StackIndex(from.StackDepth())
		token, err := from.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
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
