package corpora

import "testing"

// TestCaseOf compares the case in the beginning of a line with the whole line.
func TestCaseOf(t *testing.T) {
	for line, want := range map[string]string{
		`{"v":1,"id":"x","case":"a","plan":{"case":"b"}}`: "a",
		`{"plan":{"case":"b"},"case":"é"}`:                "é",
		`{"plan":{"case":"b"}}`:                           "",
		`{"case":""}`:                                     "",
		`{"case":null}`:                                   "",
		`{"case":"a", then nonsense`:                      "a",
		`nonsense`:                                        "",
		`["case"]`:                                        "",
		``:                                                "",
	} {
		name, ok := CaseOf([]byte(line))
		if name != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", line, name, ok, want)
		}
	}
}
