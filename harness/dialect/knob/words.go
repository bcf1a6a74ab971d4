package knob

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Words reads the vocabulary of a dialect: an object with the lists of [harness.Vocabulary]. In a list of terms, a
// string names a term that all dialects have, or one of the dialects that it is like. In the list of own knobs, a
// string names a knob of this package, as NAME or NAME:VALUE. The default of a knob is its first value unless
// another one is given. Words panics at a mistake, which is a bug.
func Words(data []byte, like ...harness.Vocabulary) (words harness.Vocabulary) {
	known := map[string][]harness.Term{
		"codes": harness.Codes(), "tiers": harness.Tiers(), "rungs": harness.Rungs(), "repairs": harness.RepairRules(),
		"warnings": harness.Warnings(), "events": harness.Events(), "results": harness.Codes(),
	}
	for _, v := range like {
		for list, terms := range map[string][]harness.Term{"codes": v.Codes, "repairs": v.Repairs, "warnings": v.Warnings} {
			known[list] = append(known[list], terms...)
		}
	}
	term := func(list, name string) (harness.Term, bool) {
		i := slices.IndexFunc(known[list], func(t harness.Term) bool { return t.Name == name })
		if i < 0 {
			return harness.Term{}, false
		}
		return known[list][i], true
	}
	err := json.Unmarshal(data, &words, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true),
		json.WithUnmarshalers(json.JoinUnmarshalers(named(term), named(shared))))
	if err != nil {
		panic("words of a dialect: " + err.Error())
	}
	for i := range words.Own {
		if k := &words.Own[i]; k.Default == "" {
			k.Default = k.Values[0]
		}
	}
	words.Own = slices.Clip(words.Own) // lists of knobs are appended to it
	return words
}

// named reads values of lists that may be given by their names.
func named[T any](find func(list, name string) (T, bool)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *T) error {
		if dec.PeekKind() != '"' {
			return errors.ErrUnsupported
		}
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		list, _, _ := strings.Cut(string(dec.StackPointer())[1:], "/")
		value, ok := find(list, token.String())
		if *v = value; !ok {
			return fmt.Errorf("unknown word %q", token.String())
		}
		return nil
	})
}

// shared returns the knob of this package with a name. Only its default is drawn. A name may have a value: the
// default of text, the other value of order.
func shared(_, name string) (k harness.Knob, ok bool) {
	name, value, _ := strings.Cut(name, ":")
	k, ok = map[string]harness.Knob{
		"text": {
			Text:   "whether texts are stored as written (keep) or without white space at the ends (trim)",
			Values: []string{value, map[string]string{Trim: Keep, Keep: Trim}[value]},
		},
		"max_text": {Text: "the number of characters at which texts are cut, or none", Default: None},
		"order":    {Text: "the order of the new plan", Values: []string{Given, value}},
		"done": {
			Text:   "whether an edit may change or remove a finished step that it names",
			Values: []string{Protected, Replaceable},
		},
		"dependents": {
			Text: "the status of steps that depend on a changed step: as it was (keep), or pending again " +
				"(reset); finished steps are reset only if done=replaceable",
			Values: []string{Keep, Reset},
		},
	}[name]
	if k.Name = name; k.Values != nil {
		k.Default, k.Rare = k.Values[0], k.Values[1:]
	}
	return k, ok
}

// Find returns the knob of that name.
func Find(knobs []harness.Knob, name string) harness.Knob {
	return knobs[slices.IndexFunc(knobs, func(k harness.Knob) bool { return k.Name == name })]
}
