package generators

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"replanbench/harness"
)

// DrawProfile draws the profile of a case: mostly a named profile, sometimes the
// default with one knob changed.
func DrawProfile(c *Choices) harness.Profile { return drawProfile(c, profiles()) }

// Profiles returns a function that draws the profile of a case in a dialect with
// exactly these knobs.
func Profiles(knobs []harness.Knob) func(c *Choices) harness.Profile {
	list := profilesOf(knobs)
	return func(c *Choices) harness.Profile { return drawProfile(c, list) }
}

func drawProfile(c *Choices, profiles []harness.Profile) harness.Profile {
	var p harness.Profile
	switch r := c.Below(16); {
	case r < 6:
		p = profiles[0]
	case r < 13:
		p = profiles[1+c.Below(named()-1)]
	default:
		p = profiles[named()+c.Below(len(profiles)-named())]
	}
	p.Ladder = slices.Clone(p.Ladder)
	return p
}

// profiles are the named profiles, the default first, and then the default
// with each other value of each knob; never written.
var profiles = sync.OnceValue(func() []harness.Profile { return profilesOf(harness.Knobs()) })

func profilesOf(knobs []harness.Knob) (list []harness.Profile) {
	for _, t := range harness.Profiles() {
		p, _ := harness.Named(t.Name)
		list = append(list, p)
	}
	for _, k := range knobs {
		for _, v := range Values(k) {
			p := harness.Reference()
			if err := p.Set(k.Name, v, knobs...); err == nil && !p.Equal(harness.Reference()) {
				list = append(list, p)
			}
		}
	}
	return list
}

// named is the number of named sets.
var named = sync.OnceValue(func() int { return len(harness.Profiles()) })

// Values lists the values that are drawn for a knob. A ladder gets realistic
// ladders: each begins with a patch, and each differs in its rungs. Any other list
// gets each item alone, and all items.
func Values(k harness.Knob) []string {
	switch {
	case k.List && !slices.Contains(k.Values, string(harness.RungPatch)):
		several := slices.DeleteFunc(k.Drawn(), func(v string) bool { return v == "none" })
		return append(k.Drawn(), strings.Join(several, ","))
	case k.List:
		return []string{
			"patch,retry,react", "patch", "patch,retry", "patch,fullplan", "patch,react",
			"patch,retry,fullplan,react",
		}
	case k.Values == nil && k.Default != "":
		return nil
	case k.Values == nil:
		return []string{strconv.Itoa(2), strconv.Itoa(4)}
	}
	return k.Drawn()
}
