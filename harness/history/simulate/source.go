package simulate

import (
	"fmt"
	"strings"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness/history"
	"replanbench/harness/history/recorded"
	"replanbench/harness/score/tokens"
)

// Source is histories to be trimmed.
type Source struct {
	Name   string // for people
	N      int
	At     func(i int) Sample // may be asked by several goroutines at once
	Unread []string           // the parts of files that hold no history
}

// Generated are n histories of a seed.
func Generated(o histories.Options, seed uint64, n int) Source {
	name := fmt.Sprintf("generated histories, seed %d", seed)
	if o.Kinds != nil {
		name += ", " + strings.Join(o.Kinds, ", ")
	}
	return Source{Name: name, N: n, At: func(i int) Sample {
		h := histories.At(o, seed, uint64(i))
		return Sample{History: history.Count(h.Messages, o.Tokenizer), MaxTokens: h.MaxTokens}
	}}
}

// File is a file of recorded histories; see [recorded.Read].
type File struct {
	Name string
	Data []byte
}

// Recorded are the histories of files, tagged by some rules, with one budget for
// all.
func Recorded(files []File, tags []history.TagRule, tok tokens.Tokenizer, maxTokens int) Source {
	var s Source
	var names []string
	var samples []Sample
	for _, f := range files {
		names = append(names, f.Name)
		list, problems := recorded.Read(f.Name, f.Data)
		for _, p := range problems {
			s.Unread = append(s.Unread, fmt.Sprintf("%s: %v", f.Name, p))
		}
		for _, h := range list {
			history.ApplyTags(h.Messages, tags)
			samples = append(samples, Sample{History: history.Count(h.Messages, tok), MaxTokens: maxTokens})
		}
	}
	s.Name, s.N, s.At = strings.Join(names, ", "), len(samples), func(i int) Sample { return samples[i] }
	return s
}

// Cases are a source's histories as cases for an engine. The policies take turns: case i
// has policy i modulo their number. The cases have no labels, so only checks and the
// reference judge the outcomes.
type Cases struct {
	Dialect string // that trims
	Source
	Policies []history.Policy
}

// Policy is the policy of a case.
func (c Cases) Policy(index uint64) history.Policy { return c.Policies[index%uint64(len(c.Policies))] }

// Sample makes a case; the seed is the source's business.
func (c Cases) Sample(_, index uint64) generators.Sample {
	s := c.At(int(index))
	h := histories.History{Messages: s.History.Messages, MaxTokens: s.MaxTokens}
	return generators.Sample{
		Case: h.Case(c.Dialect, s.History.Tokenizer.Name(), c.Policy(index)), Want: generators.Want{Loose: true},
		Traits: []string{},
	}
}
