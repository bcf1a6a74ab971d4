package campaign

import (
	"slices"
	"strings"

	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
)

// Grouped is a cause with its groups.
type Grouped struct {
	Cause   *cause.Cause
	Groups  []cause.Group
	dialect string
}

// ByCause returns the causes with their groups.
func (r *Result) ByCause() []Grouped {
	list, owners := make([]Grouped, len(r.Causes)), map[string][]int{}
	for i := range r.Causes {
		list[i] = Grouped{Cause: &r.Causes[i], dialect: r.Dialect}
		for _, id := range r.Causes[i].Groups {
			owners[id] = append(owners[id], i)
		}
	}
	for _, g := range r.Groups {
		for _, i := range owners[g.ID] {
			list[i].Groups = append(list[i].Groups, g)
		}
	}
	return list
}

// CauseOf returns a lookup of the cause that a failure names, by itself or by one of its groups; it finds
// nil if there is none.
func (r *Result) CauseOf() func(name string) *cause.Cause {
	causes := map[string]*cause.Cause{}
	for i := range slices.Backward(r.Causes) {
		c := &r.Causes[i]
		for _, id := range append([]string{c.ID}, c.Groups...) {
			causes[id] = c
		}
	}
	return func(name string) *cause.Cause {
		if !strings.HasPrefix(name, r.Dialect+"/") {
			return nil
		}
		return causes[name[strings.LastIndexByte(name, '/')+1:]]
	}
}

// Name is the name of the cause.
func (p Grouped) Name() string { return p.Cause.Name(p.dialect) }

// Names returns the names of the groups that are not advisory.
func (p Grouped) Names() (names []string) {
	for _, g := range p.Groups {
		if !g.Advisory {
			names = append(names, g.Name(p.dialect))
		}
	}
	if names == nil { // a value that the engine does not declare
		names = []string{p.Name()}
	}
	return names
}

// Shows returns the finding that shows the cause, the one of its example; nil is none. The examples of several groups
// may become the same small case.
func (p Grouped) Shows() (found *finding.Finding) {
	for i := range p.Groups {
		if e := p.Groups[i].Example; e != nil && len(p.Cause.Findings) > 0 && e.ID() == p.Cause.Findings[0] &&
			(found == nil || e.CaseIndex == p.Cause.First) {
			found = e
		}
	}
	return found
}

// Shows returns the finding that shows a cause, the one of its example; nil is none.
func (r *Result) Shows(c cause.Cause) *finding.Finding {
	return Grouped{Cause: &c, Groups: r.groupsOf(c)}.Shows()
}

// groupsOf returns the groups of a cause in the order in which they describe it.
func (r *Result) groupsOf(c cause.Cause) (list []cause.Group) {
	for _, id := range c.Groups {
		if i := slices.IndexFunc(r.Groups, func(g cause.Group) bool { return g.ID == id }); i >= 0 {
			list = append(list, r.Groups[i])
		}
	}
	return list
}
