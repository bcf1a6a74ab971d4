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
	kind    string // import or text
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
		// a command and its suite, which simulate policies
		{"trim", "text", match(`^cmd/\w+/\w+\.go trim$`)},
		// the section of that suite
		{"trim", "text", match(`^reports/\w+\.go trim$`)},
		// a filter of templates
		{"trim", "text", match(`^harness/live/jinja/\w+\.go trim$`)},
		// the items of the lists in replies, and the members of outcomes and histories about them
		{"operations", "text", match(`^(reports/calibrate|harness/dialect/outcome/members|harness/plan/record)\.go operations$`)},
		// an example for people
		{"planpatch", "text", match(`^cmd/selftest/main\.go planpatch$`)},
		// the member of plans that are graphs
		{"tasks", "text", match(`^harness/plan/(json|list|toolmap/\w+)\.go tasks$`)},
		// task servers are engines of this dialect
		{"tasks", "import", match(`^harness/mcp/\w+\.go `)},
		{"tasks", "text", match(`(?s)^(cmd/replanbench/mcp|harness/mcp/\w+)\.go `)},
	}
}

// TestNoDialectIsNamed: product files outside the folders of dialects and scenarios have no
// import and no text that names a dialect. Many names are plain words (trim, tasks), so a text
// names a dialect only if it is the name alone, or calls it a dialect. Comments and the
// examples in the help of commands may name one: they are for people.
func TestNoDialectIsNamed(t *testing.T) {
	if len(exceptions()) > 8 {
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

// namesIn finds the places where a file names a dialect.
func namesIn(file *ast.File, dialect string) map[token.Pos]named {
	found := map[token.Pos]named{}
	word := regexp.MustCompile(`(?i)^` + dialect + `$|\b(dialects?|schema|--dialect) ` + dialect + `\b`)
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
		}
		return true
	})
	return found
}

// TestWordsThatContainAName: a dialect may be called by a word that others contain.
func TestWordsThatContainAName(t *testing.T) {
	const source = `package a
import _ "replanbench/harness/dialect/notes"
var notes = []string{"denoted", "a note about it", "note the dialects: notes", "note"}`
	file, err := parser.ParseFile(token.NewFileSet(), "a.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, n := range namesIn(file, "note") {
		texts = append(texts, n.kind+" "+n.what)
	}
	if want := []string{"text note"}; !slices.Equal(texts, want) {
		t.Errorf("the file names the dialect in %q, want %q", texts, want)
	}
}
