package harness

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/plan"
)

// Outcome is an engine's answer to a case. Verdict, Code and Plan are required
// of every engine. The other fields are optional: nil means "not given", and
// they are compared only where both sides give them. Message is never compared.
// It has a field for each member of the wire format.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	// Code is required if the verdict is rejected. No other verdict has it.
	Code Code `json:"code,omitzero"`
	// At is a JSON Pointer into the reply's document, to the member or item
	// to blame; "" is the document itself.
	At      *string `json:"at,omitzero"`
	Message string  `json:"message,omitzero"`

	// Plan is the plan after the edit. A rejection has none, except that a failed run
	// of the dialect orchestrator may give the plan that it left.
	Plan *plan.Plan `json:"plan,omitzero"`
	Rung Rung       `json:"rung,omitzero"`
	// GaveUp: planning was given up; the work goes on without a plan.
	GaveUp   bool      `json:"gave_up,omitzero"`
	Tier     Tier      `json:"tier,omitzero"`
	Repairs  []Repair  `json:"repairs,omitzero"`
	Warnings []Warning `json:"warnings,omitzero"`
	Meta     *Meta     `json:"meta,omitzero"`
	Events   []Event   `json:"events,omitzero"`

	// Results, Operations and UpdateType belong to the dialect operations.
	Results    jsontext.Value    `json:"results,omitzero"`
	Operations []OperationResult `json:"operations,omitzero"`
	UpdateType string            `json:"update_type,omitzero"`

	// Trace is what happened, of the dialects orchestrator and planmode; Mode,
	// Phase, Path and Content are where a plan mode session ended.
	Trace   []TraceItem `json:"trace,omitzero"`
	Mode    string      `json:"mode,omitzero"`
	Phase   string      `json:"phase,omitzero"`
	Path    string      `json:"path,omitzero"`
	Content string      `json:"content,omitzero"`

	// Messages belongs to orchestrator (those sent to the model) and trim (those
	// kept); Tokens, Dropped and Cut belong to the dialect trim.
	Messages jsontext.Value `json:"messages,omitzero"`
	Tokens   *TokenChange   `json:"tokens,omitzero"`
	Dropped  []int          `json:"dropped,omitzero"` // original indices
	Cut      []Cut          `json:"cut,omitzero"`

	// More holds further members, by name, of dialects for which there is no
	// field here.
	More map[string]jsontext.Value `json:",embed"`
}

// Tier is how far reading had to go to get a document out of a reply.
type Tier string

// The tiers, in the order they are tried.
const (
	TierStrict    Tier = "strict"    // the whole reply, trimmed, is the object
	TierExtracted Tier = "extracted" // it stood in a fence, in prose, behind a BOM or a think block
	TierRepaired  Tier = "repaired"  // its syntax was repaired
	TierCoerced   Tier = "coerced"   // its shape was coerced
	TierNone      Tier = "none"      // no tier gave a document
)

// Tiers lists the tiers with their meaning.
func Tiers() []Term {
	return []Term{
		{string(TierStrict), "the whole reply, trimmed, is one JSON object"},
		{string(TierExtracted), "the object was in a fence or in prose, or after a BOM or a <think> block"},
		{string(TierRepaired), "the syntax was repaired"},
		{string(TierCoerced), "the shape was coerced"},
		{string(TierNone), "no tier produced a document"},
	}
}

// Repair records one act of repairing, coercing or settling a conflict.
type Repair struct {
	Rule string   `json:"rule"`
	IDs  []string `json:"ids,omitzero"`
}

// Warning names something that was done or left out without failing.
type Warning struct {
	Code string   `json:"code"`
	IDs  []string `json:"ids,omitzero"`
}

// Meta counts what an accepted reply did to the plan.
type Meta struct {
	Added        int      `json:"added"`
	Updated      int      `json:"updated"` // steps of both plans with a member that differs
	Removed      int      `json:"removed"`
	Reworded     int      `json:"reworded,omitzero"` // items of a list whose content is another
	TruncatedAdd bool     `json:"truncated_add"`
	Dropped      []string `json:"dropped"` // ids that did not fit
}

// Event is one entry of the ladder's log.
type Event struct {
	Event   string `json:"event"`
	Meta    *Meta  `json:"meta,omitzero"`
	Reason  string `json:"reason,omitzero"`
	Code    Code   `json:"code,omitzero"`
	Message string `json:"message,omitzero"` // for people, never compared
}

// The events of the ladder.
const (
	EventReplanRequested  = "replan_requested"
	EventPatchApplied     = "plan_patch_applied"
	EventPatchRejected    = "patch_rejected"
	EventRetryRequested   = "retry_requested"
	EventFullPlanUsed     = "full_plan_used"
	EventFullPlanRejected = "full_plan_rejected"
	EventReactUsed        = "react_used"
	EventReplanFailed     = "replan_failed"
)

// The warnings.
const (
	WarnUnknownField        = "unknown_field"        // ids: the member names dropped
	WarnStatusForced        = "status_forced"        // ids: the steps whose status became pending
	WarnConfusableID        = "confusable_id"        // ids: ids alike after NFKC and case folding
	WarnAmbiguousReply      = "ambiguous_reply"      // a later object decodes to something else
	WarnUnknownRemove       = "unknown_remove"       // ids: not in the plan, so not removed
	WarnDuplicateRemove     = "duplicate_remove"     // ids: listed twice for removal
	WarnDuplicateDependency = "duplicate_dependency" // ids: the steps that listed one twice
	WarnTruncated           = "truncated"            // ids: the steps that did not fit
	WarnDetached            = "detached"             // ids: the steps that lost a dependency
	WarnBridged             = "bridged"              // ids: the steps whose dependency was bridged
	WarnDoneRestored        = "done_restored"        // ids: the done steps put back
	WarnDuplicateKey        = "duplicate_key"        // ids: the member names given twice
	WarnRepliesUnused       = "replies_unused"
	WarnPositionIgnored     = "position_ignored"
)

// OperationResult is what became of one operation. Result is applied, unchanged,
// undone, not_run or a code. Reason is what the operation itself says of why.
type OperationResult struct {
	Type     string   `json:"type"`
	StepID   string   `json:"step_id,omitzero"`
	Result   string   `json:"result"`
	Reason   string   `json:"reason,omitzero"`
	Warnings []string `json:"warnings,omitzero"`
}

// TraceItem is one event of a run, with the state of the machine and the step it
// was about, or one call of a session, with its code.
type TraceItem struct {
	State string         `json:"state,omitzero"`
	Step  string         `json:"step,omitzero"`
	Event string         `json:"event,omitzero"`
	Code  Code           `json:"code,omitzero"`
	Data  jsontext.Value `json:"data,omitzero"` // the event's members, if it has any
}

// TokenChange is a token count before and after trimming.
type TokenChange struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Cut says that the message at an original index was shortened; Before and
// After are its tokens.
type Cut struct {
	Index  int `json:"index"`
	Before int `json:"before"`
	After  int `json:"after"`
}

// Ask gets one more reply for a rung of the ladder. Why is what refused the last
// reply, nil if there was none. It reports false where no reply can be had; the
// ladder then goes on without.
type Ask func(rung Rung, why *Refusal) (Reply, bool)

// Warned returns the ids of the warning with a code; nil without it.
func (o *Outcome) Warned(code string) []string {
	for _, w := range o.Warnings {
		if w.Code == code {
			return append([]string{}, w.IDs...)
		}
	}
	return nil
}
