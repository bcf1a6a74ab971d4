// Package style holds what reports say by colour, and how a terminal shows it.
// No text is coloured where the palette is off, and colour never says what the
// text does not say as well.
package style

// Tone is what a piece of text means.
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

// Paint wraps harmless text in the sequences of its tone.
func (p Palette) Paint(t Tone, s string) string {
	if !p || t == Plain || s == "" {
		return s
	}
	codes := [...]string{Good: "32", Bad: "31", Doubtful: "33", Faint: "2", Strong: "1"}
	return "\x1b[" + codes[t] + "m" + s + "\x1b[0m"
}
