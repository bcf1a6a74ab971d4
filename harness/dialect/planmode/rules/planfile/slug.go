package planfile

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
)

// Dir is the directory of the plan files, below the configuration directory.
const Dir = "plans"

const extension = ".md"

// Retries is how often a slug that is taken is drawn again.
const Retries = 10

// ErrExhausted says that every slug that was drawn is taken.
var ErrExhausted = errors.New("every drawn name for a plan file is taken")

// Path returns the name of the plan file with that slug.
func Path(slug string) string { return Dir + "/" + slug + extension }

var slugPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+-[a-z]+-[a-z]+$`) })

// IsSlug reports whether a text has the form of a slug: three words of the
// letters a to z, joined by hyphens.
func IsSlug(text string) bool {
	return len(text) <= maxName-len(extension) && slugPattern().MatchString(text)
}

// SlugOf returns the slug of a plan file's path, or false if the path is none.
func SlugOf(path string) (string, bool) {
	rest, below := strings.CutPrefix(path, Dir+"/")
	slug, markdown := strings.CutSuffix(rest, extension)
	return slug, below && markdown && IsSlug(slug)
}

// Fold maps names to the same text which some system takes for the same file:
// those that differ in case, or in dots and spaces at the end.
func Fold(name string) string { return strings.ToLower(strings.TrimRight(name, ". ")) }

// The words, made once and never written.
var (
	adjectives = strings.Fields(adjectiveWords)
	verbs      = strings.Fields(verbWords)
	nouns      = strings.Fields(nounWords)
)

// Slugs draws names for plan files: an adjective, a verb and a noun, every
// combination as likely.
type Slugs struct {
	script []string
	rng    *rand.Rand
}

// NewSlugs returns the slugs of a seed, after the slugs of the script.
func NewSlugs(seed uint64, script []string) *Slugs {
	return &Slugs{script, rand.New(rand.NewPCG(seed, 0x706c616e66696c65))}
}

// Next returns the next slug.
func (s *Slugs) Next() string {
	if len(s.script) > 0 {
		slug := s.script[0]
		s.script = s.script[1:]
		return slug
	}
	n := s.rng.IntN(len(adjectives) * len(verbs) * len(nouns))
	noun := nouns[n%len(nouns)]
	n /= len(nouns)
	return adjectives[n/len(verbs)] + "-" + verbs[n%len(verbs)] + "-" + noun
}

// Free draws until a slug is not taken, and gives up with [ErrExhausted] after
// [Retries] further draws.
func (s *Slugs) Free(taken func(slug string) bool) (string, error) {
	for range 1 + Retries {
		if slug := s.Next(); !taken(slug) {
			return slug, nil
		}
	}
	return "", ErrExhausted
}
