// Package tokens counts the tokens of texts. No network is used: the
// vocabularies are part of the program.
package tokens

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
)

// Tokenizer counts the tokens of a text. Implementations are safe for
// concurrent use and take time linear (up to a logarithm) in the text.
type Tokenizer interface {
	Name() string
	Count(text string) int
}

// The tokenizers.
const (
	O200kBase  = "o200k_base"
	Cl100kBase = "cl100k_base"
	Chars4     = "chars/4"
)

// Tokenizers lists the tokenizers with their meaning.
func Tokenizers() []harness.Term {
	return []harness.Term{
		{Name: O200kBase, Text: "exact counts of the byte-pair encoding of GPT-4o and later; the default"},
		{Name: Cl100kBase, Text: "exact counts of the byte-pair encoding of GPT-4 and GPT-3.5"},
		{Name: Chars4, Text: "one token for every four characters begun: the estimate that many agents use"},
	}
}

// New returns the tokenizer of that name; "" is o200k_base. A vocabulary is
// unpacked when its first text is counted, which takes some milliseconds.
func New(name string) (Tokenizer, error) {
	switch name {
	case "", O200kBase:
		return bytePair{O200kBase, o200kPiece, o200kVocabulary}, nil
	case Cl100kBase:
		return bytePair{Cl100kBase, cl100kPiece, cl100kVocabulary}, nil
	case Chars4:
		return chars4{}, nil
	}
	return nil, fmt.Errorf("unknown tokenizer %q%s (the tokenizers are %s)", name,
		harness.DidYouMean(name, harness.Names(Tokenizers())), strings.Join(harness.Names(Tokenizers()), ", "))
}

// Exactly returns a text of so many tokens, made of a head and of words of one
// token each.
func Exactly(tok Tokenizer, want int, head string) string {
	words := max(0, want-tok.Count(head))
	text := head + strings.Repeat(" ok", words)
	for range 64 {
		n := tok.Count(text)
		if n == want {
			break
		}
		words = max(0, words+want-n)
		text = head + strings.Repeat(" ok", words)
	}
	return text
}

type chars4 struct{}

func (chars4) Name() string { return Chars4 }

func (chars4) Count(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }
