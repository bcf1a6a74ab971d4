package jinja_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/jinja"
)

type row struct {
	Name     string `json:"name"`
	Template string `json:"template"`
}

// table is what Python's Jinja2 made of every template; see
// testdata/generate.py.
type table struct {
	rows   []row
	vars   map[string]any
	Jinja2 string `json:"jinja2"`
	Python string `json:"python"`
	parts  map[string]string
	Golden map[string]struct {
		Text  *string `json:"text"`
		Error string  `json:"error"`
	} `json:"rendered"`
}

func readTable(t *testing.T) *table {
	t.Helper()
	tab := &table{}
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for line := range bytes.Lines(read("templates.jsonl")) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		tab.rows = append(tab.rows, r)
	}
	if err := json.Unmarshal(read("golden.json"), tab); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read("parts.json"), &tab.parts); err != nil {
		t.Fatal(err)
	}
	doc, err := strictjson.Parse(read("context.json"), 100)
	if err != nil {
		t.Fatal(err)
	}
	tab.vars = map[string]any{}
	for _, m := range doc.Root.Members {
		tab.vars[m.Name] = jinja.FromJSON(&m.Value)
	}
	return tab
}

func render(name, source string, vars map[string]any) (string, error) {
	t, err := jinja.Parse(name, source)
	if err != nil {
		return "", err
	}
	return t.Render(vars)
}

// render renders a row, which may include the parts.
func (tab *table) render(r row) (string, error) {
	t, err := jinja.ParseIncluding(r.Name, r.Template, func(name string) (string, error) {
		if text, ok := tab.parts[name]; ok {
			return text, nil
		}
		return "", jinja.ErrNotFound
	})
	if err != nil {
		return "", err
	}
	return t.Render(tab.vars)
}

// TestAsPython renders every template of the table byte for byte as Python
// does; what Python refuses is refused here, too.
func TestAsPython(t *testing.T) {
	tab := readTable(t)
	if len(tab.rows) < 60 || len(tab.Golden) != len(tab.rows) || !strings.HasPrefix(tab.Jinja2, "3.1.") {
		t.Fatalf("%d templates and %d goldens of Jinja2 %s (run testdata/generate.py)", len(tab.rows), len(tab.Golden),
			tab.Jinja2)
	}
	for _, r := range tab.rows {
		t.Run(r.Name, func(t *testing.T) {
			want := tab.Golden[r.Name]
			got, err := tab.render(r)
			if want.Text == nil {
				var placed *jinja.Error
				if !errors.As(err, &placed) || placed.Template != r.Name && tab.parts[placed.Template] == "" || placed.Line < 1 ||
					placed.Unsupported {
					t.Fatalf("got %q and %v, want an error like %s, with its place", got, err, want.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(*want.Text, got); diff != "" {
				t.Errorf("not as Python (-want +got):\n%s", diff)
			}
		})
	}
}
