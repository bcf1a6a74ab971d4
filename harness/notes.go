package harness

// Notes collects warnings or repairs: one for each code, each id once, in their order. The zero
// value is ready to use.
type Notes struct {
	list []Warning
	at   map[string]int     // the place of a code
	met  map[[2]string]bool // code and id
}

// Add adds ids to the note of a code.
func (n *Notes) Add(code string, ids ...string) {
	if n.at == nil {
		n.at, n.met = map[string]int{}, map[[2]string]bool{}
	}
	i, ok := n.at[code]
	if !ok {
		i = len(n.list)
		n.at[code] = i
		n.list = append(n.list, Warning{Code: code})
	}
	for _, id := range ids {
		if key := [2]string{code, id}; !n.met[key] {
			n.met[key] = true
			n.list[i].IDs = append(n.list[i].IDs, id)
		}
	}
}

// Warn adds warnings.
func (n *Notes) Warn(list []Warning) {
	for _, w := range list {
		n.Add(w.Code, w.IDs...)
	}
}

// Repair adds repairs.
func (n *Notes) Repair(list []Repair) {
	for _, r := range list {
		n.Add(r.Rule, r.IDs...)
	}
}

// Warnings returns the notes as warnings; never nil.
func (n *Notes) Warnings() []Warning { return append([]Warning{}, n.list...) }

// Repairs returns the notes as repairs; never nil.
func (n *Notes) Repairs() []Repair {
	list := make([]Repair, len(n.list))
	for i, w := range n.list {
		list[i] = Repair{Rule: w.Code, IDs: w.IDs}
	}
	return list
}
