package jinja

// RenderWithin renders within limits of its own and says what was left of them.
func RenderWithin(t *Template, vars map[string]any, steps, bytes int) (text string, stepsLeft, bytesLeft int,
	err error,
) {
	left := &limits{steps: steps, bytes: bytes}
	text, err = t.render(vars, left)
	return text, left.steps, left.bytes, err
}
