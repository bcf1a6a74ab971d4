package rules

import "replanbench/harness"

// notes are warnings or repairs: one a code, each name once, in the order met.
type notes struct {
	list []harness.Warning
	at   map[string]int     // the place of a code
	met  map[[2]string]bool // code and name
}

func (n *notes) add(code string, names ...string) {
	if n.at == nil {
		n.at, n.met = map[string]int{}, map[[2]string]bool{}
	}
	i, ok := n.at[code]
	if !ok {
		i = len(n.list)
		n.at[code] = i
		n.list = append(n.list, harness.Warning{Code: code})
	}
	for _, name := range names {
		if key := [2]string{code, name}; !n.met[key] {
			n.met[key] = true
			n.list[i].IDs = append(n.list[i].IDs, name)
		}
	}
}

func (n *notes) join(list []harness.Warning) {
	for _, w := range list {
		n.add(w.Code, w.IDs...)
	}
}

func (n *notes) repaired(list []harness.Repair) {
	for _, r := range list {
		n.add(r.Rule, r.IDs...)
	}
}

// warnings returns the notes as warnings; never nil.
func (n *notes) warnings() []harness.Warning { return append([]harness.Warning{}, n.list...) }

// repairs returns the notes as repairs; never nil.
func (n *notes) repairs() []harness.Repair {
	list := make([]harness.Repair, len(n.list))
	for i, w := range n.list {
		list[i] = harness.Repair{Rule: w.Code, IDs: w.IDs}
	}
	return list
}
