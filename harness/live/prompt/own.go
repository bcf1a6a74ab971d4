package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/yamljson"
	"replanbench/harness/live/jinja"
)

// Own are variables of the user's own, as JSON values by name.
type Own map[string]jsontext.Value

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// reserved are names that mean something in every template.
func reserved() []string {
	return strings.Fields("true True false False none None not and or in is if else for loop self super caller varargs " +
		"kwargs range namespace dict cycler joiner lipsum")
}

// checkName says why a variable cannot have a name.
func checkName(name string) error {
	switch _, builtin := (Variables{}).Map()[name]; {
	case !variableName().MatchString(name):
		return fmt.Errorf("%q is not a variable name (use letters, digits and _, and do not begin with a digit)", name)
	case builtin:
		return fmt.Errorf("%s is a built-in variable (choose another name)", name)
	case slices.Contains(reserved(), name):
		return fmt.Errorf("%s is a word of the template language (choose another name)", name)
	}
	return nil
}

// Add adds a variable from name=value. Its value is text.
func (o Own) Add(pair string) error {
	name, text, ok := strings.Cut(pair, "=")
	if !ok {
		return fmt.Errorf("%q has no value (write name=value)", pair)
	}
	if err := checkName(name); err != nil {
		return err
	}
	if _, twice := o[name]; twice {
		return fmt.Errorf("%s is defined twice", name)
	}
	value, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, strictjson.Plain(err))
	}
	o[name] = value
	return nil
}

// ReadOwn reads the variables of a file: an object in JSON or YAML.
func ReadOwn(data []byte) (Own, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		doc, err := yamljson.Parse(data)
		if errors.Is(err, yamljson.ErrNoMapping) {
			return nil, errors.New("contains no variables (write a JSON object, or YAML lines such as name: value)")
		}
		if err != nil {
			return nil, err
		}
		data = doc.JSON
	}
	if _, err := strictjson.Parse(data, maxDepth); err != nil {
		return nil, err
	}
	var own Own
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, strictjson.Plain(err)
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if err := checkName(name); err != nil {
			return nil, err
		}
		value := own[name]
		if err := value.Compact(); err != nil {
			return nil, err
		}
		own[name] = value
	}
	return own, nil
}

// text is the variables in one spelling, for hashes; "" without any.
func (o Own) text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o)) {
		fmt.Fprintf(&b, "\x00%s=%s", name, o[name])
	}
	return b.String()
}

// With returns the template with variables of the user's own.
func (s Source) With(own Own) Source {
	s.own = own
	return s
}

// Uses reports whether the template, or one that it includes, contains a name.
func (s Source) uses(name string) bool {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	if word.MatchString(s.Text) {
		return true
	}
	for _, text := range s.included {
		if word.MatchString(text) {
			return true
		}
	}
	return false
}

// With returns the prompts with variables of the user's own, which are part of their
// names and hashes.
func (s Set) With(own Own) Set {
	if len(own) == 0 {
		return s
	}
	s.Patch, s.Retry, s.FullPlan = s.Patch.With(own), s.Retry.With(own), s.FullPlan.With(own)
	for i := range s.More {
		s.More[i] = s.More[i].With(own)
	}
	base, _, _ := strings.Cut(s.Name, "@")
	s.Name = base + "@" + s.Patch.SHA256()[:8]
	return s
}

// Unused returns an error for the first variable that none of the templates contains.
func (o Own) Unused(templates []Source) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.ContainsFunc(templates, func(s Source) bool { return s.uses(name) }) {
			return fmt.Errorf("no prompt uses the variable %s%s", name, harness.DidYouMean(name, names(templates)))
		}
	}
	return nil
}

var words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[a-z_]\w*_\w+\b`) })

// names are the words of templates that are likely variables.
func names(templates []Source) []string {
	list := collect.Flat(templates, func(s Source) []string { return words().FindAllString(s.Text, -1) })
	slices.Sort(list)
	return slices.Compact(list)
}

// all are the variables that a template sees.
func (o Own) all(v Variables) map[string]any {
	m := v.Map()
	for name, raw := range o {
		m[name] = object(raw)
	}
	return m
}

// hint adds to the error of a missing variable how it is given.
func hint(e *jinja.Error) *jinja.Error {
	if e.Missing != "" {
		e.Message += fmt.Sprintf(": give it by --var %s=VALUE or in --vars FILE", e.Missing)
	}
	return e
}
