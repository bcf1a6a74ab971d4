package invariant

import "slices"

type byName struct {
	name  string
	rules func() Rules
}

func rulesTable() []byName {
	return []byName{
		{"planpatch", patchRulesAll},
		{"operations", updateRulesAll},
		{"orchestrator", runRulesAll},
		{"planmode", sessionRulesAll},
		{"trim", trimRulesAll},
	}
}

// RulesOf returns how the outcomes of a dialect are judged.
func RulesOf(dialect string) Rules {
	for _, d := range rulesTable() {
		if d.name == dialect {
			return d.rules()
		}
	}
	return Rules{}
}

// For lists the checks of a dialect.
func For(dialect string) []Check { return RulesOf(dialect).Checks }

// Place returns the place of a check among those of a dialect, or -1.
func Place(dialect, name string) int { return RulesOf(dialect).Place(name) }

// Checks lists every check once.
func Checks() []Check {
	var list []Check
	for _, d := range rulesTable() {
		for _, c := range d.rules().Checks {
			if !slices.ContainsFunc(list, func(o Check) bool { return o.Name == c.Name }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// Find returns the place of a check among all.
func Find(name string) int {
	return slices.IndexFunc(Checks(), func(c Check) bool { return c.Name == name })
}
