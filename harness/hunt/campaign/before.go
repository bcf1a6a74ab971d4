package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/guard"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
)

// behind are how many requests ahead of a case and after it are tried, until these are
// enough: several are under way at once, so that one after it may have come first.
var behind = [...][2]int{{8, 0}, {64, 0}, {64, 64}}

// before says of a finding whether its case fails by itself, in a process that has had
// no other request. If it does not, the engine remembers: the fewest requests, cut by
// halves, behind which the case fails are part of the example, and the case stays as it
// was found.
func (r *runner) before(ctx context.Context, f *finding.Finding, g cause.Group) error {
	item := cause.ItemOf(r.maker(g)(g.Culprits, 0), cause.Salt(r.Seed, f.CaseIndex))
	m := &memory{runner: r, ctx: ctx, item: item, group: g}
	m.item.Codes = r.codes(g.Culprits, g.First)
	if m.open = r.Apart; m.open == nil {
		m.open = r.Fresh
	}
	never := m.open == nil || r.source == nil || r.ShrinkBudget < 0 || f.Reproduced == finding.Unexamined
	if never || g.Kind == again || strings.HasPrefix(g.Kind, string(harness.Hang)) || m.fails(nil) || m.err != nil {
		return m.err
	}
	var list []uint64
	for _, n := range behind {
		if list = r.around(f.CaseIndex, n[0], n[1]); m.fails(list) {
			break
		}
		list = nil
	}
	for len(list) > 1 {
		earlier, later := list[:len(list)/2], list[len(list)/2:]
		if m.fails(later) {
			list = later
		} else if list = earlier; !m.fails(earlier) {
			list = slices.Concat(earlier, later)
			break
		}
	}
	for range times { // behind many requests, a case of an engine that answers by chance fails now and then
		if len(list) > 1 && !m.fails(list) {
			list = nil
		}
	}
	if m.err != nil || ctx.Err() != nil {
		return m.err
	}
	f.Kind, f.Reproduced = finding.Flaky, fmt.Sprintf("0/%d", times)
	if m.last == nil { // it was longer ago
		return nil
	}
	r.describe(f, *m.last)
	f.Kind, f.Before = finding.Flaky, list
	f.Case = shown(m.item.Case, *m.last)
	f.Shrunk.From, f.Shrunk.To = finding.Measure(f.Case), finding.Measure(f.Case)
	r.explain(f, &hunt{ctx: ctx, runner: r, item: m.item, last: m.last, judgement: m.judgement})
	f.Class, f.Invariant, f.CheckKind = g.Class, g.Check, g.Kind
	return nil
}

// memory asks an engine for a case behind others.
type memory struct {
	*runner
	ctx       context.Context
	open      func() (harness.Engine, error)
	item      judge.Item
	group     cause.Group
	last      *judge.Break // that was seen
	judgement judge.Judgement
	err       error // no engine could be opened
}

// fails reports whether the case fails as the group does, or in any way if all that is
// known of it is that it does so only behind others.
func (m *memory) fails(before []uint64) bool {
	if m.err != nil || m.ctx.Err() != nil {
		return false
	}
	e, err := m.open()
	if err != nil {
		m.err = err
		return false
	}
	guarded := guard.Shared(e, m.Deadline)
	defer e.Close()
	defer guarded.Close()
	j := judge.New(guarded, m.hello, all.Rules(m.Dialect), m.Judging)
	for _, index := range before {
		// with the campaign's further requests for it
		if _, err := j.Judge(m.ctx, cause.ItemOf(m.sample(index), cause.Salt(m.Seed, index))); err != nil {
			return false
		}
	}
	ask := []string{m.group.Check}
	if m.group.Kind == history {
		ask = []string{judge.Reference, judge.Expected}
	}
	result, err := j.Only(m.ctx, m.item, ask...)
	if err != nil {
		return false
	}
	for i := range result.Breaks {
		if b := &result.Breaks[i]; m.group.Kind == history && !b.Advisory || b.Check == m.group.Check &&
			b.Kind == m.group.Kind {
			m.last, m.judgement = b, result
			return true
		}
	}
	return false
}

// around are the last requests of this run ahead of a case, and the first after it.
func (r *runner) around(index uint64, ahead, after int) (list []uint64) {
	own := func(i uint64) bool {
		return r.chunkOf(i-r.First)%uint64(max(r.Shard.N, 1)) == uint64(max(r.Shard.I, 1)-1) &&
			(r.Cases == 0 || i < r.First+r.Cases)
	}
	for i := index; i > r.First && len(list) < ahead; i-- {
		if own(i - 1) {
			list = append(list, i-1)
		}
	}
	slices.Reverse(list)
	for i := index + 1; i <= index+uint64(after); i++ {
		if own(i) {
			list = append(list, i)
		}
	}
	return list
}
