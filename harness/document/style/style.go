// Package style defines the colours of reports on terminals. Without the palette, texts
// have no colour. Colour never adds information to the text.
package style

// Tone is the meaning of a piece of text, such as good or bad.
type Tone byte

// The tones.
const (
	Plain Tone = iota
	Good
	Bad
	Doubtful
	Faint
	Strong
)

// Palette paints text for a terminal, or leaves it as it is.
type Palette bool

// Paint wraps escaped text in the terminal sequences of its tone.
func (p Palette) Paint(t Tone, s string) string {
	if !p || t == Plain || s == "" {
		return s
	}
	codes := [...]string{Good: "32", Bad: "31", Doubtful: "33", Faint: "2", Strong: "1"}
	return "\x1b[" + codes[t] + "m" + s + "\x1b[0m"
}
