package all

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/hunt/judge"
)

func TestNames(t *testing.T) {
	for i, d := range Dialects() {
		if want := Names()[i]; d.Name != want {
			t.Errorf("the dialect %s is listed as %s", d.Name, want)
		}
	}
}

func TestNamesOfDefectsAreUniqueAndTextsAreLines(t *testing.T) {
	var names []string
	for _, dialect := range Dialects() {
		for _, d := range dialect.Defects {
			if d.Text == "" || strings.Contains(d.Text, "\n") || strings.Contains(d.Name, " ") {
				t.Errorf("%q: %q", d.Name, d.Text)
			}
			if of, found, ok := Defect(d.Name); !ok || of != dialect || found.Text != d.Text {
				t.Errorf("%s is not found by its name", d.Name)
			}
			names = append(names, d.Name)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) != len(names) {
		t.Errorf("%d names for %d defects", len(unique), len(names))
	}
	if _, _, ok := Defect("no-such-defect"); ok {
		t.Error("found a defect that there is not")
	}
}

// TestKinds: every check of every dialect says in which ways it breaks, and each way has
// a class of its own, under which it is found again.
func TestKinds(t *testing.T) {
	for _, d := range Dialects() {
		for _, c := range d.Judging.Checks {
			if len(c.Kinds) == 0 {
				t.Errorf("%s, %s: no kinds", d.Name, c.Name)
			}
			var names []string
			for _, k := range c.Kinds {
				names = append(names, k.Name)
				word, rest, _ := strings.Cut(k.Name, ":")
				name := word + ":" + strings.ToLower(rest)
				if found, ok := d.Judging.Kind(c.Name, strings.TrimSuffix(name, ":")); !ok || found != k || k.Class.Rank() < 0 {
					t.Errorf("%s, %s: the kind %s of class %q is found as %+v", d.Name, c.Name, k.Name, k.Class, found)
				}
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) != len(names) {
				t.Errorf("%s, %s: a kind stands twice in %q", d.Name, c.Name, names)
			}
			if _, ok := d.Judging.Kind(c.Name, "no such kind"); ok && !open(c) {
				t.Errorf("%s, %s: takes a kind that there is not", d.Name, c.Name)
			}
		}
	}
}

// open reports whether any word is a kind of the check: the name of a member, say.
func open(c judge.Check) bool {
	return slices.ContainsFunc(c.Kinds, func(k judge.Kind) bool { return k.Name == strings.ToUpper(k.Name) })
}

// TestSubjects: what dialects say of their themes is said of themes that traits have, and
// of each once.
func TestSubjects(t *testing.T) {
	for _, d := range Dialects() {
		seen := map[string]bool{}
		for _, themes := range d.Subjects {
			for _, theme := range themes {
				if !slices.ContainsFunc(d.Traits, func(t generators.Trait) bool { return t.Theme == theme }) {
					t.Errorf("%s: no trait has the theme %q", d.Name, theme)
				}
				if seen[theme] {
					t.Errorf("%s: %q belongs to two subjects", d.Name, theme)
				}
				seen[theme] = true
			}
		}
	}
}

// TestNulls finds null for every member that engines read with a default value, and false for lists: both are frequent
// in replies of models, and an engine may read only one of the members carelessly.
func TestNulls(t *testing.T) {
	tests := []struct {
		dialect, trait string
		members        []string
		value          string
	}{
		{"planpatch", "null-list", []string{"remove_steps", "update_steps", "add_steps", "dependencies", "tools_expected"}, "null"},
		{"planpatch", "null-optional", []string{"title", "reason"}, "null"},
		{"planpatch", "falsy-value", []string{"remove_steps", "update_steps", "add_steps", "title", "description"}, "false"},
		{"operations", "plan-nulls", []string{"history", "dependencies", "priority", "parameters"}, "null"},
		{"tasks", "plan-nulls", []string{"description", "blocked_by", "parent"}, "null"},
	}
	for _, test := range tests {
		t.Run(test.dialect+"/"+test.trait, func(t *testing.T) {
			source, err := Source(test.dialect, generators.Options{Traits: []string{test.trait}})
			if err != nil {
				t.Fatal(err)
			}
			var cases strings.Builder
			for i := range uint64(400) {
				c := source.At(1, i).Case
				fmt.Fprintf(&cases, "%s%s", c.Plan, c.Replies[0])
			}
			text := strings.ReplaceAll(cases.String(), " ", "")
			for _, member := range test.members {
				if want := fmt.Sprintf("%q:%s", member, test.value); !strings.Contains(text, want) {
					t.Errorf("no case of 400 contains %s", want)
				}
			}
		})
	}
}

// TestTraitsWithoutDependencies: the samples for an engine without dependencies have the intended traits. A base or a
// trait that brings a dependency with it costs 64 draws, and then the sample has no trait. One trait finds a place
// without a dependency in nearly every sample.
func TestTraitsWithoutDependencies(t *testing.T) {
	const samples, most = 1000, 5
	for _, name := range Names() {
		without := []string{"dependencies"}
		if !slices.ContainsFunc(Capabilities(name), func(c harness.Term) bool { return c.Name == without[0] }) {
			continue
		}
		source, err := Source(name, generators.Options{Without: without})
		if err != nil {
			t.Fatal(err)
		}
		var lost []string
		for i := source.Mix(); i < source.Mix()+samples; i++ {
			if intended := source.Holds(1, i); len(intended) > 0 && source.At(1, i).Valid {
				lost = append(lost, strings.Join(intended, "+"))
			}
		}
		if len(lost) > most {
			t.Errorf("%s: %d of %d samples have none of their traits: %q", name, len(lost), samples, lost)
		}
	}
}

// TestPlainWithout: nearly every plain sample for an engine without a capability is made once. A base that brings
// the capability is drawn again, which costs as much as a case.
func TestPlainWithout(t *testing.T) {
	const samples = 300
	for _, d := range Dialects() {
		if d.Needs == nil {
			continue
		}
		for _, c := range Capabilities(d.Name) {
			m, err := d.Generate(generators.Options{Traits: []string{}, Without: []string{c.Name}})
			if err != nil {
				t.Fatal(err)
			}
			draws := 0
			source := generators.NewSource(m).Avoiding(func(s *generators.Sample) bool {
				draws++
				return slices.Contains(d.Needs(s.Case), c.Name)
			})
			for i := range uint64(samples) {
				source.At(1, generators.PlainCases+i)
			}
			if 4*draws > 5*samples {
				t.Errorf("%s without %s: %d draws for %d samples", d.Name, c.Name, draws, samples)
			}
		}
	}
}
