package rules

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
)

// normals are the normal forms of contents, by index.
type normals struct{ old, reply []string }

func newNormals(old []kept, items []entry) normals {
	return normals{
		collect.Map(old, func(k kept) string { return spec.Normal(k.Content) }),
		collect.Map(items, func(e entry) string { return spec.Normal(e.Content) }),
	}
}

// alike says what an item of the reply and an old one must have in common.
type alike struct {
	id, content bool
	bare        bool // neither has an id
}

// key is the same for two items that have it in common; false for an item that
// has it with none.
func (w alike) key(id, content string) (key [2]string, ok bool) {
	if w.id && id == "" || w.bare && id != "" {
		return key, false
	}
	if w.id {
		key[0] = id
	}
	if w.content {
		key[1] = content
	}
	return key, true
}

// pair finds for each item of the reply the old one that it is.
func (c *change) pair() *harness.Refusal {
	c.mates = slices.Repeat([]int{-1}, len(c.old))
	byID, byContent := alike{id: true}, alike{content: true}
	switch {
	case c.doc.merge:
		c.pass(byID)
		return c.unknown()
	case c.settings.Identity == spec.ID:
		c.pass(byID)
		c.pass(alike{content: true, bare: true})
	case c.settings.Identity == spec.Content:
		c.pass(alike{id: true, content: true})
		c.pass(byContent)
	default:
		c.pass(alike{id: true, content: true})
		c.pass(byContent)
		c.pass(byID)
		if c.settings.Identity == spec.Similar {
			c.passSimilar()
		}
	}
	return nil
}

// pass gives each item of the reply, in order, the first old one that is like it
// and open.
func (c *change) pass(w alike) {
	open := map[[2]string][]int{}
	for i, k := range c.old {
		if key, ok := w.key(k.ID, c.normal.old[i]); ok && c.mates[i] < 0 {
			open[key] = append(open[key], i)
		}
	}
	for i := range c.items {
		a := &c.items[i]
		key, ok := w.key(a.ID, c.normal.reply[a.index])
		if list := open[key]; ok && a.old < 0 && len(list) > 0 {
			a.old, c.mates[list[0]], open[key] = list[0], i, list[1:]
		}
	}
}

// unknown refuses an item of a merge that is no old one and says too little to be
// new.
func (c *change) unknown() *harness.Refusal {
	for i := range c.items {
		if a := &c.items[i]; a.old < 0 && (a.Content == "" || a.Status == "") {
			return harness.RefuseAt(harness.UnknownStep, c.at(a, "id"), "the list has no item %q", a.ID)
		}
	}
	return nil
}

// longest is how many code points contents may have that are compared letter by
// letter.
const longest = 200

// likeness is how near two contents are that may be one reworded.
type likeness struct {
	ratio      uint16 // of the distance to the longer length, in 1/scale
	apart      uint32 // how far their positions are
	asked, old uint32 // places
}

// scale keeps apart any two ratios of lengths up to the longest.
const scale = 1 << 16

// passSimilar pairs what is left by how little their contents differ: of all pairs
// the nearest first.
func (c *change) passSimilar() {
	asks, olds := c.folded()
	var list []likeness
	for i, a := range asks {
		for j, o := range olds {
			n := max(len(a), len(o))
			if a == nil || o == nil {
				continue
			}
			if d := distance(a, o, n/5); d <= n/5 {
				apart := max(c.items[i].index-j, j-c.items[i].index)
				list = append(list, likeness{uint16(d * scale / n), uint32(apart), uint32(i), uint32(j)})
			}
		}
	}
	slices.SortFunc(list, func(x, y likeness) int {
		return cmp.Or(cmp.Compare(x.ratio, y.ratio), cmp.Compare(x.apart, y.apart), cmp.Compare(x.asked, y.asked),
			cmp.Compare(x.old, y.old))
	})
	for _, l := range list {
		if a := &c.items[l.asked]; a.old < 0 && c.mates[l.old] < 0 {
			a.old, c.mates[l.old] = int(l.old), int(l.asked)
		}
	}
}

// folded are the contents that are not paired yet, by place, in folded case; nil
// for one that is paired or too long.
func (c *change) folded() (asks, olds [][]rune) {
	fold := func(text string) []rune {
		if utf8.RuneCountInString(text) > longest {
			return nil
		}
		if r := []rune(cases.Fold().String(text)); len(r) <= longest {
			return r
		}
		return nil
	}
	asks, olds = make([][]rune, len(c.items)), make([][]rune, len(c.old))
	for i, a := range c.items {
		if a.old < 0 {
			asks[i] = fold(c.normal.reply[a.index])
		}
	}
	for j, mate := range c.mates {
		if mate < 0 {
			olds[j] = fold(c.normal.old[j])
		}
	}
	return asks, olds
}

// distance is the Levenshtein distance of two texts as far as it is at most the
// limit; more than that where it is more.
func distance(a, b []rune, limit int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(a)+1)
	for i := range row {
		row[i] = i
	}
	for j := 1; j <= len(b); j++ {
		start := max(1, j-limit)
		diagonal, least := row[start-1], limit+1
		if start == 1 {
			row[0], least = j, j
		}
		for i := start; i <= min(len(a), j+limit); i++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[i]
			above := row[i] + 1
			if i == j+limit {
				above = change // out of the band
			}
			left := row[i-1] + 1
			if i == j-limit && i > 1 {
				left = change
			}
			row[i] = min(change, above, left)
			least = min(least, row[i])
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(a)]
}
