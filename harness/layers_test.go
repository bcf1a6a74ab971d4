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

// module is the path of the module, which only go.mod names.
var module = func() string {
	info, _ := debug.ReadBuildInfo()
	return info.Main.Path
}()

// layers lists the packages from the ground up. A package may import packages of
// its own layer and of the layers before it. X is any dialect.
var layers = [][]string{
	{
		"harness/document", "harness/engine/group", "harness/document/strictjson", "harness/document/collect",
		"harness/score/stats", "harness/hunt/shard", "harness/document/escape", "harness/document/style", "harness/live/jinja", "harness/live/redact",
		"harness/dialect/X/rules/planfile", "harness/engine/adapters",
	},
	{"harness/document/diff"},
	{"harness/plan"},
	{"harness"},
	{"harness/dialect/outcome", "harness/dialect/knob"},
	{"harness/document/reply", "harness/score/tokens", "harness/engine/guard", "harness/document/schema", "harness/document/files", "harness/live/cassette"},
	{"harness/history", "harness/dialect/X/spec", "harness/plan/toolmap"},
	{"harness/dialect/mutant"}, // its objects are also how the rules look at a reply
	{"harness/dialect/X/rules", "harness/history/sequence"},
	{
		"harness/agent/wire", "harness/agent/endpoint", "harness/agent/fault", "harness/agent/launch",
		"harness/agent/profile",
	},
	{"generators", "corpora", "harness/hunt/judge"},
	{
		"harness/history/recorded", "generators/histories", "generators/rapidgen",
		"harness/dialect/explain",
	},
	{"harness/dialect/check"},
	{"harness/dialect/X/defect", "harness/dialect/X/generate", "harness/dialect/X/check"},
	{"harness/history/simulate", "harness/dialect"},
	{"harness/hunt/shrink"},
	{"harness/dialect/X"},
	{"harness/dialect/all"},
	{"scenarios", "harness/engine/reference"},
	{"harness/engine", "harness/hunt/finding"},
	{"harness/hunt/cause", "harness/config", "harness/config/starter"},
	{
		"harness/hunt/suite", "harness/hunt/infer", "harness/hunt/campaign", "harness/hunt/calibrate", "harness/score", "harness/live",
		"harness/score/protocols", "harness/enginetest",
	},
	{"harness/score/choice"},
	{"harness/agent", "harness/live/ask", "harness/mcp"},
	{"reports"},
	{"reports/gate"},
	{"cmd", "cmd/selftest"},
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

// TestJudgesKnowNoEngine separates judges from engines: neither
// labels nor checks can come from the rules of the reference.
func TestJudgesKnowNoEngine(t *testing.T) {
	judges := []string{
		"generators", "harness/hunt/judge", "harness/dialect/check", "harness/hunt/shrink", "harness/dialect/X/generate",
		"harness/dialect/X/check",
	}
	rules := []string{"harness/dialect/X/rules", "harness/engine/reference", "harness/dialect/X/defect"}
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

// TestHeavyLibraries requires every large library, and only in the packages that need it.
func TestHeavyLibraries(t *testing.T) {
	homes := map[string][]string{
		"github.com/openai/openai-go":     {"harness/live"},
		"github.com/modelcontextprotocol": {"harness/mcp"},
		"github.com/olekukonko":           {"reports", "harness/dialect/explain"},
		"github.com/spf13/cobra":          {"cmd/replanbench"},
		"github.com/santhosh-tekuri":      {"harness/document/schema", "harness/config"},
		"github.com/evanphx":              {"harness/score/protocols"},
		"github.com/google/renameio":      {"harness/document/files"},
		"github.com/gofrs/flock":          {"harness/document/files"},
		"html/template":                   {"reports"},
		"github.com/google/go-cmp": {
			"harness/document/diff", "harness/plan", "harness/dialect/outcome",
		},
		"gonum.org/v1/gonum":            {"harness/score/stats", "harness/live"},
		"github.com/parquet-go":         {"reports"},
		"github.com/invopop":            {}, // a test makes the schema of reports with it
		"pgregory.net/rapid":            {"generators/rapidgen", "harness/enginetest", "cmd/selftest"},
		"github.com/klauspost/compress": {"corpora", "harness/agent/endpoint", "harness/score/tokens"},
		"github.com/andybalholm":        {"harness/agent/endpoint"},
	}
	used := map[string]bool{}
	for name, imports := range packages(t, "Imports") {
		for _, i := range imports {
			for library, home := range homes {
				if !strings.HasPrefix(i, library) {
					continue
				}
				used[library] = true
				if !within(name, home) {
					t.Errorf("%s imports %s, which belongs to %s", name, i, strings.Join(home, ", "))
				}
			}
		}
	}
	for library, home := range homes {
		if len(home) > 0 && !used[library] {
			t.Errorf("no package imports %s any more: use it, or take it off this list", library)
		}
	}
}

// single lists folders whose subfolders belong to no layer unless a layer names them.
var single = []string{"harness", "harness/dialect", "harness/dialect/X", "harness/hunt"}

// layer returns the index of a package's layer, by the longest
// of the names that begin its path, or -1.
func layer(path string) int {
	path = anyDialect(path)
	best, length := -1, -1
	for i, names := range layers {
		for _, n := range names {
			under := path == n || !slices.Contains(single, n) && strings.HasPrefix(path, n+"/")
			if under && len(n) > length {
				best, length = i, len(n)
			}
		}
	}
	return best
}

// shared lists the folders of harness/dialect that are no dialect.
var shared = []string{"all", "check", "explain", "knob", "mutant", "outcome"}

// anyDialect puts X for the name of a dialect in a path.
func anyDialect(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 2 && parts[1] == "dialect" && !slices.Contains(shared, parts[2]) {
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
