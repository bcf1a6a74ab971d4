package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// target is a package whose rules are mutated, with the dialects whose campaigns and the
// packages whose tests may notice. The tests of the scenarios compare members that an engine may
// leave out.
type target struct {
	name, folder    string
	dialects, tests []string
}

// targets returns the rules of each dialect, and the packages that rules share.
func targets() ([]target, error) {
	folders, err := filepath.Glob("harness/dialect/*/rules")
	list := []target{
		{name: "reply", folder: "harness/document/reply", tests: []string{"./scenarios", "./harness/document/reply"}},
		{name: "history", folder: "harness/history", tests: []string{"./scenarios", "./harness/history"}},
	}
	for _, f := range folders {
		name := filepath.Base(filepath.Dir(f))
		tests := []string{"./scenarios", "./" + filepath.ToSlash(f) + "/...", "./" + filepath.ToSlash(filepath.Dir(f))}
		list = append(list, target{name, f, []string{name}, tests})
		for i := range list[:2] {
			if imports(f, list[i].folder) {
				list[i].dialects, list[i].tests = append(list[i].dialects, name), append(list[i].tests, tests...)
			}
		}
	}
	return list, err
}

// imports reports whether a file of a folder imports a package of this module.
func imports(folder, pkg string) bool {
	files, _ := filepath.Glob(folder + "/*.go") // the pattern is well-formed
	return slices.ContainsFunc(files, func(name string) bool {
		source, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(source), `/`+pkg+`"`)
	})
}

// site is a place in the source and its text in a mutant.
type site struct {
	id       int
	target   target
	file     string // path from the root of the module
	line     int
	in       string // the function
	from, to int    // bytes
	was, is  string
	nth      int    // among equal changes in the function
	form     string // of the text that replaces was: a format of id, was and is
}

func (s site) String() string { return fmt.Sprintf("%s:%d %s: %s", s.file, s.line, s.in, s.change()) }

// change distinguishes a mutant from others in its function.
func (s site) change() string {
	text := fmt.Sprintf("%q → %q", s.was, s.is)
	if s.nth > 1 {
		text += fmt.Sprintf(" (%d)", s.nth)
	}
	return text
}

// key identifies the mutant in a file of reasons. It has no line number, because lines move.
func (s site) key() string { return s.file + " " + s.in + " " + s.change() }

// overlaps reports whether two places have text in common.
func (s site) overlaps(other site) bool {
	return s.file == other.file && s.from < other.to && other.from < s.to
}

// The forms of a change: of a condition, of a value and of a statement.
const (
	truth     = "(mutation.Is(%[1]d) && (%[3]s) || !mutation.Is(%[1]d) && (%[2]s))"
	value     = "mutation.Pick(%[1]d, %[2]s, %[3]s)"
	statement = "if mutation.Is(%[1]d) { %[3]s } else { %[2]s }"
)

// switched returns the source of a file with several changes, each for its own mutant.
// Errors of the compiler name the mutant.
func switched(file string, sites []site) ([]byte, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sites, func(a, b site) int { return b.from - a.from })
	for _, s := range sites {
		text := fmt.Sprintf(" /*line mutant%d:1:1*/", s.id) + fmt.Sprintf(s.form, s.id, s.was, s.is) +
			fmt.Sprintf("/*line %s:%d:1*/", file, s.line+strings.Count(s.was, "\n"))
		source = slices.Concat(source[:s.from], []byte(text), source[s.to:])
	}
	clause := regexp.MustCompile(`(?m)^package \w+$`)
	at := clause.FindIndex(source)
	return slices.Concat([]byte("/*line "+file+":1:1*/"), source[:at[1]],
		[]byte("; import \"replanbench/harness/internal/mutation\""), source[at[1]:]), nil
}

// unserved are files that no engine runs: they serve live runs, scores and plan files on disk.
var unserved = []string{"needs.go", "danger.go", "turn.go", "store.go", "tag.go"}

// unseen are functions that change no outcome: they produce texts for people or, as
// hopeless does, save time.
var unseen = []string{
	"Policies", "signature", "unknownPolicy", "policyError", "Sections", "Utilisation", "Needs",
	"nothing", "refuseDepth", "where", "Where", "origins", "mark", "Error", "hopeless",
}

// sites returns the places of a target.
func (t target) sites() (list []site, err error) {
	err = filepath.WalkDir(t.folder, func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != t.folder && filepath.Base(t.folder) != "rules":
			return filepath.SkipDir // a package of its own
		case d.IsDir(), filepath.Ext(name) != ".go", strings.HasSuffix(name, "_test.go"), slices.Contains(unserved, name):
			return nil
		}
		set := token.NewFileSet()
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f := finder{target: t, set: set, source: source, path: filepath.ToSlash(path), met: map[string]int{}}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !slices.Contains(unseen, fn.Name.Name) {
				f.in = fn.Name.Name
				ast.Inspect(fn.Body, f.look)
			}
		}
		list = append(list, f.list...)
		return nil
	})
	return list, err
}

// finder collects the places of a file.
type finder struct {
	target   target
	set      *token.FileSet
	source   []byte
	path, in string
	list     []site
	met      map[string]int // how often, by key
}

// swapped are the operators that a mutant exchanges.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.INC: token.DEC, token.DEC: token.INC,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

func (f *finder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		f.call(n)
		return false
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.BinaryExpr:
		f.operator(n)
	case *ast.UnaryExpr:
		switch n.Op {
		case token.NOT:
			f.replace(n, f.text(n.X), truth)
		case token.SUB: // every number below 0 is the place of nothing
			f.replace(n, "0", value)
			return false
		}
	case *ast.BasicLit:
		if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			f.replace(n, strconv.Itoa(v+1), value)
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			f.replace(n, other, value)
		}
	case *ast.IfStmt:
		if f.panics(n.Body) {
			return false
		}
		f.replace(n.Cond, "!("+f.text(n.Cond)+")", truth)
		f.replace(n.Cond, "false", truth)
	}
	return true
}

// call looks into a call, except for the capacity of a map or list, and messages with
// their arguments: no engine shows them.
func (f *finder) call(n *ast.CallExpr) {
	if f.isMessage(n) {
		return
	}
	ast.Inspect(n.Fun, f.look)
	for i, arg := range n.Args {
		if f.text(n.Fun) == "make" && (i == 2 || i == 1 && strings.HasPrefix(f.text(n.Args[0]), "map[")) {
			return
		}
		if text, ok := arg.(*ast.BasicLit); ok && text.Kind == token.STRING && strings.Contains(text.Value, " ") {
			return
		}
		ast.Inspect(arg, f.look)
	}
}

// isMessage reports whether a call only produces text for people.
func (f *finder) isMessage(n *ast.CallExpr) bool {
	name := f.text(n.Fun)
	return slices.Contains(unseen, name[strings.LastIndexByte(name, '.')+1:])
}

func (f *finder) operator(n *ast.BinaryExpr) {
	other, ok := swapped[n.Op]
	if !ok {
		return
	}
	is, form := f.text(n.X)+" "+other.String()+" "+f.text(n.Y), truth
	if n.Op == token.ADD || n.Op == token.SUB {
		form = value
	}
	f.replace(n, is, form)
}

// panics reports whether a block only panics: it is unreachable.
func (f *finder) panics(b *ast.BlockStmt) bool {
	return len(b.List) == 1 && strings.HasPrefix(f.text(b.List[0]), "panic(")
}

// statements removes or inverts statements.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); !ok || !f.isMessage(call) {
				f.replace(s, "", statement)
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.replace(s, "", statement)
			}
		case *ast.IncDecStmt:
			f.replace(s, f.text(s.X)+swapped[s.Tok].String(), statement)
		case *ast.BranchStmt:
			if other, ok := swapped[s.Tok]; ok && s.Label == nil {
				f.replace(s, other.String(), statement)
			}
		}
	}
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// replace adds a place, unless its text has more than four lines.
func (f *finder) replace(n ast.Node, is, form string) {
	at, was := f.set.Position(n.Pos()), f.text(n)
	if strings.Count(was, "\n") > 3 || strings.Contains(was, "//") {
		return
	}
	s := site{
		target: f.target, file: f.path, line: at.Line, in: f.in,
		from: at.Offset, to: f.set.Position(n.End()).Offset, was: was, is: is, form: form,
	}
	f.met[s.key()]++
	s.nth = f.met[s.key()]
	f.list = append(f.list, s)
}
