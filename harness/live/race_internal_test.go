package live

import (
	"math/rand/v2"
	"testing"

	"replanbench/harness/stats"
)

// simulate races prompts with the given chances to have a reply applied over
// cases that are hard or easy for all of them alike, and returns who stopped and
// how many cells were asked of all.
func simulate(rng *rand.Rand, chances []float64, cases, samples int) (gone map[int]Elimination, asked, all int) {
	s := newStanding(DefaultRace(), len(chances))
	var success [][]float64
	size := s.roundSize(cases)
	for i := range cases {
		ease := rng.Float64() - 0.5
		row := make([]float64, len(chances))
		for p, chance := range chances {
			all += samples
			if row[p] = -1; s.out(p) {
				continue
			}
			asked += samples
			applied := 0
			for range samples {
				if rng.Float64() < min(max(chance+0.6*ease, 0), 1) {
					applied++
				}
			}
			row[p] = float64(applied) / float64(samples)
		}
		success = append(success, row)
		if (i+1)%size == 0 && i+1 < cases {
			s.look(i+1, success)
		}
	}
	return s.gone, asked, all
}

// TestRaceErrorRate: among prompts that are equal, a race stops any of them in
// at most Alpha of all races; the interval of the rate is below.
func TestRaceErrorRate(t *testing.T) {
	const races = 2000
	for _, tt := range []struct {
		name           string
		chances        []float64
		cases, samples int
	}{
		{"two prompts", []float64{0.6, 0.6}, 100, 1},
		{"four prompts", []float64{0.6, 0.6, 0.6, 0.6}, 100, 1},
		{"several samples", []float64{0.5, 0.5, 0.5}, 60, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			wrong := 0
			for range races {
				if gone, _, _ := simulate(rng, tt.chances, tt.cases, tt.samples); len(gone) > 0 {
					wrong++
				}
			}
			low, high := stats.Wilson(wrong, races, 0.95)
			t.Logf("%d of %d races stopped an equal prompt: %.3f [%.3f, %.3f]", wrong, races, float64(wrong)/races, low, high)
			if high > DefaultRace().Alpha {
				t.Errorf("the error rate is up to %.3f, more than %.2f", high, DefaultRace().Alpha)
			}
		})
	}
}

// TestRacePower: a prompt that is much worse stops nearly always, never the
// better one, and that saves requests.
func TestRacePower(t *testing.T) {
	const races = 500
	rng := rand.New(rand.NewPCG(3, 4))
	found, askedAll, all := 0, 0, 0
	for range races {
		gone, asked, cells := simulate(rng, []float64{0.8, 0.4}, 100, 1)
		if _, wrong := gone[0]; wrong {
			t.Error("the better prompt stopped")
		}
		if _, ok := gone[1]; ok {
			found++
		}
		askedAll, all = askedAll+asked, all+cells
	}
	saved := 1 - float64(askedAll)/float64(all)
	t.Logf("%d of %d races found the worse prompt and saved %.0f %% of all requests", found, races, 100*saved)
	if found < races*9/10 || saved < 0.15 {
		t.Errorf("found in %d of %d, saved %.2f", found, races, saved)
	}
}
