package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// names finds steps of the plan by the ids in a reply.
type names struct {
	plan.Places
	// trimmed maps trimmed ids to the plan's spelling; nil if no id has white space around it.
	trimmed map[string]string
}

func newNames(p *plan.Plan) names {
	n := names{Places: plan.NewPlaces(p.Steps)}
	for i := range p.Steps {
		s := &p.Steps[i]
		if t := strings.TrimSpace(s.ID); t != s.ID {
			if n.trimmed == nil {
				n.trimmed = make(map[string]string)
			}
			if _, ok := n.trimmed[t]; !ok {
				n.trimmed[t] = s.ID
			}
		}
	}
	return n
}

// spell returns the id as the plan spells it, or trimmed if it has no such step.
func (n *names) spell(id string) string {
	if n.has(id) {
		return id
	}
	t := strings.TrimSpace(id)
	if n.has(t) {
		return t
	}
	if own, ok := n.trimmed[t]; ok {
		return own
	}
	return t
}

func (n *names) has(id string) bool { return n.At(id) >= 0 }

// spellAll puts every id of entries in the plan's spelling.
func (n *names) spellAll(entries []entry) {
	for i := range entries {
		e := &entries[i]
		e.id = n.spell(e.id)
		for k, d := range e.dependencies {
			e.dependencies[k] = n.spell(d)
		}
	}
}

func (n *names) spellPatch(p *patch) {
	for _, entries := range p.lists() {
		n.spellAll(entries)
	}
}

// settle makes the lists disjoint and free of duplicates, by the knobs conflicts and duplicate_updates.
func (a *application) settle() *harness.Refusal {
	if repeated(a.mentioned) < 0 {
		return nil
	}
	if r := a.duplicates(); r != nil {
		return r
	}
	in := a.patch.membership()
	if in == nil {
		return nil
	}
	if a.profile.Conflicts == harness.Reject {
		return a.refuseConflicts(in)
	}
	a.resolve(in)
	return nil
}

func (a *application) duplicates() *harness.Refusal {
	p := a.patch
	removed, updated := len(p.remove), len(p.update)
	if i := repeated(a.mentioned[removed+updated:]); i >= 0 {
		return refuse(harness.DuplicateID, p.add[i].at, "the id %q is added twice", p.add[i].id)
	}
	if i := repeated(a.mentioned[removed:][:updated]); i >= 0 {
		if a.profile.DuplicateUpdates == harness.Reject {
			return refuse(harness.DuplicateID, p.update[i].at, "the step %q is updated twice", p.update[i].id)
		}
		a.joinUpdates()
	}
	seen := make(map[string]bool, len(p.remove))
	p.remove = slices.DeleteFunc(p.remove, func(r entry) bool {
		again := seen[r.id]
		if seen[r.id] = true; again {
			a.warnings.Add(harness.WarnDuplicateRemove, r.id)
		}
		return again
	})
	return nil
}

// repeated returns the index of the first id that is there before, or -1.
func repeated(ids []string) int {
	const few = 16 // are searched faster one by one
	if len(ids) <= few {
		for i := range ids {
			if slices.Contains(ids[:i], ids[i]) {
				return i
			}
		}
		return -1
	}
	seen := make(map[string]bool, len(ids))
	for i, id := range ids {
		if seen[id] {
			return i
		}
		seen[id] = true
	}
	return -1
}

// joinUpdates keeps the last of several updates of a step; under merge, earlier ones give it the members that it lacks.
func (a *application) joinUpdates() {
	last := make(map[string]int, len(a.patch.update))
	for i, u := range a.patch.update {
		last[u.id] = i
	}
	kept := a.patch.update[:0]
	for i, u := range a.patch.update {
		if last[u.id] == i {
			kept = append(kept, u)
			continue
		}
		if a.profile.DuplicateUpdates == harness.Merge {
			next := i + 1 + slices.IndexFunc(a.patch.update[i+1:], func(o entry) bool { return o.id == u.id })
			a.patch.update[next].fill(u)
		}
		a.repair("duplicate_update", u.id)
	}
	a.patch.update = kept
}

// fill gives an update the members of another one that it leaves out.
func (e *entry) fill(o entry) {
	e.description = cmp.Or(e.description, o.description)
	if e.dependencies == nil {
		e.dependencies = o.dependencies
	}
	if e.tools == nil {
		e.tools = o.tools
	}
}

// lists is the set of the three lists that contain an id.
type lists uint8

const (
	inRemove lists = 1 << iota
	inUpdate
	inAdd
)

func (l lists) several() bool { return l != inRemove && l != inUpdate && l != inAdd }

// membership maps ids to their lists; nil if no id is in two lists.
func (p *patch) membership() map[string]lists {
	in := map[string]lists{}
	for k, entries := range p.lists() {
		for _, e := range entries {
			in[e.id] |= inRemove << k
		}
	}
	for _, l := range in {
		if l.several() {
			return in
		}
	}
	return nil
}

func (a *application) refuseConflicts(in map[string]lists) *harness.Refusal {
	entries := slices.Concat(a.patch.remove, a.patch.update)
	at := entries[slices.IndexFunc(entries, func(e entry) bool { return in[e.id].several() })].at
	var clashes []string
	for _, pair := range []struct {
		name string
		both lists
	}{
		{"remove and update", inRemove | inUpdate}, {"remove and add", inRemove | inAdd}, {"update and add", inUpdate | inAdd},
	} {
		var ids []string
		for id, l := range in {
			if l&pair.both == pair.both {
				ids = append(ids, fmt.Sprintf("%q", id))
			}
		}
		if slices.Sort(ids); len(ids) > 0 {
			clashes = append(clashes, fmt.Sprintf("%s in %s", strings.Join(ids, ", "), pair.name))
		}
	}
	return refuse(harness.IDConflict, at, "an id may be in only one list: %s", strings.Join(clashes, "; "))
}

// resolve settles every conflict by the policies keep and replace.
func (a *application) resolve(in map[string]lists) {
	p := a.patch
	dropped, added := map[string]bool{}, make(map[string]entry, len(p.add))
	for _, n := range p.add {
		added[n.id] = n
	}
	replaced := func(id string) bool { return a.profile.Conflicts == harness.Replace && a.names.has(id) }
	p.remove = slices.DeleteFunc(p.remove, func(r entry) bool {
		switch in[r.id] {
		case inRemove:
			return false
		case inRemove | inUpdate:
			a.repair("remove_update", r.id)
		case inRemove | inAdd:
			if !replaced(r.id) {
				a.repair("remove_add", r.id)
				return true
			}
			a.repair("replace", r.id)
			p.update = append(p.update, replacement(added[r.id]))
			dropped[r.id] = true
		default:
			a.repair("all_three", r.id)
			dropped[r.id] = true
		}
		return true
	})
	p.update = slices.DeleteFunc(p.update, func(u entry) bool {
		if in[u.id] != inUpdate|inAdd {
			return false
		}
		a.repair("update_add", u.id)
		if a.profile.Conflicts == harness.Replace && !a.names.has(u.id) {
			return true
		}
		dropped[u.id] = true
		return false
	})
	p.add = slices.DeleteFunc(p.add, func(n entry) bool { return dropped[n.id] })
}

// replacement turns an added step into an update of every member.
func replacement(n entry) entry {
	n.dependencies, n.tools = append([]string{}, n.dependencies...), append([]string{}, n.tools...)
	return n
}

func (a *application) repair(rule, id string) {
	a.repairs = append(a.repairs, harness.Repair{Rule: rule, IDs: []string{id}})
}

// SettlesConflict reports whether a repair settles that one id is in two lists.
func SettlesConflict(rule string) bool {
	return slices.Contains([]string{"all_three", "remove_update", "replace", "remove_add", "update_add"}, rule)
}

// Conflict reports whether a patch in the reply, rejected or not, names one id in two of its lists.
func (g *Ground) Conflict(raw harness.Reply) bool {
	if g.refusal != nil {
		return false
	}
	for _, root := range g.textOf(raw).Objects(spec.Reply(false, "")) {
		in := map[string]string{}
		for _, list := range [...]string{"remove_steps", "update_steps", "add_steps"} {
			for _, item := range root.Get(list).List() {
				id := g.names.spell(idOf(&item))
				if other, ok := in[id]; ok && other != list && id != "" {
					return true
				}
				in[id] = list
			}
		}
	}
	return false
}

// warnConfusable warns of ids, in plan and reply, that differ but are equal after NFKC and full case folding (Unicode
// Standard, section 3.13). Such pairs are legal, and usually a slip of the model.
func (a *application) warnConfusable(next *plan.Plan) {
	if !slices.ContainsFunc(a.mentioned, isUnfolded) &&
		!slices.ContainsFunc(next.Steps, func(s plan.Step) bool { return isUnfolded(s.ID) }) {
		return // such ids are alike only if they are equal
	}
	ids := make([]string, 0, len(next.Steps)+len(a.mentioned))
	for i := range next.Steps {
		ids = append(ids, next.Steps[i].ID)
	}
	fold := cases.Fold()
	groups := make(map[string][]string, len(ids))
	var order []string
	for _, id := range collect.Unique(append(ids, a.mentioned...)) {
		key := norm.NFKC.String(fold.String(norm.NFKC.String(id)))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], id)
	}
	for _, key := range order {
		if len(groups[key]) > 1 {
			a.warnings.Add(harness.WarnConfusableID, groups[key]...)
		}
	}
}

// isUnfolded reports whether normalisation or folding may change the id.
func isUnfolded(id string) bool {
	return strings.ContainsFunc(id, func(r rune) bool { return r >= utf8.RuneSelf || r >= 'A' && r <= 'Z' })
}
