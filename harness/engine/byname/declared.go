package byname

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// declares rejects unknown words in Codes, Without and Gives.
func (e *Engine) declares() error {
	if e.Codes != "" && e.Codes != harness.ExactCodes && e.Codes != harness.AnyCodes {
		return harness.Mistakef("--codes %s: choose one of %s, %s", e.Codes, harness.ExactCodes, harness.AnyCodes)
	}
	if e.Arguments != "" && e.Arguments != harness.TextArguments && e.Arguments != harness.ParsedArguments {
		return harness.Mistakef("--arguments %s: choose one of %s, %s", e.Arguments, harness.TextArguments,
			harness.ParsedArguments)
	}
	if err := knownTo("--without", e.Without, Capabilities); err != nil {
		return err
	}
	return knownTo("--gives", e.Gives, Members)
}

// Capabilities lists the capabilities that an engine of a dialect can lack.
func Capabilities(dialect string) []string { return harness.Names(all.Capabilities(dialect)) }

// Members lists the optional members of outcomes: an engine of a dialect may declare that it
// returns them.
func Members(dialect string) []string { return all.Members(dialect).Optional() }

// knownTo rejects names that no dialect has, or that the named dialect does not have.
func knownTo(flag string, items []string, of func(dialect string) []string) error {
	for _, item := range items {
		if err := Known(item, of); err != nil && !slices.Equal(items, []string{None}) {
			return harness.Mistakef("%s: %w", flag, err)
		}
	}
	return nil
}

// Known rejects an item that no dialect has, or that the named dialect does not have.
func Known(item string, of func(dialect string) []string) error {
	dialects, name := all.Names(), item
	if d, rest, ok := strings.Cut(item, "/"); ok {
		if all.Find(d) == nil {
			return harness.Mistakef("%s: unknown dialect %q%s (write DIALECT/NAME, or NAME for every dialect that has it)",
				item, d, harness.DidYouMean(d, all.Names()))
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
	return harness.Mistakef("unknown name %q%s (there are %s)", item, harness.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// declared returns the declaration with the overrides of the user.
func (e *Engine) declared(dialect string, d harness.Declaration) harness.Declaration {
	if e.Codes != "" {
		d.Codes = e.Codes
	}
	if e.Arguments != "" {
		d.Arguments = e.Arguments
	}
	if e.Without != nil {
		d.Without = within(e.Without, dialect, Capabilities(dialect))
	}
	if e.Gives != nil {
		d.Gives = within(e.Gives, dialect, Members(dialect))
	}
	return d
}

// within returns the items for a dialect, in the order of its list.
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

// Said describes each override of the engine's declaration. It is empty if there are no
// overrides.
func (e *Engine) Said() (list []string) {
	if len(e.Profile) > 0 {
		list = append(list, "profile "+strings.Join(e.Profile, " "))
	}
	if e.Codes != "" {
		list = append(list, "codes "+e.Codes)
	}
	if e.Arguments != "" {
		list = append(list, "arguments "+e.Arguments)
	}
	if e.Without != nil {
		list = append(list, "without "+strings.Join(e.Without, ", "))
	}
	if e.Gives != nil {
		list = append(list, "gives "+strings.Join(e.Gives, ", "))
	}
	return list
}
