package live_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
)

// TestJournalKeepsWhatItFinds: a line that was cut off is asked again, and lines
// of other runs, even bad ones, stay.
func TestJournalKeepsWhatItFinds(t *testing.T) {
	asked := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		asked++
		good(w, r)
	})
	s := newSetup(t, server.URL, 5)
	s.run(t, false)
	whole, err := os.ReadFile(s.corpus)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	foreign := strings.Replace(strings.Replace(lines[0], `"model":"m"`, `"model":"other"`, 1), `"id":"`, `"id":"x`, 1)
	torn := foreign + "not a record\n" + strings.Join(lines[:3], "") + lines[3][:len(lines[3])/2]
	if err := os.WriteFile(s.corpus, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	asked = 0
	if r := s.run(t, true); asked != 2 || r.Resumed != 3 || r.Whole != 5 {
		t.Errorf("%d asked, %d resumed, %d whole; want 2, 3, 5", asked, r.Resumed, r.Whole)
	}
	after, err := os.ReadFile(s.corpus)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(after), foreign+"not a record\n"+strings.Join(lines[:3], "")) ||
		strings.Count(string(after), "\n") != 7 {
		t.Errorf("the corpus is now:\n%s", after)
	}
}

// TestChangedCaseIsNoticed: replies are not taken for those to another prompt.
func TestChangedCaseIsNoticed(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { good(w, r) })
	s := newSetup(t, server.URL, 1)
	s.run(t, false)
	message := "something else"
	c, err := s.plan.Cases.At(0)
	if err != nil {
		t.Fatal(err)
	}
	c, err = live.NewCase(all.Asked(), live.CaseSpec{ID: "c0", Plan: c.Plan, FailedStep: "b", ErrorMessage: &message})
	if err != nil {
		t.Fatal(err)
	}
	s.plan.Cases = live.ListOf(c)
	if s.options.Journal, err = live.OpenJournal(s.corpus, true, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := live.Run(t.Context(), s.plan, s.options); err == nil ||
		!strings.Contains(err.Error(), "name another --corpus") {
		t.Error(err)
	}
}
