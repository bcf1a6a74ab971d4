// Package collect makes lists of lists, and maps of maps.
package collect

import (
	"maps"
	"strings"
)

// Joiner makes texts that share memory. The zero value is ready to use.
type Joiner struct{ memory strings.Builder }

// Join returns the parts as one text.
func (j *Joiner) Join(parts ...string) string {
	const usual, room = 64, 512
	if j.memory.Cap()-j.memory.Len() < usual {
		j.memory.Reset()
		j.memory.Grow(room)
	}
	begin := j.memory.Len()
	for _, part := range parts {
		j.memory.WriteString(part)
	}
	return j.memory.String()[begin:]
}

// Map returns a list of what a function makes of each item, or nil if the list is empty.
func Map[T, U any](list []T, of func(T) U) []U {
	if len(list) == 0 {
		return nil
	}
	made := make([]U, len(list))
	for i, item := range list {
		made[i] = of(item)
	}
	return made
}

// Flat returns the lists that a function makes of the items as one list.
func Flat[T, U any](list []T, of func(T) []U) (all []U) {
	for _, item := range list {
		all = append(all, of(item)...)
	}
	return all
}

// Count returns how many items of a list pass a test.
func Count[T any](list []T, passes func(T) bool) (n int) {
	for _, item := range list {
		if passes(item) {
			n++
		}
	}
	return n
}

// One is 1 for true, and 0 for false.
func One(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Set returns the items of a list as a set.
func Set[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}

// Join returns the entries of all maps.
func Join[K comparable, V any](parts ...map[K]V) map[K]V {
	all := map[K]V{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// Unique returns the items of a list without repetitions, each where it is first.
func Unique[T comparable](list []T) (items []T) {
	seen := make(map[T]bool, len(list))
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			items = append(items, item)
		}
	}
	return items
}
