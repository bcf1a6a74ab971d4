// Package live asks models for plan edits over any OpenAI-compatible endpoint:
// prompts × models × temperatures × formats × samples over cases, with the
// fallback ladder climbed for real. Every reply is appended to a corpus as it
// comes, so that a run can be stopped at any moment, resumed, and scored like
// any other recording.
//
// The work is done in layers. A Client makes one HTTP exchange and says what
// kind of answer or failure it was. A Caller adds what one request may need:
// pacing, retries with backoff, and the hard stops of a run. A Run goes through
// the cells of its plan, asks the journal before it asks the Caller, and counts.
//
// Time and randomness come in as parameters. The package scores nothing: that
// is the business of harness/score.
package live
