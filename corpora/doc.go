// Package corpora holds recorded model replies: what a record is, how files of
// them are read and written, how recordings of other tools are imported, and
// the corpus that comes with the program.
//
// A corpus is JSON Lines, one reply a line, or one request that got none, plain
// or compressed with gzip or zstd. Files may be larger than memory: they are read in batches of lines. A
// line that cannot be read is a [Problem] with its number; the rest goes on.
//
// The built-in documented replies are written by hand after documents, and the
// incident among them is a reconstruction: nothing can be inferred from their share.
//
// The package judges no reply: that is the business of harness/score.
package corpora
