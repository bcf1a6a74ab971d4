package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/history"
)

// watch looks for the open items of the plan in the requests after a compaction or a
// restart.
type watch struct {
	kind    string
	turn    int
	items   []string // that no request had yet
	all     int
	left    int // requests to look at
	probing int // probe calls that were sent meanwhile
}

// watchedRequests is the number of requests in which an agent may repeat the plan.
const watchedRequests = 3

func (p *Player) watched(kind string) {
	if p.log.Watched == nil {
		p.log.Watched = map[string]int{}
	}
	p.log.Watched[kind]++
}

// look looks for the items in a request.
func (p *Player) look(r *wire.Request) {
	w := p.watch
	if w == nil {
		return
	}
	text := textOf(r)
	w.items = slices.DeleteFunc(w.items, func(item string) bool {
		return strings.Contains(text, item) || strings.Contains(text, strings.Trim(strictjson.Quote(item), `"`))
	})
	w.left--
	if len(w.items) == 0 {
		p.watch = nil
	} else if w.left == 0 {
		p.lost()
	}
}

// lost notes the items that were not found.
func (p *Player) lost() {
	w := p.watch
	p.watch = nil
	if w == nil || len(w.items) == 0 {
		return
	}
	after := "compacted its history"
	if w.kind == "resume" {
		after = "resumed the session"
	}
	p.breaks(Carried, w.kind, w.turn, fmt.Sprintf("the agent %s, and the next %d requests lack %d of %d open "+
		"items: %q", after, watchedRequests-w.left, len(w.items), w.all, w.items[0]))
}

func textOf(r *wire.Request) string {
	var all strings.Builder
	for _, m := range r.Messages {
		all.WriteString(m.Text + "\n")
		for _, c := range m.Calls {
			all.WriteString(c.Arguments + "\n")
		}
	}
	return all.String()
}

// open returns the texts of the open items of a plan.
func open(plan []byte) (list []string) {
	tree := strictjson.NewTree(string(plan), 100)
	if tree == nil {
		return nil
	}
	tree.Walk(func(n *strictjson.Node, _ []string) {
		status := n.Get("status")
		if status == nil || !slices.Contains([]string{"pending", "in_progress"}, status.Text()) {
			return
		}
		longest := ""
		for i := range n.Kids {
			if text := n.Kids[i].Text(); len(text) > len(longest) && &n.Kids[i] != status {
				longest = text
			}
		}
		if longest != "" {
			list = append(list, longest)
		}
	})
	return list
}

// compacted reports whether the agent removed calls from its history since the last
// request.
func (p *Player) compacted(r *wire.Request) bool {
	there := callIDs(r)
	removed := p.removed(there)
	p.present, p.oldest = there, oldest(r)
	return removed
}

// removed reports whether a call of the last request is not there.
func (p *Player) removed(there map[string]bool) bool {
	for id := range p.present {
		if !there[id] {
			return true
		}
	}
	return false
}

func callIDs(r *wire.Request) map[string]bool {
	there := map[string]bool{}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			there[c.ID] = true
		}
	}
	return there
}

// oldest returns the id of the first call in a request; "" if there is none.
func oldest(r *wire.Request) string {
	for _, m := range r.Messages {
		if len(m.Calls) > 0 {
			return m.Calls[0].ID
		}
	}
	return ""
}

// aboutSummary matches the request of an agent to summarise the history. The tag <summary> is in
// notices of sub-agents.
var aboutSummary = regexp.MustCompile(`(?i)(?:^|[^</])summar|compact|handoff|hand-off|state_snapshot|continuing our conversation`)

// isSummary reports whether a request asks for a summary of the history although it
// offers tools: an instruction behind the history, which may lack its end so that the request fits the window.
func (p *Player) isSummary(r *wire.Request) bool {
	n := len(r.Messages)
	if n < 3 || r.Messages[n-1].Role != history.User || !aboutSummary.MatchString(r.Messages[n-1].Text) {
		return false
	}
	return len(p.present) > 0 && oldest(r) == p.oldest
}
