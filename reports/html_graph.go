package reports

import (
	"cmp"
	"fmt"
	"slices"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/plan"
)

// change says how an edit changes a step. Each has a mark and a colour.
type change string

const (
	kept    change = "kept"
	changed change = "changed"
	added   change = "added"
	removed change = "removed"
	missing change = "missing" // another step depends on it
)

// graph is a plan before and after an edit in one layout, so that a step has the same
// place in both pictures.
type graph struct {
	nodes  []*node
	layers [][]*node
	left   int // steps that the pictures omit
}

// node is a step; its arrays have a value before and a value after the edit.
type node struct {
	id, text      string
	times         [2]int  // how often the plan contains the id
	lacks         [2]bool // the plan lacks the step, and another step depends on it
	done          bool
	change        change
	from          [2][]*node // dependencies
	layer, column int
}

// drawn is how many steps a picture has at most. Changed steps come first.
const drawn = 60

func newGraph(before, after *plan.Plan) *graph {
	g, plans := &graph{}, [2]*plan.Plan{before, after}
	byID := map[string]*node{}
	find := func(id string) *node {
		if byID[id] == nil {
			byID[id] = &node{id: id}
			g.nodes = append(g.nodes, byID[id])
		}
		return byID[id]
	}
	for side, p := range plans {
		for _, s := range p.Steps {
			n := find(s.ID)
			if n.times == [2]int{} {
				n.text, n.done = s.Description, s.Status == plan.Done
			}
			n.times[side]++
		}
	}
	for side, p := range plans {
		for _, s := range p.Steps {
			for _, d := range s.Dependencies {
				if to, from := find(s.ID), find(d); !slices.Contains(to.from[side], from) {
					to.from[side] = append(to.from[side], from)
					from.lacks[side] = from.times[side] == 0
				}
			}
		}
	}
	g.compare(before, after)
	g.narrow()
	g.layout()
	return g
}

// compare sets the change of every step.
func (g *graph) compare(before, after *plan.Plan) {
	edited := map[string]bool{}
	for _, c := range plan.Diff(before, after).Changed {
		edited[c.ID] = true
	}
	for _, n := range g.nodes {
		switch {
		case n.times == [2]int{}:
			n.change = missing
		case n.times[0] == 0:
			n.change = added
		case n.times[1] == 0:
			n.change = removed
		case edited[n.id]:
			n.change = changed
		default:
			n.change = kept
		}
	}
}

// narrow omits steps if there are too many: unchanged steps first, the last ones first.
func (g *graph) narrow() {
	if g.left = max(0, len(g.nodes)-drawn); g.left == 0 {
		return
	}
	order := func(n *node) int {
		if n.change == kept {
			return 1
		}
		return 0
	}
	ranked := slices.Clone(g.nodes)
	slices.SortStableFunc(ranked, func(a, b *node) int { return cmp.Compare(order(a), order(b)) })
	omitted := map[*node]bool{}
	for _, n := range ranked[drawn:] {
		omitted[n] = true
	}
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return omitted[n] })
	for _, n := range g.nodes {
		for side := range n.from {
			n.from[side] = slices.DeleteFunc(n.from[side], func(d *node) bool { return omitted[d] })
		}
	}
}

// layout puts every step below its dependencies, before and after. It ignores the edge
// that closes a cycle.
func (g *graph) layout() {
	const unseen, open = -1, -2
	for _, n := range g.nodes {
		n.layer = unseen
	}
	var depth func(n *node) int
	depth = func(n *node) int {
		if n.layer == open {
			return -1
		}
		if n.layer != unseen {
			return n.layer
		}
		n.layer = open
		layer := 0
		for _, side := range n.from {
			for _, d := range side {
				layer = max(layer, depth(d)+1)
			}
		}
		n.layer = layer
		return layer
	}
	for _, n := range g.nodes {
		for len(g.layers) <= depth(n) {
			g.layers = append(g.layers, nil)
		}
		n.column = len(g.layers[n.layer])
		g.layers[n.layer] = append(g.layers[n.layer], n)
	}
}

// Lengths in the picture, in its own units.
const (
	nodeWidth, nodeHeight = 132, 34
	gapX, gapY            = 14, 26
	margin                = 8
)

func (n *node) x() int { return margin + n.column*(nodeWidth+gapX) }
func (n *node) y() int { return margin + n.layer*(nodeHeight+gapY) }

// pageGraph contains the two pictures of a graph.
type pageGraph struct {
	Width, Height         int
	NodeWidth, NodeHeight int
	Sides                 []pagePicture
}

type pagePicture struct {
	Name  string
	Edges []pageEdge
	Steps []pageNode
}

// pageEdge is an arrow. Path and Tip are SVG path data; an edge back has no tip.
type pageEdge struct {
	Back      bool
	Path, Tip string
}

type pageNode struct {
	Class, Title, Name string
	X, Y, MidX, MidY   int
}

func (g *graph) view() *pageGraph {
	widest := 1
	for _, l := range g.layers {
		widest = max(widest, len(l))
	}
	v := &pageGraph{
		Width:     2*margin + widest*(nodeWidth+gapX) - gapX,
		Height:    2*margin + max(1, len(g.layers))*(nodeHeight+gapY) - gapY,
		NodeWidth: nodeWidth, NodeHeight: nodeHeight,
	}
	for side, name := range []string{"Before", "After"} {
		p := pagePicture{Name: name}
		for _, n := range g.nodes {
			for _, from := range n.from[side] {
				p.Edges = append(p.Edges, from.edge(n))
			}
			if n.times[side] > 0 || n.lacks[side] {
				p.Steps = append(p.Steps, n.view(side))
			}
		}
		v.Sides = append(v.Sides, p)
	}
	return v
}

// edge returns the arrow from a step to a step that depends on it.
func (n *node) edge(to *node) pageEdge {
	if to.layer <= n.layer { // it closes a cycle
		return pageEdge{Back: true, Path: fmt.Sprintf("M%d %d C%d %d %d %d %d %d", n.x()+nodeWidth, n.y()+nodeHeight/2,
			n.x()+nodeWidth+gapX, n.y(), to.x()+nodeWidth+gapX, to.y()+nodeHeight, to.x()+nodeWidth, to.y()+nodeHeight/2)}
	}
	x1, y1, x2, y2 := n.x()+nodeWidth/2, n.y()+nodeHeight, to.x()+nodeWidth/2, to.y()
	return pageEdge{
		Path: fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, x1, y1+gapY/2, x2, y2-gapY/2-3, x2, y2-3),
		Tip:  fmt.Sprintf("M%d %d l-4 -7 h8 z", x2, y2),
	}
}

// view shows a step on one side. Only the side with the change shows it.
func (n *node) view(side int) pageNode {
	c := n.change
	if c == added && side == 0 || c == removed && side == 1 {
		c = kept
	}
	if n.lacks[side] {
		c = missing
	}
	v := pageNode{
		Class: n.class(c), Title: escape.Cut(explain.ID(n.id)+": "+n.text, 200),
		Name: mark(c, n.done) + escape.Cut(escape.Terminal(explain.ID(n.id)), 13),
		X:    n.x(), Y: n.y(), MidX: n.x() + nodeWidth/2, MidY: n.y() + nodeHeight/2 + 4,
	}
	if n.times[side] > 1 {
		v.Name += fmt.Sprintf(" ×%d", n.times[side])
	}
	return v
}

func (n *node) class(c change) string {
	if n.done {
		return string(c) + " done"
	}
	return string(c)
}

// mark returns the sign before the name of a step, for readers who see no colour.
func mark(c change, done bool) string {
	m := map[change]string{changed: "~ ", added: "+ ", removed: "− ", missing: "? "}[c]
	if done {
		m += "✓ "
	}
	return m
}
