package all_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replanbench/harness/dialect/all"
)

// named is a place of a product file that names a dialect.
type named struct {
	file    string // from the root of the module
	line    int
	dialect string
	kind    string // import, text or identifier
	what    string
}

func (n named) String() string {
	return fmt.Sprintf("%s:%d: %s %s", n.file, n.line, n.kind, n.what)
}

// exception is a name of a dialect that is a word of something else as well.
type exception struct {
	dialect, kind string
	place         *regexp.Regexp // of the file, a space and the name
}

// exceptions lists them, each with its reason.
func exceptions() []exception {
	match := regexp.MustCompile
	return []exception{
		// codes of the contract, whose names users keep
		{"planmode", "identifier", match(`^harness/\w+\.go \w+InPlanMode$`)},
		// a command and its suite, which simulate policies
		{"trim", "text", match(`^cmd/\w+/\w+\.go trim$`)},
		// the section of that suite
		{"trim", "text", match(`^reports/\w+\.go trim$`)},
		// a filter of templates
		{"trim", "text", match(`^harness/live/jinja/\w+\.go trim$`)},
		// the items of the lists in replies, and the members of outcomes and histories about them
		{"operations", "text", match(`^(reports/csv|harness/dialect/outcome/members|harness/plan/record)\.go operations$`)},
	}
}

// TestNoDialectIsNamed holds product files to the table: outside the folders of the
// dialects and their scenarios, no import, text or identifier names it. Comments and
// the examples in the help of commands may: they are for people.
func TestNoDialectIsNamed(t *testing.T) {
	if len(exceptions()) > 5 {
		t.Error("the list of exceptions is too long")
	}
	used := make([]bool, len(exceptions()))
	for _, n := range places(t, "../../..") {
		i := slices.IndexFunc(exceptions(), func(x exception) bool {
			return x.dialect == n.dialect && x.kind == n.kind && x.place.MatchString(n.file+" "+n.what)
		})
		if i < 0 {
			t.Error(n)
			continue
		}
		used[i] = true
	}
	for i, x := range exceptions() {
		if !used[i] {
			t.Errorf("the exception %s is not needed", x.place)
		}
	}
}

// free are the folders of dialects, which may build on each other, the table, and
// what helps tests.
var free = regexp.MustCompile(`^(harness/dialect/\w+|scenarios/\w+|.*/(gentest|judgetest|schematest|agenttest))/`)

// places finds where the product files under a folder name dialects.
func places(t *testing.T, root string) (list []named) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name != ".." && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if free.MatchString(name) {
			return nil
		}
		for _, dialect := range all.Names() {
			for pos, found := range namesIn(file, dialect) {
				list = append(list, named{
					file: name, line: files.Position(pos).Line, dialect: dialect, kind: found.kind,
					what: found.what,
				})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(list, func(a, b named) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		return a.line - b.line
	})
	return list
}

// namesIn finds where a file names a dialect.
func namesIn(file *ast.File, dialect string) map[token.Pos]named {
	found := map[token.Pos]named{}
	word := regexp.MustCompile(`(?i)\b` + dialect + `\b`)
	if plainWord(dialect) {
		word = regexp.MustCompile(`(?i)^` + dialect + `$|\b(dialects?|schema) ` + dialect + `\b`)
	}
	imports := map[token.Pos]bool{}
	for _, i := range file.Imports {
		imports[i.Path.Pos()] = true
		if path, _ := strconv.Unquote(i.Path.Value); strings.Contains(path+"/", "/dialect/"+dialect+"/") {
			found[i.Path.Pos()] = named{kind: "import", what: path}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Example" {
				return false
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING || imports[n.Pos()] {
				break
			}
			if text, err := strconv.Unquote(n.Value); err == nil && word.MatchString(text) {
				found[n.Pos()] = named{kind: "text", what: text}
			}
		case *ast.Ident:
			if !plainWord(dialect) && strings.Contains(strings.ToLower(n.Name), dialect) {
				found[n.Pos()] = named{kind: "identifier", what: n.Name}
			}
		}
		return true
	})
	return found
}

// plainWord reports whether the name of a dialect is a word that Go, the contract
// and plain English have for something else: strings.Trim, Outcome.Operations. A
// text names such a dialect where it is nothing but the name, or says that it is
// a dialect.
func plainWord(dialect string) bool { return dialect == "trim" || dialect == "operations" }
