package spec

import (
	"replanbench/harness"
	"replanbench/harness/plan"
)

// The codes that only this dialect has.
const (
	ItemLost          harness.Code = "item_lost"
	TooManyInProgress harness.Code = "too_many_in_progress"
	DuplicateContent  harness.Code = "duplicate_content"
)

// Respelled is the capability of comparing contents in their normal form.
const Respelled = "respelled contents"

// NeedsNested is the capability of reading indented items, which only Markdown has.
const NeedsNested = "nested items"

// NeedsStatus is the capability of rejecting an item without a status.
const NeedsStatus = "statuses"

// The warnings that only this dialect has.
const (
	WarnIgnoredLine      = "ignored_line"      // ids: the numbers of lines, from 1
	WarnReplyRefused     = "reply_refused"     // ids: the numbers of replies, from 1
	WarnDuplicateDropped = "duplicate_dropped" // ids: the items of the reply that went
	WarnReworded         = "reworded"          // ids: the items whose content is another
	WarnReopened         = "reopened"          // ids: the done items that got another status
	WarnKeptDone         = "kept_done"         // ids: the done items that stayed so
	WarnDemoted          = "demoted"           // ids: the items in progress that became pending
	WarnRestored         = "restored"          // ids: the items left out that were put back
	WarnDropped          = "dropped"           // ids: the items left out that went
	WarnCleared          = "cleared"           // ids: the items of the list that was emptied
	WarnIDTaken          = "id_taken"          // ids: the items that lost theirs
)

// Was is the member of outcomes that says where items were in the case's list.
const Was = "was"

// The repairs that only this dialect has.
const (
	RepairTextName   = "text_name"
	RepairStatusWord = "status_word"
)

// Vocabulary lists the words of outcomes.
func Vocabulary() harness.Vocabulary {
	codes := harness.Only(harness.Codes(), harness.NoDocument, harness.InvalidUTF8, harness.ReplyTooLarge, harness.TooDeep,
		harness.DuplicateKey, harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID, harness.BadLimit,
		harness.InvalidPlan, harness.DuplicateID, harness.UnknownStep, harness.DoneImmutable, harness.OverCapacity,
		harness.EmptyPatch, harness.EmptyPlan, harness.RepliesExhausted)
	return harness.Vocabulary{
		Codes: append(codes,
			harness.Term{Name: string(ItemLost), Text: "the rewrite leaves out an item of the list"},
			harness.Term{Name: string(TooManyInProgress), Text: "several items would be in progress"},
			harness.Term{Name: string(DuplicateContent), Text: "two items of the rewrite have the same content"},
		),
		Tiers: harness.Tiers(),
		Repairs: append(harness.ReadingRepairs(),
			harness.Term{Name: "bare_array", Text: "a bare array became the list"},
			harness.Term{Name: "number_id", Text: "an id that is a number became its digits"},
			harness.Term{Name: RepairTextName, Text: "the content was in a member with another name"},
			harness.Term{Name: RepairStatusWord, Text: "another word for a status was accepted"},
		),
		Warnings: append(harness.Only(harness.Warnings(), harness.WarnUnknownField, harness.WarnDuplicateKey,
			harness.WarnAmbiguousReply, harness.WarnTruncated), warnings()...),
		Knobs: harness.ReadingKnobs(),
		Capabilities: []harness.Term{
			{Name: "ids", Text: "items have ids"},
			{Name: "priority", Text: "items have a priority"},
			{Name: "active form", Text: "items have an active form"},
			{Name: "active_form", Text: "a reply may spell activeForm active_form"},
			{Name: "cancelled", Text: "the status cancelled"},
			{Name: NeedsNested, Text: "items of a Markdown list may be indented, as nested ones are"},
			{Name: NeedsStatus, Text: "an item without a status is rejected"},
			{Name: "null members", Text: "a member that is null counts as absent"},
			{Name: Respelled, Text: "white space and Unicode form do not count where contents are compared"},
			{Name: "max_plan_steps", Text: "enforces the limit of items"},
			{Name: "max_reply_bytes", Text: "enforces the limit of a reply's size"},
			{Name: "max_depth", Text: "the limit of the nesting depth of a reply"},
			{Name: "plan", Text: "rejects a case whose list is invalid"},
		},
		Own: Knobs(),
	}
}

func warnings() []harness.Term {
	return []harness.Term{
		{Name: WarnIgnoredLine, Text: "lines that are not items were ignored"},
		{Name: WarnReplyRefused, Text: "one of several replies was rejected and changed nothing"},
		{Name: WarnDuplicateDropped, Text: "duplicate items of the reply were dropped"},
		{Name: WarnReworded, Text: "the content of an item changed"},
		{Name: WarnReopened, Text: "a done item got another status"},
		{Name: WarnKeptDone, Text: "a done item stays done, although the reply reopens it"},
		{Name: WarnDemoted, Text: "an item in progress became pending, because another one is in progress"},
		{Name: WarnRestored, Text: "items that the reply left out were restored"},
		{Name: WarnDropped, Text: "items that the reply left out were dropped"},
		{Name: WarnCleared, Text: "the list was cleared"},
		{Name: WarnIDTaken, Text: "an item lost its id, because the reply gave the id to another item"},
	}
}

// IsStatus reports whether a list may hold the status.
func IsStatus(s plan.Status) bool {
	switch s {
	case plan.Pending, plan.InProgress, plan.Completed, plan.Cancelled:
		return true
	}
	return false
}
