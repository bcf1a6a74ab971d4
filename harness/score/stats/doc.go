// Package stats contains the statistics for comparisons of model replies: intervals for
// rates, standard errors that allow for several replies to one plan, paired tests, the
// correction for multiple tests, and sample sizes.
//
// Replies to the same plan are not independent. A formula that assumes independence
// returns intervals that are too narrow. Therefore most functions take [Cluster] values:
// one per plan, with the sum and the number of its replies.
//
// Tests simulate the guarantees of the functions, briefly by default and longer with a
// flag:
//
//	go test ./harness/score/stats -run FalseVerdicts -v -long   tests where nothing differs
//	go test ./harness/score/stats -run Coverage -v -long        intervals
//	go test ./harness/score/stats -run Power -v -long           needed cases, detectable differences
//
// Two guarantees have a cost. [DifferenceTest] is valid for any distribution of the
// differences, even if a few important cases are not in the sample. With few cases of many
// replies it therefore needs a larger difference than a t-test: 1.7 times for 20 cases of
// 5 replies on each side, 1.1 times for 200 cases.
//
// The intervals of [Rate] cover more than 99 % in some settings in which fewer than 1.5
// cases are expected to differ from the others. Results are discrete. In about half of
// these settings no neighbouring results have a joint probability between 93 and 99 %, so
// no interval has such a coverage. In most of the others, no such interval leaves at most
// 2.5 % on each side.
//
// The package does not depend on plans or models. Special functions come from gonum.
// Randomness is a parameter, so that equal seeds give equal results.
package stats

import "gonum.org/v1/gonum/mathext"

// normalQuantile returns the quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return mathext.NormalQuantile(p) }
