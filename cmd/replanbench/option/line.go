package option

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"replanbench/harness"
)

// Line returns the arguments that set the flags to their values: those that differ from the
// default and those with the tag line:"yes", without the named ones.
func Line(list []Option, without ...string) (args []string) {
	for _, f := range list {
		when := f.Tag("line")
		if when == "no" || slices.Contains(without, f.Name) || f.Hidden || when != "yes" && f.Value.String() == f.initial {
			continue
		}
		several, is := f.Value.(pflag.SliceValue)
		switch {
		case f.Value.Type() == "bool":
			args = append(args, "--"+f.Name)
		case is && f.Has("sep"):
			for _, v := range several.GetSlice() {
				if when == "name" {
					v, _, _ = strings.Cut(v, "=")
				}
				args = append(args, "--"+f.Name, v)
			}
		case is:
			args = append(args, "--"+f.Name, strings.Join(several.GetSlice(), ","))
		default:
			args = append(args, "--"+f.Name, f.Value.String())
		}
	}
	return args
}

// Check returns the conflicts among the flags that were given. It calls warn for each flag that
// another one replaces.
func Check(list []Option, warn func(string)) error {
	given, shard := map[string]bool{}, ""
	for _, f := range list {
		if given[f.Name] = f.Changed; f.Changed && f.Name == "shard" && !strings.HasPrefix(f.Value.String(), "1/1") {
			shard = f.Value.String()
		}
	}
	for _, f := range list {
		if !f.Changed {
			continue
		}
		if f.Has("whole") && shard != "" {
			return harness.Mistakef("--%s needs the whole run, and --shard %s is a part of it (leave one of the two out)", f.Name,
				shard)
		}
		for _, other := range f.Names("conflicts") {
			if given[other] {
				return harness.Mistakef("give --%s or --%s, not both", f.Name, other)
			}
		}
		now := f.Tag("old")
		if given[now] {
			return harness.Mistakef("--%s is the old name of --%s: give one of them", f.Name, now)
		}
		if now != "" {
			warn("--" + f.Name + " is deprecated, and the next version does not have it (use --" + now + ")")
		}
	}
	return nil
}
