// Package collect makes lists of lists.
package collect

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
