package spec

import (
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
)

// The values of the knobs beside those that all dialects have.
const (
	Todos    = "todos"
	PlanForm = "plan"
	Markdown = "markdown"
	Merge    = "merge"

	Content  = "content"
	Required = "required"
	ByEngine = "engine"
	Optional = "optional"

	Auto    = "auto"
	ID      = "id"
	Similar = "similar"

	Exact    = "exact"
	First    = "first"
	One      = "one"
	Respell  = "respell"
	WhenDone = "when_done"
	Allow    = "allow"
)

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return knobs() }

// knobs is made once, when it is first asked for; never written.
var knobs = sync.OnceValue(func() []harness.Knob {
	rare := func(k harness.Knob, value, text string) harness.Knob {
		k.Text += text
		k.Values, k.Rare = append(k.Values, value), append(k.Rare, value)
		return k
	}
	return []harness.Knob{
		knob.Own("format", "the format of a reply", Todos, Todos, Todos, Todos, Todos, PlanForm, Markdown, Merge),
		knob.Own("text_name", "the member of an item that has its content (in the format plan, content means step)", Content,
			Content, Content, harness.Any, Content, "description", "title", harness.Any),
		rare(knob.Own("ids", "whether items of a reply need ids", Optional, Optional, Optional, Optional, Optional, Required),
			ByEngine, ", or get one from the engine if they have none"),
		knob.Own("identity", "how items of a reply are matched with items of the old list", Auto, Auto, Auto, Similar, Auto,
			Content, ID, Similar),
		knob.Own("status_words", "the words for a status that a reply may use", Exact, Exact, Exact, harness.Any, Exact,
			harness.Any),
		knob.Own("duplicates", "the treatment of duplicate items in a reply", harness.Reject, harness.Keep, harness.Reject,
			harness.Last, harness.Reject, First, harness.Last, harness.Keep),
		knob.Own("in_progress", "the treatment of several items in progress in a reply", One, harness.Any, One, First, One,
			First, harness.Any),
		knob.Own("omitted_done", "the treatment of done items that a reply leaves out", harness.Restore, harness.Drop,
			harness.Reject, harness.Restore, harness.Reject, harness.Drop, harness.Restore),
		knob.Own("omitted_open", "the treatment of open items that a reply leaves out", harness.Restore, harness.Drop,
			harness.Reject, harness.Restore, harness.Reject, harness.Drop, harness.Restore),
		knob.Own("clear", "whether an empty list clears the list", WhenDone, Allow, harness.Reject, WhenDone, harness.Reject,
			WhenDone, Allow),
		knob.Own("reopen", "whether a reply can change the status of a done item", harness.Reject, Allow, harness.Reject,
			harness.Keep, harness.Reject, harness.Keep, Allow),
		knob.Own("unchanged", "whether a reply that changes nothing is applied", harness.Reject, Allow, harness.Reject, Allow,
			harness.Reject, Allow),
		knob.Order(knob.ActiveFirst), rare(knob.Text(knob.Trim), Respell, ", or so, and in the reply's spelling (respell)"),
		knob.MaxText(),
		rare(knob.Own("active_form", "whether items of a rewrite need an active form", Optional, Optional, Optional, Optional,
			Optional), Required, ""),
	}
})

// Settings are the values of the knobs that change a rule of the dialect.
type Settings struct {
	Format, TextName, IDs, Identity, StatusWords, Duplicates, InProgress, OmittedDone, OmittedOpen, Clear, Reopen,
	Unchanged, Order, Texts, MaxText, ActiveForm string

	ExtraFields string
}

// SettingsOf reads a profile.
func SettingsOf(p harness.Profile) Settings {
	list := knobs()
	of := func(i int) string { return list[i].Own(&p) }
	return Settings{
		Format: of(0), TextName: of(1), IDs: of(2), Identity: of(3), StatusWords: of(4), Duplicates: of(5),
		InProgress: of(6), OmittedDone: of(7), OmittedOpen: of(8), Clear: of(9), Reopen: of(10), Unchanged: of(11),
		Order: of(12), Texts: of(13), MaxText: of(14), ActiveForm: of(15), ExtraFields: p.ExtraFields,
	}
}

// Stored returns a content as the list stores it.
func (s Settings) Stored(content string) string {
	return knob.Store(content, s.Texts != knob.Keep, s.MaxText)
}

// HasIDs reports whether items of replies can have ids.
func (s Settings) HasIDs() bool { return s.Format == Todos || s.Format == Merge }

// NeedsForm reports whether items of a rewrite need an active form; one that merges needs none.
func (s Settings) NeedsForm(merge bool) bool { return s.HasIDs() && s.ActiveForm == Required && !merge }

// List is the member of a reply that holds the items.
func (s Settings) List() string {
	if s.Format == PlanForm {
		return "plan"
	}
	return "todos"
}

// Text is the member of an item that holds the content in the format itself, or
// by the knob.
func (s Settings) Text() string {
	switch {
	case s.TextName != Content && s.TextName != harness.Any:
		return s.TextName
	case s.Format == PlanForm:
		return "step"
	}
	return Content
}

// TextNames are the members that may hold the content: the first that is there
// counts.
func (s Settings) TextNames() []string {
	if s.TextName == harness.Any && s.Format != Markdown {
		return []string{"content", "description", "title", "task", "text", "step"}
	}
	return []string{s.Text()}
}
