package harness_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// avoided lists the phrases that make comments hard to read. For each, ceiling is
// the largest number of comment lines per 1,000 that may contain it. Lower a
// ceiling when the comments improve. Never raise one.
var avoided = []struct {
	phrase  *regexp.Regexp
	ceiling float64
}{
	{regexp.MustCompile(`(?i)\b(of which|that of|those of)\b`), 9.7},
	{regexp.MustCompile(`(?i)\b(what is|what comes)\b`), 8.2},
	{regexp.MustCompile(`(?i)\bstands?\b`), 7.1},
	{regexp.MustCompile(`(?i)\b(told|tells)\b`), 5.9},
}

// maxSentence is the largest number of words in a sentence of a comment.
const maxSentence = 40

// TestCommentsUsePlainEnglish counts the avoided phrases in every comment of the module.
func TestCommentsUsePlainEnglish(t *testing.T) {
	lines := 0
	found := make([]int, len(avoided))
	for _, c := range comments(t) {
		for line := range strings.SplitSeq(c.text, "\n") {
			lines++
			for i, a := range avoided {
				if a.phrase.MatchString(line) {
					found[i]++
				}
			}
		}
	}
	for i, a := range avoided {
		if share := 1000 * float64(found[i]) / float64(lines); share > a.ceiling {
			t.Errorf("%.1f of 1,000 comment lines match %s: at most %v may", share, a.phrase, a.ceiling)
		} else {
			t.Logf("%.1f of 1,000 comment lines match %s", share, a.phrase)
		}
	}
}

// TestCommentSentencesAreShort rejects comment sentences that a reader has to read twice.
func TestCommentSentencesAreShort(t *testing.T) {
	for _, c := range comments(t) {
		for _, sentence := range sentences(c.text) {
			if n := len(strings.Fields(sentence)); n > maxSentence {
				t.Errorf("%s: a sentence has %d words, at most %d may it have: %.60s …", c.place, n, maxSentence, sentence)
			}
		}
	}
}

// comment is a comment group with its place, such as harness/case.go:12.
type comment struct{ place, text string }

// comments returns the comments of all Go files outside of testdata.
func comments(t *testing.T) []comment {
	t.Helper()
	var all []comment
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			if text := strings.TrimSpace(group.Text()); text != "" {
				all = append(all, comment{place: set.Position(group.Pos()).String(), text: text})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 1000 {
		t.Fatalf("only %d comments found", len(all))
	}
	return all
}

var (
	sentenceEnd = regexp.MustCompile(`[.?!:;]["')]*\s+`)
	blankLine   = regexp.MustCompile(`\n\s*\n`)
)

// sentences splits a comment into sentences. Code, which is indented, lists and
// headings are separate from the text around them.
func sentences(text string) []string {
	var all []string
	for _, paragraph := range blankLine.Split(text, -1) {
		var prose []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
				continue
			}
			prose = append(prose, line)
		}
		all = append(all, sentenceEnd.Split(strings.Join(prose, " "), -1)...)
	}
	return all
}
