package check

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// relatedRules compare a rewrite with others derived from it.
func relatedRules() []judge.Check {
	only := func(x *judge.Examination) *check.Request {
		if r := rewritable(x); r != nil {
			return r.Request
		}
		return nil
	}
	made := func(x *judge.Examination) bool { return viewOf(x).IDs == spec.ByEngine }
	return append(check.Rewritings(spec.Layout(), only, made),
		judge.Relates("white-space", "white space in contents changes nothing", whiteSpace),
		judge.Relates("wire-format", "the same list in another wire format has the same result", wireFormat),
		judge.Relates("in-two", "half of the changes first, and then all of them, have the same result", inTwo),
	)
}

// repeated: a rewrite says what the list is, so saying it again changes nothing.
func repeated(x *judge.Examination) judge.Result {
	if !applied(x) || len(x.Item.Case.Replies) != 1 || knob.Sorts(&x.Profile) || viewOf(x).IDs == spec.ByEngine ||
		!distinct(spec.Items(x.Before), spec.Items(x.After)) {
		return judge.Skip()
	}
	c := x.Item.Case
	doc, err := json.Marshal(x.After)
	if err != nil {
		return judge.Skip()
	}
	c.Plan = doc
	if _, err = spec.Before(c); err != nil {
		return judge.Skip()
	}
	out, ok := x.Again(c)
	switch {
	case !ok:
		return judge.Skip()
	case out.Verdict == harness.Rejected && out.Code != harness.EmptyPatch && out.Code != harness.Refused:
		return x.Parted(c, out, judge.Broke("", "", "verdict", "the same rewrite of the new list is rejected as "+
			string(out.Code)))
	case out.Plan != nil && !out.Plan.Equal(x.After):
		return x.Parted(c, out, judge.Broke("", "", "items", "the same rewrite of the new list changes it again"))
	}
	return judge.Held()
}

// rewritable is the request of the only reply where it can be written anew.
func rewritable(x *judge.Examination) *request {
	r := only(x)
	if r == nil || r.Request == nil || !check.Single(x) {
		return nil
	}
	return r
}

// aligned returns the outcome with ids that the engine has generated renamed as in the expected list.
func aligned(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	out := x.Out
	if want.Plan == nil || out.Plan == nil || len(want.Plan.Steps) != len(out.Plan.Steps) {
		return &x.Out
	}
	for i := range out.Plan.Steps {
		from, to := out.Plan.Steps[i].ID, want.Plan.Steps[i].ID
		if from == to || !isGenerated(x, from) || !isGenerated(x, to) {
			continue
		}
		if out.Plan == x.Out.Plan {
			out.Plan = out.Plan.Clone()
		}
		out.Plan.Steps[i].ID = to
	}
	return &out
}

// isGenerated reports whether an id is neither in the old list nor in a reply.
func isGenerated(x *judge.Examination, id string) bool {
	return id != "" && !strings.Contains(string(x.Item.Case.Plan), strictjson.Quote(id)) &&
		!slices.ContainsFunc(x.Item.Case.Replies, func(r harness.Reply) bool {
			return strings.Contains(string(r), strictjson.Quote(id))
		})
}

// whiteSpace: contents are compared by their words. New contents are kept as the
// reply spells them, so only those that the old list has are spelled otherwise.
func whiteSpace(x *judge.Examination) judge.Result {
	r := rewritable(x)
	s := spec.SettingsOf(x.Profile)
	if r == nil || s.Identity == spec.ID || s.MaxText != knob.None || s.Texts != knob.Trim ||
		!distinct(spec.Items(x.Before), r.items) {
		return judge.Skip()
	}
	known := collect.Set(contents(spec.Items(x.Before)))
	touched := false
	text := r.Rewrite(func(n *strictjson.Node) {
		n.Walk(func(n *strictjson.Node, at []string) {
			if n.Kind != strictjson.String || len(at) != 2 || at[0] != s.List() || at[1] != s.Text() ||
				!known[spec.Normal(n.Text())] {
				return
			}
			touched = true
			n.Raw = strictjson.Quote("\u00a0" + strings.ReplaceAll(n.Text(), " ", " \t") + "\n")
		})
	})
	if !touched {
		return judge.Skip()
	}
	return x.Related(check.WithReply(x, text), x.Out.Plan, "contents have other white space")
}

// wireFormat: a list without ids, priorities and active forms can be said in three
// formats. An engine that takes any profile takes any format.
func wireFormat(x *judge.Examination) judge.Result {
	s := spec.SettingsOf(x.Profile)
	r := rewritable(x)
	if r == nil || !applied(x) || !x.Declared().Has(harness.FeatureProfiles) || s.Format != spec.Todos ||
		s.IDs != spec.Optional || s.TextName != spec.Content || s.MaxText != knob.None ||
		s.Texts != knob.Trim {
		return judge.Skip()
	}
	type step struct {
		Step   string      `json:"step"`
		Status plan.Status `json:"status"`
	}
	var list struct {
		Plan []step `json:"plan"`
	}
	for _, item := range r.items {
		if item != (spec.Item{Content: item.Content, Status: item.Status}) || item.Status == plan.Cancelled {
			return judge.Skip()
		}
		list.Plan = append(list.Plan, step{item.Content, item.Status})
	}
	doc, err := json.Marshal(list)
	if err != nil || len(r.items) == 0 {
		return judge.Skip()
	}
	c, p := check.WithReply(x, string(doc)), x.Profile
	if err := p.Set("format", spec.PlanForm, spec.Knobs()...); err != nil {
		return judge.Skip()
	}
	c.Profile = &p
	return x.Related(c, x.Out.Plan, "the same list is written in the format plan")
}

// inTwo: a rewrite says what the list is, so it does not matter what of it was said
// before. It is asked of rewrites that name every item of the list: first come half
// of the items that move on, and then the rewrite itself.
func inTwo(x *judge.Examination) judge.Result {
	r := rewritable(x)
	s := spec.SettingsOf(x.Profile)
	if r == nil || r.merge || !applied(x) || s.Identity == spec.ID || s.Texts != knob.Trim ||
		s.IDs == spec.ByEngine || !x.Declared().Has(harness.FeatureLadder) || !distinct(spec.Items(x.Before), r.items) {
		return judge.Skip()
	}
	doc, ok := halfway(spec.Items(x.Before), r.items, s)
	if !ok {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Replies = []harness.Reply{harness.Reply(doc), c.Replies[0]}
	return x.Related(c, x.Out.Plan, "half of the changes come first")
}

// halfway is a rewrite with the old items in their order; the first half
// of those that get another status have it; false if the rewrite leaves an item out,
// or fewer than two get another status.
func halfway(old, rewrite []spec.Item, s spec.Settings) (doc string, ok bool) {
	said := map[string]plan.Status{}
	for i := range rewrite {
		said[spec.Normal(rewrite[i].Content)] = rewrite[i].Status
	}
	var moved []int
	for i := range old {
		switch status, ok := said[spec.Normal(old[i].Content)]; {
		case !ok:
			return "", false
		case status != old[i].Status:
			moved = append(moved, i)
		}
	}
	if len(moved) < 2 {
		return "", false
	}
	last := moved[len(moved)/2-1]
	list := make([]spec.Item, len(old))
	for i, item := range old {
		list[i] = spec.Item{ID: item.ID, Content: item.Content, Status: item.Status}
		if i <= last {
			list[i].Status = said[spec.Normal(item.Content)]
		}
	}
	return spec.Written(list, s), true
}
