package rules

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// results are the results of steps, by id, in the order of the case.
type results struct {
	members []strictjson.Member
}

func newResults(raw jsontext.Value) (*results, error) {
	if len(raw) == 0 {
		return &results{}, nil
	}
	doc, err := strictjson.Parse(raw, maxDepth)
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
	return &results{doc.Root.Members}, nil
}

// clear drops the results of the steps.
func (r *results) clear(ids []string) {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	r.members = slices.DeleteFunc(r.members, func(m strictjson.Member) bool { return gone[m.Name] })
}

func (r *results) json() jsontext.Value {
	v := strictjson.Value{Kind: strictjson.Object, Members: r.members}
	return v.AppendJSON(nil)
}
