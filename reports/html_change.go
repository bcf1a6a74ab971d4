package reports

import "replanbench/harness/score"

// pageChange is a case that two sides of a comparison answered differently, with both
// replies.
type pageChange struct {
	Sides, Case, Word, Tone string
	Answers                 []pageAnswer
}

// pageAnswer is a reply and its outcome.
type pageAnswer struct{ Name, Outcome, Tone, Text string }

// pageChanges returns at most pageDrawn changes of the comparisons.
func pageChanges(comparisons []*Comparison) (list []pageChange) {
	for _, c := range comparisons {
		for _, x := range c.Changes {
			if len(list) == pageDrawn {
				return list
			}
			p := pageChange{
				Sides: keyed(append([]string{c.Base + " → " + c.New}, x.Key...)...),
				Case:  x.Case, Word: "lost", Tone: "bad",
				Answers: []pageAnswer{newPageAnswer(c.Base, x.Base, !x.Gained), newPageAnswer(c.New, x.New, x.Gained)},
			}
			if x.Gained {
				p.Word, p.Tone = "gained", "good"
			}
			list = append(list, p)
		}
	}
	return list
}

func newPageAnswer(name string, r score.Reply, better bool) pageAnswer {
	a := pageAnswer{Name: name, Outcome: string(r.Verdict), Tone: "bad", Text: r.Text}
	if r.Code != "" {
		a.Outcome += " (" + string(r.Code) + ")"
	}
	if r.Message != "" {
		a.Outcome += ": " + r.Message
	}
	if better {
		a.Tone = "good"
	}
	return a
}
