package score

// maxCached is how many bytes of texts a cache holds. Prompts and plans may be
// of any size, so their number would be no bound.
const maxCached = 1 << 20

// cache keeps what was made of texts, since many records share one. When it is
// full it starts anew. A text that would fill it alone is not kept. The zero
// value is empty and ready.
type cache[V any] struct {
	values map[string]V
	size   int
}

// get returns what was made of a text, by from if need be.
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
