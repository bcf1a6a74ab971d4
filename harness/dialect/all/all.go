// Package all lists the dialects. It is the only list.
package all

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations"
	"replanbench/harness/dialect/orchestrator"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planmode"
	"replanbench/harness/dialect/planpatch"
	"replanbench/harness/dialect/tasks"
	"replanbench/harness/dialect/todos"
	"replanbench/harness/dialect/trim"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// table lists the dialects by name. Each is made on first use, because that takes longer than
// many commands, and most commands need one. It is read-only.
var table = []struct {
	name string
	make func() *dialect.Dialect
}{
	{"planpatch", once(planpatch.Dialect)},
	{"operations", once(operations.Dialect)},
	{"orchestrator", once(orchestrator.Dialect)},
	{"planmode", once(planmode.Dialect)},
	{"trim", once(trim.Dialect)},
	{"todos", once(todos.Dialect)},
	{"tasks", once(tasks.Dialect)},
}

// once completes a dialect from its own declarations, the first time that it is needed.
func once(declared func() dialect.Dialect) func() *dialect.Dialect {
	return sync.OnceValue(func() *dialect.Dialect {
		d := declared()
		if d.Needs != nil && d.Replies != document.NoReplies && !d.Scripted { // each reply is a document
			d.Needs = dialect.WithText(d.Needs)
		}
		if d.Replies != document.NoReplies {
			d.Subjects = deform.Subjects(d.Traits, d.Vocabulary.Subjects...)
		}
		d.Judging.Codes, d.Judging.Needs, d.Judging.Members = d.Vocabulary.Codes, d.Needs, d.Members
		d.Judging.Knobs = d.Vocabulary.Own
		d.Defects = append(d.Defects, d.KnobDefects()...)
		return &d
	})
}

// Dialects lists the dialects in the order of lists and reports. They are shared
// and must not be changed.
func Dialects() (list []*dialect.Dialect) {
	for _, d := range table {
		list = append(list, d.make())
	}
	return list
}

// Terms lists the dialects with their one-line texts.
func Terms() []harness.Term {
	var list []harness.Term
	for _, d := range Dialects() {
		list = append(list, harness.Term{Name: d.Name, Text: d.Text})
	}
	return list
}

// Names lists the names of the dialects.
func Names() (list []string) {
	for _, d := range table {
		list = append(list, d.name)
	}
	return list
}

// Find returns the dialect of that name, or nil.
func Find(name string) *dialect.Dialect {
	for _, d := range table {
		if d.name == name {
			return d.make()
		}
	}
	return nil
}

// of returns the dialect of that name, or an empty one.
func of(name string) *dialect.Dialect {
	if d := Find(name); d != nil {
		return d
	}
	return &dialect.Dialect{}
}

// Asked returns the default dialect for requests to models.
func Asked() *dialect.Dialect {
	return first(func(d *dialect.Dialect) bool { return d.Climb != nil })
}

// Trimmer returns the dialect that trims histories.
func Trimmer() *dialect.Dialect {
	return first(func(d *dialect.Dialect) bool { return d.Trim != nil })
}

// first returns the first dialect with a property that at least one of them has.
func first(has func(*dialect.Dialect) bool) *dialect.Dialect {
	for _, d := range table {
		if has(d.make()) {
			return d.make()
		}
	}
	return &dialect.Dialect{}
}

// Source returns the source of a campaign's samples of a dialect.
func Source(name string, opts generators.Options) (*generators.Source, error) {
	d := Find(name)
	if d == nil {
		return nil, unknown(name)
	}
	source, err := d.Source(opts)
	if err != nil {
		return nil, err
	}
	return source.Campaign(), nil
}

// Traits lists the traits of a dialect.
func Traits(name string) []generators.Trait { return of(name).Traits }

// Capabilities lists the capabilities that engines of a dialect may declare to lack.
func Capabilities(name string) []harness.Term { return of(name).Vocabulary.Capabilities }

// Rules returns the checks of a dialect.
func Rules(name string) judge.Rules { return of(name).Judging }

// Checks lists every check once, in the order of the dialects.
func Checks() []judge.Check {
	var list []judge.Check
	for _, d := range Dialects() {
		for _, c := range d.Judging.Checks {
			if !slices.ContainsFunc(list, func(o judge.Check) bool { return o.Name == c.Name }) {
				list = append(list, c)
			}
		}
	}
	return list
}

// IsCheck reports whether a dialect has a check of that name.
func IsCheck(name string) bool {
	return slices.ContainsFunc(Checks(), func(c judge.Check) bool { return c.Name == name })
}

// Members returns the members of a dialect's outcomes; none for an unknown dialect.
func Members(name string) outcome.Members { return of(name).Members }

// Defects lists the defects of a dialect.
func Defects(name string) []mutant.Defect { return of(name).Defects }

// Defect returns the defect of that name, and the dialect that has it.
func Defect(name string) (d *dialect.Dialect, m mutant.Defect, ok bool) {
	for _, d := range Dialects() {
		for _, m := range d.Defects {
			if m.Name == name {
				return d, m, true
			}
		}
	}
	return nil, mutant.Defect{}, false
}

// Mutant returns an engine with the defect of that name, or nil.
func Mutant(name string) harness.Engine {
	d, m, ok := Defect(name)
	if !ok {
		return nil
	}
	return d.Mutant(m)
}

// Vocabulary returns the words of a dialect; none for an unknown one.
func Vocabulary(name string) harness.Vocabulary { return of(name).Vocabulary }

// Words returns the words of all dialects, each once: the common words
// in their order, then the additional words of dialects.
func Words() harness.Vocabulary { return words() }

// words is made on first use and read-only.
var words = sync.OnceValue(func() harness.Vocabulary {
	all := harness.Vocabulary{
		Codes: harness.Codes(), Tiers: harness.Tiers(), Rungs: harness.Rungs(),
		Repairs: harness.RepairRules(), Warnings: harness.Warnings(),
	}
	for _, d := range Dialects() {
		all = all.Join(d.Vocabulary)
	}
	return all
})

// Plan reads the plan of a case in the format of its dialect. The error says why it
// is invalid.
func Plan(c harness.Case) (*plan.Plan, error) {
	d := Find(c.Dialect)
	if d == nil {
		return nil, unknown(c.Dialect)
	}
	if d.Judging.Plan == nil {
		return nil, fmt.Errorf("the cases of %s have no plan", d.Name)
	}
	return d.Judging.Plan(c)
}

// Tell explains a case and its outcome in the words of its dialect.
func Tell(s explain.Subject) explain.Story {
	if d := Find(s.Case.Dialect); d != nil {
		return d.Tell(s)
	}
	s.Unsound = unknown(s.Case.Dialect)
	return explain.Tell(s, explain.Edit)
}

// Schemas lists the schemas of all documents for engines and models.
func Schemas() []schema.Schema {
	enough := members(func(m outcome.Member) bool { return m.Further && isRequired(m) })
	list := []schema.Schema{
		schema.Case(Names(), Words().Own, ownDocuments()),
		schema.Outcome(Words(), further(), harness.Names(enough), required()),
		schema.Hello(Words(), Names(), optional()),
	}
	for _, d := range Dialects() {
		list = append(list, d.Schemas...)
	}
	return append(list, schema.Want(Words(), further()))
}

// required describes the required members of outcomes in each dialect.
func required() string {
	var list []string
	for _, d := range Dialects() {
		var names []string
		for _, m := range d.Members {
			if isRequired(m) {
				names = append(names, m.Name)
			}
		}
		if names != nil {
			list = append(list, d.Name+" "+strings.Join(names, ", "))
		}
	}
	return strings.Join(list, "; ")
}

// optional lists the optional members of outcomes of all dialects.
func optional() (list []string) {
	for _, t := range members(func(m outcome.Member) bool { return m.Optional }) {
		if !slices.Contains(list, t.Name) {
			list = append(list, t.Name)
		}
	}
	return list
}

// further lists the members of outcomes that have no field in [harness.Outcome].
func further() []harness.Term { return members(func(m outcome.Member) bool { return m.Further }) }

// isRequired reports whether applied outcomes must have the member, whatever the engine declares.
func isRequired(m outcome.Member) bool { return m.Required != nil && !m.Optional }

// members lists the members of the outcomes of all dialects that are so.
func members(is func(m outcome.Member) bool) (list []harness.Term) {
	for _, d := range Dialects() {
		for _, m := range d.Members {
			if is(m) {
				list = append(list, harness.Term{Name: m.Name, Text: m.Text})
			}
		}
	}
	return list
}

// ownDocuments lists the documents of cases that have no field in [harness.Case].
func ownDocuments() (list []harness.Term) {
	fields := maps.Collect(new(harness.Case).Documents())
	for _, d := range Dialects() {
		for _, doc := range d.Documents {
			if _, ok := fields[doc.Name]; !ok {
				list = append(list, harness.Term{Name: doc.Name, Text: "Of the dialect " + d.Name + "."})
			}
		}
	}
	return list
}

// Schema returns the schema of that name, or false.
func Schema(name string) ([]byte, bool) {
	list := Schemas()
	i := slices.IndexFunc(list, func(s schema.Schema) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return list[i].Data, true
}

// Resolve returns the profile under which an engine evaluates the case, or why it
// cannot; see [harness.Hello.Resolve].
func Resolve(h harness.Hello, c harness.Case) (p harness.Profile, lack harness.Lack) {
	return of(c.Dialect).Judging.Resolve(h, c)
}

func unknown(name string) error {
	return fmt.Errorf("unknown dialect %q (the dialects are %s)", name, strings.Join(Names(), ", "))
}

// Documents lists the documents of the cases of a dialect; none for an unknown
// one.
func Documents(name string) []document.Document { return of(name).Documents }
