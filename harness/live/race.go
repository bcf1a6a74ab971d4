package live

import (
	"replanbench/harness/score/stats"
)

// Race is the rule by which prompts that are already worse stop early.
//
// The cases are asked in Looks rounds. Between two rounds every pair of prompts
// that still run is compared over the cases asked so far, by the mean difference
// of the shares of first replies that could be applied. A prompt stops when
// [stats.DifferenceTest] says at the corrected level that another one is better.
// How many cases either one won is told, and decides nothing: a prompt that is a
// little better in most cases and much worse in a few may well be no better. The
// level is Alpha divided by the number of pairs and of looks (Bonferroni), so
// that, over the whole race, a prompt that is not worse stops with a probability
// of at most Alpha, however the results grow together.
type Race struct {
	Alpha float64
	Looks int // rounds; the last has no look behind it
}

// DefaultRace looks nine times at a level of 5 %.
func DefaultRace() Race { return Race{Alpha: 0.05, Looks: 10} }

// elimination says when a prompt stopped, and which other one was better.
type elimination struct {
	Prompt int // place among the prompts
	By     int
	Cases  int // asked until then
	// Difference is by how much the better one's mean share is higher. At a stop it tends to be
	// too large, because a race stops when it is. Low and High are its interval at the level of
	// one look, which covers the true difference in 95 % of races, whenever they stop.
	Difference float64
	Low, High  float64
	Won        int // cases that the better one won
	Lost       int
	P          float64
}

// standing is a race under way.
type standing struct {
	rule    Race
	prompts int
	gone    map[int]elimination
}

func newStanding(rule Race, prompts int) *standing {
	return &standing{rule: rule, prompts: prompts, gone: map[int]elimination{}}
}

// roundSize is how many of n cases a round has.
func (s *standing) roundSize(n int) int {
	looks := max(1, s.rule.Looks)
	return max(1, (n+looks-1)/looks)
}

func (s *standing) out(prompt int) bool {
	_, gone := s.gone[prompt]
	return gone
}

// look compares the prompts. success has, by case and prompt, the share of
// first replies that could be applied, or -1 where there are none.
func (s *standing) look(cases int, success [][]float64) {
	pairs := s.prompts * (s.prompts - 1) / 2
	level := s.rule.Alpha / float64(max(1, pairs*(s.rule.Looks-1)))
	var losers []elimination
	for a := range s.prompts {
		for b := range s.prompts {
			if a == b || s.out(a) || s.out(b) {
				continue
			}
			e := elimination{Prompt: b, By: a, Cases: cases}
			var differences []float64
			for _, row := range success {
				if row[a] < 0 || row[b] < 0 {
					continue
				}
				d := row[a] - row[b]
				differences = append(differences, d)
				e.Won += btoi(d > 0)
				e.Lost += btoi(d < 0)
			}
			if e.Difference = mean(differences); e.Difference <= 0 {
				continue
			}
			if e.P = stats.DifferenceTest(differences); e.P <= level {
				e.Low, e.High = stats.DifferenceInterval(differences, 1-level)
				losers = append(losers, e)
			}
		}
	}
	for _, l := range losers {
		if before, ok := s.gone[l.Prompt]; !ok || l.P < before.P {
			s.gone[l.Prompt] = l
		}
	}
}

// mean is 0 of nothing.
func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}
