package harness_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// module is the path of the module, which stands in go.mod alone.
var module = func() string {
	info, _ := debug.ReadBuildInfo()
	return info.Main.Path
}()

// layers lists the packages from the ground up. A package may import those of
// its own layer and of the layers before it. X is any dialect.
var layers = [][]string{
	{
		"harness/document", "harness/golden", "harness/internal/memnet", "harness/internal/group", "harness/strictjson",
		"harness/stats", "harness/shard", "reports/escape", "reports/style", "harness/live/jinja", "harness/live/redact",
		"harness/dialect/X/rules/planfile", "harness/engine/adapters",
	},
	{"harness/diff"},
	{"harness/plan"},
	{"harness"},
	{"harness/outcome"},
	{"harness/reply", "harness/tokens", "harness/guard", "harness/schema", "harness/files", "harness/live/cassette"},
	{"harness/history", "harness/config", "harness/project", "harness/dialect/X/words"},
	{"harness/dialect/X/rules", "harness/history/turns"},
	{
		"harness/agent/wire", "harness/agent/endpoint", "harness/agent/fault", "harness/agent/launch",
		"harness/agent/profile",
	},
	{"harness/mutant"},
	{"generators", "corpora", "harness/judge"},
	{
		"harness/history/recorded", "generators/histories", "generators/tape", "generators/gentest",
		"harness/judge/judgetest", "reports/explain",
	},
	{"harness/check"},
	{"harness/dialect/X/defect", "harness/dialect/X/generate", "harness/dialect/X/check"},
	{"harness/history/simulate", "harness/dialect"},
	{"harness/shrink"},
	{"harness/dialect/X"},
	{"harness/dialect/all", "harness/schema/schematest"},
	{"scenarios", "harness/reference"},
	{"harness/engine", "harness/finding"},
	{"harness/cause"},
	{
		"harness/suite", "harness/infer", "harness/campaign", "harness/calibrate", "harness/score", "harness/live",
		"harness/protocols", "harness/enginetest",
	},
	{"harness/agent"},
	{"reports"},
	{"harness/gate"},
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

// TestJudgesKnowNoEngine holds what judges apart from what is judged: neither
// labels nor checks can come from the rules of the reference.
func TestJudgesKnowNoEngine(t *testing.T) {
	judges := []string{
		"generators", "harness/judge", "harness/check", "harness/shrink", "harness/dialect/X/generate",
		"harness/dialect/X/check",
	}
	rules := []string{"harness/dialect/X/rules", "harness/reference", "harness/dialect/X/defect"}
	found := map[string]bool{}
	for name, deps := range packages(t, "Deps") {
		judge := anyDialect(name)
		if !slices.Contains(judges, judge) {
			continue
		}
		found[judge] = true
		for _, d := range deps {
			if path, own := strings.CutPrefix(d, module+"/"); own && slices.Contains(rules, anyDialect(path)) {
				t.Errorf("%s depends on %s", name, path)
			}
		}
	}
	for _, judge := range judges {
		if !found[judge] {
			t.Errorf("there is no package %s", judge)
		}
	}
}

// TestHeavyLibraries keeps what is large in the packages that are there for it.
func TestHeavyLibraries(t *testing.T) {
	homes := map[string][]string{
		"github.com/openai/openai-go": {"harness/live"},
		"github.com/olekukonko":       {"reports"},
		"github.com/spf13/cobra":      {"cmd/replanbench"},
		"github.com/santhosh-tekuri":  {"harness/schema", "harness/config"},
		"github.com/evanphx":          {"harness/protocols"},
		"github.com/google/renameio":  {"harness/files"},
		"github.com/gofrs/flock":      {"harness/files"},
		"html/template":               {"reports"},
		"github.com/google/go-cmp": {
			"harness/diff", "harness/plan", "harness/outcome", "generators/gentest",
			"harness/golden", "harness/mutant/mutanttest",
		},
		"gonum.org/v1/gonum":            {"harness/stats", "harness/live"},
		"github.com/parquet-go":         {"reports"},
		"github.com/invopop":            {}, // a test makes the schema of reports with it
		"pgregory.net/rapid":            {"generators/tape", "generators/gentest", "harness/enginetest"},
		"github.com/mitsuhiko":          {"harness/live"},
		"github.com/klauspost/compress": {"corpora", "harness/agent/endpoint", "harness/tokens"},
		"github.com/andybalholm":        {"harness/agent/endpoint"},
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
	path = anyDialect(path)
	best, length := -1, -1
	for i, names := range layers {
		for _, n := range names {
			// These are one package each, not the folder that others live in.
			under := path == n || n != "harness" && n != "harness/dialect" && n != "harness/dialect/X" &&
				strings.HasPrefix(path, n+"/")
			if under && len(n) > length {
				best, length = i, len(n)
			}
		}
	}
	return best
}

// anyDialect puts X for the name of a dialect in a path.
func anyDialect(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 2 && parts[1] == "dialect" && parts[2] != "all" {
		parts[2] = "X"
	}
	return strings.Join(parts, "/")
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
