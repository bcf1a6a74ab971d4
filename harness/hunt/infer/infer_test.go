package infer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/infer"
	"replanbench/harness/hunt/judge"
)

// liar is the reference under one profile that declares another.
type liar struct {
	harness.Engine
	declared harness.Profile
}

func (l liar) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := l.Engine.Hello(ctx)
	for name, d := range h.Dialects {
		d.Profile = l.declared
		h.Dialects[name] = d
	}
	return h, err
}

func run(t *testing.T, e harness.Engine, d *dialect.Dialect) infer.Result {
	t.Helper()
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	r, err := infer.Run(t.Context(), e, hello, d, infer.Options{Seed: 1, Asked: func(probes int) { asked = probes }})
	if err != nil {
		t.Fatal(err)
	}
	if asked < r.Asked {
		t.Errorf("the last call of Asked had %d probes, and the result has %d", asked, r.Asked)
	}
	return r
}

// random draws a value for each knob of a dialect.
func random(d *dialect.Dialect, rng *rand.Rand) harness.Profile {
	p := harness.Reference()
	for _, k := range d.Vocabulary.Settings() {
		values := generators.Values(k)
		if ref := k.Get(harness.Reference()); !slices.Contains(values, ref) {
			values = append(values, ref)
		}
		if err := p.Set(k.Name, values[rng.IntN(len(values))], d.Judging.Knobs...); err != nil {
			panic(err)
		}
	}
	return p
}

// TestRandomProfiles: of an engine that works by rules drawn at random, and declares
// others, all knobs are found, or rightly called unsure. Such a search takes seconds,
// so the short form draws one for one dialect; PROFILES draws so many, for all dialects
// or for DIALECT.
func TestRandomProfiles(t *testing.T) {
	n, dialect := 1, "operations"
	if s := os.Getenv("PROFILES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("PROFILES: %v", err)
		}
		dialect = os.Getenv("DIALECT")
	}
	for _, d := range all.Dialects() {
		if len(d.Vocabulary.Settings()) == 0 || dialect != "" && dialect != d.Name {
			continue
		}
		right, calls := 0, 0
		for i := range n {
			truth := random(d, rand.New(rand.NewPCG(uint64(i), 7)))
			r := run(t, liar{reference.WithProfile(truth), harness.Reference()}, d)
			wrong := wrongly(d, r, truth)
			if len(wrong) == 0 {
				right++
			} else if n > 1 {
				t.Logf("%s %d: %s", d.Name, i, strings.Join(wrong, "; "))
			}
			calls += r.Asked
			if n > 1 {
				t.Logf("%s: %d of %d", d.Name, right, i+1)
			}
		}
		t.Logf("%s: %d of %d profiles right, %d probes each", d.Name, right, n, calls/n)
		if 100*right < 95*n {
			t.Errorf("%s: %d of %d profiles are right, want 95 %%", d.Name, right, n)
		}
	}
}

// wrongly lists the knobs with a false statement.
func wrongly(d *dialect.Dialect, r infer.Result, truth harness.Profile) (list []string) {
	for _, k := range r.Knobs {
		i := slices.IndexFunc(d.Vocabulary.Settings(), func(s harness.Knob) bool { return s.Name == k.Name })
		is := d.Vocabulary.Settings()[i].Get(truth)
		if k.Sure && !slices.Contains(k.Values[0].Names, is) || !k.Sure && k.Probes >= infer.Enough {
			list = append(list, fmt.Sprintf("%s is %s, said %v of %d, sure %v", k.Name, is, k.Values, k.Probes, k.Sure))
		}
	}
	return list
}

// deaf is the reference without a capability: it refuses what needs it.
type deaf struct {
	harness.Engine
	d    *dialect.Dialect
	lack string
}

func (e deaf) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if slices.Contains(e.d.Needs(c), e.lack) {
		return harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused}, nil
	}
	return e.Engine.Eval(ctx, c)
}

// TestWithout: what an engine does not have is proposed as such, and nothing else;
// that its codes are right, and what it gives, is proposed with it.
func TestWithout(t *testing.T) {
	d := all.Find("trim")
	lack := d.Vocabulary.Capabilities[len(d.Vocabulary.Capabilities)-4].Name
	r := run(t, deaf{reference.New(), d, lack}, d)
	r.Declared.Gives = nil
	got := r.Proposed()
	if !slices.Equal(got.Without, []string{lack}) || !slices.Equal(got.Gives, []string{"at", "tokens", "dropped", "cut"}) {
		t.Errorf("proposed: %+v, want it without %s", got, lack)
	}
	said := infer.Settings([]infer.Result{r})
	if !slices.Equal(said.Without, []string{lack}) || said.Profile != nil {
		t.Errorf("said: %+v, want it without %s", said, lack)
	}
	list, settings := r.Behaviours()
	if len(list) != 1 || settings != nil || list[0].Knob != cause.Without || list[0].Found != lack ||
		list[0].Class != judge.Refuses || !slices.Contains(d.Needs(*list[0].Example), lack) {
		t.Errorf("behaviours %+v, settings %q, want that %s is missing", list, settings, lack)
	}
}

// TestBehaviours: an engine that says nothing of the one rule of which it works by
// another value has one cause, of the worst that comes of it, and a case that shows it.
func TestBehaviours(t *testing.T) {
	d := all.Find("operations")
	knob := "reorder_done"
	truth := harness.Reference()
	if err := truth.Set(knob, "reject", d.Judging.Knobs...); err != nil {
		t.Fatal(err)
	}
	r := run(t, liar{reference.WithProfile(truth), harness.Reference()}, d)
	list, settings := r.Behaviours()
	if !slices.Equal(settings, []string{knob + "=reject"}) || len(list) != 1 {
		t.Fatalf("judged under %q, for %+v", settings, list)
	}
	b := list[0]
	if b.Declared != "allow" || b.Found != "reject" || b.Class != judge.Refuses || b.Explained < infer.Enough ||
		b.Example == nil {
		t.Errorf("got %+v", b)
	}
	if declared := d.Eval(*b.Example, harness.Reference()); reflect.DeepEqual(declared, d.Eval(*b.Example, truth)) {
		t.Errorf("the example is %s either way: %s", declared.Verdict, b.Example.Replies)
	}
}

// numbering is the reference with the positions of the steps as their ids, and without versions.
type numbering struct{ harness.Engine }

func (e numbering) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	out, err := e.Engine.Eval(ctx, c)
	if out.Plan == nil {
		return out, err
	}
	names := map[string]string{}
	for i, s := range out.Plan.Steps {
		names[s.ID] = strconv.Itoa(i + 1)
	}
	if out.Plan.Record == nil {
		out.Plan = check.Renamed(out.Plan, func(id string) string { return names[id] })
		return out, err
	}
	out.Plan = out.Plan.Clone()
	out.Plan.Record.Version = 1
	return out, err
}

// TestExcused: a capability that every answer shows is proposed, because the rules explain the answers without it.
// REPLANBENCH_TEST_LONG searches in a second dialect, which takes longest of all.
func TestExcused(t *testing.T) {
	for dialect, want := range map[string]string{"planpatch": "id", "operations": "version"} {
		if dialect == "operations" && os.Getenv("REPLANBENCH_TEST_LONG") == "" {
			continue
		}
		r := run(t, numbering{reference.New()}, all.Find(dialect))
		if got := r.Proposed().Without; !slices.Equal(got, []string{want}) {
			t.Errorf("%s: proposed without %q, want %q", dialect, got, want)
		}
	}
}

// plainer is an engine that ignores descriptions and has no delete.
type plainer struct{ harness.Engine }

func (e plainer) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	described := regexp.MustCompile(`,\s*"description":\s*"[^"]*"`)
	c.Replies = slices.Clone(c.Replies)
	for i, r := range c.Replies {
		text := strings.ReplaceAll(string(r), `"delete"`, `"remove"`)
		c.Replies[i] = harness.Reply(described.ReplaceAllString(text, ""))
	}
	return e.Engine.Eval(ctx, c)
}

// TestHidden: the rules of an engine are found in cases without what it lacks, and a call that the rules reject says
// nothing about what it lacks.
func TestHidden(t *testing.T) {
	d, truth := all.Find("tasks"), harness.Reference()
	if err := truth.Apply("early=warn", d.Judging.Knobs...); err != nil {
		t.Fatal(err)
	}
	got := infer.Settings([]infer.Result{run(t, liar{plainer{reference.WithProfile(truth)}, harness.Reference()}, d)})
	if diff := cmp.Diff([]string{"early=warn"}, got.Profile); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"delete", "new_description", "description"}, got.Without); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
}

// TestRejectsAll: infer names the member that an engine needs and hardly any reply has, so that it rejects every usual
// reply, and does not name some rule under which all is rejected.
func TestRejectsAll(t *testing.T) {
	d, truth := all.Find("todos"), harness.Reference()
	for _, setting := range []string{"active_form=required", "omitted_open=drop"} {
		if err := truth.Apply(setting, d.Judging.Knobs...); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, liar{reference.WithProfile(truth), harness.Reference()}, d)
	var got []string
	for _, k := range r.Knobs {
		if k.Told() {
			got = append(got, k.Name+"="+k.Found())
		}
	}
	if diff := cmp.Diff([]string{"omitted_open=drop", "active_form=required"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
