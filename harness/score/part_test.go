package score_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/score"
)

// TestJoin holds the scores of shards, written, read and joined in any order, to those of
// the whole: with few cases, and with more than are kept apart.
func TestJoin(t *testing.T) {
	sizes := []int{0, 40}
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		sizes = append(sizes, 4200)
	}
	for _, cases := range sizes {
		source := corpora.Source{Name: "replies", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(manyReplies(cases))), nil
		}}
		run := func(s shard.Shard) *score.Result {
			t.Helper()
			r, err := score.Run(t.Context(), []corpora.Source{source}, score.Options{
				By: []string{"model"}, Shard: s, Counter: words{},
			})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		whole := run(shard.Shard{})
		var joined score.Result
		for _, i := range []int{3, 1, 2} {
			data, err := json.Marshal(run(shard.Shard{I: i, N: 3}))
			if err != nil {
				t.Fatal(err)
			}
			var part score.Result
			if err := json.Unmarshal(data, &part); err != nil {
				t.Fatal(err)
			}
			if err := joined.Join(&part); err != nil {
				t.Fatal(err)
			}
		}
		joined.Conclude(true)
		if diff := cmp.Diff(written(t, whole), written(t, &joined)); diff != "" {
			t.Errorf("%d cases: not the scores of the whole (-whole +joined):\n%.3000s", cases, diff)
		}
		if err := joined.Join(whole); err == nil || !strings.Contains(err.Error(), "score with --shard") {
			t.Errorf("a whole result is joined: %v", err)
		}
	}
}

func written(t *testing.T, r *score.Result) string {
	t.Helper()
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.Multiline(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// manyReplies is a corpus with two samples of each case, a retry of every third, lines
// that are bad, and a request without a reply.
func manyReplies(cases int) string {
	var b strings.Builder
	b.WriteString("not JSON\n")
	line := func(id, name, more, reply string) {
		fmt.Fprintf(&b, `{"v":1,"id":%q,"dialect":"planpatch","case":%q,%s"plan":{"title":"t","steps":[{"id":"a","description":"d"},{"id":"b","description":"d"}]},"model":"m","source":"synthetic","reply":%q}`+"\n", id, name, more, reply)
	}
	for i := range cases {
		name := fmt.Sprintf("case %d", i)
		line(name+"/0", name, "", []string{`{"remove_steps":["a"]}`, `{"remove_steps":["z"]}`, "I cannot"}[i%3])
		line(name+"/1", name, `"sample":1,`, `{"remove_steps":["b"]}`)
		switch i % 10 {
		case 2, 5:
			line(name+"/retry", name, fmt.Sprintf(`"attempt":2,"retry_of":%q,`, name+"/0"), `{"remove_steps":["a"]}`)
		case 7:
			fmt.Fprintf(&b, "{\"v\":1,\"id\":\"lost "+
				"%d\",\"dialect\":\"planpatch\",\"case\":%q,\"model\":\"m\",\"source\":\"synthetic\",\"failure\":{\"class\":\"timeout\"}}\n", i, name)
		case 8:
			fmt.Fprintf(&b, "{\"v\":1,\"case\":%q}\n", name)
		}
	}
	return b.String()
}
