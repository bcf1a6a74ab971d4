package recorded_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/history"
	"replanbench/harness/history/recorded"
)

const pair = `{"request":{"model":"m","messages":[{"role":"user","content":"hi"}]},"response":{"choices":[]}}`

const goVCR = `version: 2
interactions:
  - id: 0
    request:
      method: POST
      body: '{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}]}'
    response:
      body: '{}'
  - id: 1
    request:
      method: GET
      body: ""
`

const vcrPy = `interactions:
- request:
    body:
      string: '{"messages":[{"role":"user","content":"hi"}]}'
`

func TestRead(t *testing.T) {
	tests := []struct {
		name, file, data string
		want             []string // where, and the contents
		problems         []string // beginnings
	}{
		{"list", "h.json", `[{"role":"user","content":"hi"}]`, []string{": hi"}, nil},
		{"object", "h.json", "\ufeff{\n \"messages\": [{\"role\":\"user\",\"content\":\"hi\"}]\n}", []string{": hi"}, nil},
		{"calls", "h.jsonl", pair + "\r\n\r\n" + pair + "\n", []string{"line 1: hi", "line 3: hi"}, nil},
		{"batch", "h.jsonl", `{"custom_id":"a","body":{"messages":[{"role":"user","content":"hi"}]}}`, []string{": hi"}, nil},
		{
			"damaged line", "h.jsonl", pair + "\n{\"request\":{\n" + pair,
			[]string{"line 1: hi", "line 3: hi"},
			[]string{"line 2: column 13: "},
		},
		{
			"bad message", "h.jsonl", pair + "\n" + `[{"role":"user","content":[{"type":"image_url"}]}]`,
			[]string{"line 1: hi"},
			[]string{`line 2: messages/0/content/0/type: a part of type "image_url"`},
		},
		{
			"Anthropic", "h.json", `{"system":[{"type":"text","text":"be "},{"type":"text","text":"good"}],"messages":[{"role":"user","content":"hi"}]}`,
			[]string{": be good|hi"},
			nil,
		},
		{
			"Gemini", "h.json", `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"h"},{"text":"i"}]},{"role":"model","parts":[{"text":"yes"}]}]}`,
			[]string{": s|hi|yes"},
			nil,
		},
		{"odd contents", "h.json", `{"contents":[3,null,{"parts":7}]}`, []string{": "}, nil},
		{"VCR", "c.yml", "http_interactions: [{request: {body: {string: " +
			"'{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}'}}}]", []string{"interaction 1: hi"}, nil},
		{"no messages", "h.json", `{"prompt":"x"}`, nil, []string{"there are no messages"}},
		{"empty", "h.json", " \n", nil, []string{"the file is empty"}},
		{"go-vcr", "c.yaml", goVCR, []string{"interaction 1: s|hi"}, []string{"interaction 2: the request has no body"}},
		{"VCR.py", "c.YML", vcrPy, []string{"interaction 1: hi"}, nil},
		{"no cassette", "c.yaml", "a: [", nil, []string{"not a cassette: "}},
		{"empty cassette", "c.yaml", "version: 1", nil, []string{"the cassette holds no interactions"}},
		{
			"binary body", "c.yaml", "interactions: [{request: {body: 'x=1&y=2'}}]", nil,
			[]string{"interaction 1: the body of the request is not JSON"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, problems := recorded.Read(test.file, []byte(test.data))
			var got []string
			for _, h := range list {
				var contents []string
				for _, m := range h.Messages {
					contents = append(contents, m.Content)
				}
				got = append(got, h.Where+": "+strings.Join(contents, "|"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("histories (-want +got):\n%s", diff)
			}
			if len(problems) != len(test.problems) {
				t.Fatalf("problems %v, want %q", problems, test.problems)
			}
			for i, p := range problems {
				if !strings.HasPrefix(p.Error(), test.problems[i]) {
					t.Errorf("problem %q, want %q…", p, test.problems[i])
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{pair, goVCR, vcrPy, "[]", "{}", "\n[[", "interactions: &a [*a]"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, data string, yaml bool) {
		name := "h.jsonl"
		if yaml {
			name = "c.yaml"
		}
		list, problems := recorded.Read(name, []byte(data))
		if len(list)+len(problems) == 0 {
			t.Error("nothing was read and nothing told")
		}
		for _, h := range list {
			if _, err := history.Decode(history.Encode(h.Messages)); err != nil {
				t.Errorf("%s: what was read cannot be written and read again: %v", h.Where, err)
			}
		}
	})
}
