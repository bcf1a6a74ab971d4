// Package score scores recorded model replies: whether the harness can read and apply
// them, which rung of the fallback ladder succeeds, whether finished work is in danger,
// and how many tokens they cost.
//
// [Judge] scores one reply. [Run] scores corpora on all cores and returns rates by group
// with intervals; it keeps only the recorded retries in memory, about 450 bytes each.
// [Ablate] measures what each rule of reading and applying gains. [Compare] compares two
// results case by case, and [Gate.Check] checks a result against thresholds. [Prompts]
// describes recorded prompts and trims them by any policy. [PassK] estimates pass@k and
// pass^k from several replies to a case.
//
// The unit of all rates is the cell: a first attempt with its recorded retries.
// Intervals allow for several replies to one case, which are not independent. The result
// counts cells without a reply and cells that it cannot score.
//
// The package has no rules of its own. The reference reads and applies the replies.
package score
