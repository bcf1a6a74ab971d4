package strictjson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/document/strictjson"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, in   string
		duplicates []strictjson.Place
		surrogates []strictjson.Place
		offset     int // of the error, -1 for none
	}{
		{"what encoding/json accepts", `{"a":1,"A":2,"a":3} {"b":1}`, nil, nil, 20},
		{
			"duplicate and case-folded names", `{"a":1,"A":2,"a":3}`,
			[]strictjson.Place{{Pointer: "/a", Name: "a", Offset: 13}},
			nil, -1,
		},
		{
			"nested duplicate", `[{"x":{"k":1,"k":2}}]`,
			[]strictjson.Place{{Pointer: "/0/x/k", Name: "k", Offset: 13}},
			nil,
			-1,
		},
		{
			"duplicate spelled with an escape", `{"a":1,"\u0061":2}`,
			[]strictjson.Place{{Pointer: "/a", Name: "a", Offset: 7}},
			nil, -1,
		},
		{
			"pointer is escaped", `{"a/b~":[{"k":1,"k":2}]}`,
			[]strictjson.Place{{Pointer: "/a~1b~0/0/k", Name: "k", Offset: 16}},
			nil, -1,
		},
		{"lone high surrogate", `["\ud800x"]`, nil, []strictjson.Place{{Pointer: "/0", Offset: 2}}, -1},
		{"lone low surrogate in a name", `{"\udc00":1}`, nil, []strictjson.Place{{Pointer: "/\ufffd", Offset: 2}}, -1},
		{"surrogate pair", `["\ud83d\ude00"]`, nil, nil, -1},
		{"escaped backslash before u", `["\\ud800"]`, nil, nil, -1},
		{"empty", " ", nil, nil, 1},
		{"cut off", `{"a":`, nil, nil, 5},
		{"comment", `{"a":1 /* c */}`, nil, nil, 7},
		{"at the depth", `[[{}]]`, nil, nil, -1},
		{"too deep", `[[{"a":[]}]]`, nil, nil, 7},
		{"NaN", `[NaN]`, nil, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := strictjson.Parse([]byte(tt.in), 3)
			offset := -1
			if e, ok := errors.AsType[*strictjson.Error](err); ok {
				offset = e.Offset
			}
			if offset != tt.offset {
				t.Fatalf("error %v at %d, want %d", err, offset, tt.offset)
			}
			if err != nil {
				return
			}
			if d := cmp.Diff(tt.duplicates, doc.Duplicates); d != "" {
				t.Errorf("duplicates (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.surrogates, doc.Surrogates); d != "" {
				t.Errorf("surrogates (-want +got):\n%s", d)
			}
		})
	}
}

func TestTreeKeepsPlaces(t *testing.T) {
	in := "{\"k\": [1, \"zwei\", null , true]}"
	doc, err := strictjson.Parse([]byte(in), 9)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"": in, "/k": `[1, "zwei", null , true]`, "/k/0": "1", "/k/1": `"zwei"`,
		"/k/2": "null", "/k/3": "true",
	} {
		v := doc.Root.At(pointer)
		if v == nil {
			t.Errorf("nothing at %q", pointer)
		} else if got := in[v.Start:v.End]; got != want {
			t.Errorf("at %q stands %q, want %q", pointer, got, want)
		}
	}
	for _, pointer := range []string{"/x", "/k/4", "/k/-1", "/k/x", "/k/0/0"} {
		if v := doc.Root.At(pointer); v != nil {
			t.Errorf("at %q stands %+v, want nothing", pointer, v)
		}
	}
}

func TestManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 100 {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(`"k` + strings.Repeat("x", i%50) + `":0`)
	}
	b.WriteString("}")
	doc, err := strictjson.Parse([]byte(b.String()), 9)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(doc.Duplicates); got != 50 {
		t.Errorf("%d duplicates, want 50", got)
	}
}

func TestPosition(t *testing.T) {
	for _, tt := range []struct {
		text         string
		offset       int
		line, column int
	}{{"", 0, 1, 1}, {"ab", 2, 1, 3}, {"a\nb", 2, 2, 1}, {"é\né x", 7, 2, 4}, {"a", 99, 1, 2}} {
		if l, c := strictjson.Position(tt.text, tt.offset); l != tt.line || c != tt.column {
			t.Errorf("Position(%q, %d) = %d, %d, want %d, %d", tt.text, tt.offset, l, c, tt.line, tt.column)
		}
	}
}

// TestAgreesWithJSONText: the parser accepts the same texts as the library.
func TestAgreesWithJSONText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[\[\]{}:, "a1\\utn.e-]{0,24}`).Draw(t, "in")
		agree(t, in)
	})
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func agree(t fataler, in string) {
	doc, err := strictjson.Parse([]byte(in), 100)
	valid := jsontext.Value(in).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if valid != (err == nil) {
		t.Fatalf("%q: valid %v, but error %v", in, valid, err)
	}
	if err == nil && len(doc.Surrogates)+len(doc.Duplicates) == 0 && !jsontext.Value(in).IsValid() {
		t.Fatalf("%q: the library finds a duplicate or a lone surrogate, and the document none", in)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":2}`, `["\ud800"]`, `[[[[1e5]]]]`, `{"\u0061":{"b":[null,true]}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) || strings.Count(in, "[")+strings.Count(in, "{") > 99 {
			return
		}
		agree(t, in)
	})
}

func TestSameAndAppendJSON(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{`{"x":1,"y":[true,null]}`, `{ "y":[true, null], "x":1 }`, true},
		{`{"x":1,"x":2}`, `{"x":2}`, true},
		{`{"x":1}`, `{"x":1,"y":2}`, false},
		{`{"x":1,"y":2}`, `{"x":1}`, false},
		{`{"x":null}`, `{}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`"1"`, `1`, false},
		{`"\u0041"`, `"A"`, true},
	}
	for _, tt := range tests {
		a, errA := strictjson.Parse([]byte(tt.a), 9)
		b, errB := strictjson.Parse([]byte(tt.b), 9)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := strictjson.Same(&a.Root, &b.Root); got != tt.same {
			t.Errorf("Same(%s, %s) = %v", tt.a, tt.b, got)
		}
		again, err := strictjson.Parse(a.Root.AppendJSON(nil), 9)
		if err != nil || !strictjson.Same(&a.Root, &again.Root) {
			t.Errorf("%s becomes %s (%v)", tt.a, a.Root.AppendJSON(nil), err)
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "aé\ufffd🚀": -1, "\xff": 0, "aé\xc3": 3, "\ufffd\x80": 3,
		"\xed\xa0\x80": 0,
	} {
		if got := strictjson.InvalidUTF8([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestCountedMembers: of a name that occurs twice the last member counts, in small objects and in large ones.
func TestCountedMembers(t *testing.T) {
	for _, others := range []int{0, 40} {
		text, want := `{"a":1,"b":2,"a":3`, `{"b":2,"a":3`
		for i := range others {
			member := fmt.Sprintf(`,"m%d":%d`, i, i)
			text, want = text+member, want+member
		}
		twice, err := strictjson.Parse([]byte(text+"}"), 10)
		if err != nil {
			t.Fatal(err)
		}
		once, err := strictjson.Parse([]byte(want+"}"), 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(twice.Root.AppendJSON(nil)); got != want+"}" {
			t.Errorf("%d other members: %s", others, got)
		}
		if !strictjson.Same(&twice.Root, &once.Root) || !strictjson.Same(&once.Root, &twice.Root) {
			t.Errorf("%d other members: the two objects are not the same", others)
		}
		once.Root.Members = once.Root.Members[1:]
		if strictjson.Same(&twice.Root, &once.Root) || strictjson.Same(&once.Root, &twice.Root) {
			t.Errorf("%d other members: an object without b is the same", others)
		}
	}
}

// TestAppendQuote: as the library writes a text, whatever is in it and wherever it is.
func TestAppendQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-f]{0,20}`).Draw(t, "before") +
			rapid.SampledFrom([]string{"", `"`, `\`, "\n", "\x00", "\x7f", "\x80", "\xff", "é", "🚀", "\u2028", "<&>"}).
				Draw(t, "special") + rapid.String().Draw(t, "after")
		want, _ := jsontext.AppendQuote([]byte("x"), text)
		if got := string(strictjson.AppendQuote([]byte("x"), text)); got != string(want) {
			t.Fatalf("%q: %s, want %s", text, got, want)
		}
	})
}

func TestEncodeWritesBytesThatAreNotUTF8(t *testing.T) {
	got := string(strictjson.Encode(map[string]string{"b": "x\xff", "a": "y"}))
	if want := "{\"a\":\"y\",\"b\":\"x\ufffd\"}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
