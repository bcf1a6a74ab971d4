package generators

import "replanbench/harness"

// Ability is a set of what reading may do to a reply that is no strict document.
type Ability uint8

const (
	Extract Ability = 1 << iota // takes the document out of the text round it
	Repair                      // mends the syntax
	Coerce                      // changes the shape
)

// Abilities are those that the rules give to reading.
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

// Has reports whether all of b are among them.
func (a Ability) Has(b Ability) bool { return a&b == b }

// Tier is how far reading went that took them all.
func (a Ability) Tier() harness.Tier {
	switch {
	case a.Has(Coerce):
		return harness.TierCoerced
	case a.Has(Repair):
		return harness.TierRepaired
	case a.Has(Extract):
		return harness.TierExtracted
	}
	return harness.TierStrict
}
