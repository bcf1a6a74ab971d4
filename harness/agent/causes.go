package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"replanbench/generators"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// Cause is one thing that is wrong with an agent, with the session that shows it.
type Cause struct {
	cause.Cause
	// Message describes the example; Want and Got are its expected and actual answer.
	Message string `json:"message"`
	Want    string `json:"want,omitzero"`
	Got     string `json:"got,omitzero"`
	// Session is the shortest session that was found to show it, and Shown how
	// often it did when it was played again, of how many times.
	Session Session `json:"session"`
	Shown   int     `json:"shown"`
	Played  int     `json:"played"`
	// Sessions are the numbers of those in which it showed.
	Sessions []int `json:"sessions"`

	first Broken
	from  Planned // the session of the first break
}

// group is the breaks that are one cause: of one check and kind, with traits of one
// subject or faults of one family.
type group struct {
	key    cause.Key
	first  Broken  // the simplest break
	from   Planned // its session
	order  int     // among the groups that begin with the same session
	shown  map[place]bool
	traits [][]string // the lists of traits that show it
	faults []faultAt  // the faults that show it
	fields []string   // where the plans differ first from the right ones
}

// place is a turn of a session.
type place struct {
	Session int `json:"session"`
	Turn    int `json:"turn"`
}

// faultAt is a fault with the place where it showed a break first.
type faultAt struct {
	Name string `json:"name"`
	At   place  `json:"at"`
}

func (o *group) faultNames() []string {
	return collect.Map(o.faults, func(f faultAt) string { return f.Name })
}

// gathering collects breaks over sessions.
type gathering struct {
	subject *Subject
	groups  []*group
	held    map[string]int // turns, by their traits and faults; "" is plain
	watched map[string]int // how often the agent could lose the plan, by kinds of the check
}

func newGathering(s *Subject) *gathering {
	return &gathering{subject: s, held: map[string]int{}, watched: map[string]int{}}
}

// add adds the breaks of a session that was played.
func (g *gathering) add(p Planned, log session.Log, broken []Broken) {
	for i, turn := range p.Script.Turns {
		if turn.Setup || len(log.Steps) <= i || log.Steps[i].Deed == session.NotReached {
			continue
		}
		g.held[strings.Join(turn.Names(), "+")]++
	}
	for kind, n := range log.Watched {
		g.watched[kind] += n
	}
	for _, b := range broken {
		g.put(p, b)
	}
}

func (g *gathering) put(p Planned, b Broken) {
	spoilt := p.Script.Turns[b.Turn].Fault
	key := cause.Key{Culprits: g.culprits(b, spoilt), Check: b.Check, Kind: b.Kind}
	i := slices.IndexFunc(g.groups, func(o *group) bool {
		return o.first.Dialect == b.Dialect && o.first.Advisory == b.Advisory && o.first.Setup == b.Setup &&
			o.key.Check == key.Check && o.key.Kind == key.Kind && slices.Equal(o.key.Culprits, key.Culprits)
	})
	if i < 0 {
		i = len(g.groups)
		g.groups = append(g.groups, &group{key: key, first: b, from: p, order: i, shown: map[place]bool{}})
	}
	o := g.groups[i]
	if simpler(p, b, o.from, o.first) {
		o.first, o.from = b, p
	}
	o.shown[place{p.ID, b.Turn}] = true
	if spoilt != "" && !b.Carries() && !slices.Contains(o.faultNames(), spoilt) {
		o.faults = append(o.faults, faultAt{spoilt, place{p.ID, b.Turn}})
	}
	o.show(b.Culprits)
	o.differ(b.Field)
}

// differ adds a place where the plan differs from the right one.
func (o *group) differ(field string) {
	if field != "" && !slices.Contains(o.fields, field) {
		o.fields = append(o.fields, field)
	}
}

// show adds a list of traits that shows the cause.
func (o *group) show(traits []string) {
	if !slices.ContainsFunc(o.traits, func(list []string) bool { return slices.Equal(list, traits) }) {
		o.traits = append(o.traits, traits)
	}
}

// culprits returns the part of a cause's key that names when it shows: the family of the
// fault, or the subjects of the traits.
func (g *gathering) culprits(b Broken, spoilt string) (list []string) {
	switch {
	case b.Advisory && b.Why != "" && b.Class != judge.Accepts:
		return nil // the tool does so with any edit
	case b.Check == session.Arrival && b.Kind == "twice", b.Carries():
		return nil // one habit, whatever the attempt was discarded for, and whenever the history was cut
	case spoilt != "":
		if f, err := fault.Find(spoilt); err == nil {
			return []string{f.Family}
		}
		return []string{spoilt}
	case b.Dialect == "" && b.Check != session.Alive, b.Dialect != "" && g.subject.isSafety(b.Check):
		return nil // one bug, whatever edit shows it
	}
	for _, name := range b.Culprits {
		if word := g.subjectOf(name); !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// subjectOf returns the subject of a trait: the first theme of a list of themes about one
// thing, or its own theme.
func (g *gathering) subjectOf(name string) string {
	d := g.subject.Dialect
	i := slices.IndexFunc(d.Traits, func(t generators.Trait) bool { return t.Name == name })
	if i < 0 || d.Traits[i].Theme == "" {
		return name
	}
	theme := d.Traits[i].Theme
	for _, list := range d.Subjects {
		if slices.Contains(list, theme) {
			return list[0]
		}
	}
	return theme
}

// simpler reports whether a break is a simpler example than another: it has fewer traits,
// only ASCII, or a shorter edit.
func simpler(p Planned, b Broken, q Planned, than Broken) bool {
	measure := func(p Planned, b Broken) (list [3]int) {
		edit := p.Script.Turns[b.Turn].Edit
		list[0], list[2] = len(b.Culprits), len(edit)
		if strings.ContainsFunc(edit, func(r rune) bool { return r > unicode.MaxASCII }) || strings.Contains(edit, `\u`) {
			list[1] = 1
		}
		return list
	}
	mine, other := measure(p, b), measure(q, than)
	return slices.Compare(mine[:], other[:]) < 0
}

// causes makes causes of the groups, worst first. What shows in plain edits
// explains the same break in edits with a trait; a turn that only makes a plan
// counts where no edit shows the break.
func (g *gathering) causes() []Cause {
	plain := func(o *group) bool { return len(o.key.Culprits) == 0 && !o.first.Advisory }
	for _, o := range slices.Clone(g.groups) {
		i := slices.IndexFunc(g.groups, func(q *group) bool {
			same := q != o && q.first.Dialect == o.first.Dialect && q.key.Check == o.key.Check && q.key.Kind == o.key.Kind
			return same && (plain(q) && !plain(o) || o.first.Setup && !q.first.Setup) || plain(q) && q.explains(o)
		})
		if i < 0 {
			continue
		}
		for at := range o.shown {
			g.groups[i].shown[at] = true
		}
		for _, f := range o.faults { // a cause of plain edits names no fault
			if len(g.groups[i].faults) > 0 && !slices.Contains(g.groups[i].faultNames(), f.Name) {
				g.groups[i].faults = append(g.groups[i].faults, f)
			}
		}
		g.groups = slices.DeleteFunc(g.groups, func(q *group) bool { return q == o })
	}
	list := collect.Map(g.groups, g.tell)
	slices.SortStableFunc(list, func(a, b Cause) int {
		switch {
		case b.Advisory && !a.Advisory:
			return -1
		case a.Advisory && !b.Advisory:
			return 1
		}
		return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(b.Cases, a.Cases), strings.Compare(a.ID, b.ID))
	})
	return list
}

// explains reports whether another group is the milder effect of one bug: the same part of the plan is wrong in
// sessions that break no safety check.
func (o *group) explains(milder *group) bool {
	return milder.first.Class == judge.Differs && o.first.Class.Rank() < judge.Differs.Rank() && len(milder.fields) > 0 &&
		o.first.Dialect == milder.first.Dialect && !milder.first.Advisory && o.withoutTraits() &&
		!slices.ContainsFunc(milder.fields, func(f string) bool { return !slices.Contains(o.fields, f) })
}

// withoutTraits reports whether an edit without traits shows the group.
func (o *group) withoutTraits() bool {
	return slices.ContainsFunc(o.traits, func(list []string) bool { return len(list) == 0 })
}

func (g *gathering) tell(o *group) Cause {
	dialect := cmp.Or(o.first.Dialect, "agent")
	c := Cause{
		Cause: cause.Cause{
			ID: o.key.OldID(dialect, ""), Class: o.first.Class, Sentence: g.sentence(o), Check: o.key.Check, Kind: o.key.Kind,
			Culprits: append([]string{}, o.first.Culprits...),
			Cases:    uint64(len(o.shown)), Of: uint64(max(g.of(o), len(o.shown))),
			Example: o.first.Case, Findings: []string{}, Groups: []string{o.key.OldID(dialect, "")}, Advisory: o.first.Advisory,
		},
		Message: o.first.Message, Want: o.first.Want, Got: o.first.Got, first: o.first, from: o.from,
	}
	sets := o.traits
	switch {
	case len(o.faults) > 0:
		c.Culprits = o.faultNames()
		sets = slices.Collect(slices.Chunk(c.Culprits, 1))
	case o.withoutTraits():
		sets = nil
	}
	if len(sets) > 1 {
		c.Traits = collect.Map(sets, func(names []string) cause.Shows { return cause.Shows{Culprits: names} })
	}
	for at := range o.shown {
		if !slices.Contains(c.Sessions, at.Session) {
			c.Sessions = append(c.Sessions, at.Session)
		}
	}
	slices.Sort(c.Sessions)
	return c
}

// of is how many turns held the culprits of a group; of a plain failure all edits, of a lost
// plan the times when the agent could lose it.
func (g *gathering) of(o *group) (n int) {
	switch {
	case o.key.Check == session.Carried:
		return g.watched[o.key.Kind]
	case o.first.Compacted:
		return g.watched["gone"]
	}
	for names, count := range g.held {
		list := strings.Split(names, "+")
		switch {
		case len(o.faults) > 0:
			if slices.ContainsFunc(o.faultNames(), func(f string) bool { return slices.Contains(list, f) }) {
				n += count
			}
		case slices.ContainsFunc(o.traits, func(traits []string) bool {
			return !slices.ContainsFunc(traits, func(t string) bool { return !slices.Contains(list, t) })
		}):
			n += count
		}
	}
	return n
}

// sentence says what the agent does wrong and when.
func (g *gathering) sentence(o *group) string {
	switch {
	case o.first.Why != "":
		return g.does(o) + " (" + o.first.Why + ")"
	case len(o.faults) > 0:
		return g.does(o) + " after " + faultWords(o.faultNames())
	case o.first.Dialect != "":
		shown := o.traits
		if o.withoutTraits() {
			shown = [][]string{{}} // whatever the traits
		}
		var list []*cause.Group
		for _, traits := range shown {
			key := cause.Key{Culprits: traits, Check: o.key.Check, Kind: o.key.Kind}
			list = append(list, &cause.Group{Key: key, Class: o.first.Class, Cases: uint64(len(o.shown))})
		}
		c := cause.Campaign{Dialect: g.subject.Dialect}
		return c.Sentence(list...)
	}
	return g.does(o)
}

// does returns the verb phrase for the check and the kind of a group.
func (g *gathering) does(o *group) string {
	if o.first.Dialect == "" {
		if o.first.Compacted {
			return session.Words(o.key.Check, o.key.Kind) + " after it compacts its history"
		}
		return session.Words(o.key.Check, o.key.Kind)
	}
	c := cause.Campaign{Dialect: g.subject.Dialect}
	return c.Sentence(&cause.Group{Key: cause.Key{Check: o.key.Check, Kind: o.key.Kind}})
}

// faultWords names faults by their texts, as many as can be read.
func faultWords(names []string) string {
	const most = 3
	var words []string
	for _, n := range names[:min(most, len(names))] {
		if f, err := fault.Find(n); err == nil {
			words = append(words, f.Text)
		}
	}
	text := strings.Join(words, "; ")
	if len(names) > most {
		text += fmt.Sprintf("; and %d more", len(names)-most)
	}
	return text
}

// baseTraits returns the traits of a list that change the data of a case.
func baseTraits(table []generators.Trait, names []string) (list []string) {
	for _, t := range table {
		if t.Base && slices.Contains(names, t.Name) {
			list = append(list, t.Name)
		}
	}
	return list
}
