package score

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
)

// existing lists the values that replies have for some keys.
func existing(values map[string][]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if names := slices.DeleteFunc(values[key], func(v string) bool { return v == "" }); len(names) > 0 {
			list = append(list, "they have "+key+" "+strings.Join(names, ", "))
		} else {
			list = append(list, "none has "+key)
		}
	}
	return strings.Join(list, "; ")
}

// Nothing says why there was nothing to score.
func (r *Result) Nothing() string {
	switch {
	case len(r.Problems) > 0:
		what := fmt.Sprintf("%d bad lines, the first: %s", r.Bad, r.Problems[0])
		if r.Bad == 1 {
			what = "1 bad line: " + r.Problems[0]
		}
		if strings.HasSuffix(what, ")") {
			return what // with a way out of its own
		}
		return what + " (a corpus is JSON Lines, see replanbench schema record; replanbench corpus import reads other " +
			"recordings)"
	case r.Left > 0:
		return fmt.Sprintf("--where leaves out all %d (%s)", r.Left, existing(r.LeftValues))
	case r.Failed > 0:
		return fmt.Sprintf("none of its %d requests got one", r.Failed)
	}
	return "the corpus holds none"
}

// Counted says what the tables count of the request.
func (s *Score) Counted() string {
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return "no"
	}
	if s.Unscored != "" {
		return "not scored, " + s.Unscored
	}
	list := []string{
		"parse " + yes(s.Tier != harness.TierNone), "apply " + yes(s.Verdict == harness.Applied),
		"ladder ends on " + cmp.Or(string(s.Rung), "failed"), fmt.Sprintf("retries %d", s.Retries),
		"danger " + yes(s.Danger),
	}
	for _, d := range s.Dangers {
		list = append(list, d.Kind+" of "+d.Step)
	}
	if s.Ladder >= 0 {
		list = append(list, fmt.Sprintf("%d tokens", s.Ladder))
	}
	return strings.Join(list, ", ")
}
