// Package tokens counts the tokens of texts. No network is used: the
// vocabularies are part of the program.
package tokens

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

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

// New returns the tokenizer of that name; "" is o200k_base. The first
// tokenizer of a vocabulary takes some tens of milliseconds to build, later
// ones share it.
func New(name string) (Tokenizer, error) {
	switch name {
	case "", O200kBase:
		return newBytePair(tokenizer.O200kBase, blanks{o200kBlanks, true})
	case Cl100kBase:
		return newBytePair(tokenizer.Cl100kBase, blanks{cl100kBlanks, false})
	case Chars4:
		return chars4{}, nil
	}
	return nil, fmt.Errorf("unknown tokenizer %q (the tokenizers are %s)", name, strings.Join(harness.Names(Tokenizers()), ", "))
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

// bytePair counts with a published byte-pair vocabulary. Names of special
// tokens in the text count as the plain text that they are.
type bytePair struct {
	codec  tokenizer.Codec
	blanks blanks
}

func newBytePair(e tokenizer.Encoding, b blanks) (Tokenizer, error) {
	codec, err := tokenizer.Get(e)
	if err != nil {
		return nil, fmt.Errorf("loading the vocabulary %s: %w", e, err)
	}
	codec.SetErrorMode(tokenizer.ErrorModeReplace)
	return bytePair{codec, b}, nil
}

func (b bytePair) Name() string { return b.codec.GetName() }

func (b bytePair) Count(text string) int {
	// The library's splitter passes over DEL, which is a token that merges with
	// nothing in both vocabularies; so is this other control character.
	text = strings.ReplaceAll(text, "\x7f", "\x03")
	n := 0
	for {
		start, end, ok := b.blanks.find(text)
		if !ok {
			return n + b.count(text)
		}
		n += b.count(text[:start]) + b.blanks.count(text[start:end])
		text = text[end:]
	}
}

func (b bytePair) count(text string) int {
	n, err := b.codec.Count(text)
	if err != nil {
		// The splitting expression gave up, which no known text makes it do:
		// a byte is the most that a token can cost.
		return len(text)
	}
	return n
}

type chars4 struct{}

func (chars4) Name() string { return Chars4 }

func (chars4) Count(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }
