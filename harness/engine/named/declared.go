package named

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// declares refuses words that no declaration has.
func (e *Engine) declares() error {
	if e.Codes != "" && e.Codes != harness.ExactCodes && e.Codes != harness.AnyCodes {
		return harness.Mistakef("--codes %s: choose one of %s, %s", e.Codes, harness.ExactCodes, harness.AnyCodes)
	}
	if err := knownTo("--without", e.Without, Capabilities); err != nil {
		return err
	}
	return knownTo("--gives", e.Gives, Members)
}

// Capabilities lists what an engine of a dialect can be said to be without.
func Capabilities(dialect string) []string { return harness.Names(all.Capabilities(dialect)) }

// Members lists the members of outcomes that an engine of a dialect may leave out,
// and can be said to give.
func Members(dialect string) []string { return all.Members(dialect).Optional() }

// knownTo refuses names that no dialect has, or not the one that they name.
func knownTo(flag string, items []string, of func(dialect string) []string) error {
	for _, item := range items {
		if err := Known(item, of); err != nil && !slices.Equal(items, []string{None}) {
			return harness.Mistakef("%s: %w", flag, err)
		}
	}
	return nil
}

// Known refuses an item that no dialect has, or not the one that it names.
func Known(item string, of func(dialect string) []string) error {
	dialects, name := all.Names(), item
	if d, rest, ok := strings.Cut(item, "/"); ok {
		if all.Find(d) == nil {
			return harness.Mistakef("%s: unknown dialect %q%s (write DIALECT/NAME, or NAME for every dialect that has it)", item, d, harness.DidYouMean(d, all.Names()))
		}
		dialects, name = []string{d}, rest
	}
	var names []string
	for _, d := range dialects {
		for _, n := range of(d) {
			if n == name {
				return nil
			}
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return harness.Mistakef("unknown name %q%s (there are %s)", item, harness.DidYouMean(name, names), strings.Join(names, ", "))
}

// declared puts what is said of the engine in the place of what it declares.
func (e *Engine) declared(dialect string, d harness.Declaration) harness.Declaration {
	if e.Codes != "" {
		d.Codes = e.Codes
	}
	if e.Without != nil {
		d.Without = within(e.Without, dialect, Capabilities(dialect))
	}
	if e.Gives != nil {
		d.Gives = within(e.Gives, dialect, Members(dialect))
	}
	return d
}

// within are the items that are for a dialect, in the order of its list.
func within(items []string, dialect string, names []string) (list []string) {
	if slices.Equal(items, []string{None}) {
		return nil
	}
	for _, name := range names {
		if slices.Contains(items, name) || slices.Contains(items, dialect+"/"+name) {
			list = append(list, name)
		}
	}
	return list
}

// Said puts into words what is said of the engine in the place of its own
// declaration; none if nothing is.
func (e *Engine) Said() (list []string) {
	if len(e.Profile) > 0 {
		list = append(list, "profile "+strings.Join(e.Profile, " "))
	}
	if e.Codes != "" {
		list = append(list, "codes "+e.Codes)
	}
	if e.Without != nil {
		list = append(list, "without "+strings.Join(e.Without, ", "))
	}
	if e.Gives != nil {
		list = append(list, "gives "+strings.Join(e.Gives, ", "))
	}
	return list
}
