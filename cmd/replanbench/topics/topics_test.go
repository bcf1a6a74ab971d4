package topics_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"replanbench/cmd/replanbench/topics"
)

// Every topic has a title, keeps to the width but for its blocks of code and long
// words, and loses no line of code.
func TestTopics(t *testing.T) {
	code := regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```$")
	for _, term := range topics.List() {
		t.Run(term.Name, func(t *testing.T) {
			if term.Text == "" || strings.HasPrefix(term.Text, "#") {
				t.Errorf("the title is %q", term.Text)
			}
			markdown, _ := topics.Markdown(term.Name)
			if strings.Count(markdown, "```")%2 != 0 {
				t.Error("a block of code does not end")
			}
			shown := map[string]bool{}
			for _, m := range code.FindAllStringSubmatch(markdown, -1) {
				for line := range strings.Lines(m[1]) {
					shown[strings.TrimSpace(line)] = true
				}
			}
			for _, width := range []int{40, 80, 120} {
				text := topics.Plain(markdown, width, false)
				for line := range strings.Lines(text) {
					line = strings.TrimRight(line, "\n")
					if uniseg.StringWidth(line) > width && strings.Contains(strings.TrimLeft(line, "- "), " ") &&
						!shown[strings.TrimSpace(line)] && width >= 80 {
						t.Errorf("at %d columns a line is wider:\n%s", width, line)
					}
				}
				for line := range shown {
					if !strings.Contains(text, line) {
						t.Errorf("at %d columns a line of code is missing:\n%s", width, line)
					}
				}
				for _, mark := range []string{"<!--", "](", "| ---"} {
					if strings.Contains(text, mark) {
						t.Errorf("at %d columns the text holds %q", width, mark)
					}
				}
			}
		})
	}
}

func TestPlain(t *testing.T) {
	markdown := `# A title

A paragraph with **bold**, ` + "`code`" + ` and a link to [causes](causes.md#classes),
[enginetest](../../../harness/enginetest/README.md) and [elsewhere](https://example.com).
<!-- files: tour/research -->

## Next

- one that is longer
  than its line
- two

| a | what it is |
| --- | --- |
| ` + "`x`" + ` | one two three four five six seven eight |

` + "```sh\nls -l   # as it is\n```\n"
	want := `A title
═══════

A paragraph with bold, ` + "`code`" + ` and a
link to ` + "`replanbench help causes`" + `,
enginetest (` + "`go doc" + `
` + "replanbench/harness/enginetest`" + `)
and elsewhere
(https://example.com).

Next
────

- one that is longer than its line
- two

a    what it is
───────────────────────────────────
` + "`x`" + `  one two three four five six
     seven eight

    ls -l   # as it is
`
	if diff := cmp.Diff(want, topics.Plain(markdown, 35, false)); diff != "" {
		t.Error(diff)
	}
}
