package cause

import (
	"maps"
	"slices"
	"strings"

	"replanbench/harness/dialect"
	"replanbench/harness/hunt/judge"
)

// Reveal returns groups with those that others hide. A group is named after the worst break of its cases, the first if
// there are several. If a group with fewer traits has this break, too, the traits are the reason for another one: the
// group is named after the safety check that its cases also break.
func Reveal(d *dialect.Dialect, groups []Group) []Group {
	list := slices.Clone(groups)
	for i := range groups {
		check, kind, n := hidden(d, groups, &groups[i])
		if n == 0 {
			continue
		}
		k := slices.IndexFunc(list, func(g Group) bool { return g.ID == groups[i].ID })
		seen := list[k]
		if list[k].Cases -= n; list[k].Cases == 0 {
			list = slices.Delete(list, k, k+1)
		} else {
			list[k].Worst -= min(n, list[k].Worst)
			list[k].Beside = maps.Clone(seen.Beside)
			delete(list[k].Beside, check+" "+kind)
		}
		next := seen
		next.Key = Key{Culprits: seen.Culprits, Check: check, Kind: kind}
		named := next.Key
		named.Kind = d.Judging.Stem(check, kind)
		next.ID, next.Class, next.Cases, next.Worst = named.ID(d.Name), d.Judging.Class(check, kind), n, min(n, seen.Worst)
		next.Example, next.Also, next.Beside = nil, nil, nil
		if k := slices.IndexFunc(list, func(g Group) bool { return g.ID == next.ID }); k >= 0 {
			list[k].Join(next)
		} else {
			list = append(list, next)
		}
	}
	return list
}

// hidden returns the safety check, with its kind, that most cases of a group break in addition to its own, and that no
// case of a group with the same break and fewer traits breaks.
func hidden(d *dialect.Dialect, groups []Group, g *Group) (check, kind string, cases uint64) {
	less := slices.IndexFunc(groups, func(o Group) bool {
		return len(o.Culprits) < len(g.Culprits) && g.Repeats(&o) && o.Cases >= few && !o.Advisory
	})
	if less < 0 || g.Advisory {
		return "", "", 0
	}
	level := d.Judging.Level(g.Check, g.Kind, g.Class)
	for _, way := range slices.Sorted(maps.Keys(g.Beside)) {
		name, inner, _ := strings.Cut(way, " ")
		i, n := d.Judging.Place(name), g.Beside[way]
		if n > cases && float64(n) >= usual*float64(g.Cases) && groups[less].Beside[way] == 0 && name != g.Check &&
			i >= 0 && d.Judging.Checks[i].Ground == judge.Safety &&
			level.Includes(d.Judging.Level(name, inner, d.Judging.Class(name, inner))) {
			check, kind, cases = name, inner, n
		}
	}
	return check, kind, cases
}
