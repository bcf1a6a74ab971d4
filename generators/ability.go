package generators

import "replanbench/harness"

// Ability is a set of changes that reading may make to a reply that is not strict JSON.
type Ability uint8

// The changes that reading may make.
const (
	Extract Ability = 1 << iota // takes the document out of the text around it
	Repair                      // repairs the syntax
	Coerce                      // changes the shape
)

// Abilities returns the changes that a profile allows reading to make.
func Abilities(r harness.Reading) (a Ability) {
	for _, given := range [...]struct {
		is bool
		a  Ability
	}{{r.Extract, Extract}, {r.Repair, Repair}, {r.Coerce, Coerce}} {
		if given.is {
			a |= given.a
		}
	}
	return a
}

// Past reports whether the abilities include all that a reply needs; a reply that
// needs none cannot be read at all.
func (a Ability) Past(takes Ability) bool { return takes != 0 && a&takes == takes }
