package rules

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// readResults reads the results of steps, by id, in the order of the case. They are good until the parser is released.
func (s *session) readResults(raw jsontext.Value) ([]strictjson.Member, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	s.parser = strictjson.Borrow(string(raw))
	doc, err := s.parser.All(maxDepth)
	switch {
	case strictjson.InvalidUTF8(raw) >= 0:
		return nil, errors.New("the results hold bytes that are not UTF-8")
	case err != nil:
		return nil, err
	case doc.Root.Kind != strictjson.Object:
		return nil, errors.New("the results are an object of step ids, not " + doc.Root.Kind.String())
	case len(doc.Duplicates) > 0:
		return nil, errors.New("the results name " + doc.Duplicates[0].Name + " twice")
	}
	return doc.Root.Members, nil
}
