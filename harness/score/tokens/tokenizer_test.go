package tokens_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"
	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"

	"replanbench/harness/score/tokens"
	"replanbench/harness/testdata/golden"
)

func tokenizer(t testing.TB, name string) tokens.Tokenizer {
	t.Helper()
	tok, err := tokens.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestNew(t *testing.T) {
	for _, term := range tokens.Tokenizers() {
		if got := tokenizer(t, term.Name).Name(); got != term.Name {
			t.Errorf("New(%q).Name() = %q", term.Name, got)
		}
	}
	if got := tokenizer(t, "").Name(); got != tokens.O200kBase {
		t.Errorf("the default tokenizer is %q, want %q", got, tokens.O200kBase)
	}
	_, err := tokens.New("gpt2")
	if err == nil || !strings.Contains(err.Error(), "o200k_base, cl100k_base, chars/4") {
		t.Errorf("New(gpt2) = %v, want an error that lists the tokenizers", err)
	}
}

func TestChars4(t *testing.T) {
	tok := tokenizer(t, tokens.Chars4)
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "计划": 1, "计划计划计": 2, "👍👍👍👍": 1,
		"abcdefgh计划": 3, "abcdefghijkl计": 4, "abcdefg计i": 3, "计划abcdefghijk": 4,
	} {
		if got := tok.Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

// TestPublishedCounts compares with tiktoken itself; tokens.mjs beside the
// table holds the source of each string and how its counts were made.
func TestPublishedCounts(t *testing.T) {
	data, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Source, Text          string
		O200kBase, Cl100kBase int
	}
	if err := json.Unmarshal(data, &rows, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 30 {
		t.Fatalf("the table has %d strings", len(rows))
	}
	o200k, cl100k := tokenizer(t, tokens.O200kBase), tokenizer(t, tokens.Cl100kBase)
	for _, row := range rows {
		if got := o200k.Count(row.Text); got != row.O200kBase {
			t.Errorf("%s: o200k_base counts %d tokens in %.60q, tiktoken %d", row.Source, got, row.Text, row.O200kBase)
		}
		if got := cl100k.Count(row.Text); got != row.Cl100kBase {
			t.Errorf("%s: cl100k_base counts %d tokens in %.60q, tiktoken %d", row.Source, got, row.Text, row.Cl100kBase)
		}
	}
}

// TestVocabularies: the built-in vocabularies equal the ones of tiktoken-go.
func TestVocabularies(t *testing.T) {
	for file, c := range map[string]*codec.Codec{
		"o200k_base.zst":  codec.NewO200kBase(),
		"cl100k_base.zst": codec.NewCl100kBase(),
	} {
		var lengths, text []byte
		for rank := uint(0); ; rank++ {
			token, err := c.Decode([]uint{rank})
			if err != nil {
				break
			}
			lengths, text = append(lengths, byte(len(token))), append(text, token...)
		}
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, z.EncodeAll(append(lengths, text...), nil))
	}
}

// TestLibrary compares with tiktoken-go on texts of all sorts. Its splitter stops at
// the first line break of a run of white space and passes over DEL, so these stand
// in no text here; the table of published counts has them.
func TestLibrary(t *testing.T) {
	parts := rapid.OneOf(
		rapid.SampledFrom([]string{
			" ", "  ", "\n", "\r\n", "\t", "'s", "'LL", "'ſ", "'", "ab", "Ab", "AB", "É", "é", "计划",
			"ア", "ǅ", "ʰ", "\u0301", "1", "12345", "٣", "½", "/", "//", "!?", "👍🏽", "\u00a0", "\u2028", "\xff", "\xe8\xae",
			"\xf0\x9f\x91", "<|endoftext|>", `{"id": "step_1"}`,
		}),
		rapid.String(), rapid.StringMatching("[a-zA-Z ']{0,30}"),
	)
	blankLines, del := regexp.MustCompile(`[\r\n]\s*[^\S\r\n]\s*[\r\n]|[\r\n]\pZ|\x85|\pZ[\r\n]`), "\x7f"
	for name, library := range map[string]*codec.Codec{
		tokens.O200kBase:  codec.NewO200kBase(),
		tokens.Cl100kBase: codec.NewCl100kBase(),
	} {
		library.SetErrorMode(codec.ErrorModeReplace)
		tok := tokenizer(t, name)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
			if strings.Contains(text, del) || blankLines.MatchString(text) {
				t.Skip("the library splits it wrongly")
			}
			want, err := library.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := tok.Count(text); got != want {
				t.Errorf("%s: %q has %d tokens, the library counts %d", name, text, got, want)
			}
		}))
	}
}

// TestLongPieces: the two ways to merge agree.
func TestLongPieces(t *testing.T) {
	for _, name := range []string{tokens.O200kBase, tokens.Cl100kBase} {
		tok := tokenizer(t, name)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			text := rapid.StringOfN(rapid.RuneFrom([]rune("abcdeinrst")), 65, 200, -1).Draw(t, "word")
			library := codec.NewO200kBase()
			if name == tokens.Cl100kBase {
				library = codec.NewCl100kBase()
			}
			want, err := library.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := tok.Count(text); got != want {
				t.Errorf("%q has %d tokens, the library counts %d", text, got, want)
			}
		}))
	}
}

func TestDEL(t *testing.T) {
	for _, name := range []string{tokens.O200kBase, tokens.Cl100kBase} {
		tok := tokenizer(t, name)
		for text, want := range map[string]int{"\x7f": 1, "\x7f\x7f": 2, "a\x7fb": 3, " \x7f": 2} {
			if got := tok.Count(text); got != want {
				t.Errorf("%s: Count(%q) = %d, want %d", name, text, got, want)
			}
		}
	}
}

func BenchmarkCount(b *testing.B) {
	texts := []struct{ name, text string }{
		{"a", strings.Repeat("a", 1<<20)},
		{"spaces", strings.Repeat(" ", 1<<20)},
		{"one_CJK_character", strings.Repeat("计", (1<<20)/3)},
		{"blank_lines", strings.Repeat(" \n", 1<<19)},
		{"prose", strings.Repeat("We know what we are, but know not what we may be. ", (1<<20)/50)},
	}
	for _, term := range tokens.Tokenizers() {
		tok := tokenizer(b, term.Name)
		for _, text := range texts {
			for _, share := range []int{4, 2, 1} {
				part := text.text[:len(text.text)/share/3*3]
				name := strings.ReplaceAll(term.Name, "/", "_") + "/" + text.name + "/" +
					[]string{"", "1MiB", "512KiB", "", "256KiB"}[share]
				b.Run(name, func(b *testing.B) {
					b.SetBytes(int64(len(part)))
					for b.Loop() {
						tok.Count(part)
					}
				})
			}
		}
	}
}
