package reports

import (
	"strings"

	"replanbench/harness/score"
)

// pageChange is a case that two sides of a comparison answered unlike, with both
// replies.
type pageChange struct {
	Sides, Case string
	Gained      bool
	Base, New   pageAnswer
}

// pageAnswer is a reply and what came of it.
type pageAnswer struct{ Name, Outcome, Tone, Text string }

// pageChanges are those of comparisons, as many as are drawn at most.
func pageChanges(comparisons []*Comparison) (list []pageChange) {
	for _, c := range comparisons {
		for _, x := range c.Changes {
			if len(list) == pageDrawn {
				return list
			}
			list = append(list, pageChange{
				Sides: harmless(strings.Join(append([]string{c.Base + " → " + c.New}, x.Key...), ", ")), Case: harmless(x.Case), Gained: x.Gained,
				Base: newPageAnswer(c.Base, x.Base, !x.Gained), New: newPageAnswer(c.New, x.New, x.Gained),
			})
		}
	}
	return list
}

func newPageAnswer(name string, r score.Reply, better bool) pageAnswer {
	outcome := string(r.Verdict)
	if r.Code != "" {
		outcome += " (" + string(r.Code) + ")"
	}
	if r.Message != "" {
		outcome += ": " + r.Message
	}
	a := pageAnswer{Name: harmless(name), Outcome: harmless(outcome), Tone: "bad", Text: harmless(r.Text)}
	if better {
		a.Tone = "good"
	}
	return a
}
