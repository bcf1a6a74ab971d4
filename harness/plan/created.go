package plan

import (
	"strconv"
	"strings"
)

// IsCreated reports whether an id means the N-th created task: $N.
func IsCreated(id string) bool {
	digits, ok := strings.CutPrefix(id, "$")
	return ok && digits != "" && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

// Created returns the id that $N means among the ids of created tasks, and other ids as they
// are.
func Created(id string, ids []string) string {
	if !IsCreated(id) {
		return id
	}
	if n, err := strconv.Atoi(id[1:]); err == nil && n <= len(ids) {
		return ids[n-1]
	}
	return id
}
