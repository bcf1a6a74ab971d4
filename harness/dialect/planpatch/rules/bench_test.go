package rules_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"

	"replanbench/harness"
	planpatch "replanbench/harness/dialect/planpatch/rules"
)

// benchPlan is a chain of n pending steps.
func benchPlan(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"FullPlan","title":"bench","steps":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		deps := "[]"
		if i > 0 {
			deps = fmt.Sprintf(`["step_%d"]`, i-1)
		}
		fmt.Fprintf(&b, `{"id":"step_%d","description":"do the thing number %d","dependencies":%s,"status":"pending","tools_expected":["grep"]}`, i, i, deps)
	}
	b.WriteString("]}")
	return b.Bytes()
}

// benchPatch updates every step of benchPlan(n) and adds one behind each.
func benchPatch(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"PlanPatch","update_steps":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"step_%d","description":"do the thing number %d anew"}`, i, i)
	}
	b.WriteString(`],"add_steps":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"new_%d","description":"check the thing","dependencies":["step_%d"],"tools_expected":["grep"]}`, i, i)
	}
	b.WriteString(`],"reason":"bench"}`)
	return b.String()
}

func profile(b *testing.B, name string) harness.Profile {
	p, ok := harness.Named(name)
	if !ok {
		b.Fatalf("no profile %s", name)
	}
	return p
}

// BenchmarkEval reads and applies a patch at four sizes: strict, fenced, and
// with syntax to repair. MB/s count plan and reply together.
func BenchmarkEval(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		p, patch := benchPlan(n), benchPatch(n)
		for _, v := range []struct{ name, profile, reply string }{
			{"strict", "reference", patch},
			{"fenced", "reference", "Here it is:\n```json\n" + patch + "\n```\nDone."},
			{"repaired", "lenient", strings.ReplaceAll(strings.ReplaceAll(patch, `"id"`, `id`), `}]`, `},]`)},
		} {
			b.Run(fmt.Sprintf("%s/steps=%d", v.name, n), func(b *testing.B) {
				c := harness.Case{Dialect: "planpatch", Plan: p, Replies: []harness.Reply{harness.Reply(v.reply)}}
				k := profile(b, v.profile)
				b.SetBytes(int64(len(p) + len(v.reply)))
				b.ReportAllocs()
				for b.Loop() {
					if out := planpatch.Eval(c, k); out.Verdict != harness.Applied {
						b.Fatal(out.Code, out.Message)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
			})
		}
	}
}

// BenchmarkHostile reads replies that careless readers choke on, at 128 KiB and
// 1 MiB: the time per byte must be the same.
func BenchmarkHostile(b *testing.B) {
	p := benchPlan(3)
	for _, name := range []string{"reference", "lenient"} {
		for _, unit := range []string{"{", `"`, "a", "```\n", "[", `{"`, `{"a":`, "{a:", "[{", "'", "{/*", "\\", "<think>"} {
			for _, size := range []int{1 << 17, 1 << 20} {
				b.Run(fmt.Sprintf("%s/%q/%dKiB", name, unit, size>>10), func(b *testing.B) {
					raw := strings.Repeat(unit, size/len(unit))
					c := harness.Case{Dialect: "planpatch", Plan: p, Replies: []harness.Reply{harness.Reply(raw)}}
					k := profile(b, name)
					b.SetBytes(int64(len(raw)))
					for b.Loop() {
						if out := planpatch.Eval(c, k); out.Verdict != harness.Rejected {
							b.Fatal(out.Verdict)
						}
					}
				})
			}
		}
	}
}

// BenchmarkChain applies one operation to every step of a long chain: remove
// every other step and bridge over it, and update the others.
func BenchmarkChain(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			var s strings.Builder
			s.WriteString(`{"remove_steps":[`)
			for i := 1; i < n; i += 2 {
				if i > 1 {
					s.WriteByte(',')
				}
				fmt.Fprintf(&s, `"step_%d"`, i)
			}
			s.WriteString(`],"update_steps":[`)
			for i := 0; i < n; i += 2 {
				if i > 0 {
					s.WriteByte(',')
				}
				fmt.Fprintf(&s, `{"id":"step_%d","description":"anew"}`, i)
			}
			s.WriteString("]}")
			c := harness.Case{Dialect: "planpatch", Plan: benchPlan(n), Replies: []harness.Reply{harness.Reply(s.String())}}
			k := profile(b, "lenient")
			for b.Loop() {
				if out := planpatch.Eval(c, k); out.Verdict != harness.Applied {
					b.Fatal(out.Code, out.Message)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/operation")
		})
	}
}

// BenchmarkReadKiB reads and applies a strict patch of about 1 KiB to a plan of
// eight steps; BenchmarkReadKiBStd is encoding/json filling structs from the
// same bytes, as the yardstick.
func BenchmarkReadKiB(b *testing.B) {
	p, patch := benchPlan(5), kib()
	c := harness.Case{Dialect: "planpatch", Plan: p, Replies: []harness.Reply{harness.Reply(patch)}}
	k := profile(b, "reference")
	b.SetBytes(int64(len(patch)))
	b.ReportAllocs()
	for b.Loop() {
		if out := planpatch.Eval(c, k); out.Verdict != harness.Applied {
			b.Fatal(out.Code)
		}
	}
}

func kib() string { return benchPatch(5) }

func BenchmarkReadKiBStd(b *testing.B) {
	type step struct {
		ID            string   `json:"id"`
		Description   string   `json:"description"`
		Dependencies  []string `json:"dependencies"`
		ToolsExpected []string `json:"tools_expected"`
	}
	type doc struct {
		Type   string   `json:"type"`
		Remove []string `json:"remove_steps"`
		Update []step   `json:"update_steps"`
		Add    []step   `json:"add_steps"`
		Reason string   `json:"reason"`
	}
	patch := []byte(kib())
	b.SetBytes(int64(len(patch)))
	for b.Loop() {
		var d doc
		if err := stdjson.Unmarshal(patch, &d); err != nil {
			b.Fatal(err)
		}
	}
}
