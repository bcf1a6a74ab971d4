package generate

import (
	"replanbench/generators/deform"
)

// Formerly has the former names of traits that are now derived from the declarations.
func Formerly() map[string][]string {
	return map[string][]string{
		"null-optional":    {"null-optional-add", "null-remove-list", "null-update-list", "null-add-list", "type-null"},
		"update-nulls":     {"null-optional-update"},
		"scalar-for-list":  {"text-for-remove-list"},
		"wrong-type":       {"list-of-wrong-type", "number-for-text", "title-wrong-type", "reason-wrong-type"},
		"missing-member":   {"missing-id", "missing-description", "full-missing-description"},
		"unknown-member":   {"extra-top", "extra-case", "extra-update", "extra-add", "full-extra-fields"},
		"unknown-word":     {"type-wrong"},
		"padded-id":        {"id-space-update", "id-space-remove", "id-space-new", "dependency-space"},
		"blank-id":         {"id-empty-add", "id-empty-update", "id-empty-remove", "dependency-blank", "full-blank-id"},
		"number-for-id":    {"id-number-add", "id-number-update", "id-number-remove"},
		"duplicate-member": {"duplicate-keys", "duplicate-keys-in-step"},
		"not-utf8":         {"invalid-utf8"}, "draft-then-final": {"several-objects"},
		"python-literals": {"python-literals-add"}, "cut-off": {"cut-between-steps"}, "too-deep": {"deep-nesting"},
		"too-large": {"huge-reply", "reply-too-large"}, "reply-at-limit": {"reply-at-size-limit"},
		"long-text": {"text-long"},
	}
}

// Subjects are themes that are about one thing: mostly how something is written around
// values, and texts that only look like it.
func Subjects() [][]string {
	return deform.Subjects(Traits(), [][]string{
		{"html entities", "HTML entities"},
		{"single quotes", "a comma before a bracket", "comment marks"},
		{"python literals", "None, True or False"},
		{"fence json", "a code fence"},
		{"think block", "a <think> block"},
		{"one id in two lists", "one unknown id in two lists", "one id in three lists"},
		{"null", "absent member", "absent members"},
		{"unknown members", "unknown members of a done step"},
		{"removed step that others need", "removed steps that others need", "removed step that an updated one needs"},
		{"cycle", "cycle of old steps", "long cycle", "long cycle of old steps", "cycle through a done step", "self-dependency"},
		{"repeated white space", "white space in a text"},
		{"two replies rejected", "every reply rejected", "first reply rejected", "first reply rejected half-way"},
	}...)
}
