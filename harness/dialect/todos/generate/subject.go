package generate

import "replanbench/generators/deform"

// Formerly has the former names of traits that are now derived from the declaration.
func Formerly() map[string][]string {
	return map[string][]string{
		"prose-both": {"in-prose"}, "fence-json": {"in-a-fence"}, "bom": {"byte-order-mark"}, "think-draft": {"thoughts"},
		"document-twice": {"same-twice"}, "comment-line": {"commented"}, "json-in-string": {"as-json-string"},
		"tool-call-wrapper": {"in-a-wrapper"}, "tool-call-string": {"in-a-text-wrapper"}, "array-wrapper": {"in-an-array"},
		"draft-then-final": {"another-behind"}, "refusal": {"prose-alone"}, "other-json-value": {"null-reply"},
		"bare-list": {"bare-array"}, "bare-list-fenced": {"bare-array-in-a-fence"}, "list-in-string": {"list-as-text"},
		"object-for-list": {"list-of-one"}, "python-literals": {"python-literal"},
		"duplicate-member": {"member-twice", "member-twice-last"}, "missing-member": {
			"empty-object", "status-missing", "content-missing",
		},
		"unknown-word": {"status-unknown"}, "word-case": {"status-case"}, "word-padded": {"status-padded"},
		"null-required": {"status-null", "content-null", "list-null"}, "blank-id": {"content-blank", "id-blank"},
		"wrong-type": {
			"status-number", "content-number", "id-list", "priority-number", "form-list", "list-number",
			"explanation-number", "merge-text",
		},
		"item-not-object": {"item-text"}, "null-in-list": {"item-null"}, "unknown-member": {"extra-member", "extra-top"},
		"null-optional": {"optional-null", "merge-null"}, "padded-id": {"id-padded"}, "number-for-id": {"id-number"},
	}
}

// Subjects are themes that are about one thing.
func Subjects() [][]string {
	return deform.Subjects(Traits(), [][]string{
		{
			"boxes", "boxes bare", "boxes behind thoughts", "boxes beside a fence", "boxes blank lines", "boxes capital",
			"boxes crlf", "boxes headings", "boxes in a call",
			"boxes in a fence", "boxes nested", "boxes none", "boxes numbered", "boxes quoted", "boxes starred", "boxes tabs",
			"box empty", "box tick", "box unknown",
		},
		{"merge", "merge after another reply", "merge in todos"},
		{"two in progress", "item in progress left out", "items in progress left out"},
		{"unknown word", "word case", "word padded", "status word"},
		{"duplicate", "equal contents"},
	}...)
}
