package infer

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
)

// cuts is the knob whose value is a length: it is read off the answers, because there are too many to try.
const cuts = "max_text"

// longBytes is how large a case may be that shows where texts are cut.
const longBytes = 20_000

// same is how many answers must agree on a length.
const same = 3

// cut looks for the length at which the engine cuts texts, and adds it to the values of the knob.
func (s *search) cut() error {
	at := slices.IndexFunc(s.knobs, func(k knob) bool { return k.Name == cuts })
	if at < 0 {
		return nil
	}
	cases := s.long()
	probes, err := s.asked(cases)
	if err != nil {
		return err
	}
	found := map[int]int{}
	for _, of := range probes {
		if n := cutAt(s.answer(of.c, s.believed), of.got); n > 0 {
			found[n]++
		}
	}
	for n, times := range found {
		if value := strconv.Itoa(n); times >= same && !slices.Contains(s.knobs[at].values, value) {
			s.knobs[at].values = append(s.knobs[at].values, value)
		}
	}
	slices.Sort(s.knobs[at].values[1:])
	s.found[cuts] = cases
	return nil
}

// long returns cases with long texts.
func (s *search) long() (cases []harness.Case) {
	const most, seeds = 2 * wanted, 6
	source := s.source(0, nil)
	for i := range alone(source) * seeds {
		c := source.At(s.seed+2+i%seeds, i/seeds).Case
		c.Profile = nil
		if size := len(key(c)); size > maxBytes && size < longBytes && s.askable(c) && isLong(s.answer(c, s.believed)) {
			cases = append(cases, c)
		}
		if len(cases) == most {
			break
		}
	}
	return cases
}

// cutAt returns the length of a text of the answer that begins a longer one of the right answer; 0 if there is none.
func cutAt(want, got *harness.Outcome) (n int) {
	right := texts(want)
	for _, text := range texts(got) {
		begins := func(long string) bool { return len(long) > len(text) && strings.HasPrefix(long, text) }
		if !slices.Contains(right, text) && slices.ContainsFunc(right, begins) {
			n = max(n, utf8.RuneCountInString(text))
		}
	}
	return n
}

// isLong reports whether a plan has a text that an engine may cut.
func isLong(out *harness.Outcome) bool {
	return slices.ContainsFunc(texts(out), func(text string) bool { return len(text) > maxBytes/2 })
}

// texts returns the texts of the plan of an outcome.
func texts(out *harness.Outcome) (list []string) {
	raw, err := json.Marshal(out.Plan)
	var doc any
	if err != nil || json.Unmarshal(raw, &doc) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for name, item := range v {
				if name != "history" {
					walk(item)
				}
			}
		}
	}
	walk(doc)
	return list
}
