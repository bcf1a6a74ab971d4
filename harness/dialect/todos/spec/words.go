package spec

import (
	_ "embed"
	"slices"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
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

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// IsStatus reports whether a list may hold the status.
func IsStatus(s plan.Status) bool { return slices.Contains(Statuses(), string(s)) }
