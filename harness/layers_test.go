package harness_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "replanbench"

// layers lists the packages from the ground up. A package may import those of
// its own layer and of the layers before it.
var layers = [][]string{
	{"harness/golden", "harness/strictjson", "harness/stats", "reports/escape", "reports/style", "harness/live/jinja", "harness/live/redact", "harness/live/cassette", "harness/planmode/planfile", "harness/engine/adapters"},
	{"harness/plan"},
	{"harness"},
	{"harness/reply", "harness/guard", "harness/shrink", "harness/schema", "harness/config"},
	{"harness/planpatch", "harness/operations", "harness/orchestrator", "harness/planmode", "harness/budget"},
	{"harness/reference", "harness/defects"},
	{"generators", "scenarios", "corpora"},
	{"harness/invariant", "harness/engine", "harness/finding"},
	{"harness/suite", "harness/campaign", "harness/calibrate", "harness/score", "harness/live", "harness/enginetest"},
	{"reports"},
	{"cmd"},
}

// TestLayers holds imports to one direction.
func TestLayers(t *testing.T) {
	for name, imports := range packages(t, "Imports") {
		from := layer(name)
		if from < 0 {
			t.Errorf("%s stands in no layer", name)
		}
		for _, i := range imports {
			if path, own := strings.CutPrefix(i, module+"/"); own && layer(path) > from {
				t.Errorf("%s imports %s, which stands above it", name, path)
			}
		}
	}
}

// TestLabelsKnowNoRules holds what makes labels and checks apart from what is
// judged: neither can come from the rules of any dialect, nor from the mutants
// of them.
func TestLabelsKnowNoRules(t *testing.T) {
	const dialects = "harness/dialect/"
	judges := []string{"generators", "harness/check", "harness/judge", "harness/shrink"}
	deps := packages(t, "Deps")
	for name := range deps {
		if strings.HasPrefix(name, dialects) && slices.Contains([]string{"generate", "check", "words"}, path.Base(name)) {
			judges = append(judges, name)
		}
	}
	if len(judges) < 14 { // two of each of five dialects
		t.Fatalf("the judging packages are %v", judges)
	}
	for _, judge := range judges {
		if deps[judge] == nil {
			t.Errorf("there is no package %s", judge)
		}
		for _, d := range deps[judge] {
			own := strings.TrimPrefix(d, module+"/")
			rules := strings.HasPrefix(own, dialects) && slices.ContainsFunc([]string{"rules", "defect"}, func(part string) bool {
				return strings.Contains(own+"/", "/"+part+"/")
			})
			if rules || own == "harness/budget" || own == "harness/reference" || own == "harness/defects" {
				t.Errorf("%s depends on %s", judge, own)
			}
		}
	}
}

// TestHeavyLibraries keeps what is large in the packages that are there for it.
func TestHeavyLibraries(t *testing.T) {
	homes := map[string][]string{
		"github.com/openai/openai-go":   {"harness/live"},
		"github.com/spf13/cobra":        {"cmd/replanbench"},
		"github.com/olekukonko":         {"reports"},
		"github.com/tiktoken-go":        {"harness/budget"},
		"github.com/santhosh-tekuri":    {"harness/engine"},
		"gonum.org/v1/gonum":            {"harness/stats"},
		"github.com/mitsuhiko":          {"harness/live"},
		"github.com/klauspost/compress": {"corpora"},
	}
	for name, imports := range packages(t, "Imports") {
		for _, i := range imports {
			for library, home := range homes {
				if strings.HasPrefix(i, library) && !within(name, home) {
					t.Errorf("%s imports %s, which belongs to %s", name, i, strings.Join(home, ", "))
				}
			}
		}
	}
}

// layer returns the index of the layer that a package stands in, by the longest
// of the names that begin its path, or -1.
func layer(path string) int {
	best, length := -1, -1
	for i, names := range layers {
		for _, n := range names {
			// The contract is one package, not the folder that all live in.
			under := path == n || n != "harness" && strings.HasPrefix(path, n+"/")
			if under && len(n) > length {
				best, length = i, len(n)
			}
		}
	}
	return best
}

func within(path string, homes []string) bool {
	for _, h := range homes {
		if path == h || strings.HasPrefix(path, h+"/") {
			return true
		}
	}
	return false
}

// packages returns a list of each package of the module, by its path.
func packages(t *testing.T, field string) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .`+field+` " "}}`, module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lists := map[string][]string{}
	scanner := bufio.NewScanner(bytes.NewReader(out))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		words := strings.Fields(scanner.Text())
		lists[strings.TrimPrefix(words[0], module+"/")] = words[1:]
	}
	if err := scanner.Err(); err != nil || len(lists) == 0 {
		t.Fatalf("go list: %d packages, %v", len(lists), err)
	}
	return lists
}
