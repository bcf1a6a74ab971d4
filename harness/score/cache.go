package score

// maxCached limits the bytes of texts in a cache. Prompts and plans have any size, so their
// number would not bound the memory.
const maxCached = 1 << 20

// cache stores values computed from texts, because many records share a text. A full cache
// is cleared. It does not store texts larger than its limit. The zero value is ready to
// use.
type cache[V any] struct {
	values map[string]V
	size   int
}

// get returns the value of a text. It calls from if the value is not cached.
func (c *cache[V]) get(text []byte, from func() V) V {
	if v, ok := c.values[string(text)]; ok {
		return v
	}
	v := from()
	if len(text) > maxCached {
		return v
	}
	if c.size += len(text); c.values == nil || c.size > maxCached {
		c.values, c.size = map[string]V{}, len(text)
	}
	c.values[string(text)] = v
	return v
}
