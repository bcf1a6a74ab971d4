package live

import (
	"flag"
	"math/rand/v2"
	"testing"

	"replanbench/harness/document/collect"
)

// long asks for the long form of the simulation, whose figures are published:
//
//	go test ./harness/live -run RaceErrorRate -v -long
var long = flag.Bool("long", false, "the long form of simulations")

// simulate races prompts over cases. draw gives the chance that each
// prompt's reply can be applied. It returns who stopped and how many cells were
// asked of all.
func simulate(rng *rand.Rand, draw func(chances []float64), prompts, cases, samples int) (gone map[int]elimination,
	asked, all int,
) {
	s := newStanding(DefaultRace(), prompts)
	var success [][]float64
	size := s.roundSize(cases)
	chances := make([]float64, prompts)
	for i := range cases {
		draw(chances)
		row := make([]float64, prompts)
		for p, chance := range chances {
			all += samples
			if row[p] = -1; s.out(p) {
				continue
			}
			asked += samples
			applied := 0
			for range samples {
				if rng.Float64() < chance {
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

// eased draws cases that are hard or easy for all prompts alike.
func eased(rng *rand.Rand, chances ...float64) func([]float64) {
	return func(list []float64) {
		ease := rng.Float64() - 0.5
		for p, chance := range chances {
			list[p] = min(max(chance+0.6*ease, 0), 1)
		}
	}
}

// TestRaceErrorRateInBulk: among prompts of equal means, a race stops any of them in at
// most Alpha of all races, however many samples there are, and also where a
// prompt wins most cases by a little and loses a few by much.
func TestRaceErrorRateInBulk(t *testing.T) {
	races := 100
	if *long {
		races = 4000
	}
	for _, tt := range []struct {
		name    string
		prompts int
		draw    func(rng *rand.Rand) func([]float64)
	}{
		{"two even", 2, func(rng *rand.Rand) func([]float64) { return eased(rng, 0.6, 0.6) }},
		{"four even", 4, func(rng *rand.Rand) func([]float64) { return eased(rng, 0.6, 0.6, 0.6, 0.6) }},
		{"two even, near 1", 2, func(*rand.Rand) func([]float64) {
			return func(list []float64) { list[0], list[1] = 0.95, 0.95 }
		}},
		{"uneven", 2, func(rng *rand.Rand) func([]float64) {
			return func(list []float64) {
				list[0], list[1] = 0.3, 0.7
				if rng.IntN(2) == 0 {
					list[0], list[1] = 0.7, 0.3
				}
			}
		}},
		{"uneven, a tenth lost", 2, func(rng *rand.Rand) func([]float64) {
			return func(list []float64) {
				list[0], list[1] = 0.9, 1
				if rng.IntN(10) == 0 {
					list[1] = 0
				}
			}
		}},
		{"uneven, a third lost", 3, func(rng *rand.Rand) func([]float64) {
			return func(list []float64) {
				list[0], list[1], list[2] = 0.5, 0.6, 0.5
				if rng.IntN(3) == 0 {
					list[1] = 0.3
				}
			}
		}},
	} {
		for _, samples := range []int{1, 3, 10} {
			for _, cases := range []int{30, 100} {
				rng := rand.New(rand.NewPCG(1, uint64(cases*samples)))
				wrong := 0
				for range races {
					if gone, _, _ := simulate(rng, tt.draw(rng), tt.prompts, cases, samples); len(gone) > 0 {
						wrong++
					}
				}
				t.Logf("%-22s %2d samples %3d cases: %.4f of the races stopped a prompt", tt.name, samples, cases,
					float64(wrong)/float64(races))
				if float64(wrong) > DefaultRace().Alpha*float64(races) {
					t.Errorf("%s, %d samples of %d cases: %d of %d races stopped a prompt that is as good", tt.name, samples, cases,
						wrong, races)
				}
			}
		}
	}
}

// TestRacePowerInBulk: a prompt that is much worse stops nearly always, never the
// better one, and that saves requests.
func TestRacePowerInBulk(t *testing.T) {
	const races = 500
	rng := rand.New(rand.NewPCG(3, 4))
	found, askedAll, all := 0, 0, 0
	for range races {
		gone, asked, cells := simulate(rng, eased(rng, 0.8, 0.4), 2, 100, 1)
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

// TestRaceIntervalInBulk: a difference at a stop is too large on average, and its interval
// covers the true one in at least 95 % of all races that stop.
func TestRaceIntervalInBulk(t *testing.T) {
	races := 150
	if *long {
		races = 4000
	}
	for _, tt := range []struct {
		name    string
		chances [2]float64
		samples int
	}{{"10 points", [2]float64{0.7, 0.6}, 1}, {"20 points", [2]float64{0.8, 0.6}, 3}, {"40 points", [2]float64{0.9, 0.5}, 1}} {
		rng := rand.New(rand.NewPCG(5, 6))
		stopped, covered, sum, truth := 0, 0, 0.0, tt.chances[0]-tt.chances[1]
		for range races {
			gone, _, _ := simulate(rng, func(list []float64) { copy(list, tt.chances[:]) }, 2, 100, tt.samples)
			if e, ok := gone[1]; ok {
				stopped, sum = stopped+1, sum+e.Difference
				covered += collect.One(e.Low <= truth && truth <= e.High)
			}
		}
		t.Logf("%s: %d of %d races stopped, mean estimate %.3f, covered in %.4f of all races", tt.name, stopped, races,
			sum/float64(max(1, stopped)), 1-float64(stopped-covered)/float64(races))
		if missed := stopped - covered; float64(missed) > 0.05*float64(races) {
			t.Errorf("%s: %d of %d intervals miss %.2f", tt.name, missed, stopped, truth)
		}
	}
}
