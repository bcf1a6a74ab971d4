package generators

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"replanbench/harness"
)

// IdStyle is a naming scheme for steps: a text with # for the number of a step, or [Words].
type IdStyle string

// Words is the style of ids that are words.
const Words IdStyle = "words"

var idWords = [...]string{
	"setup", "parse", "build", "test", "deploy", "review", "write_docs", "constructor",
	"refactor", "lint", "toString", "release", "measure", "cleanup", "migrate", "verify",
}

// Id returns the i-th id of the style. Ids of one style differ in more than
// case, normal form and white space.
func (s IdStyle) Id(i int) string {
	if list := plainIDs()[s]; i < len(list) {
		return list[i]
	}
	return s.id(i)
}

func (s IdStyle) id(i int) string {
	before, after, _ := strings.Cut(string(s), "#")
	if s == Words {
		before = idWords[i%len(idWords)]
		if i < len(idWords) {
			return before
		}
	}
	b := append(make([]byte, 0, 32), before...)
	return string(append(strconv.AppendInt(b, int64(i+1), 10), after...))
}

// plainIDs are the first ids of the styles of most plans, which need not be made again; never written.
var plainIDs = sync.OnceValue(func() map[IdStyle][]string {
	styles := map[IdStyle][]string{"step_#": nil, "s#": nil, "write-tests-#": nil}
	for s := range styles {
		for i := range 2 << 10 { // the largest edits have so many steps
			styles[s] = append(styles[s], s.id(i))
		}
	}
	return styles
})

// Phrases has every verb with every object.
var Phrases = func() (list []string) {
	for _, v := range []string{"read", "write", "fix", "test", "rename", "remove", "check", "measure"} {
		for _, o := range []string{"the parser", "all callers", "the config loader", "two flaky tests", "the retry loop"} {
			list = append(list, v+" "+o)
		}
	}
	return list
}()

// ToolNames are names of tools that steps expect.
var ToolNames = [...]string{"grep", "read_file", "write_file", "run_pytest", "bash", "web.search"}

// Openings and Closings are texts that models write before and after a document.
var (
	Openings = []string{
		"Here's the updated plan:\n\n", "Sure! I've changed the plan as you asked.\n", "**Patch**\n",
		"I looked at (all) steps: 1, 2 & 3.\n",
	}
	Closings = []string{"\n\nLet me know if that's right.", "\nDone!", "\n\n---\nI didn't touch the finished steps."}
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
	switch r := c.Below(16); {
	case r < 6:
		return profiles[0]
	case r < 13:
		return profiles[1+c.Below(named()-1)]
	default:
		return profiles[named()+c.Below(len(profiles)-named())]
	}
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
