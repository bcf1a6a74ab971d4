package shard

import (
	"reflect"
	"slices"
	"sort"
	"strings"
)

// Join adds the figures of another shard to a value: it sums numbers, appends lists, joins
// structs, maps and pointers member by member, and keeps the first text that is not "". The
// tag join of a field names another rule:
//
//	keep      the field stays as it is
//	first     the first value that is not zero stays
//	min       the lower value; a negative number is none
//	max       the higher value
//	earliest  the lower number; the texts of its struct come from the same shard
//	set       a sorted list without repetitions
//	by=F      items whose field F is equal become one item
//	sorted=F  the same, and the list is sorted by the text F
//	place     items at the same place become one item
//
// The value shares nothing with theirs that a later Join changes.
func Join[T any](mine *T, theirs T) {
	join(reflect.ValueOf(mine).Elem(), reflect.ValueOf(&theirs).Elem(), "", false)
}

// join adds b to a by a rule; earlier says that texts come from b.
func join(a, b reflect.Value, rule string, earlier bool) {
	rule, field, _ := strings.Cut(rule, "=")
	switch rule {
	case "keep":
	case "first":
		if a.IsZero() {
			a.Set(clone(b))
		}
	case "min":
		if less(b, a) && (!b.CanInt() || b.Int() >= 0) || a.CanInt() && a.Int() < 0 {
			a.Set(b)
		}
	case "max":
		if less(a, b) {
			a.Set(b)
		}
	case "earliest":
		if earlier {
			a.Set(b)
		}
	case "set":
		list, _ := reflect.TypeAssert[[]string](reflect.AppendSlice(clone(a), b))
		slices.Sort(list)
		a.Set(reflect.ValueOf(slices.Compact(list)))
	case "by", "sorted", "place":
		joinItems(a, b, rule, field)
	default:
		joinValues(a, b, earlier)
	}
}

func joinValues(a, b reflect.Value, earlier bool) {
	switch {
	case a.CanInt():
		a.SetInt(a.Int() + b.Int())
	case a.CanUint():
		a.SetUint(a.Uint() + b.Uint())
	case a.CanFloat():
		a.SetFloat(a.Float() + b.Float())
	case a.Kind() == reflect.Bool:
		a.SetBool(a.Bool() || b.Bool())
	case a.Kind() == reflect.String:
		if earlier || a.Len() == 0 {
			a.Set(b)
		}
	case a.Kind() == reflect.Struct:
		joinStructs(a, b, earlier)
	case b.IsZero():
	case a.Kind() == reflect.Slice:
		a.Set(reflect.AppendSlice(a, clone(b)))
	case a.IsNil():
		a.Set(clone(b))
	case a.Kind() == reflect.Pointer:
		join(a.Elem(), b.Elem(), "", earlier)
	case a.CanConvert(reflect.TypeFor[counts]()): // most maps of a campaign, joined after every few cases
		mine, _ := reflect.TypeAssert[counts](a.Convert(reflect.TypeFor[counts]()))
		theirs, _ := reflect.TypeAssert[counts](b.Convert(reflect.TypeFor[counts]()))
		for key, n := range theirs {
			mine[key] += n
		}
	case a.Kind() == reflect.Map:
		for key, value := range b.Seq2() {
			sum := reflect.New(a.Type().Elem()).Elem()
			if old := a.MapIndex(key); old.IsValid() {
				sum.Set(old)
				join(sum, value, "", false)
			} else {
				sum.Set(clone(value))
			}
			a.SetMapIndex(key, sum)
		}
	}
}

type counts map[string]uint64

func joinStructs(a, b reflect.Value, earlier bool) {
	for field, value := range a.Fields() {
		if field.Tag.Get("join") == "earliest" {
			earlier = less(b.FieldByIndex(field.Index), value)
		}
	}
	for field, value := range a.Fields() {
		if field.IsExported() || field.Anonymous {
			join(value, b.FieldByIndex(field.Index), field.Tag.Get("join"), earlier)
		}
	}
}

// joinItems joins each item of b to the item of a with the same place or field.
func joinItems(a, b reflect.Value, rule, field string) {
	for i := range b.Len() {
		at := i
		if rule != "place" {
			at = find(a, field, b.Index(i).FieldByName(field))
		}
		if at < a.Len() {
			join(a.Index(at), b.Index(i), "", false)
		} else {
			a.Set(reflect.Append(a, clone(b.Index(i))))
		}
	}
	if rule == "sorted" {
		sort.SliceStable(a.Interface(), func(i, k int) bool {
			return less(a.Index(i).FieldByName(field), a.Index(k).FieldByName(field))
		})
	}
}

// find returns the place of the item with that value of a field, or the length of the list.
func find(list reflect.Value, field string, value reflect.Value) int {
	for i := range list.Len() {
		if list.Index(i).FieldByName(field).Equal(value) {
			return i
		}
	}
	return list.Len()
}

// less compares two numbers or two texts.
func less(a, b reflect.Value) bool {
	switch {
	case a.CanInt():
		return a.Int() < b.Int()
	case a.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat():
		return a.Float() < b.Float()
	}
	return a.String() < b.String()
}

// clone returns a value with lists, maps and pointers of its own, as far as fields are exported.
func clone(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch {
	case v.Kind() == reflect.Struct:
		for field, value := range c.Fields() {
			if field.IsExported() || field.Anonymous {
				value.Set(clone(value))
			}
		}
	case v.Kind() == reflect.Slice && !v.IsNil():
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			c.Index(i).Set(clone(v.Index(i)))
		}
	case v.Kind() == reflect.Map && !v.IsNil():
		c.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for key, value := range v.Seq2() {
			c.SetMapIndex(key, clone(value))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		c.Set(reflect.New(v.Type().Elem()))
		c.Elem().Set(clone(v.Elem()))
	}
	return c
}
