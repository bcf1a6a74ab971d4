package all

import (
	"regexp"
	"strings"
	"testing"
)

var (
	// finite matches the verbs of clauses such as "the patch removes a finished step".
	finite = regexp.MustCompile(`\b(is|are|was|were|has|have|does|do|may|should|becomes?|empties|denies|modifies|(advance|add|begin|call|` +
		`change|consist|contain|continue|count|depend|differ|drop|end|enter|equal|exceed|exist|fail|fit|follow|get|give|go|` +
		`keep|lack|lead|leave|look|make|mark|mention|modify|move|name|need|nest|occur|precede|put|repeat|remove|request|` +
		`reword|run|set|skip|start|surround|swap|take|toggle|turn|update|use|write|approve|claim|form|rename|reopen|` +
		`reorder|close|escape|resemble|stay|insert|complete|create|reuse)(s|es)?|failed|cannot)\b`)
	// relative matches the words that begin a clause within a noun phrase.
	relative = regexp.MustCompile(`\b(that|which|whose|who)\b`)
)

// TestTraitsAreClauses: a sentence about an engine continues with "when" and the text of a
// trait, so the text needs a verb of its own, besides those of relative clauses.
func TestTraitsAreClauses(t *testing.T) {
	for _, d := range Dialects() {
		for _, trait := range d.Traits {
			text := trait.When()
			if len(finite.FindAllString(text, -1)) <= len(relative.FindAllString(text, -1)) {
				t.Errorf("%s, %s: no clause after \"when\": %s", d.Name, trait.Name, text)
			}
			if strings.ContainsFunc(trait.Text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("%s, %s: a control character in %q", d.Name, trait.Name, trait.Text)
			}
		}
	}
}

// TestKindsAreVerbPhrases: each way in which a check breaks says what the engine does, so
// that no report falls back to the property that the engine violates. Kinds that compare
// two outcomes get their words from the outcomes.
func TestKindsAreVerbPhrases(t *testing.T) {
	compared := regexp.MustCompile(`^(accepts:CODE|refuses:CODE|differs:MEMBER|reports:MEMBER|code:WANT:GOT)$`)
	phrase := regexp.MustCompile(`^(Silently [a-z]|[A-Z])\w+s (.*[^.])$|^Crashes$`)
	for _, d := range Dialects() {
		for _, c := range d.Judging.Checks {
			for _, k := range c.Kinds {
				if compared.MatchString(k.Name) && k.Text == "" {
					continue
				}
				if !phrase.MatchString(k.Text) || len(k.Text) > 80 {
					t.Errorf("%s, %s, %s: no verb phrase: %q", d.Name, c.Name, k.Name, k.Text)
				}
				if _, rest, _ := strings.Cut(k.Name, ":"); strings.Contains(k.Text, "…") && (rest == "" || rest != strings.ToUpper(rest)) {
					t.Errorf("%s, %s, %s: nothing takes the place of … in %q", d.Name, c.Name, k.Name, k.Text)
				}
			}
		}
	}
}
