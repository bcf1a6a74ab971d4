// Package tokens counts the tokens of texts. No network is used: the
// vocabularies are part of the program.
package tokens

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

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

func (chars4) Count(text string) int {
	ascii := 0 // of it are counted, eight at once
	for ; ascii+8 <= len(text); ascii += 8 {
		if binary.LittleEndian.Uint64([]byte(text[ascii:ascii+8]))&0x8080808080808080 != 0 {
			break
		}
	}
	return (ascii + utf8.RuneCountInString(text[ascii:]) + 3) / 4
}

// The vocabularies: the lengths of the tokens in the order of their ranks, a byte
// each, then the tokens, compressed. A test makes them from the vocabularies of
// tiktoken-go (-update).
var (
	//go:embed o200k_base.zst
	o200kPacked []byte
	//go:embed cl100k_base.zst
	cl100kPacked []byte
)

// How many tokens the vocabularies have.
const (
	o200kTokens  = 199998
	cl100kTokens = 100256
)

var (
	o200kVocabulary  = sync.OnceValue(func() *vocabulary { return unpack(o200kPacked, o200kTokens) })
	cl100kVocabulary = sync.OnceValue(func() *vocabulary { return unpack(cl100kPacked, cl100kTokens) })
)

// vocabulary maps a token to its rank: a hash table with open addresses, which is
// made in a tenth of the time that a map takes.
type vocabulary struct {
	seed  maphash.Seed
	text  string   // all tokens
	ends  []uint32 // of each token in the text
	slots []uint32 // 1 + the rank; 0 is free. A power of two of them
}

func unpack(packed []byte, tokens int) *vocabulary {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // the options are fixed
	}
	defer d.Close()
	data, err := d.DecodeAll(packed, nil)
	if err != nil {
		panic(err) // the file is part of the program
	}
	v := &vocabulary{
		seed: maphash.MakeSeed(), text: string(data[tokens:]), ends: make([]uint32, tokens),
		slots: make([]uint32, 1<<19),
	}
	end := uint32(0)
	for rank, length := range data[:tokens] {
		start := end
		end += uint32(length)
		v.ends[rank] = end
		at := v.slot(v.text[start:end])
		for v.slots[at] != 0 {
			at = (at + 1) % len(v.slots)
		}
		v.slots[at] = uint32(rank) + 1
	}
	return v
}

func (v *vocabulary) slot(token string) int {
	return int(maphash.String(v.seed, token) % uint64(len(v.slots)))
}

// rank returns the rank of a token; [noRank] if it has none.
func (v *vocabulary) rank(token string) uint32 {
	for at := v.slot(token); v.slots[at] != 0; at = (at + 1) % len(v.slots) {
		rank := v.slots[at] - 1
		start := uint32(0)
		if rank > 0 {
			start = v.ends[rank-1]
		}
		if v.text[start:v.ends[rank]] == token {
			return rank
		}
	}
	return noRank
}
