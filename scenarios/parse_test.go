package scenarios_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/scenarios"
)

const (
	header   = "# Why this one exists.\ndialect: planpatch\n"
	planFile = "-- plan.json --\n{\"title\":\"T\",\"steps\":[{\"id\":\"a\",\"description\":\"A\"}]}\n"
	reply    = "-- reply.1.txt --\n{\"title\":\"U\"}\n"
	wants    = "-- want.json --\n{\"verdict\":\"applied\"}\n"
)

func TestParse(t *testing.T) {
	got, err := scenarios.Parse("x/scenarios/planpatch/group/name.txtar", []byte(`# First line.
# Second line.
dialect: planpatch
level: should
source: https://example.org/a:b
max_plan_steps: 12
max_depth: -3
profile: strict
profile: ladder=patch,retry,react
profile: reading.repair=true
-- plan.json --
[1, {"a": 1, "a": 2}]
-- reply.1.txt --
line one

-- reply.2.b64 --
//79
-- reply.3.gen --
# a comment

text "\ufeff["
repeat 3 "ab"
-- reply.4.txt --
-- want.json --
{"verdict": "rejected", "code": null, "plan": {"steps": [{"id": "a", "anything": 1}]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	profile, _ := harness.Named("strict")
	profile.Ladder = []harness.Rung{"patch", "retry", "react"}
	profile.Reading.Repair = true
	profile = profile.For(nil)
	steps, depth := 12, -3
	want := harness.Case{
		Dialect: "planpatch",
		Profile: &profile,
		Limits:  harness.Limits{MaxPlanSteps: &steps, MaxDepth: &depth},
		Plan:    []byte(`[1, {"a": 1, "a": 2}]`),
		Replies: []harness.Reply{"line one\n", "\xff\xfe\xfd", "\ufeff[ababab", ""},
	}
	if diff := cmp.Diff(want, got.Case); diff != "" {
		t.Errorf("case (-want +got):\n%s", diff)
	}
	if got.ID != "planpatch/group/name" || got.Doc != "First line.\nSecond line." || got.Level != scenarios.Should ||
		got.Source != "https://example.org/a:b" {
		t.Errorf("got id %q, doc %q, level %q, source %q", got.ID, got.Doc, got.Level, got.Source)
	}
}

func TestParseDefaults(t *testing.T) {
	got, err := scenarios.Parse("name.txtar", []byte(header+planFile+reply+wants))
	if err != nil {
		t.Fatal(err)
	}
	if got.Level != scenarios.Must || got.Case.Profile != nil || got.ID != "name" ||
		got.Case.Limits != (harness.Limits{}) {
		t.Errorf("got level %q, profile %v, id %q, limits %v", got.Level, got.Case.Profile, got.ID, got.Case.Limits)
	}
}

func TestParseWithoutReplies(t *testing.T) {
	for _, want := range []string{
		`{"verdict":"rejected","code":"replies_exhausted"}`,
		`{"verdict":"applied","rung":"react"}`,
	} {
		if _, err := scenarios.Parse("x", []byte(header+planFile+"-- want.json --\n"+want)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	want := func(json string) string { return header + planFile + reply + "-- want.json --\n" + json }
	tests := []struct {
		name, file string
		message    string // with its place
	}{
		{"empty", " \n\t", `f: the file is empty; a scenario begins with a comment line (# why it exists)`},
		{"not UTF-8", "# é\n\xff", `f:2:1: bytes that are not UTF-8`},
		{
			"no reason", "dialect: planpatch\n" + planFile + reply + wants,
			`f:1:1: the first line must be a comment that says why`,
		},
		{
			"blank reason", "#\ndialect: planpatch\n" + planFile + reply + wants,
			`f:1:1: the first line must be a comment that says why`,
		},
		{
			"no dialect", "# Why.\n" + planFile + reply + wants,
			`f:2:1: the header has no dialect; add a line such as "dialect: planpatch"`,
		},
		{
			"unknown dialect", "# Why.\ndialect: planpach\n" + planFile + reply + wants,
			`f:2:10: unknown dialect "planpach" (did you mean "planpatch"?)`,
		},
		{
			"foreign dialect", "# Why.\ndialect: xyz\n" + planFile + reply + wants,
			`f:2:10: unknown dialect "xyz" (valid are planpatch, `,
		},
		{
			"no colon", header + "level must\n" + planFile + reply + wants,
			`f:3:1: neither a comment (# …) nor a header line (key: value)`,
		},
		{
			"unknown key", header + " max_plan_step: 3\n" + planFile + reply + wants,
			`f:3:2: unknown key "max_plan_step" (did you mean "max_plan_steps"?)`,
		},
		{
			"foreign key", header + "colour: red\n" + planFile + reply + wants,
			`f:3:1: unknown key "colour" (valid are dialect, level, source, profile, max_plan_steps, `,
		},
		{
			"doubled key", header + "level: must\nlevel: must\n" + planFile + reply + wants,
			`f:4:1: duplicate key "level"; keep one of them`,
		},
		{"bad level", header + "level: may\n" + planFile + reply + wants, `f:3:8: the level is must or should, not "may"`},
		{"bad integer", header + "max_depth: ten\n" + planFile + reply + wants, `f:3:12: max_depth: "ten" is not an integer`},
		{
			"huge integer", header + "max_depth: 99999999999999999999\n" + planFile + reply + wants,
			`f:3:12: max_depth: "99999999999999999999" is not an integer`,
		},
		{"unknown profile", header + "profile: strikt\n" + planFile + reply + wants, `f:3:10: unknown profile "strikt"`},
		{
			"unknown knob", header + "profile: conflict=keep\n" + planFile + reply + wants,
			`f:3:10: unknown profile knob "conflict"`,
		},
		{
			"unknown knob value", header + "profile: conflicts=maybe\n" + planFile + reply + wants,
			`f:3:10: profile knob conflicts: unknown value "maybe" (the values are reject, keep, replace)`,
		},
		{"no plan", header + reply + wants, `f:7:1: the file plan.json is missing; add it after a line "-- plan.json --"`},
		{
			"plan not JSON", header + "-- plan.json --\n{\"title\":\n  oops}\n" + reply + wants,
			`f:5:3: plan.json is not well-formed JSON: `,
		},
		{"plan empty", header + "-- plan.json --\n" + reply + wants, `f:4:1: plan.json is not well-formed JSON: `},
		{
			"no reply", header + planFile + wants,
			`f:7:1: there is no reply; add one after a line "-- reply.1.txt --" (or want the code replies_exhausted)`,
		},
		{
			"gap", header + planFile + reply + "-- reply.3.txt --\nx\n" + wants,
			`f:7:1: reply.3.txt stands where reply.2 is due`,
		},
		{
			"same number", header + planFile + reply + "-- reply.1.b64 --\nAAAA\n" + wants,
			`f:7:1: reply.1.b64 stands where reply.2 is due`,
		},
		{
			"number zero", header + planFile + "-- reply.0.txt --\nx\n" + wants,
			`f:5:1: unknown file "reply.0.txt" (a scenario of the dialect planpatch has plan.json, reply.N.txt, `,
		},
		{"unknown file", header + planFile + reply + "-- note.md --\nx\n" + wants, `f:7:1: unknown file "note.md"`},
		{"doubled file", header + planFile + planFile + reply + wants, `f:5:1: duplicate file "plan.json"; keep one of them`},
		{
			"reply of another dialect", "# Why.\ndialect: trim\n-- messages.json --\n[]\n" + reply + wants,
			`f:5:1: unknown file "reply.1.txt" (a scenario of the dialect trim has messages.json`,
		},
		{"bad base64", header + planFile + "-- reply.1.b64 --\nAA\nA*\n" + wants, `f:7:2: reply.1.b64 is not base64`},
		{
			"base64 without padding", header + planFile + "-- reply.1.b64 --\nAAA\n" + wants,
			`f:6:1: reply.1.b64 is not base64`,
		},
		{
			"recipe: unknown instruction", header + planFile + "-- reply.1.gen --\ntext \"x\"\ntwice \"x\"\n" + wants,
			`f:7:1: reply.1.gen: unknown instruction "twice"`,
		},
		{
			"recipe: no number", header + planFile + "-- reply.1.gen --\nrepeat many \"x\"\n" + wants,
			`f:6:1: reply.1.gen: repeat takes a number and a JSON string`,
		},
		{
			"recipe: negative number", header + planFile + "-- reply.1.gen --\nrepeat -1 \"x\"\n" + wants,
			`f:6:1: reply.1.gen: repeat takes a number and a JSON string`,
		},
		{
			"recipe: no string", header + planFile + "-- reply.1.gen --\ntext 5\n" + wants,
			`f:6:1: reply.1.gen: text must end in a JSON string, in quotes`,
		},
		{
			"recipe: open string", header + planFile + "-- reply.1.gen --\ntext \"x\n" + wants,
			`f:6:1: reply.1.gen: text must end in a JSON string: `,
		},
		{
			"recipe: too much", header + planFile + "-- reply.1.gen --\nrepeat 60000000 \"x\"\nrepeat 9000000 \"y\"\n" + wants,
			`f:7:1: reply.1.gen: the replies of a scenario may have 64 MiB in all; repeat less`,
		},
		{
			"recipe: far too much", header + planFile + "-- reply.1.gen --\nrepeat 9000000000000000000 \"xxx\"\n" + wants,
			`f:6:1: reply.1.gen: the replies of a scenario may have 64 MiB in all; repeat less`,
		},
		{"no want", header + planFile + reply, `f:7:1: the file want.json is missing; add the expected outcome after a line "-- want.json --"`},
		{"want not JSON", want("{\"verdict\":\n  applied}\n"), `f:9:3: want.json is not well-formed JSON: `},
		{"want no object", want("[]"), `f:8:1: want.json holds an object, not a list`},
		{"want without verdict", want("{}"), `f:8:1: want.json needs at least the member verdict (applied or rejected)`},
		{
			"want: doubled member", want(`{"verdict":"applied","verdict":"rejected"}`),
			`f:8:22: want.json: duplicate member "verdict"`,
		},
		{
			"want: lone surrogate", want(`{"verdict":"applied","plan":{"title":"\ud800"}}`),
			`f:8:39: want.json: the escape of a lone surrogate`,
		},
		{
			"want: unknown member", want(`{"verdict":"applied","warning":[]}`),
			`f:8:22: want.json: unknown member "warning" (did you mean "warnings"?)`,
		},
		{
			"want: member of another dialect", want(`{"verdict":"applied","tokens":{}}`),
			`f:8:22: want.json: unknown member "tokens" (`,
		},
		{
			"want: message", want(`{"verdict":"applied","message":"x"}`),
			`f:8:22: want.json: a message is for people and is never compared; leave it out`,
		},
		{
			"want: unknown verdict", want(`{"verdict":"aplied"}`),
			`f:8:12: want.json: unknown verdict "aplied" (did you mean "applied"?)`,
		},
		{"want: verdict null", want(`{"verdict":null}`), `f:8:12: want.json: verdict is a string, not null`},
		{
			"want: unknown code", want(`{"verdict":"rejected","code":"no_dokument"}`),
			`f:8:30: want.json: unknown code "no_dokument" (did you mean "no_document"?)`,
		},
		{
			"want: unknown tier", want(`{"verdict":"applied","tier":"strikt"}`),
			`f:8:29: want.json: unknown tier "strikt" (did you mean "strict"?)`,
		},
		{
			"want: unknown rung", want(`{"verdict":"applied","rung":"retri"}`),
			`f:8:29: want.json: unknown rung "retri" (did you mean "retry"?)`,
		},
		{
			"want: unknown member of plan", want(`{"verdict":"applied","plan":{"step":[]}}`),
			`f:8:30: want.json: unknown member "step" (did you mean "steps"?)`,
		},
		{
			"want: opened by another word", want(`{"verdict":"applied","plan":{"steps":[{"result":{"…":"all"}}]}}`),
			`f:8:54: want.json: the member "…" opens`,
		},
		{
			"want: unknown member of meta", want(`{"verdict":"applied","meta":{"add":1}}`),
			`f:8:30: want.json: unknown member "add" (`,
		},
		{
			"want: unknown member of a warning", want(`{"verdict":"applied","warnings":[{"code":"x","id":"y"}]}`),
			`f:8:46: want.json: unknown member "id" (did you mean "ids"?)`,
		},
		{
			"want: warnings no list", want(`{"verdict":"applied","warnings":{}}`),
			`f:8:33: want.json: a list belongs here, not an object`,
		},
		{
			"want: repair no object", want(`{"verdict":"applied","repairs":["comment"]}`),
			`f:8:33: want.json: an object belongs here, not a string`,
		},
		{"control characters", header + planFile + reply + "-- a\x1b[31m --\n" + wants, `f:7:1: unknown file "a\x1b[31m" (`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("f", []byte(tt.file))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.HasPrefix(err.Error(), tt.message) {
				t.Errorf("got  %s\nwant %s", err, tt.message)
			}
			if _, ok := errors.AsType[*scenarios.Error](err); !ok {
				t.Errorf("the error is a %T, want *scenarios.Error", err)
			}
		})
	}
}

// write makes files below a fresh directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	good := header + planFile + reply + wants
	dir := write(t, map[string]string{
		"scenarios/b.txtar": good, "scenarios/a/z.txtar": good, "scenarios/a/y.txtar": good,
		"scenarios/README.md": "not a scenario", "scenarios/.git/x.txtar": "not looked at",
		"scenarios/a/.y.txtar.swp": "neither",
		"other.scenario":           good,
	})
	all, err := scenarios.Load(filepath.Join(dir, "other.scenario"), filepath.Join(dir, "scenarios"),
		filepath.Join(dir, "scenarios", "b.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	want := []string{filepath.ToSlash(filepath.Join(dir, "other.scenario")), "a/y", "a/z", "b"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestLoadErrors(t *testing.T) {
	good := header + planFile + reply + wants
	dir := write(t, map[string]string{
		"empty/README.md": "x", "one/scenarios/a.txtar": good, "two/scenarios/a.txtar": good,
		"bad/a.txtar": "# Why.\n", "bad/b.txtar": "", "bad/c.txtar": good,
	})
	large := filepath.Join(dir, "large.txtar")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 50<<20); err != nil { // sparse: it takes no room
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		paths []string
		want  []string
	}{
		{"no such file", []string{"gone.txtar"}, []string{"gone.txtar: there is no such file or directory; check the path"}},
		{
			"no scenario in it",
			[]string{"empty"},
			[]string{"empty: the directory holds no scenario (a scenario is a file that ends in .txtar)"},
		},
		{"too large", []string{"large.txtar"}, []string{"large.txtar: is larger than 16 MiB"}},
		{"same id", []string{"one", "two"}, []string{"has the same id as", `"a"; rename one of them`}},
		{"all errors are told", []string{"bad", "gone"}, []string{
			"a.txtar:2:1: the header has no dialect",
			"b.txtar: the file is empty", "gone: there is no such file",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			paths := make([]string, len(tt.paths))
			for i, p := range tt.paths {
				paths[i] = filepath.Join(dir, p)
			}
			all, err := scenarios.Load(paths...)
			if err == nil || all != nil {
				t.Fatalf("got %d scenarios and the error %v", len(all), err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got  %v\nwant %s", err, w)
				}
			}
		})
	}
}

func TestLoadRefusesDevices(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("this system has no endless file")
	}
	_, err := scenarios.Load("/dev/zero")
	if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v", err)
	}
}
