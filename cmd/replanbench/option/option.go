// Package option makes flags from the fields of a struct, so that a command is declared once:
// its tags give the flags, the help, the completion, the configuration keys and the recorded
// command line.
//
// A field with the tag help is a flag. An embedded struct, and a field with the tag embed,
// contribute their fields. The tags are:
//
//	name      the name; the default is the name of the field in kebab case
//	help      the description
//	arg       the word in the description that names the value (FILE, KEY=VALUE)
//	default   the default, as it is typed; without this tag the value of the field
//	shown     the default as help shows it
//	enum      the only values: a,b or ${NAME}
//	list      completion offers these values: a,b or ${NAME}
//	range     the lowest and the highest number: 1,64; either may be empty
//	conflicts the flags that cannot be given as well: a,b
//	group     the heading in help
//	rare      help shows the flag only after --help-all
//	old       the flag that replaces this one, which is hidden, still works, and warns
//	sep       "none": a list takes one value at a time, and commas are part of it
//	writes    the value is a file that the command writes
//	extensions the extensions of such a file that are no format: .txt,.txtar
//	whole     the flag needs the whole run: it cannot be given with --shard
//	key       the key of replanbench.yaml that the flag overrides
//	line      "no": recorded command lines omit the flag; "yes": they always have it;
//	          "name": they have the names before =, because a value can be a secret
//	set       NAME=TEXT|NAME=TEXT, on an embedded struct: ${NAME} in its tags is TEXT
//
// group, rare and line of an embedded struct hold for its fields, unless a field has its own.
// In all tags, ${NAME} is replaced by the values of that name.
package option

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"
)

// Values returns the values that replace ${NAME}.
type Values func(name string) []string

// Option is a field of a command.
type Option struct {
	*pflag.Flag
	tag     reflect.StructTag
	outer   map[string]string // the tags of the struct that hold for all its fields
	vars    Values
	field   reflect.Value
	initial string // the value before the command line is read
}

// Tag returns a tag with its variables replaced.
func (f *Option) Tag(name string) string {
	text, ok := f.tag.Lookup(name)
	if !ok {
		text = f.outer[name]
	}
	if name == "help" || name == "shown" {
		return f.replaced(text, ", ")
	}
	return f.replaced(text, ",")
}

// Raw returns a tag as it is in the source.
func (f *Option) Raw(name string) string { return f.tag.Get(name) }

func (f *Option) replaced(text, between string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		return strings.Join(f.vars(name[2:len(name)-1]), between)
	})
}

// Field returns a pointer to the field.
func (f *Option) Field() any { return f.field.Addr().Interface() }

// Has reports whether the field or its struct has a tag.
func (f *Option) Has(name string) bool {
	_, own := f.tag.Lookup(name)
	_, outer := f.outer[name]
	return own || outer
}

// Names returns the values that a tag lists.
func (f *Option) Names(tag string) []string {
	text := f.Tag(tag)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

var (
	variable = regexp.MustCompile(`\$\{[a-z-]+\}`)
	capital  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// Of returns the flags of a command, which is a pointer to a struct, in the order of its fields.
// It panics if a tag makes no sense, because that is a mistake in the program.
func Of(command any, values Values) []Option {
	return collect(reflect.ValueOf(command).Elem(), nil, values)
}

func collect(v reflect.Value, outer map[string]string, vars Values) (list []Option) {
	for i := range v.NumField() {
		field, tag := v.Type().Field(i), v.Type().Field(i).Tag
		_, is := tag.Lookup("help")
		_, embed := tag.Lookup("embed")
		switch {
		case !field.IsExported() && !embed && !field.Anonymous:
		case is:
			f := Option{tag: tag, outer: outer, vars: vars, field: v.Field(i)}
			name := strings.ToLower(capital.ReplaceAllString(field.Name, "$1-$2"))
			f.make(cmp.Or(tag.Get("name"), name))
			list = append(list, f)
		case (field.Anonymous || embed) && field.Type.Kind() == reflect.Struct:
			list = append(list, collect(v.Field(i), inherited(outer, tag), with(vars, tag.Get("set")))...)
		}
	}
	return list
}

// inherited returns the tags that hold for all fields of a struct.
func inherited(outer map[string]string, tag reflect.StructTag) map[string]string {
	all := maps.Clone(outer)
	for _, name := range []string{"group", "rare", "line"} {
		if text, ok := tag.Lookup(name); ok {
			if all == nil {
				all = map[string]string{}
			}
			all[name] = text
		}
	}
	return all
}

// with adds the variables of a tag set, separated by |. Variables of the outer struct win.
func with(vars Values, set string) Values {
	own := map[string]string{}
	for s := range strings.SplitSeq(set, "|") {
		name, text, _ := strings.Cut(s, "=")
		own[name] = text
	}
	return func(name string) []string {
		text, ok := own[name]
		if list := vars(name); list != nil || !ok {
			return list
		}
		if variable.MatchString(text) {
			return vars(strings.Trim(text, "${}"))
		}
		return []string{text}
	}
}

// Structs returns the command and the structs in it that have the type T, the outer ones first.
func Structs[T any](command any) (list []T) {
	if t, ok := command.(T); ok {
		list = append(list, t)
	}
	v := reflect.ValueOf(command).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if _, embed := field.Tag.Lookup("embed"); embed && field.IsExported() {
			list = append(list, Structs[T](v.Field(i).Addr().Interface())...)
		}
	}
	return list
}

// make makes the flag of the field.
func (f *Option) make(name string) {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	define(set, f.field, name, f.tag.Get("sep") == "none", f.Names("default"))
	f.Flag = set.Lookup(name)
	if text, ok := f.tag.Lookup("default"); ok && !f.several() {
		if err := f.Value.Set(f.replaced(text, ",")); err != nil {
			panic(fmt.Sprintf("--%s: %v", name, err))
		}
	}
	f.Usage = f.Tag("help")
	if allowed := f.Names("enum"); allowed != nil {
		f.Value = choice{f.Value, allowed}
		if !containsAll(f.Usage, allowed) {
			f.Usage += ": " + strings.Join(allowed, ", ")
		}
		if f.Value.String() == "" {
			_ = f.Value.Set(allowed[0]) // it is allowed
		}
	}
	if limits, ok := f.tag.Lookup("range"); ok {
		f.Value = bounded{f.Value, limits}
	}
	if arg := f.tag.Get("arg"); arg != "" {
		if !strings.Contains(f.Usage, arg) {
			panic(fmt.Sprintf("--%s: the help does not contain %s", name, arg))
		}
		f.Usage = strings.Replace(f.Usage, arg, "`"+arg+"`", 1)
	}
	if !f.several() {
		f.Value = &single{Value: f.Value}
	}
	f.initial = f.Value.String()
	f.DefValue = f.initial
	if list := strings.TrimSuffix(strings.TrimPrefix(f.initial, "["), "]"); list != "" || f.Value.Type() == "float64Slice" {
		f.DefValue = list
	}
	if f.initial == "0s" { // no limit
		f.DefValue = ""
	}
	if f.Has("shown") {
		f.DefValue = f.Tag("shown")
	}
	f.Hidden = f.Has("old")
}

// containsAll reports whether the help already explains every value.
func containsAll(help string, values []string) bool {
	words := strings.FieldsFunc(help, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(words, v) })
}

func (f *Option) several() bool { return f.field.Kind() == reflect.Slice }

// define makes the flag of a type.
func define(set *pflag.FlagSet, v reflect.Value, name string, whole bool, list []string) {
	if list != nil && v.Type() == reflect.TypeFor[[]string]() {
		v.Set(reflect.ValueOf(list))
	}
	switch p := v.Addr().Interface().(type) {
	case pflag.Value:
		set.Var(p, name, "")
	case *string:
		set.StringVar(p, name, *p, "")
	case *bool:
		set.BoolVar(p, name, *p, "")
	case *int:
		set.IntVar(p, name, *p, "")
	case *uint64:
		set.Uint64Var(p, name, *p, "")
	case *float64:
		set.Float64Var(p, name, *p, "")
	case **int64:
		set.Var(optional[int64]{p, func(s string) (int64, error) { return strconv.ParseInt(s, 0, 64) }}, name, "")
	case **float64:
		set.Var(optional[float64]{p, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }}, name, "")
	case *time.Duration:
		set.DurationVar(p, name, *p, "")
	case *[]int:
		set.IntSliceVar(p, name, *p, "")
	case *[]float64:
		set.Float64SliceVar(p, name, *p, "")
	case *[]string:
		if whole {
			set.StringArrayVar(p, name, *p, "")
		} else {
			set.StringSliceVar(p, name, *p, "")
		}
	default:
		panic(fmt.Sprintf("--%s: no flag has the type %s", name, v.Type()))
	}
}
