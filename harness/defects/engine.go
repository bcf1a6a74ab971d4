package defects

import (
	"context"
	"slices"

	"replanbench/harness"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

// planPatchDefects lists the defects of engines for the dialect planpatch.
func planPatchDefects() []Defect {
	rows := slices.Concat(
		readingRows(), decodingRows(), conflictRows(), graphRows(), limitRows(),
		finishedRows(), resultRows(), ladderRows(), memoryRows(),
	)
	list := ofDialect("planpatch", rows)
	for i := range list {
		list[i].Large = large()[list[i].Name]
	}
	return append(list, Defect{Dialect: "planpatch", Name: "hangs-on-open-fence", Text: "waits for ever for the end of a code fence that does not close", New: newHanging})
}

// ofDialect makes defects of the rows of a table.
func ofDialect(dialect string, rows []row) []Defect {
	list := make([]Defect, len(rows))
	for i, r := range rows {
		list[i] = Defect{Dialect: dialect, Name: r.name, Text: r.text, New: func() harness.Engine { return &engine{dialect, r.name, r.flaw()} }}
	}
	return list
}

// large says of the defects that need a large case why.
func large() map[string]string {
	return map[string]string{
		"all-three-removes":      "one step stands in three lists, which takes an operation in each",
		"sees-only-short-cycles": "the shortest cycle that is missed has three steps",
	}
}

// row is a defect in a table. flaw makes what is wrong, with its memory, if it
// has any.
type row struct {
	name, text string
	flaw       func() flaw
}

// flaw answers a case under a profile, as the reference does in all but one
// respect.
type flaw func(c harness.Case, p harness.Profile) harness.Outcome

// right answers as the reference does.
func right(c harness.Case, p harness.Profile) harness.Outcome { return planpatch.Eval(c, p) }

// engine is the reference with a flaw.
type engine struct {
	dialect string
	name    string
	flaw    flaw
}

func (e *engine) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{
		Name: "defect:" + e.name, Version: harness.Version, Window: 1,
		Dialects: map[string]harness.Declaration{e.dialect: {
			Profile:  harness.Reference(),
			Features: []string{harness.FeatureLadder, harness.FeatureProfiles},
		}},
	}, nil
}

func (e *engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Dialect != e.dialect {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "the engine has no dialect " + c.Dialect}, nil
	}
	p := harness.Reference()
	if c.Profile != nil {
		p = *c.Profile
	}
	return e.flaw(c, p), nil
}

func (e *engine) Close() error { return nil }

// The following make flaws.

// always is a flaw that remembers nothing.
func always(f flaw) func() flaw { return func() flaw { return f } }

// reading changes the text of every reply before it is read.
func reading(change func(reply string) string) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		c.Replies = slices.Clone(c.Replies)
		for i, r := range c.Replies {
			c.Replies[i] = harness.Reply(change(string(r)))
		}
		return right(c, p)
	})
}

// policy follows another policy than the one it was told.
func policy(change func(*harness.Profile)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		change(&p)
		return right(c, p)
	})
}

// decoding changes the objects in the replies before they are decoded. change
// reports whether it did; old is the plan of the case.
func decoding(change func(o object, old *plan.Plan) bool) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome { return right(redecoded(c, change), p) })
}

func redecoded(c harness.Case, change func(o object, old *plan.Plan) bool) harness.Case {
	old, err := plan.Decode(c.Plan)
	if err != nil {
		return c
	}
	c.Replies = slices.Clone(c.Replies)
	for i, r := range c.Replies {
		c.Replies[i] = harness.Reply(rewrite(string(r), func(o object) bool { return change(o, old) }))
	}
	return c
}

// answering changes the outcome.
func answering(change func(*harness.Outcome)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		change(&out)
		return out
	})
}

// edit is an accepted edit: the plan before and after, and all that the
// replies wrote.
type edit struct {
	c        harness.Case
	old, new *plan.Plan
	out      *harness.Outcome
}

// editing changes the plan that comes out, in place.
func editing(change func(e edit)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		if out.Plan == nil {
			return out
		}
		if old, err := plan.Decode(c.Plan); err == nil {
			change(edit{c, old, out.Plan, &out})
		}
		return out
	})
}

// insteadOf does something else where the first reply alone would be refused
// with the code.
func insteadOf(code harness.Code, other flaw) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		if len(c.Replies) == 0 {
			return right(c, p)
		}
		alone := c
		alone.Replies = c.Replies[:1]
		if right(alone, p).Code != code {
			return right(c, p)
		}
		out := other(alone, p)
		if len(c.Replies) == 1 {
			return out
		}
		if out.Verdict != harness.Applied {
			return right(c, p)
		}
		out.Warnings = append(out.Warnings, harness.Warning{Code: harness.WarnRepliesUnused})
		return out
	})
}

// refusing refuses with the code what the reference applies with the warning.
func refusing(warning string, code harness.Code) func() flaw {
	return answering(func(out *harness.Outcome) {
		if out.Verdict == harness.Applied && warned(out, warning) != nil {
			*out = refused(code)
		}
	})
}

func refused(code harness.Code) harness.Outcome {
	return harness.Outcome{Verdict: harness.Rejected, Code: code}
}

// warned returns the ids of the warning, nil if there is none.
func warned(out *harness.Outcome, code string) []string {
	for _, w := range out.Warnings {
		if w.Code == code {
			return append([]string{}, w.IDs...)
		}
	}
	return nil
}

// unwarn takes a warning away.
func unwarn(out *harness.Outcome, code string) {
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w harness.Warning) bool { return w.Code == code })
}
