package protocols

import (
	"strings"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/score"
)

// Estimate takes the rates of a channel from recorded replies: how often they were cut
// off, could not be read, named a step that is not there, or had a member too much.
// Only the first fault of a reply is known, so that the rates are rather too low; and
// items that a model left out show nowhere, so that Drop stays 0.
func Estimate(sources []corpora.Source, p harness.Profile, counter interface{ Count(text string) int }) (Channel, int) {
	var c Channel
	var replies, items, ids int
	var tokens float64
	for _, s := range sources {
		for r, err := range s.Records() {
			if err != nil || r.Failure != nil || r.Dialect != all.Asked().Name || r.Plan == nil {
				continue
			}
			x := score.Judge(&r, nil, p, nil)
			if x.Unscored != "" {
				continue
			}
			replies++
			tokens += float64(counter.Count(string(r.Reply))) / 100
			i, n := mentions(string(r.Reply))
			items, ids = items+i, ids+n
			switch {
			case x.CutOff:
				c.Cut++
			case x.Tier == harness.TierNone:
				c.Broken++
			case x.Code == harness.UnknownStep || x.Code == harness.MissingDependency:
				c.Wrong++
			case x.Code == harness.ExtraField:
				c.Extra++
			}
		}
	}
	share := func(events *float64, of float64) {
		if *events > 0 {
			*events = min(1, *events/max(of, *events))
		}
	}
	share(&c.Cut, tokens)
	share(&c.Broken, tokens)
	share(&c.Wrong, float64(ids))
	share(&c.Extra, float64(items))
	return c, replies
}

// mentions counts the items of the lists of a reply, and the ids in them.
func mentions(reply string) (items, ids int) {
	from, to := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')
	if from < 0 || to < from {
		return 0, 0
	}
	doc, err := strictjson.Parse([]byte(reply[from:to+1]), harness.DefaultMaxDepth)
	if err != nil {
		return 0, 0
	}
	for _, m := range doc.Root.Members {
		if m.Value.Kind != strictjson.Array {
			continue
		}
		for i := range m.Value.Items {
			items++
			item := &m.Value.Items[i]
			if item.Kind == strictjson.String || item.Get("id") != nil {
				ids++
			}
			ids += len(item.Get("dependencies").List())
		}
	}
	return items, ids
}
