package shard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/hunt/shard"
)

// example is a count with its first example.
type example struct {
	Name string
	N    int
	Text string
	At   int `join:"earliest"`
}

// figures has a field for each rule.
type figures struct {
	Of     uint64 `join:"first"`
	Kept   int    `join:"keep"`
	Least  int    `join:"min"`
	Most   int    `join:"max"`
	Share  float64
	Any    bool
	Word   string
	Names  []string            `join:"set"`
	Items  []example           `join:"sorted=Name"`
	Places []int               `join:"place"`
	By     map[string]*example // by name
	Parts  map[string]map[string]int
	List   []string
	Deep   *figures
	hidden int
}

func TestJoin(t *testing.T) {
	part := func() []figures {
		return []figures{
			{
				Of: 7, Kept: 1, Least: -1, Most: 4, Share: 0.5, Word: "first", Names: []string{"b", "a"},
				Items:  []example{{"x", 1, "of x", 5}, {"w", 1, "of w", 1}},
				Places: []int{1, 2}, By: map[string]*example{"k": {"k", 1, "late", 9}}, List: []string{"1"}, hidden: 1,
			},
			{
				Of: 8, Kept: 2, Least: 3, Most: 2, Share: 0.25, Any: true, Word: "second", Names: []string{"b", "c"},
				Items: []example{{"x", 2, "before", 2}, {"a", 1, "of a", 3}}, Places: []int{10},
				By: map[string]*example{"k": {"k", 2, "early", 4}}, Parts: map[string]map[string]int{"p": {"q": 1}},
				Deep: &figures{Share: 1},
			},
			{Least: 2, Parts: map[string]map[string]int{"p": {"q": 2, "r": 1}}, Deep: &figures{Share: 2}, List: []string{"2"}},
		}
	}
	parts, sum := part(), figures{Least: -1}
	for _, p := range parts {
		shard.Join(&sum, p)
	}
	want := figures{
		Of: 7, Least: 2, Most: 4, Share: 0.75, Any: true, Word: "first", Names: []string{"a", "b", "c"},
		Items:  []example{{"a", 1, "of a", 3}, {"w", 1, "of w", 1}, {"x", 3, "before", 2}},
		Places: []int{11, 2}, By: map[string]*example{"k": {"k", 3, "early", 4}},
		Parts: map[string]map[string]int{"p": {"q": 3, "r": 1}}, List: []string{"1", "2"}, Deep: &figures{Share: 3},
	}
	unexported := cmp.AllowUnexported(figures{})
	if diff := cmp.Diff(want, sum, unexported); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(part(), parts, unexported); diff != "" {
		t.Errorf("Join changes the shards (-want +got):\n%s", diff)
	}
}

// Counts and their first examples do not depend on the order of the shards.
func TestJoinInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var parts []figures
		for at := range rapid.IntRange(1, 6).Draw(rt, "n") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "name")
			x := example{name, at, rapid.StringN(1, 4, -1).Draw(rt, "text"), at}
			parts = append(parts, figures{Items: []example{x}, By: map[string]*example{name: &x}, Least: at})
		}
		join := func(list []figures) (sum figures) {
			for _, p := range list {
				shard.Join(&sum, p)
			}
			return sum
		}
		want, got := join(parts), join(rapid.Permutation(parts).Draw(rt, "order"))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{})); diff != "" {
			rt.Errorf("(-one order +another):\n%s", diff)
		}
	})
}
