package tokens

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The published expressions that split a text, with a function for each of their
// alternatives. A function returns the length of what it matches at the beginning
// of a text, 0 for nothing.
//
// o200k_base:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// cl100k_base has other words, and no slashes behind signs:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	 ?[^\s\p{L}\p{N}]+[\r\n]*

func o200kPiece(text string) int {
	if n := casedWord(text); n > 0 {
		return n + contraction(text[n:])
	}
	return other(text, true)
}

func cl100kPiece(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	n := prefix(text)
	if end := skip(text, n, letter); end > n {
		return end
	}
	return other(text, false)
}

// casedWord is a word without its contraction: capitals first, then small letters.
func casedWord(text string) int {
	n := prefix(text)
	end, small := cased(text[n:])
	if small {
		return n + end
	}
	if c, _ := classOf(text); c == mark { // it precedes no word, but is one
		end, _ := cased(text)
		return end
	}
	if end > 0 {
		return n + end
	}
	return 0
}

// cased is a word without a sign before it, and whether small letters are its end.
// What is both, such as a character of Chinese, is the end where no small letter
// follows.
func cased(text string) (end int, small bool) {
	both, i := 0, 0
	for i < len(text) {
		c, n := classOf(text[i:])
		if c&(upper|either) == 0 {
			break
		}
		i += n
		if c&either != 0 {
			both = i
		}
	}
	if end = skip(text, i, lower|either); end > i {
		return end, true
	}
	if both > 0 {
		return both, true
	}
	return i, false
}

// prefix is the character that may precede a word.
func prefix(text string) int {
	if c, n := classOf(text); c&(letter|number|lineBreak) == 0 {
		return n
	}
	return 0
}

// contraction is what follows a word in English, such as 's and 'll.
func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	}
	const longS = "ſ" // which is an s where the case is ignored
	if strings.HasPrefix(text[1:], longS) {
		return 1 + len(longS)
	}
	if len(text) > 2 {
		switch string([]byte{text[1] | 0x20, text[2] | 0x20}) {
		case "re", "ve", "ll":
			return 3
		}
	}
	return 0
}

// other is a piece that is no word.
func other(text string, slashes bool) int {
	c, n := classOf(text)
	if c == number {
		end := n
		for range 2 {
			if c, n := classOf(text[end:]); c == number {
				end += n
			}
		}
		return end
	}
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	if end := skip(text, start, sign|mark); end > start {
		for end < len(text) && (text[end] == '\n' || text[end] == '\r' || slashes && text[end] == '/') {
			end++
		}
		return end
	}
	return blanks(text)
}

// blanks is white space: up to the last line break of a run, or else without its
// last character, which belongs to what follows.
func blanks(text string) int {
	end, last, broken := 0, 0, 0
	for end < len(text) {
		c, n := classOf(text[end:])
		if c&blank == 0 {
			break
		}
		last, end = end, end+n
		if c&lineBreak != 0 {
			broken = end
		}
	}
	switch {
	case broken > 0:
		return broken
	case end < len(text) && last > 0:
		return last
	}
	return end
}

// class is what kind of character one is.
type class uint8

const (
	upper class = 1 << iota
	lower
	caseless // a letter that is neither
	mark
	number
	blank
	lineBreak // a blank, too
	sign      // everything else

	letter = upper | lower | caseless
	either = caseless | mark // may occur in both parts of a word
)

// skip returns where characters of these classes end that begin at i.
func skip(text string, i int, of class) int {
	for i < len(text) {
		c, n := classOf(text[i:])
		if c&of == 0 {
			break
		}
		i += n
	}
	return i
}

// classOf returns the class of the first character of a text, with its length; the class
// none for an empty text.
func classOf(text string) (class, int) {
	if len(text) == 0 {
		return 0, 0
	}
	if c := text[0]; c < utf8.RuneSelf {
		return ascii()[c], 1
	}
	r, n := utf8.DecodeRuneInString(text)
	return classOfRune(r), n
}

var ascii = sync.OnceValue(func() *[utf8.RuneSelf]class {
	var table [utf8.RuneSelf]class
	for r := range table {
		table[r] = classOfRune(rune(r))
	}
	return &table
})

func classOfRune(r rune) class {
	switch {
	case r == '\n' || r == '\r':
		return blank | lineBreak
	case unicode.IsSpace(r):
		return blank
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.IsLetter(r):
		return caseless
	case unicode.IsMark(r):
		return mark
	case unicode.IsNumber(r):
		return number
	}
	return sign
}
