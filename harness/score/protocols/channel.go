package protocols

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/plan"
)

// Channel says how often a reply is damaged, by opportunity. A rate is from 0 to 1.
type Channel struct {
	Cut    float64 `json:"cut"`    // the reply ends: by 100 tokens
	Broken float64 `json:"broken"` // a sign of the syntax is left out: by 100 tokens
	Drop   float64 `json:"drop"`   // an item of a list is left out: by the item
	Wrong  float64 `json:"wrong"`  // another id, or another index, takes its place: by the id
	Extra  float64 `json:"extra"`  // an object has a member that it has not: by the item
}

// Rates lists the rates with their names, for flags and reports.
func (c *Channel) Rates() []Rate {
	return []Rate{
		{"cut", "the reply ends early, by 100 tokens", &c.Cut},
		{"broken", "a syntax character is missing, by 100 tokens", &c.Broken},
		{"drop", "an item of a list is missing, by the item", &c.Drop},
		{"wrong", "an id or index is replaced by another, by the id", &c.Wrong},
		{"extra", "an object has an extra member, by the item", &c.Extra},
	}
}

// Rate is one rate of a channel.
type Rate struct {
	Name, Text string
	Value      *float64
}

// damage sends a reply through the channel. The same numbers are drawn for the same
// change in every protocol, as far as they have the same opportunities.
func (c Channel) damage(rng *rand.Rand, reply jsontext.Value, ids []string, tokens int) []byte {
	var doc any
	if err := json.Unmarshal(reply, &doc, json.WithUnmarshalers(ordered())); err == nil {
		doc = c.items(rng, doc)
		c.ids(rng, doc, ids)
		if data, err := json.Marshal(doc); err == nil {
			reply = data
		}
	}
	out := []byte(reply)
	if rng.Float64() < hazard(c.Broken, tokens) {
		out = breakSyntax(rng, out)
	}
	if rng.Float64() < hazard(c.Cut, tokens) {
		out = bytes.TrimRight(out[:rng.IntN(max(1, len(out)))], " ")
	}
	return out
}

// hazard is the chance of an error in a text, given that by 100 tokens.
func hazard(rate float64, tokens int) float64 { return 1 - math.Pow(1-rate, float64(tokens)/100) }

// object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the members in their order.
func (o *object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range *o {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// ordered reads objects as *object, and lists as *[]any, so that both can be changed
// in their places.
func ordered() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
		switch dec.PeekKind() {
		case '{':
			o := &object{}
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			for dec.PeekKind() != '}' {
				name, err := dec.ReadToken()
				if err != nil {
					return err
				}
				m := member{name: name.String()}
				if err := json.UnmarshalDecode(dec, &m.value); err != nil {
					return err
				}
				*o = append(*o, m)
			}
			_, err := dec.ReadToken()
			*v = o
			return err
		case '[':
			var list []any
			if _, err := dec.ReadToken(); err != nil {
				return err
			}
			for dec.PeekKind() != ']' {
				var x any
				if err := json.UnmarshalDecode(dec, &x); err != nil {
					return err
				}
				list = append(list, x)
			}
			_, err := dec.ReadToken()
			*v = &list
			return err
		}
		return errors.ErrUnsupported
	})
}

// items leaves items of the lists of a reply out, and gives them members too much.
func (c Channel) items(rng *rand.Rand, doc any) any {
	lists := []*[]any{}
	switch x := doc.(type) {
	case *[]any:
		lists = append(lists, x)
	case *object:
		for _, m := range *x {
			if list, ok := m.value.(*[]any); ok {
				lists = append(lists, list)
			}
		}
	}
	for _, list := range lists {
		*list = slices.DeleteFunc(*list, func(any) bool { return rng.Float64() < c.Drop })
		for _, item := range *list {
			if o, ok := item.(*object); ok && rng.Float64() < c.Extra {
				inner := o
				for _, m := range *o { // if an operation contains a step, models add members to the step
					if step, ok := m.value.(*object); ok {
						inner = step
					}
				}
				*inner = append(*inner, member{"note", "as discussed"})
			}
		}
	}
	return doc
}

// ids puts other ids in the place of some, and other indices.
func (c Channel) ids(rng *rand.Rand, doc any, ids []string) {
	other := func(v *any) {
		text, ok := (*v).(string)
		if !ok {
			return
		}
		if m := indexed.FindStringSubmatch(text); m != nil {
			if rng.Float64() < c.Wrong {
				*v = m[1] + number(rng.IntN(max(1, len(ids)))) + m[3]
			}
		} else if slices.Contains(ids, text) && rng.Float64() < c.Wrong {
			*v = ids[rng.IntN(len(ids))]
		}
	}
	switch x := doc.(type) {
	case *[]any:
		for i := range *x {
			other(&(*x)[i])
			c.ids(rng, (*x)[i], ids)
		}
	case *object:
		for i := range *x {
			if (*x)[i].name != "description" && (*x)[i].name != "content" && (*x)[i].name != "title" {
				other(&(*x)[i].value)
			}
			c.ids(rng, (*x)[i].value, ids)
		}
	}
}

// indexed matches the place of a step in a JSON Pointer.
var indexed = regexp.MustCompile(`^(/steps/)(\d+)(/.*)?$`)

// breakSyntax leaves one sign of the syntax out.
func breakSyntax(rng *rand.Rand, text []byte) []byte {
	var signs []int
	for i, b := range text {
		if strings.IndexByte(`{}[],:"`, b) >= 0 {
			signs = append(signs, i)
		}
	}
	if signs == nil {
		return text
	}
	i := signs[rng.IntN(len(signs))]
	return slices.Delete(slices.Clone(text), i, i+1)
}

func number(i int) string { return strconv.Itoa(i) }

// idsOf are the ids of a plan, and of what it becomes.
func idsOf(before, after *plan.Plan) []string {
	var ids []string
	for _, p := range []*plan.Plan{before, after} {
		for _, s := range p.Steps {
			if !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
		}
	}
	return ids
}
