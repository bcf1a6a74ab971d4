package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/measure"
)

// Fuzz is the section of fuzzing campaigns, one for each dialect.
type Fuzz struct {
	Campaigns []campaign.Result `json:"campaigns"`
}

// campaigns returns the campaigns of the report, if any.
func (r *Report) campaigns() (list []*campaign.Result) {
	for i := 0; r.Fuzz != nil && i < len(r.Fuzz.Campaigns); i++ {
		list = append(list, &r.Fuzz.Campaigns[i])
	}
	return list
}

// ofServer reports whether a campaign tested a task server.
func ofServer(c *campaign.Result) bool { return slices.Contains(c.Features, harness.FeatureStore) }

// hasIndex reports whether replay can make a case of the cause from its index.
func hasIndex(c *campaign.Result, x cause.Cause) bool {
	return c.Source == "" && !ofServer(c) && x.Check != cause.CheckProfile
}

// Speed is how fast a campaign was.
type Speed struct {
	Dialect   string  `json:"dialect"`
	Source    string  `json:"source,omitzero"` // as in the campaign
	Cases     uint64  `json:"cases"`           // checked in this run
	Seconds   float64 `json:"seconds"`
	Workers   int     `json:"workers"`
	PerSecond float64 `json:"per_second"`
	PerWorker float64 `json:"per_worker_and_second"`
}

// String returns the speed as a sentence.
func (s Speed) String() string {
	digits := func(rate float64) int {
		if rate < 10 {
			return 1
		}
		return 0
	}
	return fmt.Sprintf("%.*f cases per second, %.*f for each of %s.", digits(s.PerSecond), s.PerSecond, digits(s.PerWorker),
		s.PerWorker, counted(s.Workers, "worker"))
}

// AddFuzz adds a campaign, a failure for each cause that is neither known nor advisory,
// and the speed of the campaign. reproduce returns the command line that reproduces a
// cause.
func (r *Report) AddFuzz(run campaign.Run, known finding.Baseline, reproduce func(cause.Cause) string) {
	if r.Fuzz == nil {
		r.Fuzz = &Fuzz{}
	}
	result := run.Result
	r.Fuzz.Campaigns = append(r.Fuzz.Campaigns, result)
	isKnown := result.KnownGroups(func(name string) bool { _, ok := known.Find(name); return ok })
	for status, n := range result.Statuses(isKnown) {
		r.Summary.addMany(status, int(n))
	}
	if result.Unconnected {
		r.Failures = append(r.Failures, Failure{
			Suite: suiteFuzz, ID: result.Dialect, Status: harness.Fail, Message: result.Stopped,
			Title:     "Run replanbench engine check: it shows the responses and explains them.",
			Reproduce: reproduce(cause.Cause{}),
		})
	}
	for _, c := range result.Causes {
		// Another campaign of the dialect may have the same cause.
		reported := slices.ContainsFunc(r.Failures, func(x Failure) bool { return x.ID == c.Name(result.Dialect) })
		if fresh, name := result.Fresh(c, isKnown); !reported && name != "" {
			failure := fuzzFailure(&result, fresh, reproduce(c))
			failure.ID = name
			r.Failures = append(r.Failures, failure)
		}
	}
	if run.Workers == 0 {
		return // merged from shards
	}
	r.Environment.Speed = append(r.Environment.Speed, Speed{
		Dialect: result.Dialect, Source: result.Source, Cases: run.Ran, Seconds: run.Elapsed.Seconds(), Workers: run.Workers,
		PerSecond: run.Rate(), PerWorker: run.Rate() / float64(run.Workers),
	})
}

// howOften says how many cases show a cause, out of the cases that could.
func howOften(c cause.Cause) string {
	what := "cases with this trait"
	switch n := len(c.Culprits); {
	case c.Check == cause.CheckProfile:
		what = "probes"
	case n == 0, slices.ContainsFunc(c.Traits, func(s cause.Shows) bool { return len(s.Culprits) == 0 }):
		what = "cases"
	case len(c.Traits) > 1:
		what = "cases with one of these traits"
	case n > 1:
		what = "cases with these traits"
	}
	if c.Of == 1 {
		what = strings.NewReplacer("cases", "case", "probes", "probe").Replace(what)
	}
	return fmt.Sprintf("%d of %d %s", c.Cases, c.Of, what)
}

// longestText limits the bytes of a text of a case in a list of causes.
const longestText = 400

// shownCase returns the limits, documents and replies of a case, one line each.
func shownCase(c harness.Case) (lines []string) {
	line := func(name, text string) {
		text = strings.Join(strings.Fields(text), " ")
		if len(text) > longestText {
			text = strings.ToValidUTF8(text[:longestText], "") + fmt.Sprintf("… (%d bytes)", len(text))
		}
		lines = append(lines, name+"  "+text)
	}
	if bounds := boundsOf(c); bounds != "" {
		line("limits", bounds)
	}
	for name, stored := range c.Documents() {
		if len(stored) == 0 {
			continue
		}
		value := stored.Clone() // a stored report contains white space
		if value.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			value = stored
		}
		line(name, string(value))
	}
	for _, r := range c.Replies {
		line("reply", string(r))
	}
	return lines
}

// boundsOf lists the limits of a case in the form of a scenario's header.
func boundsOf(c harness.Case) string {
	var bounds []string
	for _, l := range c.Bounds() {
		if *l.Value != nil {
			bounds = append(bounds, fmt.Sprintf("%s: %d", l.Name, **l.Value))
		}
	}
	return strings.Join(bounds, ", ")
}

// behaves says what a cause looks like: a knob or a built-in defect.
func behaves(c cause.Cause) string {
	if strings.Contains(c.LooksLike, "=") {
		return "behaves as with " + c.LooksLike
	}
	return "behaves like the built-in defect " + c.LooksLike
}

// effects says where a cause crashes, with which traits it shows, and what else it shows.
func effects(c cause.Cause, traits string) (lines []string) {
	others := firstOf(c.ShowsAs, 3, "; ", "; and %d more, in the JSON report")
	for _, x := range [][2]string{{"Most of its cases crash at ", c.Place}, {"Traits: ", traits}, {"Also shows as ", others}} {
		if x[1] != "" {
			lines = append(lines, x[0]+x[1]+".")
		}
	}
	return lines
}

// someTraits is how many traits of a cause a text names.
const someTraits = 8

// likeBegin begins the part of a message that names what explains a cause.
const likeBegin = " (like "

func fuzzFailure(result *campaign.Result, c cause.Cause, reproduce string) Failure {
	message := c.Sentence
	if c.LooksLike != "" {
		message += likeBegin + c.LooksLike + ")"
	}
	lines := append([]string{howOften(c) + "."}, effects(c, showsWith(c, someTraits))...)
	failure := Failure{
		Suite: suiteFuzz, ID: c.Name(result.Dialect), Message: message, Reproduce: reproduce,
		Status: harness.Fail, Cases: c.Cases,
	}
	if file, line, ok := strings.Cut(c.Place, ":"); ok {
		failure.File = file
		failure.Line, _ = strconv.Atoi(line) // 0 is none
	}
	if f := result.Shows(c); f != nil {
		failure.Status = f.Kind.Status()
		lines = append(lines, f.Message, measured(f, cmp.Or(result.Stopped, "time was up")))
		lines = append(lines, shownCase(f.Case)...)
		if f.Kind == finding.Flaky {
			lines = append(lines, unsteady(f))
		}
		if f.Want != "" && f.Want != f.Got { // else the message contains the difference
			failure.Differences = []outcome.Path{{Want: f.Want, Got: f.Got}}
		}
	}
	if c.Check == cause.CheckProfile && c.Example != nil {
		lines = append(lines, shownCase(*c.Example)...)
	}
	failure.Title = strings.Join(lines, "\n")
	return failure
}

// showsWith lists the traits of the cases that show a cause, with counts: so many, or all on a page.
func showsWith(c cause.Cause, most int) string {
	if len(c.Traits) < 2 {
		return strings.Join(c.Culprits, ", ")
	}
	var list []string
	for _, s := range c.Traits {
		text := cmp.Or(strings.Join(s.Culprits, " with "), "none")
		if s.Cases > 0 {
			text += fmt.Sprintf(" (%d)", s.Cases)
		}
		list = append(list, text)
	}
	return firstOf(list, most, ", ", ", %d more, in the JSON report")
}

// measured names the case of a finding and its size. It says why a case was not shrunk.
func measured(f *finding.Finding, ended string) string {
	size, small := f.Shrunk.To, "after shrinking"
	if f.Reproduced == finding.Unexamined {
		small = "as found (not shrunk: " + ended + ")"
	}
	return fmt.Sprintf("Case %d of seed %d: %s, %s %s.", f.CaseIndex, f.Seed, contents(f.Case, size),
		counted(size.Bytes, "byte"), small)
}

// contents returns the size of a case in the terms of its dialect: steps and operations,
// or the items of the counted document.
func contents(c harness.Case, size finding.Size) string {
	d := all.Find(c.Dialect)
	if d == nil || d.Replies != document.NoReplies {
		p, _ := all.Plan(c) // nil if it is invalid
		return counted(size.Steps, p.Unit()) + ", " + counted(size.Operations, "operation")
	}
	i := slices.IndexFunc(d.Documents, func(doc document.Document) bool { return doc.Counted })
	return counted(size.Operations, strings.TrimSuffix(d.Documents[max(i, 0)].Name, "s"))
}

// unsteady says when a nondeterministic case fails.
func unsteady(f *finding.Finding) string {
	if never := strings.HasPrefix(f.Reproduced, "0/"); !never {
		return fmt.Sprintf("It failed in %s re-runs.", f.Reproduced)
	}
	alone := "A fresh process does not show it: the engine keeps state between requests, or its responses vary."
	if len(f.Before) == 0 {
		return alone
	}
	names := collect.Map(f.Before, func(index uint64) string { return strconv.FormatUint(index, 10) })
	return alone + " It shows after these cases of the same seed: " + strings.Join(names, ", ") + "."
}

// AddUnused adds a failure for each line of a baseline that matches nothing, so that the
// baseline does not rot.
func (r *Report) AddUnused(file string, entries []finding.Entry, reproduce string) {
	for _, e := range entries {
		r.Failures = append(r.Failures, Failure{
			Suite: suiteBaseline, ID: e.Pattern, Status: harness.Fixed,
			Message:   fmt.Sprintf("line %d of %s matches no failure (delete or correct the line)", e.Line, file),
			Reproduce: reproduce,
		})
	}
}

// idle reports whether a whole campaign ran no case.
func idle(c *campaign.Result) bool { return c.Cases == 0 && len(c.Shards) == c.Of }

// campaignChapters returns a chapter for each campaign.
func (r *Report) campaignChapters() (list []chapter) {
	for _, c := range r.campaigns() {
		causeOf := c.CauseOf()
		p := chapter{
			name: "fuzz", title: "Fuzzing " + c.Title(), judged: true,
			tables: []measure.Table{fuzzCauses(c), fuzzData(c), fuzzSummary(c, r.Environment), fuzzStore(c), fuzzChecks(c)},
			line:   counted(int(c.Cases), "case"), short: c.Planned > c.Cases && len(c.Shards) == c.Of,
			suite: suiteFuzz, tests: campaignTests(c), testsTitle: "fuzz " + c.Title(), owns: func(f Failure) bool {
				return f.Suite == suiteFuzz && (f.ID == c.Dialect || causeOf(f.ID) != nil)
			},
		}
		if c.Source == "" { // other campaigns do not aim at full coverage
			p.tables = append(p.tables, fuzzCoverage(c))
		}
		list = append(list, p)
	}
	return list
}

// campaignTests returns a test for each invariant, and one for each cause that fails, worst first. An invariant is
// skipped unless it held: the tests of causes report it.
func campaignTests(c *campaign.Result) (list []test) {
	states := c.States()
	for _, k := range all.Rules(c.Dialect).Checks {
		t := test{class: "fuzz/" + c.Dialect, name: k.Name}
		if state := states[k.Name].State; state != campaign.CheckHeld {
			t.skipped = state
		}
		list = append(list, t)
	}
	return list
}

// manyCauses is how many causes fill a screen. More are listed under families.
const manyCauses = 12

// campaignKeys returns the keys of everything in a campaign.
func campaignKeys(c *campaign.Result) measure.Keys {
	return measure.By("dialect", c.Dialect, "seed", fmt.Sprint(c.Seed), "source", c.Source)
}

// fuzzData returns the causes and the counts of each closed list, for programs.
func fuzzData(c *campaign.Result) measure.Table {
	t, all := measure.Table{Hidden: true}, campaignKeys(c)
	for _, x := range c.Causes {
		k := all.With("class", string(x.Class), "cause", x.ID, "family", x.Family, "check", x.Check)
		t.Add(causeMeasure(k, x.Cases, x.Of, x.Sentence))
	}
	for _, k := range tallies(&c.Coverage) {
		for _, name := range k.tally.Names() {
			t.Add(all.With("kind", k.name, "name", name).Count("occurrences", int(k.tally[name])))
		}
	}
	return t
}

// fuzzCauses returns the table of causes, worst first. Advisory causes are below it.
func fuzzCauses(c *campaign.Result) measure.Table {
	t := measure.Table{Title: "Causes, " + c.Title(), Again: true, Long: true, Columns: []measure.Column{
		measure.NumberCol("", "place"), measure.CellCol("class", false, "", func(m *measure.Measure) measure.Cell {
			return measure.Cell{Text: m.Keys.Get("class"), Tone: m.Tone}
		}),
		measure.CellCol("what is wrong", false, "", func(m *measure.Measure) measure.Cell {
			if m.Tone == style.Strong {
				return measure.Cell{Text: m.Text, Tone: m.Tone}
			}
			return measure.Cell{Text: m.Text}
		}),
		measure.TextCol("how often", true, "", func(m *measure.Measure) string { return m.Shown }),
		measure.TextCol("behaves like", false, "", func(m *measure.Measure) string { return m.Keys.Get("like") }),
	}}
	failing := slices.DeleteFunc(slices.Clone(c.Causes), func(x cause.Cause) bool { return x.Advisory })
	for _, f := range families(failing) {
		if len(failing) > manyCauses {
			m := measure.By("place", " ", "class", f.name).Count("family", int(f.cases)).As("%d", f.cases)
			t.Add(m.Saying(counted(len(f.causes), "cause")).In(style.Strong))
		}
		for _, i := range f.causes {
			x := failing[i]
			k := measure.By("place", strconv.Itoa(i+1), "class", string(x.Class), "like", x.LooksLike)
			m := causeMeasure(k, x.Cases, x.Of, x.Sentence).In(style.Bad)
			if x.Unconfirmed {
				m.Shown += ", not re-run"
			}
			t.Add(m)
		}
	}
	t.Notes = append(advisory(c), campaignUndone(c)...)
	switch {
	case c.Unconnected:
		t.Notes = append(t.Notes, strings.ToUpper(c.Stopped[:1])+c.Stopped[1:]+".")
	case len(c.Causes) == 0:
		t.Notes = append(t.Notes, "No cause found with "+c.Title()+".")
		return measure.Note("", append(t.Notes, unmade(c.Unmade())...)...)
	}
	if t.Measures == nil {
		return measure.Note("", t.Notes...)
	}
	t.Listed = !c.Unconnected
	return t
}

// family is a family of causes, by their places.
type family struct {
	name   string
	causes []int
	cases  uint64
}

// families groups causes by what they are about, in the order of their first cause; a few
// causes are one family.
func families(causes []cause.Cause) (list []family) {
	for k, x := range causes {
		name := x.Family
		if len(causes) <= manyCauses {
			name = ""
		}
		i := slices.IndexFunc(list, func(f family) bool { return f.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, family{name: name})
		}
		list[i].causes = append(list[i].causes, k)
		list[i].cases += x.Cases
	}
	return list
}

// byChance warns of an engine that gives another answer to at least one in ten requests that are repeated.
func byChance(n, of int, noun, others string) []string {
	if n == 0 || 10*n < of {
		return nil
	}
	note := "The answer to a request depends on earlier requests or on chance"
	note += fmt.Sprintf(" (%d of %s).", n, counted(of, noun))
	if others != "" {
		note += " Fix that first: the other " + others + " may be due to chance."
	}
	return []string{note}
}

// campaignUndone says what a campaign did not do.
func campaignUndone(c *campaign.Result) (notes measure.Notes) {
	others := "causes"
	if len(c.Causes) == 1 {
		others = ""
	}
	for _, x := range c.Causes {
		if x.Class == judge.Unsteady && !x.Advisory {
			notes = append(notes, byChance(int(x.Cases), int(c.Cases), "case", others)...)
		}
	}
	notes = append(notes, unsupported(c)...)
	notes.If(c.Unshrunk > 0, "Not shrunk, because time was up: the examples of %s.", counted(c.Unshrunk, "cause"))
	notes.If(c.Open() > 0, "Not attributed to a cause, because time was up: %s.", counted(int(c.Open()), "failing case"))
	notes.If(c.Stopped != "" && !c.Unconnected, "Ended early: %s.", c.Stopped)
	if c.Faults != nil { // --traits asks for them, and the first cases are plain
		notes = append(notes, unmade(c.Unmade())...)
	}
	return notes
}

// advisory lists the advisory causes, with a command that reproduces the first one.
func advisory(c *campaign.Result) (lines []string) {
	for _, x := range c.Causes {
		if !x.Advisory {
			continue
		}
		if lines == nil {
			lines = []string{"Advisory (do not fail the run):"}
			if hasIndex(c, x) {
				lines = []string{fmt.Sprintf("Advisory (do not fail the run). To show the first: replanbench replay %s:%d:%d, "+
					"with your engine.", c.Dialect, c.Seed, x.First)}
			}
		}
		lines = append(lines, fmt.Sprintf("- %s: %s (%d of %d)", x.Class, x.Sentence, x.Cases, x.Of))
	}
	return lines
}

// unsupported returns a line about skipped cases, or nil without such cases.
func unsupported(c *campaign.Result) []string {
	cases := "Skipped " + counted(int(c.Unsupported), "case")
	switch {
	case c.Unsupported == 0:
		return nil
	case ofServer(c):
		return []string{cases + ": the server's tools do not take " + english.PluralWord(int(c.Unsupported), "it", "them") + "."}
	case c.Unsupported == 1:
		return []string{cases + ": it needs features that the engine does not declare (replanbench list features)."}
	}
	return []string{cases + ": they need features that the engine does not declare (replanbench list features)."}
}

// unmade returns a line about traits that the rules allow and no case has, or nil.
func unmade(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{"No case has " + english.PluralWord(len(names), "this trait", "these traits") +
		" (run more cases): " + firstOf(names, 3, ", ", " and %d more") + "."}
}

func fuzzSummary(c *campaign.Result, env Environment) measure.Table {
	k := campaignKeys(c)
	head := map[string]string{"valid": "valid edits", "accepted": "… accepted with the expected plan"}
	t := measure.Table{Title: "Fuzzing " + c.Title(), Long: true, Columns: []measure.Column{
		measure.TextCol("", false, "", func(m *measure.Measure) string { return cmp.Or(head[m.Name], m.Name) }),
		measure.KCol("n", ""),
		measure.CellCol(measure.Rated("share"), true, "", func(m *measure.Measure) measure.Cell {
			if m.Unit == measure.Number {
				return measure.Cell{}
			}
			return m.Cell()
		}),
	}}
	t.Add(k.Count("cases", int(c.Cases)))
	counts := c.Statuses(nil)
	for _, s := range harness.Statuses() {
		switch n := int(counts[harness.Status(s.Name)]); {
		case n > 0 && s.Name == string(harness.NotRun): // no part of the cases
			t.Add(k.Count(s.Name, n))
		case n > 0:
			t.Add(k.Share(s.Name, n, int(c.Cases)))
		}
	}
	t.Add(k.Share("valid", int(c.Valid), int(c.Cases)), k.Share("accepted", int(c.Accepted), int(c.Valid)))
	t.Notes.If(len(c.Shards) != c.Of, "Shards %s of %d.", numbers(c.Shards), c.Of)
	if i := slices.IndexFunc(env.Speed, func(s Speed) bool {
		return s.Dialect == c.Dialect && s.Source == c.Source
	}); i >= 0 {
		s := env.Speed[i]
		t.Notes = append(t.Notes, s.String())
	}
	return t
}

// fuzzChecks shows how many cases each invariant checked.
func fuzzChecks(c *campaign.Result) measure.Table {
	t := measure.Table{Title: "Invariants, " + c.Dialect, Columns: []measure.Column{
		measure.KeyCol("check", "check"), measure.KeyCol("kind", "ground"), measure.NCol("cases", "broken"),
		measure.Col("broken", "broken"), measure.WordCol("state", "state"),
	}}
	states, hidden := c.States(), []string(nil)
	for _, x := range all.Rules(c.Dialect).Checks {
		made, ok := c.Coverage.Checks[x.Name]
		if !ok {
			continue // not selected
		}
		k := campaignKeys(c).With("check", x.Name, "ground", string(x.Ground))
		n := states[x.Name].Broken
		b := k.Share("broken", int(n), int(made)).As("%d", n).In(style.Faint)
		state := k.Words("state", states[x.Name].State)
		switch state.Text {
		case campaign.CheckBroken:
			b, state = b.In(style.Bad), state.In(style.Bad)
		case campaign.CheckNotMet, campaign.CheckNotJudged: // too few cases, none that the engine supports, or its level
			state = state.In(style.Doubtful)
		case campaign.CheckNotObservable:
			state = state.In(style.Faint)
			hidden = append(hidden, x.Name)
		}
		t.Add(b, state)
	}
	t.Notes.If(hidden != nil, "Not observable: %s. The engine does not return the values that these check, such as the "+
		"plan after a rejection.", strings.Join(hidden, ", "))
	return t
}

// fuzzStore shows what an engine that keeps the data itself did under each fault.
func fuzzStore(c *campaign.Result) measure.Table {
	if !ofServer(c) {
		return measure.Table{}
	}
	t := measure.Table{Title: "Faults of the store, " + c.Dialect, Columns: []measure.Column{
		measure.KeyCol("fault", "fault"), measure.Col("cases", "cases"), measure.WordCol("what happened", "happened"),
	}}
	causeOf := c.CauseOf()
	for _, trait := range all.Traits(c.Dialect) {
		asked := c.Coverage.Faults[trait.Name] - c.Coverage.Outcomes[trait.Name+" "+string(harness.Unsupported)]
		if !slices.Contains(trait.Needs, harness.FeatureStore) || asked == 0 {
			continue
		}
		k := measure.By("fault", trait.When())
		happened := k.Words("happened", "held")
		for _, g := range c.Groups {
			if x := causeOf(g.Name(c.Dialect)); x != nil && slices.Contains(g.Culprits, trait.Name) {
				happened = k.Words("happened", x.Sentence).In(style.Bad)
				break
			}
		}
		t.Add(k.Count("cases", int(asked)), happened)
	}
	return t
}

// namedTally counts the names of a closed list that a campaign or scenarios cover.
type namedTally struct {
	name  string
	tally campaign.Tally
	given bool // only responses with this member count
}

func tallies(v *campaign.Coverage) []namedTally {
	return []namedTally{
		{name: "traits", tally: v.Faults},
		{name: "codes", tally: v.Codes},
		{name: "rungs", tally: v.Rungs, given: true},
		{name: "tiers", tally: v.Tiers, given: true},
		{name: "repairs", tally: v.Repairs, given: true},
		{name: "warnings", tally: v.Warnings, given: true},
		{name: "events", tally: v.Events, given: true},
		{name: "results", tally: v.Results, given: true},
		{name: "knobs", tally: v.Knobs},
	}
}

// makeable returns the traits that cases can have under the rules of the campaign.
func makeable(c *campaign.Result) campaign.Tally {
	missed := c.Unmade()
	return but(c.Coverage.Faults, func(name string) bool { return c.Source == "" && !slices.Contains(missed, name) })
}

// drawable returns the values of knobs that cases can have. If no knob varies, all cases
// have one profile, and it returns the values of this profile.
func drawable(knobs campaign.Tally) campaign.Tally {
	met := map[string]int{}
	for setting, n := range knobs {
		if name, _, _ := strings.Cut(setting, "="); n > 0 {
			met[name]++
		}
	}
	several := slices.Max(append(slices.Collect(maps.Values(met)), 0)) > 1
	return but(knobs, func(string) bool { return !several })
}

// but returns a tally without idle names that no case has.
func but(t campaign.Tally, idle func(name string) bool) campaign.Tally {
	left := maps.Clone(t)
	maps.DeleteFunc(left, func(name string, n uint64) bool { return n == 0 && idle(name) })
	return left
}

// fuzzCoverage shows how much of each closed list the campaign covers.
func fuzzCoverage(c *campaign.Result) measure.Table {
	t := measure.Table{Title: "Coverage of the campaign, " + c.Dialect, Again: true}
	store := slices.Contains(c.Features, harness.FeatureStore) // its answers have no codes of the rules
	for _, x := range tallies(&c.Coverage) {
		if store && x.name != "traits" {
			continue
		}
		switch x.name {
		case "traits":
			x.tally = makeable(c)
		case "knobs":
			x.tally = drawable(x.tally)
		}
		if len(x.tally) == 0 {
			continue // the dialect has none
		}
		names := x.tally.Names()
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(x.tally[a], x.tally[b]) })
		never := slices.IndexFunc(names, func(n string) bool { return x.tally[n] > 0 })
		if never < 0 {
			never = len(names)
		}
		rarest := ""
		if never < len(names) {
			rarest = fmt.Sprintf("%s: %d", names[never], x.tally[names[never]])
		}
		k := measure.By("kind", x.name)
		missing := k.Words("not_covered", someOf(names[:never])).In(style.Bad)
		if never == len(names) && x.given {
			missing = k.Words("not_covered", "no response contains any").In(style.Faint)
		}
		t.Add(covered(k, len(names)-never, len(names)), k.Words("rarest", rarest), missing)
	}
	return t
}
