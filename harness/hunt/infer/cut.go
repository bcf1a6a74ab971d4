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

// Cases that show where texts are cut have texts of this length, and at most this size.
const (
	longText  = 4000
	longBytes = 100_000
)

// same is how many answers must agree on a length.
const same = 3

// cut looks for the length at which the engine cuts texts, and adds it to the values of the knob.
func (s *search) cut() error {
	at := slices.IndexFunc(s.knobs, func(k knob) bool { return k.Name == cuts })
	if at < 0 {
		return nil
	}
	cases := s.reworded(func(text string) string { return strings.Repeat(text, longText/len(text)+1)[:longText] })
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

// cutAt returns the length of a text of the answer that is the beginning of a longer text of the right answer, or 0.
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

// texts returns the texts of the plan of an outcome.
func texts(out *harness.Outcome) (list []string) {
	raw, err := json.Marshal(out.Plan)
	if err != nil {
		return nil
	}
	rewrite(raw, func(_, text string) string {
		list = append(list, text)
		return text
	})
	return list
}
