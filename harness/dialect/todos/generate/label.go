package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// cell is an item of the list under way.
type cell struct {
	item
	was   int  // its place in the case's list; -1 is new
	at    int  // in the list before the rewrite; -1 is new
	given bool // the rewrite gives it an id
}

// verdict is the expected result of one rewrite.
type verdict struct {
	code harness.Code // "" for one that is applied
	tier harness.Tier
	list []cell
}

// label returns the expected outcome of the case.
func (d *draft) label() generators.Want {
	refuse := func(code harness.Code) generators.Want {
		return generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{code}}
	}
	if d.unsound != "" {
		return refuse(d.unsound)
	}
	now := make([]cell, len(d.old))
	for i, it := range d.old {
		now[i] = cell{item: *it, was: i}
	}
	want := generators.Want{Verdict: harness.Rejected}
	for _, r := range d.rewrites {
		v := d.judge(now, r)
		switch {
		case v.code == "":
			now = v.list
			want = generators.Want{Verdict: harness.Applied, Tier: v.tier}
		case want.Verdict != harness.Applied:
			want.Codes, want.Tier = []harness.Code{v.code}, v.tier
		}
	}
	if want.Verdict == harness.Applied {
		d.result(&want, now)
	}
	return want
}

// result fills in what an applied case gives.
func (d *draft) result(want *generators.Want, now []cell) {
	items, was := make([]spec.Item, len(now)), make([]*int, len(now))
	meta := &harness.Meta{Removed: len(d.old), Dropped: []string{}}
	for i, c := range now {
		items[i] = spec.Item{ID: c.id, Content: c.words, Status: c.status, Priority: c.priority, ActiveForm: c.form}
		if c.was < 0 {
			meta.Added++
			continue
		}
		was[i] = &c.was
		meta.Removed--
		if old := d.old[c.was]; c.item != *old {
			meta.Updated++
			if old.key != c.key {
				meta.Reworded++
			}
		}
	}
	history, err := json.Marshal(was)
	if err != nil {
		panic("todos: indices do not encode: " + err.Error())
	}
	want.Plan = spec.Plan(items)
	want.More = &harness.Outcome{Meta: meta, More: map[string]jsontext.Value{spec.Was: history}}
}

// judge returns the expected result of a rewrite of a list.
func (d *draft) judge(now []cell, r *rewrite) verdict {
	for i := range now {
		now[i].at, now[i].given = i, false
	}
	tier, code := d.read(r)
	v := verdict{code: code, tier: tier}
	if code != "" {
		v.tier = harness.TierNone
		return v
	}
	switch {
	case len(r.entries) > 0:
		v.list, v.code = d.applied(now, r)
	case r.merge:
		v.list = slices.Clone(now)
	default:
		v.code = d.cleared(now)
	}
	same := slices.EqualFunc(v.list, now, func(a, b cell) bool { return a.item == b.item })
	if v.code == "" && same && d.settings.Unchanged == harness.Reject {
		v.code = harness.EmptyPatch
	}
	return v
}

func (d *draft) cleared(now []cell) harness.Code {
	open := slices.ContainsFunc(now, func(c cell) bool { return isOpen(c.status) })
	if d.settings.Clear == harness.Reject || d.settings.Clear == spec.WhenDone && open {
		return harness.EmptyPlan
	}
	return ""
}

func isOpen(s plan.Status) bool { return s == plan.Pending || s == plan.InProgress }

// pair is an item of the rewrite with the old one that it is; -1 is new.
type pair struct {
	entry
	old int
}

// applied is the new list, or the code of the first rule that refuses it.
func (d *draft) applied(now []cell, r *rewrite) ([]cell, harness.Code) {
	pairs, code := d.once(r)
	if code == "" {
		code = d.match(now, pairs, r.merge)
	}
	if code == "" {
		code = d.settle(now, pairs)
	}
	if code != "" {
		return nil, code
	}
	list, code := d.join(now, pairs, r.merge)
	if code == "" {
		list, code = d.fit(list)
	}
	return owned(list), code
}

// once leaves out what is twice in the rewrite.
func (d *draft) once(r *rewrite) (kept []*pair, code harness.Code) {
	last := d.settings.Duplicates == harness.Last
	for i := range r.entries {
		e := r.entries[i]
		if last {
			e = r.entries[len(r.entries)-1-i]
		}
		twice := harness.Code("")
		for _, k := range kept {
			if e.id != "" && e.id == k.id {
				twice = harness.DuplicateID
				break
			}
			byID := d.settings.Identity == spec.Auto || d.settings.Identity == spec.ID
			if !r.merge && e.key == k.key && (!byID || e.id == "" || k.id == "") {
				twice = spec.DuplicateContent
			}
		}
		if twice != "" && d.settings.Duplicates == harness.Reject {
			return nil, twice
		}
		if twice == "" || d.settings.Duplicates == harness.Keep {
			kept = append(kept, &pair{*e, -1})
		}
	}
	if last {
		slices.Reverse(kept)
	}
	return kept, ""
}

// match pairs the items of a rewrite with the old ones.
func (d *draft) match(now []cell, pairs []*pair, merge bool) harness.Code {
	sameID := func(p *pair, c *cell) bool { return p.id != "" && p.id == c.id }
	sameText := func(p *pair, c *cell) bool { return p.key == c.key }
	both := func(p *pair, c *cell) bool { return sameID(p, c) && sameText(p, c) }
	bare := func(p *pair, c *cell) bool { return p.id == "" && c.id == "" && sameText(p, c) }
	// Of a family at most one pair is left to be made.
	near := func(p *pair, c *cell) bool { return p.family == c.family }
	passes := []func(*pair, *cell) bool{both, sameText, sameID}
	switch identity := d.settings.Identity; {
	case merge:
		passes = passes[2:]
	case identity == spec.ID:
		passes = []func(*pair, *cell) bool{sameID, bare}
	case identity == spec.Content:
		passes = passes[:2]
	case identity == spec.Similar:
		passes = append(passes, near)
	}
	taken := make([]bool, len(now))
	for _, is := range passes {
		for _, p := range pairs {
			for j := range now {
				if p.old < 0 && !taken[j] && is(p, &now[j]) {
					p.old, taken[j] = j, true
				}
			}
		}
	}
	for _, p := range pairs {
		if merge && p.old < 0 && p.quiet {
			return harness.UnknownStep
		}
	}
	return ""
}

// settle gives items of the rewrite the statuses that they may have.
func (d *draft) settle(now []cell, pairs []*pair) harness.Code {
	for _, p := range pairs {
		if p.old < 0 || now[p.old].status != plan.Completed || p.quiet || p.status == plan.Completed {
			continue
		}
		switch d.settings.Reopen {
		case harness.Reject:
			return harness.DoneImmutable
		case harness.Keep:
			p.status = plan.Completed
		}
	}
	begun := false
	for _, p := range pairs {
		if p.status != plan.InProgress || p.quiet || d.settings.InProgress == harness.Any {
			continue
		}
		if begun && d.settings.InProgress == spec.One {
			return spec.TooManyInProgress
		}
		if begun {
			p.status = plan.Pending
		}
		begun = true
	}
	return ""
}

// join puts the items of the rewrite and those that it leaves out together.
func (d *draft) join(now []cell, pairs []*pair, merge bool) (list []cell, code harness.Code) {
	begun := slices.ContainsFunc(pairs, func(p *pair) bool { return p.status == plan.InProgress && !p.quiet })
	yield := func(c cell) cell {
		if c.status == plan.InProgress && d.settings.InProgress != harness.Any {
			if begun {
				c.status = plan.Pending
			}
			begun = true
		}
		return c
	}
	said := make([]*pair, len(now))
	for _, p := range pairs {
		if p.old >= 0 {
			said[p.old] = p
		}
	}
	if merge {
		for j, c := range now {
			switch p := said[j]; {
			case p == nil:
				c = yield(c)
			case p.quiet:
				c = yield(p.on(now))
			default:
				c = p.on(now)
			}
			list = append(list, c)
		}
	}
	for _, p := range pairs {
		if !merge || p.old < 0 {
			list = append(list, p.on(now))
		}
	}
	for j, c := range now {
		if merge || said[j] != nil || c.status == plan.Cancelled {
			continue
		}
		policy := d.settings.OmittedOpen
		if c.status == plan.Completed {
			policy = d.settings.OmittedDone
		}
		switch policy {
		case harness.Reject:
			return nil, spec.ItemLost
		case harness.Restore:
			list = slices.Insert(list, behind(list, j), yield(c))
		}
	}
	return list, ""
}

// behind is the place behind the nearest item before j that is there.
func behind(list []cell, j int) int {
	for j--; j >= 0; j-- {
		for i := range list {
			if list[i].at == j {
				return i + 1
			}
		}
	}
	return 0
}

// on is what becomes of an item of the rewrite.
func (p *pair) on(now []cell) cell {
	p.words = strings.TrimSpace(p.words)
	if p.old < 0 {
		return cell{p.item, -1, -1, p.id != ""}
	}
	c := now[p.old]
	c.given = p.id != ""
	if !p.quiet {
		if c.status = p.status; p.key != c.key {
			c.text = p.text
		}
	}
	for _, m := range [][2]*string{{&c.id, &p.id}, {&c.priority, &p.priority}, {&c.form, &p.form}} {
		if *m[1] != "" {
			*m[0] = *m[1]
		}
	}
	return c
}

// fit cuts new items until the limit holds.
func (d *draft) fit(list []cell) ([]cell, harness.Code) {
	if d.limit == 0 {
		return list, ""
	}
	for i := len(list) - 1; i >= 0 && len(list) > d.limit; i-- {
		if list[i].at < 0 && list[i].status != plan.Completed {
			list = slices.Delete(list, i, i+1)
		}
	}
	if len(list) > d.limit && slices.ContainsFunc(list, func(c cell) bool { return c.at < 0 }) {
		return nil, harness.OverCapacity
	}
	return list, ""
}

// owned takes the ids that the rewrite gives to others.
func owned(list []cell) []cell {
	given := map[string]bool{}
	for _, c := range list {
		given[c.id] = given[c.id] || c.given
	}
	for i := range list {
		if c := &list[i]; given[c.id] && !c.given {
			c.id = ""
		}
	}
	return list
}
