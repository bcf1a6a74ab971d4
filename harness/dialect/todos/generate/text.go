package generate

// text is the content of an item. Contents are equal if their keys are, and similar if
// their families are, too: which is so is decided where they are made.
type text struct {
	key, family int
	words       string // as they are written
}

var actions = [...]string{
	"explain", "benchmark", "remove", "deploy", "configure", "migrate", "inspect", "publish", "translate", "compile",
	"validate", "backup",
	"document", "squash", "parametrise", "simplify", "harden", "measure", "describe", "monitor", "encrypt", "unlock",
	"orchestrate", "throttle",
}

var objects = [...]string{
	"tests", "parser", "login", "billing", "queue", "schema", "exports", "metrics", "uploads", "invoices", "avatars",
	"glossary",
	"firmware", "proxies", "widgets", "timezone", "backlog", "index", "webhook", "calendar", "keyboard", "gateway",
	"histogram",
}

// phrases is how many there are.
const phrases = len(actions) * len(objects)

// phrase is the i-th content: a short ASCII text that is neither equal nor
// similar to another.
func phrase(i int) string {
	n := len(objects)
	return actions[(i/n+i%n)%len(actions)] + " " + objects[i%n]
}

// say makes a content that no other item has.
func (d *draft) say() text {
	d.said++
	return text{d.said, d.said, phrase((d.first + d.said) % phrases)}
}

// spelled is the same content as it is written otherwise.
func (t text) spelled(words string) text {
	t.words = words
	return t
}

// similar is another content, so near that it may be the same reworded.
func (d *draft) similar(t text, words string) text {
	d.keys--
	return text{d.keys, t.family, words}
}

// other is another content, that is not similar.
func (d *draft) other(words string) text {
	d.keys--
	return text{d.keys, d.keys, words}
}
