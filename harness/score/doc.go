// Package score says how good recorded model replies are: whether they could be
// read, whether the edit could be applied, which rung of the fallback ladder it
// took, whether finished work was in danger, and what it cost in tokens.
//
// [Judge] looks at one reply. [Run] goes through whole corpora with all cores
// and gives rates by group with intervals; of a corpus it holds nothing but the
// recorded retries, some 450 bytes each. [Ablate] asks what each rule of reading
// and applying buys. [Compare] puts two runs side by side, case by case, and
// [Gate.Check] holds a run against thresholds.
// Recorded prompts are measured by section and trimmed by any policy of package
// budget ([Prompts]); several replies to a case give pass@k and pass^k ([PassK]).
//
// The unit of all rates is the request: a first attempt, with the retries that
// were recorded for it. A request that got no reply is counted and never scored
// as one. Replies to one case are not independent, which the
// intervals allow for. What could not be scored is counted, never dropped.
//
// The rules by which replies are read and applied are those of the reference;
// this package adds none.
package score
