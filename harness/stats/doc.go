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
// The package knows nothing of plans or models. Distributions come from gonum;
// randomness comes in as a parameter, so that equal seeds give equal results.
package stats

import "gonum.org/v1/gonum/stat/distuv"

// normalQuantile is the quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// twoSided returns the normal quantile z with P(|Z| ≤ z) = confidence.
func twoSided(confidence float64) float64 { return normalQuantile(0.5 + confidence/2) }
