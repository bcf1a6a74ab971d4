package generate_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/testdata/gentest"
	"replanbench/harness/testdata/golden"
)

// The table says what every fault is and what it leads to, alone, under each
// named profile and under the ladder that ends in react. A line changes only with a rule or a fault.
func TestFaultTable(t *testing.T) {
	var b strings.Builder
	for _, f := range generate.Traits() {
		fmt.Fprintf(&b, "%s (%s): %s\n", f.Name, f.Family, f.Text)
		for _, p := range profiles() {
			fmt.Fprintf(&b, "  %-25s %s\n", p, strings.Join(outcomes(t, f.Name, p), ", "))
		}
	}
	golden.Check(t, "testdata/faults.golden", []byte(b.String()))
}

// profiles are the named ones, and the second documented ladder.
func profiles() (list []string) {
	for _, p := range harness.Profiles() {
		list = append(list, p.Name)
	}
	return append(list, "ladder=patch,retry,react")
}

// outcomes plants one fault thirty times and returns what it leads to.
func outcomes(t *testing.T, fault, profile string) []string {
	t.Helper()
	p := harness.Reference()
	if err := p.Apply(profile); err != nil {
		t.Fatal(err)
	}
	s := gentest.Source(t, generate.New, generators.Options{Traits: []string{fault}, Profile: &p})
	seen := map[string]bool{}
	planted := 0
	for i := uint64(0); planted < 30; i++ {
		if i == 300 {
			return []string{"never planted"}
		}
		sample := s.At(7, i)
		if sample.Traits == nil {
			continue
		}
		planted++
		if !slices.Equal(sample.Traits, []string{fault}) {
			t.Fatalf("planted %v, want %s alone", sample.Traits, fault)
		}
		seen[gentest.Outcome(sample.Want)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func TestFaultNames(t *testing.T) {
	faults := generate.Traits()
	if len(faults) < 65 {
		t.Errorf("%d faults, want 65 and more", len(faults))
	}
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	families := []string{"ids", "fields", "dependencies", "overflow", "finished", "structure", "text", "shape", "plan", "ladder"}
	seen := map[string]bool{}
	for _, f := range faults {
		if !kebab.MatchString(f.Name) || seen[f.Name] {
			t.Errorf("fault %q: the name is no kebab-case, or stands twice", f.Name)
		}
		seen[f.Name] = true
		if !slices.Contains(families, f.Family) {
			t.Errorf("fault %s: unknown family %q", f.Name, f.Family)
		}
		if f.Text == "" || strings.ContainsAny(f.Text, "\n") || len(f.Text) > 130 {
			t.Errorf("fault %s: want a description of one line, got %q", f.Name, f.Text)
		}
		if want := f.Name + "  " + f.Text; f.String() != want {
			t.Errorf("fault %s prints as %q, want %q", f.Name, f, want)
		}
	}
}

// A caller may do with the list what it likes.
func TestFaultsIsACopy(t *testing.T) {
	generate.Traits()[0].Name = "changed"
	if name := generate.Traits()[0].Name; name == "changed" {
		t.Error("a change of the list changed the faults")
	}
}

func TestOptionErrors(t *testing.T) {
	tests := []struct {
		name, dialect string
		faults        []string
		want          string
	}{
		{"unknown dialect", "planned", nil, `unknown dialect "planned"`},
		{
			"misspelled fault", "planpatch",
			[]string{"cycle-n", "conflict-remve-update"},
			"did you mean \"conflict-remove-update\"?",
		},
		{"fault in another case", "planpatch", []string{"Cycle-N"}, "did you mean \"cycle-n\"?"},
		{"nothing like a fault", "planpatch", []string{""}, "list traits"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := all.Source(test.dialect, generators.Options{Traits: test.faults})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want one with %q", err, test.want)
			}
		})
	}
}
