package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// site is a place in the source and what stands there in a mutant.
type site struct {
	id       int
	dialect  string
	also     bool   // other dialects use the file, too, and may notice
	file     string // path from the root of the module
	line     int
	in       string // the function
	from, to int    // bytes
	was, is  string
	nth      int    // of the equal changes in the function
	form     string // of the text that is either, by the mutant that runs: a format of id, was and is
}

func (s site) String() string { return fmt.Sprintf("%s:%d %s: %s", s.file, s.line, s.in, s.change()) }

// change is what tells a mutant from others in its function.
func (s site) change() string {
	text := fmt.Sprintf("%q → %q", s.was, s.is)
	if s.nth > 1 {
		text += fmt.Sprintf(" (%d)", s.nth)
	}
	return text
}

// key is the mutant in a file of reasons; lines move, and are left out.
func (s site) key() string { return s.file + " " + s.in + " " + s.change() }

// overlaps reports whether two places have text in common.
func (s site) overlaps(other site) bool {
	return s.file == other.file && s.from < other.to && other.from < s.to
}

// The forms of a change, for truths, for values, and for statements. All mutants
// are in one program; what is evaluated is what one of them alone would.
const (
	truth     = "(mutation.Is(%[1]d) && (%[3]s) || !mutation.Is(%[1]d) && (%[2]s))"
	value     = "mutation.Pick(%[1]d, %[2]s, %[3]s)"
	statement = "if mutation.Is(%[1]d) { %[3]s } else { %[2]s }"
)

// switched is the source of a file with several changes, each of which happens in
// its own mutant. What the compiler says of one names it.
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
	return slices.Concat([]byte("/*line "+file+":1:1*/"), source[:at[1]], []byte("; import \"replanbench/harness/internal/mutation\""), source[at[1]:]), nil
}

// unserved are files that no engine runs: they tell live runs what a case needs,
// and scores what a reply asks of finished work and how a run went on; and they
// keep plan files on a disk, where the rules have a directory in memory.
var unserved = []string{"needs.go", "danger.go", "turn.go", "store.go", "tag.go"}

// told are functions of these packages that speak to people alone, or find the words,
// lines and columns for those that do.
var told = []string{
	"Policies", "signature", "unknownPolicy", "policyError", "Sections", "Utilisation", "Needs",
	"nothing", "refuseDepth", "where", "Where", "origins", "mark",
}

// shared are the packages beside a dialect's own from which one mutant in five is
// taken where its rules import them.
var shared = []string{"harness/reply", "harness/history"}

// rules lists the folders of the dialects' rules.
func rules() ([]string, error) { return filepath.Glob("harness/dialect/*/rules") }

// dialects lists the dialects that have rules.
func dialects() ([]string, error) {
	folders, err := rules()
	var list []string
	for _, f := range folders {
		list = append(list, filepath.Base(filepath.Dir(f)))
	}
	return list, err
}

// sitesOf lists what may be changed for a dialect, in a random order.
func sitesOf(dialect string, rng *rand.Rand) ([]site, error) {
	own, imports, err := sitesIn("harness/dialect/" + dialect + "/rules")
	if err != nil {
		return nil, err
	}
	var used []site
	for _, path := range shared {
		if !slices.Contains(imports, "replanbench/"+path) {
			continue
		}
		more, _, err := sitesIn(path)
		if err != nil {
			return nil, err
		}
		more = slices.DeleteFunc(more, func(s site) bool { return filepath.ToSlash(filepath.Dir(s.file)) != path })
		for i := range more {
			more[i].also = true
		}
		used = append(used, more...)
	}
	for _, list := range [][]site{own, used} {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	const one = 5
	for i := range len(used) {
		if at := one*i + one - 1; at < len(own) {
			own = slices.Insert(own, at, used[i])
		}
	}
	elsewhere, err := imported(dialect)
	for i := range own {
		own[i].dialect, own[i].also = dialect, own[i].also || elsewhere
	}
	return own, err
}

// imported reports whether the rules of another dialect use those of this one.
func imported(dialect string) (bool, error) {
	names, err := dialects()
	for _, name := range names {
		_, imports, failed := sitesIn("harness/dialect/" + name + "/rules")
		if failed != nil {
			return false, failed
		}
		if name != dialect && slices.Contains(imports, "replanbench/harness/dialect/"+dialect+"/rules") {
			return true, nil
		}
	}
	return false, err
}

// sitesIn lists the places in the packages of a folder, and what these import.
func sitesIn(folder string) (list []site, imports []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(unserved, name) {
			return err
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
		for _, i := range file.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				imports = append(imports, path)
			}
		}
		f := finder{set: set, source: source, path: filepath.ToSlash(path), met: map[string]int{}}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !slices.Contains(told, fn.Name.Name) {
				f.in = fn.Name.Name
				ast.Inspect(fn.Body, f.look)
			}
		}
		list = append(list, f.list...)
		return nil
	})
	return list, imports, err
}

// finder collects the places of a file.
type finder struct {
	set      *token.FileSet
	source   []byte
	path, in string
	list     []site
	met      map[string]int // how often, by key
}

// swapped are the operators that a mutant exchanges.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.INC: token.DEC, token.DEC: token.INC,
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
		if n.Op == token.NOT {
			f.replace(n, f.text(n.X), truth)
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

// call looks into a call, but not at what no engine shows: how much is set aside
// for a map or a list, and the words of a message with all that they tell.
func (f *finder) call(n *ast.CallExpr) {
	if f.tells(n) {
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

// tells reports whether a call is of a function that speaks to people alone.
func (f *finder) tells(n *ast.CallExpr) bool {
	name := f.text(n.Fun)
	return slices.Contains(told, name[strings.LastIndexByte(name, '.')+1:])
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

// panics reports whether a block does that alone: what cannot happen.
func (f *finder) panics(b *ast.BlockStmt) bool {
	return len(b.List) == 1 && strings.HasPrefix(f.text(b.List[0]), "panic(")
}

// statements are left out, or go the other way.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); !ok || !f.tells(call) {
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

// replace notes a place. A statement of many lines says too much at once.
func (f *finder) replace(n ast.Node, is, form string) {
	at, was := f.set.Position(n.Pos()), f.text(n)
	if strings.Count(was, "\n") > 3 || strings.Contains(was, "//") {
		return
	}
	s := site{file: f.path, line: at.Line, in: f.in, from: at.Offset, to: f.set.Position(n.End()).Offset, was: was, is: is, form: form}
	f.met[s.key()]++
	s.nth = f.met[s.key()]
	f.list = append(f.list, s)
}
