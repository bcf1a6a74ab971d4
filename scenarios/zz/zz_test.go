package zz

import (
	"fmt"
	"testing"

	"replanbench/harness/dialect/all"
)

func TestZZ(t *testing.T) {
	for _, d := range []string{"planmode", "trim"} {
		for _, m := range all.Traits(d) {
			fmt.Printf("%s | %s | %s\n", m.Name, m.Theme, m.Place)
		}
	}
}
