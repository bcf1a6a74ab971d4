package score

import (
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/reference"
)

// Counter counts the tokens of a text.
type Counter interface{ Count(text string) int }

// Score is what came of one request: its first reply and, where that failed,
// its recorded retries.
type Score struct {
	ID    string   `json:"id"`
	Case  string   `json:"case"`
	Group []string `json:"group,omitempty"`
	// Unscored says why applying could not be judged, or is "".
	Unscored string `json:"unscored,omitzero"`

	Tier    harness.Tier    `json:"tier"`                  // of the first reply
	Verdict harness.Verdict `json:"verdict,omitzero"`      // of the first reply
	Code    harness.Code    `json:"code,omitzero"`         // why the first reply was refused
	Message string          `json:"message,omitzero"`      // likewise, for people
	Rung    harness.Rung    `json:"rung,omitzero"`         // where the ladder ended well; "" where it did not
	Retries int             `json:"retries,omitzero"`      // recorded ones
	Reread  bool            `json:"reread,omitzero"`       // a retry could be read and the first reply could not
	Danger  bool            `json:"danger,omitzero"`       // the reply would have changed or lost finished work
	Lost    bool            `json:"lost,omitzero"`         // the profile let finished work be lost
	CutOff  bool            `json:"cut_off,omitzero"`      // the reply ended at its token limit
	Intent  string          `json:"intent,omitzero"`       // met or missed; "" where unknown or not applied
	Prompt  int             `json:"prompt_tokens"`         // -1 where unknown
	Reply   int             `json:"reply_tokens"`          // -1 where unknown
	Ladder  int             `json:"ladder_tokens"`         // of all calls, prompts and retries included; -1 where unknown
	Largest int             `json:"largest_call"`          // tokens of the largest of them; -1 where unknown
	Share   float64         `json:"budget_share,omitzero"` // what that takes of the budget; 1 is all
	Patch   int             `json:"patch_tokens,omitzero"` // of an applied patch
	Whole   int             `json:"plan_tokens,omitzero"`  // of the plan that came out, in its place

	intent bool // the intent is recorded
	scored bool // applying was judged
}

// The values of Score.Intent.
const (
	Met    = "met"
	Missed = "missed"
)

// Why applying could not be judged.
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
	profile harness.Profile // with the whole ladder
	single  harness.Profile // with the rungs that one reply can climb
	patch   harness.Profile // with those that read a patch: enough for most
	meter   *meter
	plans   cache[*plan.Plan]
}

func newJudge(p harness.Profile, m *meter) *judge {
	single := p
	single.Ladder = slices.DeleteFunc(slices.Clone(p.Ladder), func(r harness.Rung) bool {
		return r == harness.RungRetry || r == harness.RungReact
	})
	patch := single
	patch.Ladder = slices.DeleteFunc(slices.Clone(single.Ladder), func(r harness.Rung) bool { return r == harness.RungFullPlan })
	return &judge{profile: p, single: single, patch: patch, meter: m}
}

// one judges a case with one reply. The rung for full plans is tried only where
// the reply is another document than a patch, since it would read any other
// reply a second time for nothing.
func (j *judge) one(c harness.Case) (harness.Outcome, error) {
	if len(j.patch.Ladder) > 0 {
		o, err := reference.Judge(c, j.patch)
		if err != nil || o.Code != harness.WrongDocument {
			return o, err
		}
	}
	return reference.Judge(c, j.single)
}

// Judge scores one record with its recorded retries, in their order, under a
// profile. The counter may be nil; then tokens are those that the endpoint
// reported.
func Judge(r *corpora.Record, retries []harness.Reply, p harness.Profile, c Counter) Score {
	return newJudge(p, newMeter(&Options{Counter: c})).score(r, retries)
}

func (j *judge) score(r *corpora.Record, retries []harness.Reply) Score {
	s := Score{ID: r.ID, Case: r.CaseKey(), Retries: len(retries), CutOff: r.FinishReason == "length"}
	s.Prompt, s.Reply = j.meter.tokens(r)
	s.call(s.Prompt, s.Reply)
	c := harness.Case{Dialect: r.Dialect, Plan: r.Plan, Limits: r.Limits, Replies: []harness.Reply{r.Reply}}
	if r.Plan == nil {
		s.Unscored = NoPlan
		c.Plan = []byte(placeholder)
	}
	first, err := j.one(c)
	if err != nil {
		s.Unscored = NoRules
		return s
	}
	if first.Code == harness.InvalidPlan || first.Code == harness.BadLimit {
		s.Unscored, s.Message = BadPlan, first.Message
		return s
	}
	s.Tier = first.Tier
	if s.Unscored != "" {
		return s
	}
	s.take(first)
	j.apply(&s, r, first)
	if first.Verdict != harness.Applied {
		j.climb(&s, c, retries)
	}
	return s
}

// placeholder stands in for an unknown plan. Reading does not depend on it;
// nothing else of the outcome is used.
const placeholder = `{"title":"unknown","steps":[{"id":"unknown","description":"unknown"}]}`

// take notes what came of the first reply.
func (s *Score) take(o harness.Outcome) {
	s.scored = true
	s.Verdict, s.Code, s.Message, s.Rung = o.Verdict, o.Code, o.Message, o.Rung
	s.Danger = o.Code == harness.DoneImmutable || slices.ContainsFunc(o.Warnings, func(w harness.Warning) bool {
		return w.Code == harness.WarnDoneRestored
	})
}

// apply looks at the plan that came out.
func (j *judge) apply(s *Score, r *corpora.Record, o harness.Outcome) {
	s.intent = r.Intent != nil
	if o.Plan == nil {
		return
	}
	if o.Rung == harness.RungFullPlan {
		s.Lost = lost(j.decode(r.Plan), o.Plan)
		s.Danger = s.Danger || s.Lost
	}
	if r.Intent != nil {
		s.Intent = Missed
		if j.meets(r, o.Plan) {
			s.Intent = Met
		}
	}
	if counter := j.meter.options.Counter; counter != nil && o.Rung != harness.RungFullPlan {
		if whole, err := json.Marshal(o.Plan); err == nil {
			s.Patch, s.Whole = counter.Count(string(r.Reply)), counter.Count(string(whole))
		}
	}
}

// climb takes the whole ladder with the recorded retries.
func (j *judge) climb(s *Score, c harness.Case, retries []harness.Reply) {
	if len(retries) == 0 && !slices.Contains(j.profile.Ladder, harness.RungReact) {
		return // the ladder ends as the first reply did
	}
	c.Replies = append(c.Replies, retries...)
	o, err := reference.Judge(c, j.profile)
	if err != nil {
		return
	}
	s.Rung = o.Rung
	if s.Tier != harness.TierNone {
		return
	}
	for _, reply := range retries {
		c.Replies = []harness.Reply{reply}
		if o, err := j.one(c); err == nil && o.Tier != harness.TierNone {
			s.Reread = true
		}
	}
}

// meets reports whether the new plan does what the edit was asked for: the
// very plan that is wanted, or the failed step removed or changed.
func (j *judge) meets(r *corpora.Record, after *plan.Plan) bool {
	if r.Intent.Plan != nil {
		want := j.decode(r.Intent.Plan)
		return want != nil && want.Equal(after)
	}
	before := j.decode(r.Plan)
	if before == nil {
		return false
	}
	old, now := before.Step(r.Intent.FailedStep), after.Step(r.Intent.FailedStep)
	return old != nil && (now == nil || !now.Equal(*old))
}

// lost reports whether a finished step is missing or not as it was.
func lost(before, after *plan.Plan) bool {
	if before == nil {
		return false
	}
	return slices.ContainsFunc(before.Steps, func(s plan.Step) bool {
		if s.Status != plan.Done {
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

// decode returns a plan, or nil if it is unsound.
func (j *judge) decode(raw []byte) *plan.Plan {
	return j.plans.get(raw, func() *plan.Plan {
		p, err := plan.Decode(raw)
		if err != nil {
			return nil
		}
		return p
	})
}
