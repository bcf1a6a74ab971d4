package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/document/diff"
)

type step struct {
	ID            string
	ToolsExpected []string
}

func TestPaths(t *testing.T) {
	many := func(at int) []any {
		list := make([]any, 12)
		for i := range list {
			list[i] = i == at
		}
		return list
	}
	for _, tt := range []struct {
		name      string
		want, got any
		paths     []string
	}{
		{"equal", map[string]any{"a": []any{"x"}}, map[string]any{"a": []any{"x"}}, nil},
		{
			"members by name",
			map[string]any{"b": "1", "a": "1", "c": "1"},
			map[string]any{"b": "2", "a": "2", "c": "1"},
			[]string{"/a: 1, 2", "/b: 1, 2"},
		},
		{
			"missing and null",
			map[string]any{"a": "1", "n": nil},
			map[string]any{"b": "2", "n": nil},
			[]string{"/a: 1, <nil>", "/b: <nil>, 2"},
		},
		{"escapes", map[string]any{"a/b~": "1"}, map[string]any{}, []string{"/a~1b~0: 1, <nil>"}},
		{"items by index", many(2), many(10), []string{"/2: true, false", "/10: false, true"}},
		{"lengths", []any{"a"}, []any{"a", "b"}, []string{": [a], [a b]"}},
		{"types", map[string]any{"a": "1"}, map[string]any{"a": []any{}}, []string{"/a: 1, []"}},
		{"at the top", "a", 1, []string{": a, 1"}},
		{
			"fields in their order",
			step{"a", []string{"x"}},
			step{"b", nil},
			[]string{"/id: a, b", "/tools_expected: [x], []"},
		},
	} {
		var got []string
		for _, p := range diff.Paths(tt.want, tt.got, diff.ByIndex[any](), diff.ByIndex[string]()) {
			got = append(got, fmt.Sprintf("%s: %v, %v", p.Pointer(), p.Want, p.Got))
		}
		if d := cmp.Diff(tt.paths, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// TestIgnore: ignored values are no difference, wherever they are.
func TestIgnore(t *testing.T) {
	empty := diff.Ignore(func(p cmp.Path, want, got any) bool {
		return (want == nil || want == "") && (got == nil || got == "") && strings.Join(diff.Names(p), "/") != "kept"
	})
	got := diff.Paths(map[string]any{"a": "", "kept": "", "b": "x"}, map[string]any{}, empty)
	if len(got) != 2 || got[0].Pointer() != "/b" || got[1].Pointer() != "/kept" {
		t.Errorf("got %v", got)
	}
}

// TestPathsAreStable: the same values give the same places, and equal values give none.
func TestPathsAreStable(t *testing.T) {
	tree := rapid.Custom(func(t *rapid.T) any {
		return map[string]any{"a": rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 2), func(i int) any { return i }), 0,
			4).Draw(t, "a"), "b": rapid.StringN(0, 1, 1).Draw(t, "b")}
	})
	rapid.Check(t, func(t *rapid.T) {
		want, got := tree.Draw(t, "want"), tree.Draw(t, "got")
		first := fmt.Sprint(diff.Paths(want, got, diff.ByIndex[any]()))
		if again := fmt.Sprint(diff.Paths(want, got, diff.ByIndex[any]())); first != again {
			t.Fatalf("%s, then %s", first, again)
		}
		if (first == "[]") != cmp.Equal(want, got) {
			t.Fatalf("%v and %v: %s", want, got, first)
		}
	})
}
