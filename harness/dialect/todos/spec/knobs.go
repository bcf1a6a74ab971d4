package spec

import (
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

	First    = "first"
	One      = "one"
	WhenDone = "when_done"
	Allow    = "allow"
)

// Knobs lists the dialect's own knobs.
func Knobs() []harness.Knob { return vocabulary().Own }

// Settings are the values of the knobs that change a rule of the dialect.
type Settings struct {
	Format, TextName, IDs, Identity, StatusWords, Duplicates, InProgress, OmittedDone, OmittedOpen, Clear, Reopen,
	Unchanged, Order, Texts, MaxText, ActiveForm string

	ExtraFields string
}

// SettingsOf reads a profile.
func SettingsOf(p harness.Profile) Settings {
	list := Knobs()
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
