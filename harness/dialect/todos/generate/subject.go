package generate

// Subjects are themes that are about one thing.
func Subjects() [][]string {
	return [][]string{
		{
			"boxes", "boxes bare", "boxes behind thoughts", "boxes beside a fence", "boxes blank lines", "boxes capital",
			"boxes crlf", "boxes headings", "boxes in a call",
			"boxes in a fence", "boxes nested", "boxes none", "boxes numbered", "boxes quoted", "boxes starred", "boxes tabs",
			"box empty", "box tick", "box unknown",
		},
		{"merge", "merge after another reply", "merge in todos", "merge null", "merge text"},
		{"two in progress", "item in progress left out", "items in progress left out"},
		{"status case", "status missing", "status null", "status number", "status padded", "status unknown", "status word"},
		{"duplicate", "equal contents"},
	}
}
