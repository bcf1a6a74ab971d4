// Package stats holds the statistics that comparisons of model replies need:
// intervals for rates, standard errors that allow for several replies to one
// plan, paired tests, the correction for many comparisons, and the question of
// how many cases it takes.
//
// Replies to the same plan are alike, so they are not independent, and a
// formula that believes they are gives intervals that are too narrow. Therefore
// most functions take their data as [Cluster] values: one per plan, with the
// sum and the number of its replies.
//
// What the functions promise is simulated by their tests, in a short form always
// and in a long one by a flag:
//
//	go test ./harness/stats -run FalseVerdicts -v -long   tests where nothing differs
//	go test ./harness/stats -run Coverage -v -long        intervals
//	go test ./harness/stats -run Power -v -long           needed cases, detectable differences
//
// Two promises have a price. [DifferenceTest] holds whatever the differences are,
// also where a few cases that matter are not in the sample, so with few cases of
// many replies it asks for more than a t-test would: at 20 cases of 5 replies on
// either side, 1.7 times the difference, at 200 cases a tenth more. And the intervals
// of [Rate] cover more than 99 % in some settings where fewer than 1.5 cases can
// be expected to differ from the rest. Results are discrete, and in about half of
// those settings no neighbouring results have a chance between 93 and 99 %
// together, so that no interval covers so; in most others none does that leaves no
// more than 2.5 % on either side.
//
// The package knows nothing of plans or models. Special functions come from gonum;
// randomness comes in as a parameter, so that equal seeds give equal results.
package stats

import "gonum.org/v1/gonum/mathext"

// normalQuantile is the quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return mathext.NormalQuantile(p) }
