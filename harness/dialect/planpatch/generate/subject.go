package generate

// Subjects are themes that are about one thing: mostly how something is written round
// values, and texts that only look like it.
func Subjects() [][]string {
	return [][]string{
		{"HTML entities", "HTML entities in a text"},
		{"single quotes", "broken JSON", "a comma before a bracket", "comment marks"},
		{"Python literals", "None, True or False"},
		{"fence", "a code fence", "fenced draft in a think block"},
		{"think block", "a <think> block", "draft in a think block"},
		{"text for a list", "list as a JSON text"},
		{"id in another case", "dependency in another case"},
		{"one id in two lists", "one unknown id in two lists", "one id in three lists"},
		{"null", "absent member", "absent members"},
		{"unknown members", "unknown members of a done step"},
		{"removed step that others need", "removed steps that others need", "removed step that an updated one needs"},
		{"cycle", "cycle of old steps", "long cycle", "long cycle of old steps", "cycle through a done step"},
		{"repeated white space", "white space in a text"},
		{"two replies rejected", "every reply rejected", "first reply rejected", "first reply rejected half-way"},
	}
}
