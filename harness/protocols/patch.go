package protocols

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// operation is one of a JSON Patch. Value is empty where the member is not there.
type operation struct {
	Op    string         `json:"op"`
	Path  *string        `json:"path"`
	From  *string        `json:"from"`
	Value jsontext.Value `json:"value"`
}

// applyPatch applies a JSON Patch to a document as RFC 6902 has it.
func applyPatch(document, patch []byte) ([]byte, error) {
	var list []operation
	if err := json.Unmarshal(patch, &list); err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, err
	}
	for _, o := range list {
		var err error
		if doc, err = o.apply(doc); err != nil {
			return nil, err
		}
	}
	return json.Marshal(doc)
}

var errNowhere = errors.New("the path leads nowhere")

func (o operation) apply(doc any) (any, error) {
	if o.Path == nil {
		return nil, errors.New("an operation has no path")
	}
	var value any
	switch o.Op {
	case "add", "replace", "test":
		if err := json.Unmarshal(o.Value, &value); err != nil {
			return nil, err
		}
	case "move", "copy":
		if o.From == nil {
			return nil, errors.New("an operation has no from")
		}
		was, err := edited(doc, *o.From, get, nil)
		if err != nil {
			return nil, err
		}
		if data, err := json.Marshal(was); err != nil || json.Unmarshal(data, &value) != nil {
			return nil, errors.New("a value cannot be copied")
		}
	}
	switch o.Op {
	case "add", "copy":
		return edited(doc, *o.Path, add, value)
	case "replace":
		return edited(doc, *o.Path, replace, value)
	case "remove":
		return edited(doc, *o.Path, remove, nil)
	case "move":
		if strings.HasPrefix(*o.Path, *o.From+"/") {
			return nil, errors.New("a value cannot be moved into itself")
		}
		without, err := edited(doc, *o.From, remove, nil)
		if err != nil {
			return nil, err
		}
		return edited(without, *o.Path, add, value)
	case "test":
		is, err := edited(doc, *o.Path, get, nil)
		if err == nil && !same(is, value) {
			err = errors.New("a test fails")
		}
		return doc, err
	}
	return nil, fmt.Errorf("unknown operation %q", o.Op)
}

// act is what is done at the end of a path.
type act int

const (
	get act = iota
	add
	replace
	remove
)

// edited is the value with what a path leads to edited; with get it is what the path
// leads to.
func edited(v any, path string, do act, value any) (any, error) {
	if path == "" {
		if do == get {
			return v, nil
		}
		return value, nil
	}
	if path[0] != '/' {
		return nil, errNowhere
	}
	name, rest := path[1:], ""
	if i := strings.IndexByte(name, '/'); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	switch v := v.(type) {
	case map[string]any:
		return inObject(v, name, rest, do, value)
	case []any:
		return inArray(v, name, rest, do, value)
	}
	return nil, errNowhere
}

func inObject(v map[string]any, name, rest string, do act, value any) (any, error) {
	child, ok := v[name]
	switch {
	case !ok && (rest != "" || do != add):
		return nil, errNowhere
	case rest == "" && do == remove:
		delete(v, name)
		return v, nil
	}
	changed, err := edited(child, rest, do, value)
	if err != nil || do == get {
		return changed, err
	}
	v[name] = changed
	return v, nil
}

func inArray(v []any, name, rest string, do act, value any) (any, error) {
	i, err := strconv.Atoi(name)
	if name == "-" && rest == "" && do == add {
		i, err = len(v), nil
	} else if err == nil && strconv.Itoa(i) != name {
		return nil, errNowhere
	}
	switch {
	case err != nil || i < 0 || i > len(v) || i == len(v) && (rest != "" || do != add):
		return nil, errNowhere
	case rest == "" && do == add:
		return slices.Insert(v, i, value), nil
	case rest == "" && do == remove:
		return slices.Delete(v, i, i+1), nil
	}
	changed, err := edited(v[i], rest, do, value)
	if err != nil || do == get {
		return changed, err
	}
	v[i] = changed
	return v, nil
}
