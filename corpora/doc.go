// Package corpora defines recorded model replies. It reads and writes corpora, imports the
// recordings of other tools, and contains the built-in corpora.
//
// A corpus is JSON Lines, plain or compressed with gzip or zstd. Each line is a reply or a
// request without a reply. Files can be larger than memory, because the package reads
// batches of lines. A malformed line is a [Problem] with its number, and reading continues.
//
// The built-in documented replies are written by hand from documents, and the incident
// among them is a reconstruction. They are no sample.
//
// The package does not judge replies; see harness/score.
package corpora
