package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes as people write it: 512MiB, 2GiB, 1000000.
type Bytes int64

// Type returns the type name that flags and configuration keys show.
func (b *Bytes) Type() string { return "BYTES" }

func (b *Bytes) String() string {
	for _, u := range byteUnits() {
		if n := int64(*b); n != 0 && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set reads a number with a unit, such as 512MiB.
func (b *Bytes) Set(s string) error {
	size := int64(1)
	digits := strings.TrimSpace(s)
	for _, u := range byteUnits() {
		if rest, ok := strings.CutSuffix(digits, u.name); ok {
			digits, size = rest, u.size
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/size {
		return fmt.Errorf("not a size (write it like 512MiB or 2GiB)")
	}
	*b = Bytes(n * size)
	return nil
}

type byteUnit struct {
	name string
	size int64
}

// byteUnits lists the units, the largest first.
func byteUnits() []byteUnit {
	return []byteUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
}
