package generators

import "replanbench/harness"

// Ability is a set of what reading may do to a reply that is no strict document.
type Ability uint8

const (
	Extract Ability = 1 << iota // takes the document out of the text round it
	Repair                      // repairs the syntax
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

// Past reports whether they get past what takes these to read; what takes none
// cannot be read at all.
func (a Ability) Past(takes Ability) bool { return takes != 0 && a&takes == takes }

// Tier is how far reading went that took them all.
func (a Ability) Tier() harness.Tier {
	switch {
	case a.Past(Coerce):
		return harness.TierCoerced
	case a.Past(Repair):
		return harness.TierRepaired
	case a.Past(Extract):
		return harness.TierExtracted
	}
	return harness.TierStrict
}
