package reports

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"replanbench/harness/plan"
	"replanbench/reports/escape"
)

// change is what became of a step; each has a mark and a colour of its own.
type change string

const (
	kept    change = "kept"
	changed change = "changed"
	added   change = "added"
	removed change = "removed"
	missing change = "missing" // another step depends on it
)

// graph is a plan before and after an edit, laid out as one, so that a step
// stands at the same place in both pictures.
type graph struct {
	nodes  []*node
	layers [][]*node
	left   int // steps that are not drawn
}

type node struct {
	id, text      string
	before, after bool
	times         [2]int  // how often the id stands in the plan, before and after
	lacks         [2]bool // it does not, and a step depends on it
	done          bool
	change        change
	from          [2][]int // dependencies, before and after, by place in nodes
	layer, column int
}

// drawn is how many steps are drawn at most: first those that changed.
const drawn = 60

func newGraph(before, after *plan.Plan) *graph {
	g := &graph{}
	place := map[string]int{}
	take := func(p *plan.Plan, old bool) {
		for _, s := range p.Steps {
			i, known := place[s.ID]
			if !known {
				i = len(g.nodes)
				place[s.ID] = i
				g.nodes = append(g.nodes, &node{id: s.ID, text: s.Description, done: s.Status == plan.Done, change: added})
			}
			n := g.nodes[i]
			n.before, n.after = n.before || old, n.after || !old
			if old {
				n.times[0]++
			} else {
				n.times[1]++
			}
		}
	}
	take(before, true)
	take(after, false)
	touched := map[string]bool{}
	for _, c := range plan.Diff(before, after).Changed {
		touched[c.ID] = true
	}
	for _, n := range g.nodes {
		switch {
		case n.change == missing:
		case n.before && !n.after:
			n.change = removed
		case n.before && touched[n.id]:
			n.change = changed
		case n.before:
			n.change = kept
		}
	}
	for _, p := range []*plan.Plan{before, after} {
		for _, s := range p.Steps {
			for _, d := range s.Dependencies {
				if _, known := place[d]; !known {
					place[d] = len(g.nodes)
					g.nodes = append(g.nodes, &node{id: d, change: missing})
				}
			}
		}
	}
	g.narrow(place)
	g.connect(0, before, place)
	g.connect(1, after, place)
	g.layout()
	return g
}

// narrow keeps as many steps as are drawn.
func (g *graph) narrow(place map[string]int) {
	if len(g.nodes) <= drawn {
		return
	}
	g.left = len(g.nodes) - drawn
	ranked := slices.Clone(g.nodes)
	slices.SortStableFunc(ranked, func(a, b *node) int {
		switch {
		case a.change == kept && b.change != kept:
			return 1
		case a.change != kept && b.change == kept:
			return -1
		}
		return 0
	})
	show := map[*node]bool{}
	for _, n := range ranked[:drawn] {
		show[n] = true
	}
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return !show[n] })
	clear(place)
	for i, n := range g.nodes {
		place[n.id] = i
	}
}

func (g *graph) connect(side int, p *plan.Plan, place map[string]int) {
	for _, s := range p.Steps {
		to, ok := place[s.ID]
		if !ok {
			continue
		}
		for _, d := range s.Dependencies {
			if from, ok := place[d]; ok && !slices.Contains(g.nodes[to].from[side], from) {
				g.nodes[to].from[side] = append(g.nodes[to].from[side], from)
				g.nodes[from].lacks[side] = g.nodes[from].times[side] == 0
			}
		}
	}
}

// layout puts every step below those that it depends on, before or after. In a
// cycle the edge that closes it is passed over.
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
				layer = max(layer, depth(g.nodes[d])+1)
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

// The measures of the picture, in its own units.
const (
	nodeWidth, nodeHeight = 132, 34
	gapX, gapY            = 14, 26
	margin                = 8
)

func (n *node) x() int { return margin + n.column*(nodeWidth+gapX) }
func (n *node) y() int { return margin + n.layer*(nodeHeight+gapY) }

// svg draws both pictures side by side.
func (g *graph) svg() safe {
	widest := 1
	for _, l := range g.layers {
		widest = max(widest, len(l))
	}
	w, h := 2*margin+widest*(nodeWidth+gapX)-gapX, 2*margin+max(1, len(g.layers))*(nodeHeight+gapY)-gapY
	var b strings.Builder
	for side, name := range []string{"Before", "After"} {
		fmt.Fprintf(&b, `<figure class="graph"><figcaption>%s</figcaption><svg role="img" aria-label="The plan: %s" width="%d" height="%d" viewBox="0 0 %d %d">`, name, name, w, h, w, h)
		for _, n := range g.nodes {
			for _, from := range n.from[side] {
				g.nodes[from].edge(&b, n)
			}
		}
		empty := true
		for _, n := range g.nodes {
			if n.times[side] > 0 || n.lacks[side] {
				n.draw(&b, side)
				empty = false
			}
		}
		if empty {
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="currentColor">no steps</text>`, margin, margin+nodeHeight/2)
		}
		b.WriteString("</svg></figure>")
	}
	return safe(b.String()) // all texts in it are escaped
}

// edge draws an arrow from a step to one that depends on it.
func (n *node) edge(b *strings.Builder, to *node) {
	x1, y1, x2, y2 := n.x()+nodeWidth/2, n.y()+nodeHeight, to.x()+nodeWidth/2, to.y()
	if to.layer <= n.layer { // it closes a cycle
		fmt.Fprintf(b, `<path class="edge back" d="M%d %d C%d %d %d %d %d %d"/>`, n.x()+nodeWidth, n.y()+nodeHeight/2,
			n.x()+nodeWidth+gapX, n.y(), to.x()+nodeWidth+gapX, to.y()+nodeHeight, to.x()+nodeWidth, to.y()+nodeHeight/2)
		return
	}
	fmt.Fprintf(b, `<path class="edge" d="M%d %d C%d %d %d %d %d %d"/><path class="tip" d="M%d %d l-4 -7 h8 z"/>`,
		x1, y1, x1, y1+gapY/2, x2, y2-gapY/2-3, x2, y2-3, x2, y2)
}

// draw draws a step on one side: a change shows where it is to be seen.
func (n *node) draw(b *strings.Builder, side int) {
	c := n.change
	if c == added && side == 0 || c == removed && side == 1 {
		c = kept
	}
	if n.lacks[side] {
		c = missing
	}
	fmt.Fprintf(b, `<g class="step %s"><title>%s</title>`, n.class(c), svgText(escape.Cut(n.id+": "+n.text, 200)))
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4"/>`, n.x(), n.y(), nodeWidth, nodeHeight)
	name := mark(c, n.done) + escape.Cut(escape.Terminal(n.id), 13)
	if n.times[side] > 1 {
		name += fmt.Sprintf(" ×%d", n.times[side])
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text></g>`, n.x()+nodeWidth/2, n.y()+nodeHeight/2+4, svgText(name))
}

func (n *node) class(c change) string {
	if n.done {
		return string(c) + " done"
	}
	return string(c)
}

// mark is what stands before the name of a step, so that no colour is needed to read
// the picture.
func mark(c change, done bool) string {
	m := map[change]string{changed: "~ ", added: "+ ", removed: "− ", missing: "? "}[c]
	if done {
		m += "✓ "
	}
	return m
}

func svgText(s string) string { return html.EscapeString(escape.Terminal(s)) }
