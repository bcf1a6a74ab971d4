package protocols

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// obedient answers every question with what the protocol itself would write, but for
// those whose name holds the word.
func obedient(t *testing.T, changes []Change, but string, then func() (string, error)) asker {
	t.Helper()
	replies := map[string]string{}
	for _, x := range list(harness.Reference()) {
		for _, c := range changes {
			w, _ := write(x, c)
			replies["protocols/"+x.Name+"/"+c.ID+"/0"] = string(w.reply)
		}
	}
	return func(_ context.Context, q Question) (string, error) {
		if but != "" && strings.Contains(q.Name, but) {
			return then()
		}
		return replies[q.Name], nil
	}
}

func live(t *testing.T, changes []Change, workers int, ask asker) (map[string]Row, error) {
	t.Helper()
	r, err := Live(t.Context(), changes, Options{Profile: harness.Reference(), Counter: words{}, Seed: 1}, workers, ask)
	rows := map[string]Row{}
	for _, row := range r.Rows {
		rows[row.Name] = row
	}
	return rows, err
}

// A model that writes what it is told is right in every protocol, and takes as many
// tokens as the channel counts, whatever the number of workers.
func TestLive(t *testing.T) {
	changes := generated(t, 25)
	want := run(t, changes, Channel{}, 1)
	for _, workers := range []int{1, 7} {
		rows, err := live(t, changes, workers, obedient(t, changes, "", nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("with %d workers (-channel without errors +model):\n%s", workers, diff)
		}
	}
}

// What is in a fence is read, what is prose is refused, and what fails is counted.
func TestLiveReplies(t *testing.T) {
	changes := generated(t, 12)
	lost := errors.New("no reply")
	fenced := func(s string) string { return "Here it is:\n```json\n" + s + "\n```\n" }
	right := obedient(t, changes, "", nil)
	rows, _ := live(t, changes, 3, func(ctx context.Context, q Question) (string, error) {
		s, err := right(ctx, q)
		return fenced(s), err
	})
	for name, row := range rows {
		if row.Right.K != row.Said {
			t.Errorf("%s: %d of %d right in fences", name, row.Right.K, row.Said)
		}
	}
	rows, err := live(t, changes, 3, obedient(t, changes, "/operations/", func() (string, error) { return "", lost }))
	if row := rows["operations"]; !errors.Is(err, lost) || row.Failed != row.Said || row.Replies != 0 || row.Said == 0 {
		t.Errorf("%v: %+v", err, row)
	}
	rows, err = live(t, changes, 3, obedient(t, changes, "/rfc6902/", func() (string, error) {
		return "I cannot do that.",
			nil
	}))
	if row := rows["rfc6902"]; err != nil || row.Refused.K != row.Said || row.Said == 0 {
		t.Errorf("%v: %+v", err, row)
	}
}

// An interrupt keeps what came.
func TestLiveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	changes := generated(t, 20)
	right := obedient(t, changes, "", nil)
	var once sync.Mutex
	n := 0
	r, err := Live(ctx, changes, Options{Profile: harness.Reference(), Counter: words{}}, 1,
		func(ctx context.Context, q Question) (string, error) {
			once.Lock()
			defer once.Unlock()
			if n++; n == 5 {
				cancel()
			}
			return right(ctx, q)
		})
	if !errors.Is(err, context.Canceled) || r.Rows[0].Replies != 5 || r.Rows[0].Right.K != 5 {
		t.Errorf("%v: %+v", err, r.Rows[0])
	}
}

// The words of a change say all of it, in what a protocol has a place for.
func TestIntent(t *testing.T) {
	before := decode(t, `{"title":"a","steps":[{"id":"s1","description":"one","status":"done"},{"id":"s2","description":"two","dependencies":["s1"]},{"id":"s3","description":"three"}]}`)
	after := decode(t, `{"title":"b","steps":[{"id":"s1","description":"one","status":"done"},{"id":"s4","description":"four","dependencies":["s1"],"tools_expected":["grep"]},{"id":"s2","description":"zwei"}]}`)
	for name, want := range map[string]string{
		"planpatch": `- Set the title to "b".
- Set the description of the step "s2" to "zwei".
- Let the step "s2" depend on no step.
- Remove the step "s3".
- Add a step with the id "s4" and the description "four", which depends on "s1", which expects the tools "grep".
- The order of the steps is then: "s1", "s4", "s2".`,
		"todos": `- Set the description of the step "s2" to "zwei".
- Remove the step "s3".
- Add a step with the id "s4" and the description "four".
- The order of the steps is then: "s1", "s4", "s2".`,
	} {
		for _, x := range list(harness.Reference()) {
			if x.Name != name {
				continue
			}
			w, _ := write(x, Change{"c", before, after})
			if diff := cmp.Diff(want, intent(x, w)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
	}
}

// Every protocol explains to a model how it is written.
func TestGuides(t *testing.T) {
	for _, x := range list(harness.Reference()) {
		if !strings.Contains(x.Guide, "Example: ") {
			t.Errorf("%s has no guide with an example", x.Name)
		}
	}
}
