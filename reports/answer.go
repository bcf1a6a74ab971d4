package reports

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
)

// View is how a terminal shows a report.
type View struct {
	Colour  bool
	Columns int
	// Verbose: all tables and failures come before the answer.
	Verbose bool
	// Kept names the file or folder that contains everything; "" is none.
	Kept string
}

// Terminal writes the answer of the report: verdict and name, the worst causes or the
// differences, what was not done, and the next command.
func (r *Report) Terminal(w io.Writer, v View) error {
	if v.Verbose {
		if err := r.everything(w, v); err != nil {
			return err
		}
	}
	s := screen.Screen{Head: r.Line(), Tone: verdictTone(r.Verdict), Notes: r.undone(), Next: r.next(v)}
	wrong := r.wrongLists()
	first := 0
	if len(wrong) > 0 && !wrong[0].Folded { // what fails now comes before what changed
		first = 1
	}
	s.Lists = slices.Concat(r.figures(v.Verbose), slices.Insert(wrong, first, r.news()...))
	if len(s.Lists) == 0 {
		s.Lists = r.suites()
	}
	return s.Write(w, style.Palette(v.Colour), v.Columns)
}

// subject names what was tested: the engine, the agent, the two sides, the prompts and
// models, or the corpora.
func (r *Report) subject() string {
	engine := r.Fuzz != nil || r.Scenarios != nil || r.Agent != nil || r.League != nil || r.Trim != nil
	switch {
	case engine:
	case r.Comparison != nil:
		return r.Comparison.Base + " → " + r.Comparison.New
	case r.Live != nil && r.Live.Estimate != nil:
		return "dry run"
	case r.Live != nil:
		return r.Live.subject()
	case r.Score != nil:
		return r.Score.subject()
	}
	return r.Engine.String()
}

// verdict classes of failures, in the order in which a report shows them.
const (
	rankCause = iota
	rankUnfinished
	rankOther
	rankKnown
	rankAdvisory
	rankNotRerun
)

// rank returns the place of a failure among all kinds of failures.
func rank(f Failure, x detail) int {
	switch {
	case x.cause != nil && x.cause.Unconfirmed && f.Status != harness.Known:
		return rankNotRerun
	case f.Advisory:
		return rankAdvisory
	case f.Status == harness.Known:
		return rankKnown
	case f.Suite == suiteFuzz || f.Suite == suiteAgent:
		return rankCause
	case f.Suite == suiteCheck:
		return rankUnfinished
	}
	return rankOther
}

// class returns the class of a cause, or "" for other failures.
func (f Failure) class(x detail) judge.Class {
	if x.cause != nil {
		return x.cause.Class
	}
	if names := strings.Split(f.ID, "/"); len(names) == 3 && (f.Suite == suiteFuzz || f.Suite == suiteAgent) {
		return judge.Class(names[1])
	}
	return ""
}

// rankFailures sorts failures of all suites: causes by class and count, then the others,
// those without a valid answer first, then known and advisory ones, and last what was not re-run.
func (r *Report) rankFailures(list []Failure) {
	detailOf := r.details()
	answers := []harness.Status{harness.ProtocolFailure, harness.Hang, harness.Crash} // the worst is the last
	slices.SortStableFunc(list, func(a, b Failure) int {
		x, y := detailOf(a), detailOf(b)
		return cmp.Or(rank(a, x)-rank(b, y), suiteOrder(a)-suiteOrder(b), a.class(x).Rank()-b.class(y).Rank(),
			cmp.Compare(b.cases(y), a.cases(x)), slices.Index(answers, b.Status)-slices.Index(answers, a.Status))
	})
}

// cases returns how many cases show the cause.
func (f Failure) cases(x detail) uint64 {
	if x.cause == nil {
		return f.Cases // of a report without the campaign
	}
	return x.cause.Cases
}

// wrongLists returns the lists of failures and of causes that fail nothing.
func (r *Report) wrongLists() (lists []screen.List) {
	all, detailOf := slices.Concat(r.Failures, r.passedOver()), r.details()
	r.rankFailures(all)
	several := r.dialectsOf(all) > 1
	known := slices.ContainsFunc(all, func(f Failure) bool { return f.Status == harness.Known && !f.Advisory })
	titles := [...]string{
		rankCause: "Causes, worst first", rankUnfinished: "Unfinished suites", rankOther: "Other failures", rankKnown: "Known",
		rankAdvisory: "Advisory (do not fail the run)", rankNotRerun: "Not re-run, because the run ended early",
	}
	only := func(suite string) bool {
		return !slices.ContainsFunc(r.Failures, func(f Failure) bool {
			return rank(f, detail{}) == rankOther && f.Suite != suite
		})
	}
	switch {
	case only(suiteScenarios):
		titles[rankOther] = "Failing scenarios"
	case only(suiteCorpus):
		titles[rankOther] = "Missed thresholds"
	}
	if r.Fuzz != nil && r.Scenarios != nil {
		titles[rankOther] += " that no cause explains"
	}
	by, place := [len(titles)][]screen.Item{}, 0
	var causes []cause.Cause // of the first list, as far as they are of a campaign
	for _, f := range all {
		x := detailOf(f)
		item := screen.Item{Kind: string(f.Status), Tone: statusTone(f.Status), Text: f.name() + ": " + f.brief()}
		if class := f.class(x); class != "" {
			item.Kind, item.Text = string(class), f.sentence(x, several)
		} else if f.Suite == suiteCorpus {
			item.Text = f.missed()
		}
		at := rank(f, x)
		if at == rankCause {
			if place++; known {
				item.Kind += ", new"
			}
			item.Mark = strconv.Itoa(place)
			if x.cause != nil {
				causes = append(causes, *x.cause)
			}
		} else if at > rankOther {
			item.Tone = style.Doubtful
		}
		by[at] = append(by[at], item)
	}
	for at, items := range by {
		if len(items) > 0 {
			l := screen.List{Title: fmt.Sprintf("%s: %d", titles[at], len(items)), Items: items, Folded: at >= rankKnown}
			if at == rankCause && len(causes) == len(items) {
				l.Items = underFamilies(items, families(causes))
			}
			if at == rankOther {
				l.Least = 5
			}
			lists = append(lists, l)
		}
	}
	return lists
}

// underFamilies lists causes under their families if there are many: of each family its worst
// causes, as many as a screen has room for. They have no numbers, which would have gaps.
func underFamilies(items []screen.Item, list []family) (under []screen.Item) {
	const room = 15 // lines
	if len(list) < 2 {
		return items
	}
	for _, f := range list {
		n := counted(len(f.causes), "cause")
		under = append(under, screen.Item{
			Heading: true, Tone: style.Strong, Kind: f.name + " (" + n + ")",
			Text: f.name + ": " + n + ", " + counted(int(f.cases), "case"),
		})
		for _, i := range f.causes[:min(len(f.causes), max(1, room/len(list)-1))] {
			items[i].Mark = ""
			under = append(under, items[i])
		}
	}
	return under
}

// dialectsOf counts the dialects of causes.
func (r *Report) dialectsOf(list []Failure) int {
	var names []string
	for _, f := range list {
		if f.Suite == suiteFuzz {
			dialect, _, _ := strings.Cut(f.ID, "/")
			names = append(names, dialect)
		}
	}
	slices.Sort(names)
	return len(slices.Compact(names))
}

// sentence returns the title and the counts, with the engine and the dialect if there are
// several.
func (f Failure) sentence(x detail, several bool) string {
	text, like := f.Message, ""
	often := regexp.MustCompile(`^\d+ of \d+`).FindString(f.Title) // of a league
	switch {
	case x.cause != nil:
		text, like = x.cause.Sentence, x.cause.LooksLike
		often = fmt.Sprintf("%d of %d", x.cause.Cases, x.cause.Of)
	case f.Suite == suiteAgent:
		text, often = f.Title, ""
	case often != "":
		text, like, _ = strings.Cut(text, likeBegin)
		like = strings.TrimSuffix(like, ")")
	}
	if like != "" {
		often += ", like " + like
	}
	if x.cause != nil && x.cause.Place != "" {
		often += ", at " + x.cause.Place
	}
	if often != "" {
		text += " (" + often + ")"
	}
	if several && f.Suite == suiteFuzz {
		dialect, _, _ := strings.Cut(f.ID, "/")
		text = dialect + ": " + text
	}
	if f.Engine != "" {
		text = f.Engine + ": " + text
	}
	return text
}

// brief returns the first difference, or the message.
func (f Failure) brief() string {
	if len(f.Differences) > 0 {
		const longest = 60
		d := f.Differences[0]
		return fmt.Sprintf("%s: expected %s, got %s", placeOf(d), escape.HeadBytes(d.Want, longest),
			escape.HeadBytes(d.Got, longest))
	}
	title, _, _ := strings.Cut(f.Title, "\n")
	return cmp.Or(f.Message, title)
}

// missed describes a missed threshold so that the group and the value come first: the end of the
// line may be cut.
func (f Failure) missed() string {
	rule, group, _ := strings.Cut(f.name(), " · ")
	return strings.TrimPrefix(group+": ", ": ") + f.Title + "; required: " + rule
}

// figures returns the tables that answer the question of a run without an engine, or of
// several engines. If they are printed above, it returns only the tables of effects.
func (r *Report) figures(printed bool) (lists []screen.List) {
	add := func(tables ...measure.Table) {
		for _, t := range tables {
			if len(t.Measures) > 0 && !t.Hidden && !printed {
				lists = append(lists, screen.List{Title: t.Title, Table: &t})
			}
		}
	}
	for _, p := range r.chapters() {
		switch p.name {
		case "league", "protocols", "calibration", "naming", "shown":
			for _, t := range p.tables {
				if len(lists) == 0 {
					add(t)
				}
			}
		case "comparison", "live":
			lists = append(lists, effectsOf(p.compared)...)
			if p.compared == nil && r.Live.Estimate != nil {
				add(p.tables[0])
			}
		case "score":
			if r.Fuzz == nil && r.Scenarios == nil && (r.Live == nil || len(r.Live.Comparisons) == 0) {
				add(r.Score.answer()...)
			}
		case "trim":
			if r.Fuzz == nil && r.Scenarios == nil {
				add(r.Trim.answer(p.tables[0])...)
			}
		}
	}
	for i := range r.Sections {
		add(r.Sections[i].Tables...)
	}
	return lists
}

// effectsOf returns the table of effects of each comparison.
func effectsOf(list []*Comparison) (lists []screen.List) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *Comparison) int { return cmp.Compare(b.certain(), a.certain()) })
	for _, c := range list {
		if t := c.effects(false); len(t.Measures) > 0 {
			lists = append(lists, screen.List{Title: t.Title, Table: &t})
		}
	}
	return lists
}

// news lists what changed since the previous run.
func (r *Report) news() []screen.List {
	if r.History == nil || len(r.History.Runs) < 2 {
		return nil
	}
	l := screen.List{Title: "Since the previous run", Least: 4}
	for _, line := range r.History.news() {
		l.Items = append(l.Items, screen.Item{Text: line})
	}
	return []screen.List{l}
}

// suites lists what was run, if nothing failed.
func (r *Report) suites() []screen.List {
	var l screen.List
	chapters := r.chapters()
	for _, p := range chapters {
		if p.judged && p.line != "" {
			l.Items = append(l.Items, screen.Item{Kind: p.title, Text: p.line})
		}
	}
	if len(l.Items) < 2 {
		return nil
	}
	l.Title = fmt.Sprintf("Suites: %d", len(l.Items))
	return []screen.List{l}
}

// undone says what was not done, and what the next level would add.
func (r *Report) undone() (notes measure.Notes) {
	if p := r.Part; p != nil {
		notes = append(notes, p.tables()[0].Notes...)
	}
	if r.League != nil {
		notes = append(notes, r.League.levels()...)
	}
	if s := r.Scenarios; s != nil {
		total := s.total()
		supported := total.Cases - total.Counts[harness.NotSupported]
		notes = append(notes, byChance(total.Counts[harness.Flaky], supported, "scenario", "failures")...)
		n := total.Counts[harness.NotSupported]
		notes.If(n > 0 && n < total.Cases, "Skipped %s%s", counted(n, "scenario"), s.lacks())
	}
	failureOf := r.failureOf()
	for _, c := range r.campaigns() {
		notes = append(notes, campaignUndone(c)...)
		for _, p := range c.ByCause() {
			x := p.Cause
			notes.If(!x.Advisory && x.Scenarios != nil && failureOf(p) == nil, "Also fails, as known cause %s does: %s.", x.ID,
				strings.Join(x.Scenarios, ", "))
		}
	}
	if r.Agent != nil {
		notes = append(notes, r.Agent.sessions().Notes[1:]...)
	}
	if r.Trim != nil && len(r.Trim.Unread) > 0 {
		notes = append(notes, fmt.Sprintf("Not read: %d (%s)", len(r.Trim.Unread), r.Trim.Unread[0]))
	}
	if r.Score != nil {
		notes = append(notes, r.Score.overview().Notes[2:]...)
	}
	if l := r.Live; l != nil && l.Estimate != nil {
		notes = append(notes, l.estimate().Notes...)
	} else if l != nil {
		notes = append(append(notes, l.lost()...), l.totals().Notes[1:]...)
	}
	for _, p := range r.chapters() {
		for _, c := range p.compared {
			notes = append(notes, damaged(c.Base+": ", c.BaseDamaged)...)
			notes = append(notes, damaged(c.New+": ", c.NewDamaged)...)
		}
		if p.compared != nil {
			notes = append(notes, certainty(p.compared)...)
		}
	}
	notes = slices.Compact(notes)
	notes.If(r.Wider != nil, "%s", r.Wider.line())
	return notes
}

// next returns the commands that a user probably runs next, and where the rest is.
func (r *Report) next(v View) (steps []screen.Step) {
	for _, f := range r.Failures {
		if !f.Advisory && f.Reproduce != "" && f.Reproduce != "replanbench "+r.Command {
			steps = append(steps, screen.Step{Why: "Show the first", Command: f.Reproduce})
			break
		}
	}
	if r.Agent != nil && r.Verdict == Failed && steps == nil {
		steps = append(steps, screen.Step{Why: "Keep sessions to replay", Command: "the same command with --dir found"})
	}
	if r.Fuzz != nil && r.Scenarios == nil && r.Verdict == Passed && !slices.ContainsFunc(r.campaigns(), ofServer) {
		command := "replanbench run"
		if _, engine, ok := strings.Cut(r.Command, " -- "); ok {
			command += " -- " + engine
		}
		steps = append(steps, screen.Step{Why: "The built-in scenarios test more", Command: command})
	}
	switch {
	case r.Live.gaps() > 0:
		why := "Continue"
		if r.Live.Run.Replies == 0 {
			why = "When that is fixed"
		}
		steps = append(steps, screen.Step{Why: why, Command: "the same command with --resume"})
	case r.Live != nil:
		steps = append(steps, r.Live.next()...)
	case r.Score != nil:
		steps = append(steps, r.Score.next(r.Command)...)
	}
	switch {
	case v.Kept != "":
		steps = append(steps, screen.Step{Why: "Everything", Command: v.Kept})
	case !v.Verbose:
		steps = append(steps, screen.Step{Why: "Everything", Command: "--verbose, or --report html=report.html"})
	}
	return steps
}
