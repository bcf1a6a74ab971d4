package score

import (
	"bytes"
	"testing"
)

// TestCacheIsBounded: whatever the sizes of texts, a cache holds no more bytes
// of them than it may, and what it returns was made of the text asked for.
func TestCacheIsBounded(t *testing.T) {
	var c cache[int]
	made := 0
	for i := range 300 {
		text := bytes.Repeat([]byte{byte(i)}, 1+i*i*i%(2*maxCached))
		for range 2 {
			if got := c.get(text, func() int { made++; return len(text) }); got != len(text) {
				t.Fatalf("text %d: %d, want %d", i, got, len(text))
			}
		}
		held := 0
		for key := range c.values {
			held += len(key)
		}
		if held > maxCached || held != c.size {
			t.Fatalf("after %d texts it holds %d bytes and counts %d; at most %d are allowed", i+1, held, c.size, maxCached)
		}
	}
	if made >= 600 || made < 256 {
		t.Errorf("%d values were made of 300 texts asked for twice", made)
	}
}
