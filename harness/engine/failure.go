package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"replanbench/harness"
)

// The kinds of failure, by the names of the protocol.
const (
	crash    = harness.Crash
	hang     = harness.Hang
	protocol = harness.ProtocolFailure
)

func failure(kind harness.Status, format string, args ...any) *harness.Failure {
	return &harness.Failure{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// stray is the failure for a line on standard output that answers no request.
func stray(line []byte, why string) *harness.Failure {
	return failure(protocol, "printed a line that answers no request (%s; was it meant for standard error?): %s", why,
		quote(line))
}

// quoteLimit is the maximum number of characters of a line that a message shows.
const quoteLimit = 200

// quote returns [printable] bytes in quotation marks; the sign … after them shows a cut.
func quote(b []byte) string {
	text, isCut := strings.CutSuffix(printable(b), "…")
	if isCut {
		return `"` + text + `"…`
	}
	return `"` + text + `"`
}

// printable shows foreign bytes with escapes for everything that does not print. It
// cuts them after quoteLimit characters and then ends with the sign ….
func printable(b []byte) string {
	var s strings.Builder
	for n := 0; len(b) > 0; n++ {
		if n == quoteLimit {
			s.WriteString("…")
			return s.String()
		}
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&s, `\x%02x`, b[0])
		case strconv.IsPrint(r):
			s.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			s.WriteString(q[1 : len(q)-1])
		}
		b = b[size:]
	}
	return s.String()
}

type freeKey struct{}

// Free returns a context whose evaluations do not count towards
// [Options.MaxRestarts], and are made even if the engine was given up. It is for
// shrinking and reproducing a crash, which restarts the engine as often as it
// succeeds and has bounds of its own.
func Free(ctx context.Context) context.Context { return context.WithValue(ctx, freeKey{}, true) }

func isFree(ctx context.Context) bool { return ctx.Value(freeKey{}) != nil }

type resolvedKey struct{}

// Resolved returns a context for cases that need nothing that the engine lacks, such as the cases of a judge.
// Evaluations do not look at what they need.
func Resolved(ctx context.Context) context.Context {
	return context.WithValue(ctx, resolvedKey{}, true)
}

func isResolved(ctx context.Context) bool { return ctx.Value(resolvedKey{}) != nil }

// exhausted reports whether this program lacks what the system gives it, which is
// no fault of an engine.
func exhausted(err error) bool {
	for _, lack := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}
