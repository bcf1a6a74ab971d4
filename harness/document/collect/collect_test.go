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

func TestCount(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	for _, test := range []struct {
		list []int
		want int
	}{{nil, 0}, {[]int{1, 3}, 0}, {[]int{2, 1, 2, 4}, 3}} {
		if got := collect.Count(test.list, even); got != test.want {
			t.Errorf("%v: %d, want %d", test.list, got, test.want)
		}
	}
}

func TestSet(t *testing.T) {
	if diff := cmp.Diff(map[int]bool{1: true, 3: true}, collect.Set([]int{3, 1, 3})); diff != "" {
		t.Error(diff)
	}
}

func TestOne(t *testing.T) {
	if got := [2]int{collect.One(false), collect.One(true)}; got != [2]int{0, 1} {
		t.Errorf("got %v", got)
	}
}
