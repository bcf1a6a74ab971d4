// Package cause turns the breaks of a campaign into a short list of what is
// wrong with an engine.
//
// There are three steps, each a function of values. [Gather] returns the [Evidence] of a
// campaign: its groups, which are the breaks of one check and kind with the same minimal
// traits (the culprits), with the look-alikes of each. A look-alike is the reference with
// one known defect, with another value of one knob, or that ignores one member of the replies,
// and answers as the engine does.
// [Cluster] puts groups together that one bug explains. [Describe] makes a [Cause] of each
// cluster: its class, sentence, counts and example.
//
// Diagnosing asks no engine: groups hold what is needed of its answers, so that
// the causes of shards are those of the whole.
package cause

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Key is what makes breaks one group.
type Key struct {
	Culprits []string `json:"culprits"` // traits; empty: it shows in plain cases
	Check    string   `json:"check"`
	Kind     string   `json:"kind"`
	// Variant distinguishes keys that are otherwise equal; "" in campaigns.
	Variant string `json:"variant,omitzero"`
}

// ID is a stable name: the same for the same break in any campaign of any seed.
func (k Key) ID(dialect string) string { return k.hash(dialect) }

// OldID is the name that earlier versions gave the group for a verdict of the engine.
func (k Key) OldID(dialect, verdict string) string { return k.hash(dialect, verdict) }

func (k Key) hash(dialect string, more ...string) string {
	parts := append([]string{dialect, strings.Join(k.Culprits, "+"), k.Check, k.Kind}, more...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "|")))
	return hex.EncodeToString(sum[:6])
}

// Group is the breaks of one check and kind with the same culprits.
type Group struct {
	// ID is the id of the key, if it has traits without the member that the kind names.
	ID string `json:"id"`
	Key
	// Verdicts are the verdicts of the engine when only the culprits are planted, sorted.
	Verdicts string      `json:"verdicts,omitzero"`
	Class    judge.Class `json:"class"`
	Advisory bool        `json:"advisory,omitzero"`
	// Unconfirmed reports that no case of the group was re-run.
	Unconfirmed bool   `json:"unconfirmed,omitzero"`
	Cases       uint64 `json:"cases"` // that show it
	First       uint64 `json:"first"` // the first of them
	Worst       uint64 `json:"worst"` // those of them that break nothing worse
	// Failing are the first cases that show it, [Kept] at most, made with the
	// culprits alone.
	Failing []Seen   `json:"failing"`
	Also    []string `json:"also,omitempty"` // other checks that the same cases break, in the order of letters
	// Beside counts the cases that also show other breaks with the same culprits, by check
	// and kind.
	Beside map[string]uint64 `json:"beside,omitempty"`
	// Example is the break with the smallest case that was found; nil while it is
	// being made.
	Example *finding.Finding `json:"example,omitzero"`
}

// Seen is what an engine answered to a case.
type Seen struct {
	Index  uint64 `json:"index"`
	Answer string `json:"answer"` // a digest; see [Digest]
	// Departs lists the ways in which the outcome differs from the expected one.
	Departs []string `json:"departs,omitempty"`
	Place   string   `json:"place,omitzero"` // where the engine crashed; see [harness.Failure.Place]
}

// Kept is how many cases of a group are kept.
const Kept = 24

// Name returns the name of the group in lists of known failures: dialect/class/id.
func (g *Group) Name(dialect string) string { return dialect + "/" + string(g.Class) + "/" + g.ID }

// Names returns all names by which a list can call the group: its own, those of earlier
// versions, and that of its finding.
func (g *Group) Names(dialect string) []string {
	names := []string{g.Name(dialect)}
	if exact := g.Key.ID(dialect); exact != g.ID {
		names = append(names, dialect+"/"+string(g.Class)+"/"+exact)
	}
	stem := Key{Culprits: g.Culprits, Check: g.Check, Kind: g.Kind[:strings.LastIndexByte(g.Kind, ':')+1]}
	if stem.ID(dialect) == g.ID { // earlier, the name of another kind
		stem.Kind = strings.TrimSuffix(stem.Kind, ":")
		names = append(names, dialect+"/"+string(g.Class)+"/"+stem.ID(dialect))
	}
	for v := range strings.SplitSeq(g.Verdicts, " ") {
		names = append(names, dialect+"/"+string(g.Class)+"/"+g.OldID(dialect, v))
	}
	if g.Example != nil {
		names = append(names, g.Example.ID())
	}
	return names
}

// Former returns the names that lists of known failures may have for the group from the
// time before traits or checks were renamed.
func (g *Group) Former(dialect string, renamed map[string][]string) (names []string) {
	for _, former := range renamed[g.Check] {
		old := *g
		old.Check = former
		old.ID = old.Key.ID(dialect)
		if g.Example != nil {
			e := *g.Example
			e.Invariant, e.Fingerprint = former, finding.Fingerprint(former, e.Field, e.Want, e.Got, e.Case)
			old.Example = &e
		}
		names = slices.Concat(names, old.Names(dialect), old.Former(dialect, renamed))
	}
	for i, culprit := range g.Culprits {
		for _, former := range renamed[culprit] {
			old := *g
			old.Culprits = slices.Clone(g.Culprits)
			old.Culprits[i] = former
			old.ID, old.Example = old.Key.ID(dialect), nil
			names = slices.Concat(names, old.Names(dialect), old.Former(dialect, renamed))
		}
	}
	return names
}

// Saw notes a verdict of the engine.
func (g *Group) Saw(verdict string) {
	g.Verdicts = strings.Join(inserted(strings.Fields(g.Verdicts), verdict), " ")
}

// Add counts a case that shows the group.
func (g *Group) Add(s Seen) {
	if g.Cases == 0 || s.Index < g.First {
		g.First = s.Index
	}
	g.Cases++
	if s.Answer != "" && len(g.Failing) < Kept {
		g.Failing = append(g.Failing, s)
	}
}

// Join puts the cases of another shard's part of the group to these.
func (g *Group) Join(o Group) {
	if g.Cases == 0 || o.First < g.First {
		g.First, g.Example, g.Kind = o.First, o.Example, o.Kind
	}
	g.Unconfirmed = g.Unconfirmed && o.Unconfirmed
	for v := range strings.FieldsSeq(o.Verdicts) {
		g.Saw(v)
	}
	g.Cases += o.Cases
	g.Worst += o.Worst
	g.Failing = append(slices.Clone(g.Failing), o.Failing...)
	slices.SortFunc(g.Failing, func(a, b Seen) int { return int(int64(a.Index) - int64(b.Index)) })
	g.Failing = g.Failing[:min(len(g.Failing), Kept)]
	for _, name := range o.Also {
		g.Also = inserted(g.Also, name)
	}
	beside := maps.Clone(o.Beside)
	for key, n := range g.Beside {
		if beside == nil {
			beside = map[string]uint64{}
		}
		beside[key] += n
	}
	g.Beside = beside
}

// Meet notes that a case that shows the group shows another break, too, with the same
// culprits.
func (g *Group) Meet(check, kind string) {
	g.Also = inserted(g.Also, check)
	if g.Beside == nil {
		g.Beside = map[string]uint64{}
	}
	g.Beside[check+" "+kind]++
}

// inserted returns a sorted list with one more word.
func inserted(list []string, word string) []string {
	if i, found := slices.BinarySearch(list, word); !found {
		return slices.Insert(slices.Clip(list), i, word)
	}
	return list
}

// Covers reports whether a case with these traits can show the group.
func (g *Group) Covers(traits []string) bool {
	for _, c := range g.Culprits {
		if !slices.Contains(traits, c) {
			return false
		}
	}
	return true
}

// Repeats reports whether the group is the break of another one, with more traits.
func (g *Group) Repeats(o *Group) bool {
	return g.Check == o.Check && g.Kind == o.Kind && o.Covers(g.Culprits)
}

// Digest puts into a few bytes how an answer departs from the right one: the verdict, the code
// where it counts, and the members that differ of those that every engine must give, with the
// one that is in dispute. So engines that write equal members in other ways have one digest.
func Digest(members outcome.Members, right, out *harness.Outcome, exact bool, disputed string) string {
	o := struct {
		Verdict harness.Verdict
		Code    harness.Code
		Members map[string]any
	}{Verdict: out.Verdict, Members: members.Departing(right, out, disputed)}
	if exact {
		o.Code = out.Code
	}
	text, err := json.Marshal(o, json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Disputed is the member of outcomes that a kind is about, where it names one.
func Disputed(kind string) string {
	_, inner, ok := strings.Cut(kind, "/")
	if !ok {
		inner = kind
	}
	word, member, _ := strings.Cut(inner, ":")
	if word == "differs" || word == "reports" {
		return member
	}
	return ""
}
