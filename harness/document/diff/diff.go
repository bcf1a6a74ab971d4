// Package diff uses go-cmp to list the places where two values differ, sorted.
//
// It is for explanations. A loop that only needs equality calls the Equal method of
// the values, which is many times faster, and then [Paths] for unequal ones.
package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/strictjson"
)

// Path is a place where two values differ. Want or Got is nil where a value is missing.
type Path struct {
	Names     []string // of members, in lower case for fields of a struct, and indexes
	Want, Got any
	order     []string
}

// Pointer returns the place as a JSON Pointer.
func (p Path) Pointer() string {
	var b strings.Builder
	for _, n := range p.Names {
		b.WriteString("/" + strictjson.Escape(n))
	}
	return b.String()
}

// Paths returns the places where two values differ, sorted: members of a struct in its
// order, members of a map by name, items of a list by index.
func Paths(want, got any, options ...cmp.Option) []Path {
	var r reporter
	cmp.Equal(want, got, append(options, cmp.Reporter(&r))...)
	slices.SortStableFunc(r.list, func(a, b Path) int { return slices.Compare(a.order, b.order) })
	return r.list
}

// ByIndex compares lists of T item by item if they have the same length. Lists of
// different lengths differ as a whole.
func ByIndex[T any]() cmp.Option {
	same := func(a, b []T) bool { return len(a) == len(b) }
	return cmp.Options{
		cmp.FilterValues(same, cmp.Transformer("byIndex", func(list []T) map[int]T {
			items := make(map[int]T, len(list))
			for i, item := range list {
				items[i] = item
			}
			return items
		})),
		cmp.FilterValues(func(a, b []T) bool { return !same(a, b) }, cmp.Comparer(same)),
	}
}

// Ignore ignores the places where equal holds. equal gets nil for a missing value.
func Ignore(equal func(p cmp.Path, want, got any) bool) cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		want, got := p.Last().Values()
		return equal(p, value(want), value(got))
	}, cmp.Ignore())
}

// Names returns the names of members and the indexes that lead to a place.
func Names(p cmp.Path) []string {
	names, _ := steps(p)
	return names
}

// reporter is the cmp.Reporter that collects the places.
type reporter struct {
	path cmp.Path
	list []Path
}

func (r *reporter) PushStep(s cmp.PathStep) { r.path = append(r.path, s) }
func (r *reporter) PopStep()                { r.path = r.path[:len(r.path)-1] }

func (r *reporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	want, got := r.path.Last().Values()
	names, order := steps(r.path)
	r.list = append(r.list, Path{names, value(want), value(got), order})
}

// steps returns the names in a path, and the keys by which places are sorted.
func steps(p cmp.Path) (names, order []string) {
	for _, s := range p {
		switch s := s.(type) {
		case cmp.StructField:
			names, order = append(names, snake(s.Name())), append(order, fmt.Sprintf("%08d", s.Index()))
		case cmp.MapIndex:
			name, key := fmt.Sprint(s.Key()), fmt.Sprint(s.Key())
			if s.Key().CanInt() {
				key = fmt.Sprintf("%020d", s.Key().Int())
			}
			names, order = append(names, name), append(order, key)
		case cmp.SliceIndex:
			i, j := s.SplitKeys()
			names, order = append(names, fmt.Sprint(max(i, j))), append(order, fmt.Sprintf("%020d", max(i, j)))
		}
	}
	return names, order
}

// snake turns the name of a field into the name of a member, such as tools_expected.
func snake(field string) string {
	var b strings.Builder
	for i, r := range field {
		if 'A' <= r && r <= 'Z' {
			if i > 0 && field[i-1] >= 'a' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func value(v reflect.Value) any {
	if !v.IsValid() || !v.CanInterface() {
		return nil
	}
	return v.Interface()
}
