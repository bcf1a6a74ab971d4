package strictjson

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// agree compares the parser with its oracle: both accept the same values as the same tree with the
// same faults, and stop where the other stops, for the same reason. It reports whether the value was read.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, depth int,
) bool {
	t.Helper()
	got, gotEnd, gotErr := NewParser(text).ParseAt(0, depth)
	want, wantEnd, wantErr := newOracle(text).read(depth)
	skips(t, text)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q: got %v, want %v", text, gotErr, wantErr)
	}
	if gotErr != nil {
		got, want := gotErr.(*Error), wantErr.(*Error)
		if got.Offset != want.Offset || got.TooDeep != want.TooDeep {
			t.Fatalf("%q: got %+v, want %+v", text, got, want)
		}
		if _, err := Parse([]byte(text), depth); strings.TrimSpace(text) != "" && err.Error() != want.Message {
			t.Fatalf("%q: got %q, want %q", text, err, want.Message)
		}
		return false
	}
	if diff := cmp.Diff(want, got); diff != "" || gotEnd != wantEnd {
		t.Fatalf("%q: ends at %d, want %d (-want +got):\n%s", text, gotEnd, wantEnd, diff)
	}
	return true
}

// skips compares skipping a value with what the decoder of jsontext does.
func skips(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	if text = strings.TrimLeft(text, " \t\n\r"); text == "" {
		return
	}
	p := newOracle(text)
	want, err := 0, p.dec.SkipValue()
	if want = p.offset(); err != nil {
		want = p.wrap(err).(*Error).Offset
	}
	if got, ok := NewParser(text).SkipAt(0); got != want || ok != (err == nil) {
		t.Fatalf("%q is skipped to %d (%v), and by the decoder to %d (%v)", text, got, ok, want, err)
	}
}

func TestReads(t *testing.T) {
	tests := map[string]bool{
		`{}`: true, `[]`: true, " \n{ \"a\" :\t[ 1 , -0.5e+10 , \"x\\u00e9\\n\" , null , true , false , { } , [ ] ] }\r\n " +
			"behind": true,
		`[1]]`: true, `[0]`: true, `[12.50]`: true, `["😀\ud83d\ude00"]`: true, `{"a":1,"A":2}`: true, `[[[]]]`: true,
		`7`: true, `"a"`: true, `-`: false, `"\ud800"`: true, ``: false, `{`: false, `[`: false, `{"a"}`: false, `{"a":}`: false, `{"a":1,}`: false,
		`[1,]`: false, `[,1]`: false,
		`[01]`: false, `[1.]`: false, `[.5]`: false, `[+1]`: false, `[-]`: false, `[1e]`: false, `[1e+]`: false,
		`[NaN]`: false, `[nul]`: false, `[nulll]`: false,
		`[tru]`: false, `[True]`: false, `["\x"]`: false, `["\u12"]`: false, `["\ud800"]`: true, "[\"\t\"]": false,
		"[\"\x00\"]": false, `["a]`: false, `["\"]`: false,
		`{a:1}`: false, `{'a':1}`: false, `{"a":1 "b":2}`: false, `[1 2]`: false, `{"a":1]`: false, `[1}`: false,
		`{"a":1,"a":2}`: true, `{"a":1,"\u0061":2}`: true,
		`[1/**/]`: false, `[[[[]]]]`: false,
	}
	for text, want := range tests {
		if got := agree(t, text, 3); got != want {
			t.Errorf("%q is read: %v, want %v", text, got, want)
		}
	}
}

// TestAgrees mixes the pieces of JSON at random, which is mostly no JSON,
// and takes a piece out of a document, which mostly is.
func TestAgrees(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"b\n"`, `"`, `\`, `\u00e9`, `\ud800`, "0",
		"-1", "1.5", "e2", "true", "null", " ", "\n", "é", "\x01",
	})
	whole := rapid.SampledFrom([]string{
		`{"a":[1,-2.5e3,"x\ty",null],"b":{"c":true,"d":{}}}`,
		"[ {\"id\" : \"é\\u00e9\" } ,\n [ ] , 10 , false ]",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := whole.Draw(t, "document")
		if rapid.Bool().Draw(t, "pieces") {
			text = strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "text"), "")
		} else {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			end := min(len(text), at+rapid.IntRange(0, 2).Draw(t, "length"))
			text = text[:at] + piece.Draw(t, "piece") + text[end:]
		}
		if utf8.ValidString(text) {
			agree(t, text, 64)
		}
	})
}

func FuzzAgrees(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e3,"x\ty",null]}`, `[{"id":"\ud83d\ude00"},[]]`, `{"a":1,"a":2}`, `[01]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			agree(t, text, 64)
		}
	})
}

// BenchmarkParse reads a plan of twenty steps, as the oracle does.
func BenchmarkParse(b *testing.B) {
	step := `{"id":"step_1","description":"read the config loader","dependencies":["step_0"],"status":"pending","tools_expected":["grep"]}`
	text := `{"title":"t","steps":[` + step + strings.Repeat(","+step, 19) + `]}`
	for name, read := range map[string]func(){
		"parser": func() { _, _, _ = NewParser(text).ParseAt(0, 64) },
		"oracle": func() { _, _, _ = newOracle(text).read(64) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}
