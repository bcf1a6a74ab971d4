package generators

// Fault is one thing that goes wrong with model-made edits, planted on
// purpose. What it must lead to depends on the rules of the case, and is part
// of every [Sample] that it was planted in.
type Fault struct {
	Name   string
	Family string // what it is about: ids, text, plan …
	Text   string // one line: what is wrong, and what comes of it
	Weight int    // how often it is drawn beside the others; 0 is [Usual]
}

// Family returns what makes the faults of a family, by name and text.
func Family(family string) func(name, text string) Fault {
	return func(name, text string) Fault { return Fault{Name: name, Family: family, Text: text} }
}

// Weigh returns the fault with a weight.
func (f Fault) Weigh(weight int) Fault {
	f.Weight = weight
	return f
}

// Entry is the fault itself: what a dialect's type gets by embedding it.
func (f Fault) Entry() Fault { return f }

// String returns the fault as "list faults" prints it.
func (f Fault) String() string { return f.Name + "  " + f.Text }
