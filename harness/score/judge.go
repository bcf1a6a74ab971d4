package score

import (
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document"
	"replanbench/harness/plan"
)

// Counter counts the tokens of a text.
type Counter interface{ Count(text string) int }

// Score is the result of one request: its first reply and, if this failed, its recorded
// retries. It has a member for each fact that a metric needs.
type Score struct {
	ID    string   `json:"id"`
	Case  string   `json:"case"`
	Group []string `json:"group,omitempty"`
	// Unscored says why applying was not judged, or is "".
	Unscored string `json:"unscored,omitzero"`

	Tier    harness.Tier    `json:"tier"`             // of the first reply
	Verdict harness.Verdict `json:"verdict,omitzero"` // of the first reply
	Code    harness.Code    `json:"code,omitzero"`    // why the first reply was rejected
	Message string          `json:"message,omitzero"` // the same for readers
	Rung    harness.Rung    `json:"rung,omitzero"`    // the rung that succeeded; "": none
	Retries int             `json:"retries,omitzero"` // recorded ones
	Reread  bool            `json:"reread,omitzero"`  // a retry was readable and the first reply was not
	// Conflict reports that the first reply has the same id in two of its lists.
	Conflict bool `json:"conflict,omitzero"`
	Danger   bool `json:"danger,omitzero"` // a reply would change or lose finished work
	// Items are the shares of items that the first reply affects.
	Items map[string]dialect.Share `json:"items,omitempty"`
	// Similar reports that Items and Dangers match items by similar text, because they have no
	// ids.
	Similar bool `json:"matched_by_similarity,omitzero"`
	// Dangers are the dangers to finished work in the readable replies.
	Dangers []harness.Danger `json:"dangers,omitempty"`
	Lost    bool             `json:"lost,omitzero"`    // the profile allowed the loss of finished work
	CutOff  bool             `json:"cut_off,omitzero"` // the reply ended at its token limit
	Intent  string           `json:"intent,omitzero"`  // met or missed; "" if unknown or not applied
	// such as "title only": the first reply was applied and changed no step
	Changed string  `json:"changed,omitzero"`
	Prompt  int     `json:"prompt_tokens"`         // -1: unknown
	Reply   int     `json:"reply_tokens"`          // -1: unknown
	Ladder  int     `json:"ladder_tokens"`         // of all calls, including prompts and retries; -1: unknown
	Largest int     `json:"largest_call"`          // tokens of the largest call; -1: unknown
	Share   float64 `json:"budget_share,omitzero"` // share of the budget that the largest call needs
	Patch   int     `json:"patch_tokens,omitzero"` // of an applied patch
	Whole   int     `json:"plan_tokens,omitzero"`  // of the resulting plan

	lists  bool // the dialect has lists that can conflict
	budget int  // of the trimmed prompt; 0: not trimmed
	intent bool // the intent is recorded
	scored bool // applying was judged
}

// The values of Score.Intent.
const (
	Met    = "met"
	Missed = "missed"
)

// The values of Score.Unscored.
const (
	NoReply    = "no reply came"
	NoPlan     = "no plan"
	BadPlan    = "bad plan or limit"
	NoRules    = "dialect without rules"
	LostRetry  = "retry without its first attempt"
	notCounted = -1
)

// judge scores replies under one profile. It is for one goroutine.
type judge struct {
	profile harness.Profile
	meter   *meter
	plans   map[string]*cache[*plan.Plan] // by dialect
}

func newJudge(p harness.Profile, m *meter) *judge {
	return &judge{profile: p, meter: m, plans: map[string]*cache[*plan.Plan]{}}
}

// Judge scores one record with its recorded retries, in order, under a profile, by the
// rules of its dialect (see [dialect.Scored]). With a nil counter only the tokens that the
// endpoint reported count.
func Judge(r *corpora.Record, retries []harness.Reply, p harness.Profile, c Counter) Score {
	return newJudge(p, newMeter(&Options{Counter: c})).score(r, retries)
}

func (j *judge) score(r *corpora.Record, retries []harness.Reply) Score {
	s := Score{ID: r.ID, Case: r.CaseKey(), Retries: len(retries), CutOff: r.FinishReason == "length"}
	s.Prompt, s.Reply = j.meter.tokens(r)
	s.call(s.Prompt, s.Reply)
	if r.Trim != nil {
		s.budget = r.Trim.Budget
	}
	d := all.Find(r.Dialect)
	if d == nil || d.Score == nil {
		s.Unscored = NoRules
		return s
	}
	c, known := request(d, r, retries)
	x := d.Score(c, j.decode(d, c.Plan), j.profile)
	switch code := x.First.Code; {
	case code == harness.InvalidPlan || code == harness.BadLimit:
		s.Unscored, s.Message = BadPlan, x.First.Message
		return s
	case !known:
		s.Unscored, s.Tier = NoPlan, x.First.Tier
		return s
	}
	s.take(x)
	j.apply(&s, d, r, x)
	return s
}

// request returns the case of a record, with the retries after the first reply. known is
// false if the plan is missing and the dialect needs one. The case then has a substitute
// plan, and only the reading part of the outcome is valid.
func request(d *dialect.Dialect, r *corpora.Record, retries []harness.Reply) (c harness.Case, known bool) {
	c = harness.Case{
		Dialect: r.Dialect, Plan: r.Plan, Limits: r.Limits, Tools: r.Tools, Verify: r.Verify,
		Replies: append([]harness.Reply{r.Reply}, retries...),
	}
	needed := slices.ContainsFunc(d.Documents, func(doc document.Document) bool {
		return doc.Name == "plan" && doc.Required
	})
	if r.Plan == nil && needed {
		c.Plan, c.Replies = []byte(`{"title":"unknown","steps":[{"id":"unknown","description":"unknown"}]}`), c.Replies[:1]
		if d.Calls != nil {
			c.Plan = d.Calls.Start
		}
		return c, false
	}
	return c, true
}

// take stores the results of the replies.
func (s *Score) take(x dialect.Scored) {
	s.scored = true
	s.Tier, s.Verdict, s.Code, s.Message = x.First.Tier, x.First.Verdict, x.First.Code, x.First.Message
	s.Items, s.Similar = x.Items, x.Similar
	if s.lists = x.Conflict != nil; s.lists {
		s.Conflict = *x.Conflict
	}
	s.Rung, s.Reread, s.Dangers, s.Danger = x.Last.Rung, x.Reread, x.Dangers, len(x.Dangers) > 0
}

// apply compares the plans before and after.
func (j *judge) apply(s *Score, d *dialect.Dialect, r *corpora.Record, x dialect.Scored) {
	first := x.First.Plan
	before := j.decode(d, r.Plan)
	j.intent(s, d, r.Intent, before, x)
	if before == nil {
		return
	}
	s.Lost = x.Lost || x.Last.Plan != nil && !before.Listed && lost(before, x.Last.Plan)
	s.Danger = s.Danger || s.Lost
	if first == nil {
		return
	}
	s.Changed = aside(before, x.First)
	if counter := j.meter.options.Counter; counter != nil && x.First.Rung != harness.RungFullPlan {
		if whole, err := json.Marshal(first); err == nil {
			s.Patch, s.Whole = counter.Count(string(r.Reply)), counter.Count(string(whole))
		}
	}
}

// intent sets whether the edit fulfils the intent. The edit is the first reply or, in a
// run, the first reply that edits the plan.
func (j *judge) intent(s *Score, d *dialect.Dialect, wanted *corpora.Intent, before *plan.Plan, x dialect.Scored) {
	edit := x.Edit
	if edit == nil && !d.Scripted {
		edit = &dialect.Edit{Before: before, Outcome: x.First, Named: x.Named}
	}
	if wanted == nil || edit == nil {
		return
	}
	now := edit.Outcome.Plan
	if s.intent = now != nil || edit.Outcome.Verdict != harness.Applied; now == nil || edit.Before == nil {
		return
	}
	s.Intent = Missed
	if j.meets(d, wanted, edit) {
		s.Intent = Met
	}
}

// aside says what a reply changed that changed no step; "" for any other reply.
func aside(before *plan.Plan, o harness.Outcome) string {
	if m := o.Meta; m != nil && m.Added+m.Updated+m.Removed > 0 {
		return ""
	}
	if before.Listed {
		return "" // only the order differs
	}
	return plan.Diff(before, o.Plan).Aside()
}

// meets reports whether the new plan fulfils the intent: it equals the expected plan, or
// the edit removes or changes the failed step by name. A full plan names all steps, and
// steps that a limit cuts off do not count as removed.
func (j *judge) meets(d *dialect.Dialect, intent *corpora.Intent, edit *dialect.Edit) bool {
	if intent.Plan != nil {
		want := j.decode(d, intent.Plan)
		return want != nil && want.Equal(edit.Outcome.Plan)
	}
	old, now := edit.Before.Step(intent.FailedStep), edit.Outcome.Plan.Step(intent.FailedStep)
	switch {
	case old == nil:
		return false
	case now == nil:
		return edit.Outcome.Meta == nil || !slices.Contains(edit.Outcome.Meta.Dropped, old.ID)
	}
	return !now.Equal(*old) && slices.Contains(edit.Named, old.ID)
}

// lost reports whether a finished step is missing or changed.
func lost(before, after *plan.Plan) bool {
	return slices.ContainsFunc(before.Steps, func(s plan.Step) bool {
		if s.Status != before.Finished() {
			return false
		}
		now := after.Step(s.ID)
		return now == nil || !now.Equal(s)
	})
}

// call adds the tokens of one call of the request.
func (s *Score) call(prompt, reply int) {
	if prompt < 0 || reply < 0 || s.Ladder < 0 {
		s.Ladder, s.Largest = notCounted, notCounted
		return
	}
	s.Ladder += prompt + reply
	s.Largest = max(s.Largest, prompt+reply)
}

// decode reads a plan in the form of its dialect. It returns nil for a missing or invalid
// plan.
func (j *judge) decode(d *dialect.Dialect, raw []byte) *plan.Plan {
	if raw == nil {
		return nil
	}
	if j.plans[d.Name] == nil {
		j.plans[d.Name] = &cache[*plan.Plan]{}
	}
	return j.plans[d.Name].get(raw, func() *plan.Plan {
		p, err := d.Judging.Plan(harness.Case{Dialect: d.Name, Plan: raw})
		if err != nil {
			return nil
		}
		return p
	})
}

// confusion counts the cases that two results share, by outcome before and after.
type confusion struct {
	Key []string `json:"key"`
	// Outcomes name rows (before) and columns (after); Cells counts cases.
	Outcomes []string `json:"outcomes"`
	Cells    [][]int  `json:"cells"`
}

// outcomes lists the outcomes of a case: the most frequent outcome of its requests, or
// mixed in a tie.
func outcomes() []string {
	return []string{"at first", "retry", "fullplan", "given up", "failed", "mixed"}
}

// confuse counts the outcomes of the cases of two groups. It returns nil if an old report
// lacks them.
func confuse(base, now *Result, b, n *Group) *confusion {
	c := &confusion{Key: b.Key, Outcomes: outcomes()}
	for range c.Outcomes {
		c.Cells = append(c.Cells, make([]int, len(c.Outcomes)))
	}
	after := map[string]CaseCounts{}
	for _, x := range n.ByCase {
		after[x.Case] = x
	}
	pairs := 0
	for _, x := range b.ByCase {
		y, both := after[x.Case]
		from, to := base.ended(x), now.ended(y)
		if both && from >= 0 && to >= 0 {
			c.Cells[from][to]++
			pairs++
		}
	}
	if pairs == 0 {
		return nil
	}
	return c
}

// ended returns the index in Outcomes of the outcome of a case, or -1 if none of its
// requests was judged.
func (r *Result) ended(c CaseCounts) int {
	count := func(metric string) (yes, asked int) {
		if i := slices.Index(r.Metrics, metric); i >= 0 {
			x := c.count(i)
			return x.Yes, x.Asked
		}
		return 0, 0
	}
	fell, asked := count(fallbackRate)
	if asked == 0 {
		return -1
	}
	if 2*(asked-fell) > asked {
		return 0
	}
	for i, metric := range []string{"retry_rate", "fullplan_rate", "react_rate", "failed_rate"} {
		if yes, _ := count(metric); 2*yes > asked {
			return i + 1
		}
	}
	return len(outcomes()) - 1
}
