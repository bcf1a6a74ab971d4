package live_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
	"replanbench/harness/live/cassette"
	"replanbench/harness/live/prompt"
	"replanbench/harness/score"
)

type request struct {
	Messages []live.Message `json:"messages"`
	Seed     *int64         `json:"seed"`
}

func decodeRequest(t *testing.T, r *http.Request) request {
	t.Helper()
	var req request
	if err := json.UnmarshalRead(r.Body, &req); err != nil {
		t.Error(err)
	}
	return req
}

// TestLadder: a refused reply goes back with code and message, and the next
// rung follows; the records score as the run went.
func TestLadder(t *testing.T) {
	replies := []string{
		`{"remove_steps":["a"]}`, "I am sorry",
		`{"type":"FullPlan","title":"t","steps":[{"id":"a","description":"one"},{"id":"b","description":"new"}]}`,
	}
	var talks [][]live.Message
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		talks = append(talks, decodeRequest(t, r).Messages)
		answer(w, 200, "application/json", completion(replies[n], "stop"))
	})
	s := newSetup(t, server.URL, 1)
	s.plan.System = "Be brief."
	if r := s.run(t, false); r.Whole != 1 || r.Replies != 3 {
		t.Fatalf("%+v", r)
	}
	var roles []string
	for _, m := range talks[2] {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant", "user", "assistant", "user"}, roles); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"", "done_immutable: ", "no_document: "} {
		if last := talks[i][len(talks[i])-1].Content; !strings.Contains(last, want) {
			t.Errorf("message %d lacks %q:\n%s", i, want, last)
		}
	}
	records := readCorpus(t, s.corpus)
	for i, r := range records {
		if r.Attempt != i+1 || (i > 0) != (r.RetryOf == records[0].ID) || string(r.Reply) != replies[i] {
			t.Errorf("record %d is %+v", i, r)
		}
	}
	result, err := score.Run(t.Context(), []corpora.Source{corpora.File(s.corpus)}, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rate, _ := result.Groups[0].Rate("apply_rate_after_retry"); rate.Yes != 1 || rate.N != 1 {
		t.Errorf("the corpus scores %d of %d", rate.Yes, rate.N)
	}
}

// TestSamplesStayApart: equal requests are asked and recorded one by one, with
// seeds of their own.
func TestSamplesStayApart(t *testing.T) {
	var mu sync.Mutex
	seeds := map[int64]int{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		mu.Lock()
		seeds[*decodeRequest(t, r).Seed]++
		mu.Unlock()
		good(w, r)
	})
	s := newSetup(t, server.URL, 1)
	s.plan.Samples, s.options.Workers = 5, 3
	seed := int64(40)
	s.plan.Params.Seed = &seed
	s.run(t, false)
	if diff := cmp.Diff(map[int64]int{40: 1, 41: 1, 42: 1, 43: 1, 44: 1}, seeds); diff != "" {
		t.Error(diff)
	}
	if n := len(readCorpus(t, s.corpus)); n != 5 {
		t.Errorf("%d records, want 5", n)
	}
}

// TestKilledAndResumed kills a run of 500 requests in its middle and goes on:
// in the end there are 500 records, none twice. The run is in a process of its
// own, which is this test again.
func TestKilledAndResumed(t *testing.T) {
	const cells = 500
	if url := os.Getenv("LIVE_TEST_URL"); url != "" {
		s := newSetup(t, url, cells)
		s.corpus, s.options.Workers = os.Getenv("LIVE_TEST_CORPUS"), 4
		s.run(t, false)
		return
	}
	var mu sync.Mutex
	asked := 0
	half := make(chan bool)
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		mu.Lock()
		asked++
		mu.Unlock()
		if n == cells/2 {
			close(half)
		}
		good(w, r)
	})
	corpus := filepath.Join(t.TempDir(), "replies.jsonl")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAndResumed$")
	cmd.Env = append(os.Environ(), "LIVE_TEST_URL="+server.URL, "LIVE_TEST_CORPUS="+corpus)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-half:
	case <-time.After(5 * time.Minute):
		t.Error("the run did not come to its middle")
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: nothing can be tidied up
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	before := countLines(t, corpus)
	if before < cells/4 || before >= cells {
		t.Fatalf("%d records when it was killed, want about half of %d", before, cells)
	}
	s := newSetup(t, server.URL, cells)
	s.corpus, s.options.Workers = corpus, 4
	result := s.run(t, true)
	records := readCorpus(t, corpus)
	keys, ids := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		keys[r.Key()], ids[r.ID] = true, true
	}
	if len(records) != cells || len(keys) != cells || len(ids) != cells {
		t.Errorf("%d records, %d keys, %d ids; want %d of each", len(records), len(keys), len(ids), cells)
	}
	if result.Resumed < before-1 || result.Replies != cells {
		t.Errorf("%d of %d replies were there, want %d of %d", result.Resumed, result.Replies, before, cells)
	}
	if extra := asked - cells; extra < 0 || extra > 4 { // under way when it was killed
		t.Errorf("%d requests were asked for %d records", asked, cells)
	}
	if again := s.run(t, true); again.Resumed != cells || again.Spent.Requests != cells || asked-cells > 4 {
		t.Errorf("a whole corpus was asked for again: %+v", again)
	}
}

func countLines(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

// TestHardStops: limits hold over the whole run, earlier sessions included, to the
// last token, however many requests are under way; and what is left can be asked
// later.
func TestHardStops(t *testing.T) {
	const workers, cells = 8, 60
	said := regexp.MustCompile(`"usage":\{[^}]*\}`)
	// a dollar a token of the prompt
	prices := score.Prices{Currency: "USD", Models: map[string]score.Price{"m": {Prompt: 1e6, Reply: 2e6}}}
	tests := []struct {
		name     string
		limits   live.Limits
		requests int // at least
	}{
		{"requests", live.Limits{Requests: 7}, 7},
		{"tokens", live.Limits{Tokens: 9000}, 10},
		{"cost", live.Limits{Cost: 10_000}, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The endpoint counts a fifth more for the prompt than we do, for what its
			// chat template adds, and replies are as long as they may be, or shorter.
			server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				prompt := 0
				for _, m := range decodeRequest(t, r).Messages {
					prompt += (len([]rune(m.Content)) + 3) / 4 * 6 / 5
				}
				reply := 100
				if n%3 == 0 {
					reply = 20
				}
				time.Sleep(time.Millisecond) // so that others are under way
				usage := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, prompt, reply)
				answer(w, 200, "application/json", said.ReplaceAllLiteralString(completion(goodPatch, "stop"), usage))
			})
			s := newSetup(t, server.URL, cells)
			s.plan.Params.ReplyTokens = 100
			s.options.Workers, s.options.Limits, s.options.Prices = workers, tt.limits, prices
			within := func(r *live.Result) {
				t.Helper()
				n, l := r.Spent, tt.limits
				tokens := n.PromptTokens + n.ReplyTokens
				if l.Requests > 0 && n.Requests > l.Requests || l.Tokens > 0 && tokens > l.Tokens || l.Cost > 0 && n.Cost > l.Cost {
					t.Errorf("%+v is above %+v", n, l)
				}
				if n.Requests < tt.requests || r.Replies != n.Requests || r.Stopped == "" {
					t.Errorf("%d requests, %d tokens and %d replies, stopped by %q", n.Requests, tokens, r.Replies, r.Stopped)
				}
				// The next would not have fitted.
				if most := 1000; l.Tokens > 0 && tokens < l.Tokens-most || l.Cost > 0 && n.Cost < l.Cost-float64(most) {
					t.Errorf("it stopped at %d tokens and %v, far from the limit", tokens, n.Cost)
				}
			}
			result := s.run(t, false)
			within(result)
			within(s.run(t, true))
			s.options.Limits = live.Limits{}
			if all := s.run(t, true); all.Whole != cells || len(readCorpus(t, s.corpus)) != cells {
				t.Errorf("without the limit %d cells are whole", all.Whole)
			}
		})
	}
}

// TestLimitBelowOneRequest: a request that cannot fit is not sent.
func TestLimitBelowOneRequest(t *testing.T) {
	asked := false
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		asked = true
		good(w, r)
	})
	s := newSetup(t, server.URL, 3)
	s.plan.Params.ReplyTokens, s.options.Limits, s.options.Workers = 100, live.Limits{Tokens: 120}, 3
	if r := s.run(t, false); asked || r.Stopped == "" || r.NotAsked != 3 || r.Spent != (live.Spent{}) {
		t.Errorf("asked %v, %+v", asked, r)
	}
}

// TestOverflowAtARetry: that the talk outgrew the model is how a case ended. It is
// recorded, scored as a ladder that ended there, and not asked again. A first
// prompt that does not fit is a failure.
func TestOverflowAtARetry(t *testing.T) {
	asked := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		asked++
		switch talk := decodeRequest(t, r).Messages; {
		case strings.Contains(talk[0].Content, "time 2") || len(talk) > 1:
			answer(w, 400, "application/json", errorBody("context_length_exceeded", "too long"))
		case strings.Contains(talk[0].Content, "time 1"):
			answer(w, 200, "application/json", completion("not JSON", "stop"))
		default:
			answer(w, 200, "application/json", completion(goodPatch, "stop"))
		}
	})
	s := newSetup(t, server.URL, 3)
	first := s.run(t, false)
	if first.Whole != 2 || first.Overflows != 1 || first.Failed != 1 || first.NotAsked != 0 || asked != 4 {
		t.Errorf("%d requests, %+v", asked, first)
	}
	result, err := score.Run(t.Context(), []corpora.Source{corpora.File(s.corpus)}, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rate, _ := result.Groups[0].Rate("failed_rate"); rate.Yes != 1 || rate.N != 2 {
		t.Errorf("%d of %d ladders ended on no rung, want 1 of 2", rate.Yes, rate.N)
	}
	s.plan.Cases = s.plan.Cases.First(2)
	again := s.run(t, true)
	if again.Whole != 2 || again.Overflows != 1 || again.Failed != 0 || asked != 4 {
		t.Errorf("the next session: %d requests in all, %+v", asked, again)
	}
	if replies, lost := readRun(t, s.corpus); len(replies) != 2 || len(lost) != 2 {
		t.Errorf("%d replies and %d requests without one are recorded, want 2 and 2", len(replies), len(lost))
	}
}

// TestReplay: a recorded run repeats itself without a server, whatever came
// first, with the failures that there were; a request that was not recorded is
// an error, and nothing goes out.
func TestReplay(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		switch n % 5 {
		case 1:
			answer(w, 500, "text/html", "<html>")
		case 3:
			answer(w, 200, "application/json", completion(fmt.Sprintf("not JSON, %d", n), "stop"))
		default:
			good(w, r)
		}
	})
	dir := t.TempDir()
	s := newSetup(t, server.URL, 12)
	s.plan.Samples, s.options.Workers = 2, 3
	recorder, err := cassette.Record(dir, http.DefaultTransport, time.Now, live.DefaultMaxBody)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Client = client(t, live.Endpoint{BaseURL: server.URL + "/v1", Transport: recorder})
	first := s.run(t, false)
	corpus, err := os.ReadFile(s.corpus)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	replayed := func(workers int, cases int) (*live.Result, []byte) {
		player, err := cassette.Replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		r := newSetup(t, server.URL, cases)
		r.plan.Samples, r.options.Workers, r.options.Replay = 2, workers, true
		r.options.Client = client(t, live.Endpoint{BaseURL: server.URL + "/v1", Transport: player})
		result := r.run(t, false)
		data, err := os.ReadFile(r.corpus)
		if err != nil {
			t.Fatal(err)
		}
		return result, data
	}
	for _, workers := range []int{1, 8} {
		again, data := replayed(workers, 12)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%d workers (-first +again):\n%s", workers, diff)
		}
		if !bytes.Equal(corpus, data) {
			t.Errorf("%d workers: the corpus differs", workers)
		}
	}
	more, _ := replayed(2, 13)
	if more.Failed != 2 || more.Failures[0].Name != string(live.NotRecorded) {
		t.Errorf("cases that were not recorded: %+v", more)
	}
}

// TestNoSecretReachesAFile plants canaries and looks for them in every byte that
// a run writes, even if the endpoint sends them back.
func TestNoSecretReachesAFile(t *testing.T) {
	secrets := []string{"sk-canary-key-1234567890", "org-canary-1234567890", "proj-canary-1234567890"}
	seen := map[string]bool{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		headers := fmt.Sprint(r.Header)
		for _, s := range secrets {
			seen[s] = seen[s] || strings.Contains(headers, s)
		}
		w.Header().Set("Openai-Organization", secrets[1])
		w.Header().Set("Set-Cookie", "session="+secrets[0])
		echo := strings.Join(secrets, " ") + " " + r.Header.Get("Authorization")
		switch n {
		case 0:
			answer(w, 401+28, "application/json", errorBody("rate_limit_exceeded", "the key "+echo))
		case 1:
			answer(w, 400, "application/json", errorBody("bad", "the key "+echo))
		case 2:
			answer(w, 400, "application/json", strings.ReplaceAll(errorBody("bad", "the key "+echo), "-", `\u002d`))
		case 3:
			answer(w, 200, "text/"+secrets[0], echo)
		case 4:
			answer(w, 200, "application/json", strings.ReplaceAll(completion(echo, echo), "-", `\u002D`))
		case 5:
			answer(w, 302, "text/plain", echo)
		default:
			answer(w, 200, "application/json", completion(echo, "stop"))
		}
	})
	dir := t.TempDir()
	s := newSetup(t, server.URL, 7)
	s.corpus, s.plan.Profile.Ladder = filepath.Join(dir, "replies.jsonl"), []harness.Rung{harness.RungPatch}
	e := live.Endpoint{BaseURL: server.URL + "/v1", Key: secrets[0], Organization: secrets[1], Project: secrets[2]}
	recorder, err := cassette.Record(filepath.Join(dir, "recording"), http.DefaultTransport, time.Now,
		live.DefaultMaxBody, e.Secrets()...)
	if err != nil {
		t.Fatal(err)
	}
	e.Transport = recorder
	s.options.Client = client(t, e)
	result := s.run(t, false)
	report, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.json"), report, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if !seen[secret] {
			t.Errorf("%s was not sent: the test shows nothing", secret)
		}
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(bytes.ToLower(data), []byte(secret)) || bytes.Contains(data, []byte(secret[:20])) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		return err
	})
	if err != nil || files < 4 {
		t.Errorf("%d files were searched, %v", files, err)
	}
}

// TestUsageWithoutSense: counts of tokens that cannot be are taken for none, so
// that they neither lift the run's limits nor overflow its sums.
func TestUsageWithoutSense(t *testing.T) {
	usages := []string{
		`null`, `{}`, `{"prompt_tokens":-5,"completion_tokens":10}`,
		`{"prompt_tokens":9e18,"completion_tokens":9000000000000000000}`,
		`{"prompt_tokens":"many","completion_tokens":10}`, `{"prompt_tokens":50}`,
	}
	said := regexp.MustCompile(`"usage":\{[^}]*\}`)
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		body := said.ReplaceAllLiteralString(completion(goodPatch, "stop"), `"usage":`+usages[n])
		if !strings.Contains(body, `"usage":`+usages[n]) {
			t.Errorf("the answer says nothing of %s: %s", usages[n], body)
		}
		answer(w, 200, "application/json", body)
	})
	s := newSetup(t, server.URL, len(usages))
	r := s.run(t, false)
	for _, rec := range readCorpus(t, s.corpus) {
		if rec.Usage != nil {
			t.Errorf("%s: %+v was believed", rec.ID, rec.Usage)
		}
	}
	reply := s.options.Counter.Count(goodPatch)
	if r.Spent.ReplyTokens != len(usages)*reply || r.Spent.PromptTokens < len(usages)*100 {
		t.Errorf("%+v; want our own count, %d replies of %d tokens", r.Spent, len(usages), reply)
	}
}

// TestPace: no minute has more requests or tokens than the endpoint allows, and
// 429s slow everything down until successes come.
func TestPace(t *testing.T) {
	clock := newFakeClock()
	p := live.NewPace(clock.clock(), 30, 0)
	start := clock.now
	for range 31 {
		if err := p.Wait(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
	}
	if took := clock.now.Sub(start); took < time.Minute {
		t.Errorf("31 requests took %v at 30 a minute", took)
	}
	p = live.NewPace(clock.clock(), 0, 6000)
	start = clock.now
	for range 61 {
		if err := p.Wait(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
	}
	if took := clock.now.Sub(start); took < time.Minute {
		t.Errorf("6100 tokens took %v at 6000 a minute", took)
	}
	p = live.NewPace(clock.clock(), 0, 0)
	gap := func() time.Duration {
		before := clock.now
		for range 2 {
			if err := p.Wait(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		return clock.now.Sub(before)
	}
	free := gap()
	for range 4 {
		p.Refused(0)
	}
	burst := gap()
	for range 3 {
		p.Refused(0)
		gap()
	}
	slow := gap()
	for range 60 {
		p.Succeeded(0)
	}
	if gap(); free != 0 || burst > 400*time.Millisecond || slow < time.Second {
		t.Errorf("gaps of %v before, %v after four 429s at once and %v after three more", free, burst, slow)
	}
	if again := gap(); again != 0 {
		t.Errorf("a gap of %v after many successes", again)
	}
	for range 10 {
		p.Refused(time.Second)
		gap()
	}
	if asked := gap(); asked > 2*time.Second {
		t.Errorf("gaps of %v, and the endpoint asks for one second", asked)
	}
}

// TestRaceSavesRequests: a prompt that is far worse stops early.
func TestRaceSavesRequests(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		text := "no"
		if !bytes.Contains(body, []byte("你")) {
			text = goodPatch
		}
		answer(w, 200, "application/json", completion(text, "stop"))
	})
	s := newSetup(t, server.URL, 60)
	chinese, err := prompt.Load(all.Asked(), "replan.zh", prompt.Others{})
	if err != nil {
		t.Fatal(err)
	}
	s.plan.Prompts = append(s.plan.Prompts, chinese)
	s.plan.Profile.Ladder = []harness.Rung{harness.RungPatch}
	s.options.Workers = 4
	race := live.DefaultRace()
	s.options.Race = &race
	r := s.run(t, false)
	if len(r.Race.Out) != 1 || r.Race.Out[0].Prompt != chinese.Name || r.Race.Saved < 40 || r.NotAsked != r.Race.Saved {
		t.Errorf("the race: %+v, %d not asked", r.Race, r.NotAsked)
	}
	if r.Spent.Requests != 120-r.Race.Saved {
		t.Errorf("%d requests and %d saved of 120", r.Spent.Requests, r.Race.Saved)
	}
}

// TestUndefinedVariableStopsTheRun: before anything was sent.
func TestUndefinedVariableStopsTheRun(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request, int) { t.Error("a request came") })
	for _, name := range []string{"patch", "retry"} {
		dir := t.TempDir()
		bad := filepath.Join(dir, "bad.j2")
		if err := os.WriteFile(bad, []byte("one\ntwo {{ plans }}"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newSetup(t, server.URL, 1)
		first, retry := bad, ""
		if name == "retry" {
			first, retry = "replan", bad
		}
		set, err := prompt.Load(all.Asked(), first, prompt.Others{Retry: retry})
		if err != nil {
			t.Fatal(err)
		}
		s.plan.Prompts = []prompt.Set{set}
		s.options.Journal, err = live.OpenJournal(s.corpus, false, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		_, err = live.Run(context.Background(), s.plan, s.options)
		if err == nil || !strings.Contains(err.Error(), "bad.j2:2:5: the variable 'plans' is undefined") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
