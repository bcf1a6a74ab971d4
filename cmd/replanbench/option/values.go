package option

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"replanbench/harness"
)

// single is a value that a command line sets once.
type single struct {
	pflag.Value
	given *string
}

// Set rejects a second value: the first one would be lost.
func (v *single) Set(s string) error {
	if v.given != nil && *v.given != s {
		return fmt.Errorf("already given as %q (give it once)", *v.given)
	}
	v.given = &s
	return v.Value.Set(s)
}

// choice is a value out of a closed list.
type choice struct {
	pflag.Value
	allowed []string
}

// Type is the word for the value in help.
func (choice) Type() string { return "NAME" }

// Set rejects a value that is not in the list.
func (c choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("choose one of %s%s", strings.Join(c.allowed, ", "), harness.DidYouMean(s, c.allowed))
	}
	return c.Value.Set(s)
}

// bounded is a whole number with limits, "LOW,HIGH".
type bounded struct {
	pflag.Value
	limits string
}

// Set rejects a number beyond the limits.
func (b bounded) Set(s string) error {
	low, high, _ := strings.Cut(b.limits, ",")
	least, err1 := strconv.ParseInt(low, 10, 64)
	most, err2 := strconv.ParseInt(cmp.Or(high, strconv.Itoa(math.MaxInt)), 10, 64)
	if err1 != nil || err2 != nil {
		panic("range " + b.limits + " is not LOW,HIGH")
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if high == "" && (err != nil || n < least) {
		return fmt.Errorf("expected a number, %d or more", least)
	}
	if err != nil || n < least || n > most {
		return fmt.Errorf("expected a number from %d to %d", least, most)
	}
	return b.Value.Set(s)
}

// optional is a number without a default.
type optional[T int64 | float64] struct {
	value **T
	parse func(string) (T, error)
}

// String returns the number, or "".
func (o optional[T]) String() string {
	if o.value == nil || *o.value == nil {
		return ""
	}
	return fmt.Sprint(**o.value)
}

// Set reads the number.
func (o optional[T]) Set(s string) error {
	n, err := o.parse(s)
	*o.value = &n
	return err
}

// Type is the word for the value in help.
func (o optional[T]) Type() string { return strings.TrimSuffix(fmt.Sprintf("%T", *new(T)), "64") }
