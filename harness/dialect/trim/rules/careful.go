package rules

import (
	"slices"
	"sort"

	"replanbench/harness/history"
)

// minClamp is the fewest tokens that pinned cuts a message down to while it
// could be dropped instead: less is hardly more than the marker.
const minClamp = 32

// priority drops whole units, lowest priority first, until the history takes
// at most params[0] percent of the budget: old tool exchanges, then old chat,
// then other tagged context, and last the newest unit.
func priority(w *work, params []int) error {
	if !w.over(params[0]) {
		return nil
	}
	s := newStructure(w.items)
	core := all(len(w.items))
	keep := s.dropUntil(core, s.byPriority(),
		func(total int) bool { return int64(total)*100 <= int64(params[0])*int64(w.max) })
	if total := s.tokens(keep); total > w.max {
		return w.cannotFit(keep, total)
	}
	w.retain(keep)
	return nil
}

// pinned keeps what emergency would and what is protected. Where that is still
// too much it drops the rest oldest first, up to the newest unit; cuts what is
// left of the rest; and at last drops that unit too.
func pinned(w *work, params []int) error {
	crowded := w.over(params[0]) && len(w.items) > params[1]
	if !crowded && w.total <= w.max {
		return nil
	}
	s := newStructure(w.items)
	core := all(len(w.items))
	if crowded {
		core = w.lastOthers(params[2])
		for i := range core {
			core[i] = core[i] || s.protected[i]
		}
		s.completeUnits(core)
	}
	fits := func(total int) bool { return total <= w.max }
	units := s.byAge()
	if len(units) > 0 && core[units[len(units)-1]] {
		newest := units[len(units)-1]
		keep := s.dropUntil(core, units[:len(units)-1], fits)
		if fits(s.tokens(keep)) {
			w.retain(keep)
			return nil
		}
		if level := s.level(keep, w.max); level >= minClamp {
			w.clampTo(keep, s.protected, level)
			return nil
		}
		core[newest] = false
	}
	keep := s.dropUntil(core, units, fits)
	level := s.level(keep, w.max)
	if level < 0 {
		return w.cannotFit(keep, s.fixed(keep))
	}
	w.clampTo(keep, s.protected, level)
	return nil
}

// clampTo drops what is not kept and cuts the rest, what is protected apart, so
// that no content takes more than level tokens.
func (w *work) clampTo(keep, protected []bool, level int) {
	for i := range w.items {
		if it := &w.items[i]; keep[i] && !protected[i] && it.content > level {
			w.shorten(it, w.middle(it.Content, it.content, level))
		}
	}
	w.retain(keep)
}

func all(n int) []bool {
	keep := make([]bool, n)
	for i := range keep {
		keep[i] = true
	}
	return keep
}

// structure is what a careful policy must know of a history: which messages
// belong together and which must stay.
type structure struct {
	items     []item
	unit      []int // the first message of each message's unit: a call and its results are one
	protected []bool
}

func newStructure(items []item) *structure {
	s := &structure{items: items, unit: make([]int, len(items)), protected: history.Protected(messagesOf(items))}
	for i, a := range answers(items) {
		s.unit[i] = i
		switch {
		case a >= 0:
			s.unit[i] = a
		case i > 0 && items[i].Role == history.Tool && (items[i-1].Role == history.Tool || len(items[i-1].Calls) > 0):
			// A result that answers nothing leans on the exchange before it.
			s.unit[i] = s.unit[i-1]
		}
	}
	return s
}

// answers holds for each item the index of the item whose call it answers, -1
// for one that answers none: a result answers the latest call of its id before
// it that has no result yet.
func answers(items []item) []int {
	list := make([]int, len(items))
	open := map[string][]int{}
	for i := range items {
		list[i] = -1
		for _, c := range items[i].Calls {
			open[c.ID] = append(open[c.ID], i)
		}
		if calls := open[items[i].CallID]; items[i].Role == history.Tool && len(calls) > 0 {
			list[i] = calls[len(calls)-1]
			open[items[i].CallID] = calls[:len(calls)-1]
		}
	}
	return list
}

// byAge lists the units that hold nothing protected, oldest first.
func (s *structure) byAge() []int {
	bound := make([]bool, len(s.items))
	for i, p := range s.protected {
		bound[s.unit[i]] = bound[s.unit[i]] || p
	}
	var units []int
	for i := range s.items {
		if s.unit[i] == i && !bound[i] {
			units = append(units, i)
		}
	}
	return units
}

// byPriority lists the units that hold nothing protected in the order in which
// they may go. The newest goes last, whatever it is.
func (s *structure) byPriority() []int {
	units := s.byAge()
	if len(units) == 0 {
		return nil
	}
	old := units[:len(units)-1]
	class := func(i int) int {
		switch it := &s.items[i]; {
		case len(it.Calls) > 0 || it.Role == history.Tool:
			return 0
		case it.Tag == "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(old, func(a, b int) int { return class(a) - class(b) })
	return units
}

// dropUntil takes units away from core, which holds units whole, in order,
// until enough is gone, and returns what is kept then. It takes as few as it can; where all of them are
// not enough, it takes all.
func (s *structure) dropUntil(core []bool, units []int, enough func(total int) bool) []bool {
	without := func(n int) []bool {
		keep := slices.Clone(core)
		for _, u := range units[:n] {
			keep[u] = false
		}
		for i := range keep {
			keep[i] = keep[i] && keep[s.unit[i]]
		}
		return s.close(keep)
	}
	n := sort.Search(len(units), func(n int) bool { return enough(s.tokens(without(n))) })
	return without(n)
}

// close adds to a choice of messages what these cannot stand without: the
// other half of a tool exchange, the assistant's word between a tool result
// and the next user message, and the user message that the first assistant
// message answers. So a history that is sound stays sound.
func (s *structure) close(keep []bool) []bool {
	for {
		s.completeUnits(keep)
		if !s.bridgeResults(keep) && !s.openWithUser(keep) {
			return keep
		}
	}
}

func (s *structure) completeUnits(keep []bool) {
	used := make([]bool, len(keep))
	for i, k := range keep {
		used[s.unit[i]] = used[s.unit[i]] || k
	}
	for i := range keep {
		keep[i] = used[s.unit[i]]
	}
}

// bridgeResults keeps the assistant message that leads from a kept tool result
// to the next kept user message, where there is one. It reports a change.
func (s *structure) bridgeResults(keep []bool) bool {
	changed := false
	last, between := history.Role(""), -1
	for i := range s.items {
		role := s.items[i].Role
		switch {
		case role == history.System:
		case keep[i]:
			if role == history.User && last == history.Tool && between >= 0 {
				keep[between], changed = true, true
			}
			last, between = role, -1
		case role == history.Assistant:
			between = i
		}
	}
	return changed
}

// openWithUser keeps a user message before the first kept assistant message,
// where there is one. It reports a change.
func (s *structure) openWithUser(keep []bool) bool {
	user := -1
	for i := range s.items {
		switch role := s.items[i].Role; {
		case role == history.System:
		case role == history.User && !keep[i]:
			user = i
		case keep[i]:
			if role != history.User && user >= 0 {
				keep[user] = true
				return true
			}
			return false
		}
	}
	return false
}

func (s *structure) tokens(keep []bool) int {
	total := 0
	for i, k := range keep {
		if k {
			total += s.items[i].tokens()
		}
	}
	return total
}

// fixed is what the kept messages cost at least: whole where protected, their
// tool calls elsewhere.
func (s *structure) fixed(keep []bool) int {
	total := 0
	for i, k := range keep {
		if k {
			total += s.items[i].calls
			if s.protected[i] {
				total += s.items[i].content
			}
		}
	}
	return total
}

// level returns how many tokens of content every kept message that is not
// protected may have so that all of them fit: less than 0 where even none is
// too much.
func (s *structure) level(keep []bool, limit int) int {
	var sizes []int
	for i, k := range keep {
		if k && !s.protected[i] {
			sizes = append(sizes, s.items[i].content)
		}
	}
	slices.Sort(sizes)
	room := limit - s.fixed(keep)
	if room < 0 {
		return -1
	}
	for i, n := range sizes {
		if left := len(sizes) - i; n*left > room {
			return room / left
		}
		room -= n
	}
	return limit
}
