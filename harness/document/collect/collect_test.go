package collect_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/collect"
)

func TestMap(t *testing.T) {
	for _, test := range []struct {
		list []int
		want []string
	}{
		{nil, nil},
		{[]int{}, nil},
		{[]int{3, 1, 3}, []string{"3", "1", "3"}},
	} {
		if diff := cmp.Diff(test.want, collect.Map(test.list, strconv.Itoa)); diff != "" {
			t.Errorf("%v: %s", test.list, diff)
		}
	}
}
