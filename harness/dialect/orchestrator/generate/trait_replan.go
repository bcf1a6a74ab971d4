package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// asks casts a scene in which a step asks for another plan.
func asks(a ascent) func(d *director, at *spot) {
	return func(d *director, at *spot) {
		d.cast(at, late, func(d *director, at *spot, s *plan.Step) bool {
			a := a
			a.at, a.bad = at, slices.Clone(a.bad)
			return d.request(s, `{"control":"replan","reason":"a step is missing"}`, false, a)
		})
	}
}

// replanTraits are other plans: good ones, and replies that the ladder refuses or
// coerces.
func replanTraits() []trait {
	family := generators.Family("replan")
	replan := func(name, text, theme, place string, takesMore claims, a ascent) trait {
		return seen(trait{family(name, text).Says(theme, place), shares | climbs | takesMore, nil, asks(a)}, asked)
	}
	edited := func(name, text, theme, place string, takesMore claims, change func(d *director, at *spot, e *edit)) trait {
		return replan(name, text, theme, place, takesMore, ascent{edit: change})
	}
	list := []trait{
		replan("replan-asked", "a step requests a replan, and the replan succeeds", "a replan request", "in a step", 0,
			ascent{}),
		needing(replan("patch-of-a-title", "a patch changes only the title", "a title alone", "in a patch", 0,
			ascent{idle: true}), "title"),
		extracting(replan("patch-in-a-fence", "a patch is in a code fence between prose", "a fence",
			"in the reply with a patch", 0, ascent{dress: fenced})),
		extracting(replan("patch-drafted", "a <think> block contains a patch in a code fence: a draft", "thoughts",
			"in the reply with a patch", 0, ascent{dress: func(text string) string {
				return "<think>\n```json\n" + `{"title":"a draft"}` + "\n```\n</think>\n" + text
			}})),
		replan("ladder-fails", "no reply is a patch or a plan", "a ladder that fails", "in the replies", ends,
			ascent{bad: hopeless()}),
		replan("whole-plan-instead", "the reply is a full plan instead of a patch", "a full plan",
			"in the reply with a patch", adds, ascent{full: true}),
		under(replan("whole-plan-loses-work", "a full plan leaves finished steps out, and they are restored",
			"finished steps left out", "in a full plan", adds|later, ascent{full: true, forgets: true}),
			func(p *harness.Profile) { p.CarryOver = harness.Restore },
			func(p harness.Profile) bool { return p.CarryOver == harness.Restore }),
		needing(trait{
			family("whole-plan-without-the-policy",
				"a full plan leaves the verification policy out, and the policy stays").Says("a policy left out", "in a full plan"),
			shares | climbs | adds | planGiven, nil, func(d *director, at *spot) {
				d.forgetPolicy = true
				asks(ascent{full: true})(d, at)
			},
		}, "verification_policy"),
		edited("patch-says-null", "empty lists of a patch are null", "null for an optional member", "in a patch", 0,
			func(_ *director, _ *spot, e *edit) { e.nulls = true }),
		edited("patch-removes-unknown", "a patch removes an unknown step twice", "an unknown step", "in a remove", 0,
			func(_ *director, _ *spot, e *edit) {
				e.removes = append(e.removes, generators.Text("no such step"), generators.Text("no such step"))
			}),
		edited("patch-removes-a-step", "a patch removes a step that no other step depends on", "a removed step",
			"in a remove", spare, func(d *director, _ *spot, e *edit) { d.remove(e, d.ids[d.steps+1]) }),
		edited("patch-updates-a-step", "a patch changes a pending step", "a changed step", "in an update", spare,
			func(d *director, at *spot, e *edit) {
				if s := e.p.Step(d.ids[d.steps+1]); s.Status != plan.Done {
					d.update(e, at, s)
				}
			}),
		edited("patch-adds-done", "a patch adds a step marked as done, and it still runs", "a step marked as done",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, func(_ *plan.Step, doc *generators.Value) { doc.Add("status", generators.Text("done")) })
			}),
		edited("patch-repeats-a-dependency", "a patch adds a step that has a duplicate dependency", "a duplicate dependency",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
					id := e.p.Steps[0].ID
					s.Dependencies = []string{id}
					doc.Put("dependencies", generators.Texts([]string{id, id}))
				})
			}),
		edited("patch-adds-look-alikes", "a patch adds two steps whose ids differ only in case", "look-alike ids",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, called("Alike"))
				d.addStep(e, at, called("aLIKE"))
			}),
		edited("patch-adds-padded", "a patch adds a step whose id has leading and trailing white space", "padded ids",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, func(s *plan.Step, doc *generators.Value) { doc.Put("id", generators.Text(" "+s.ID+"\t")) })
			}),
		edited("patch-over-the-limit", "a patch adds more steps than fit, and the excess is dropped", "more steps than fit",
			"in an add", caps, overTheLimit),
		{family("plan-over-capacity", "the plan exceeds max_plan_steps, and a patch adds a step").Says("a plan over its limit", "in an add"), shares | climbs | caps | planGiven | spare, nil, func(d *director, at *spot) {
			d.limit = len(d.p.Steps) - 1
			asks(ascent{bad: []badPatch{{text: func(d *director, _ *spot) string {
				if len(d.p.Steps) <= d.limit {
					return ""
				}
				return `{"add_steps":[{"id":"extra","description":"x"}]}`
			}}}})(d, at)
		}},
		{family("patch-forgets-the-step", "a patch changes something, but not the step that failed").Says("a failed step that is not updated", "in a patch"), takes | climbs | rounds, nil, func(d *director, at *spot) {
			d.rounds = 4
			d.cast(at, late, playOutOfRounds(ascent{at: at, stall: true}))
		}},
		under(edited("patch-removes-needed", "a patch removes a step that others depend on",
			"a removed step that others depend on", "in a remove", spare, func(d *director, _ *spot, e *edit) {
				d.remove(e, d.ids[d.steps])
			}), func(p *harness.Profile) {
			if p.Orphans == harness.Reject {
				p.Orphans = harness.Bridge
			}
		}, func(p harness.Profile) bool { return p.Orphans != harness.Reject }),
	}
	for _, b := range badPatches() {
		list = append(list, b.trait())
	}
	return list
}

func fenced(text string) string {
	return "Here it is, and no need to REPLAN:\n```json\n" + text + "\n```\nSTEP_DONE is what I shall say next."
}

func called(id string) func(s *plan.Step, doc *generators.Value) {
	return func(s *plan.Step, doc *generators.Value) {
		s.ID = id
		doc.Put("id", generators.Text(id))
	}
}

// remove removes a step, by the policy for those that need it.
func (d *director) remove(e *edit, id string) {
	i := slices.IndexFunc(e.p.Steps, func(s plan.Step) bool { return s.ID == id })
	gone := e.p.Steps[i]
	needed := slices.ContainsFunc(e.p.Steps, func(s plan.Step) bool { return slices.Contains(s.Dependencies, id) })
	if gone.Status == plan.Done || needed && d.profile.Orphans == harness.Reject {
		return // it stays
	}
	e.p.Steps = slices.Delete(slices.Clone(e.p.Steps), i, i+1)
	for j := range e.p.Steps {
		e.p.Steps[j].Dependencies = without(e.p.Steps[j].Dependencies, gone, d.profile.Orphans)
	}
	e.removes = append(e.removes, generators.Text(id))
}

// without is a list of dependencies without a step, or with what that step
// needed in its place, each once.
func without(deps []string, gone plan.Step, orphans string) (list []string) {
	put := func(id string) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	if !slices.Contains(deps, gone.ID) {
		return deps
	}
	for _, id := range deps {
		if id != gone.ID {
			put(id)
			continue
		}
		for _, behind := range gone.Dependencies {
			if orphans == harness.Bridge && !slices.Contains(deps, behind) {
				put(behind)
			}
		}
	}
	return list
}

// overTheLimit adds one step more than fits.
func overTheLimit(d *director, at *spot, e *edit) {
	d.limit = len(e.p.Steps) + at.Below(3)
	if len(e.adds) == 0 && d.limit == len(e.p.Steps) {
		d.limit++
	}
	for len(e.p.Steps) <= d.limit {
		d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
			s.Dependencies = nil
			doc.Put("dependencies", generators.Texts(nil))
		})
	}
	e.p.Steps = e.p.Steps[:d.limit]
}

// badPatch is a reply that the ladder refuses as a patch.
type badPatch struct {
	generators.Trait
	claims claims
	rules  func(p *harness.Profile)
	text   func(d *director, at *spot) string
}

// trait is a replan request whose first reply is the invalid patch.
func (b badPatch) trait() trait {
	return trait{b.Trait, shares | climbs | b.claims, b.rules, asks(ascent{bad: []badPatch{b}})}
}

func said(text string) func(*director, *spot) string {
	return func(*director, *spot) string { return text }
}

// prose is refused as a patch everywhere.
var prose = badPatch{text: said("I would rather not change the plan. No REPLAN.")}

// badPatches are refused under all rules, or under those that they ask for.
func badPatches() []badPatch {
	family := generators.Family("replan")
	bad := func(name, text, theme, place, reply string) badPatch {
		return badPatch{Trait: family(name, text).Says(theme, place), text: said(reply)}
	}
	titled := func(b badPatch) badPatch {
		b.Needs = []string{"title"}
		return b
	}
	ruled := func(b badPatch, set func(p *harness.Profile), hold func(p harness.Profile) bool) badPatch {
		b.rules, b.Under = set, hold
		return b
	}
	rough := func(b badPatch) badPatch {
		return ruled(b, func(p *harness.Profile) { p.Reading.Coerce = false },
			func(p harness.Profile) bool { return !p.Reading.Coerce })
	}
	// about is a patch about a step of the base: the one that asks, the one before
	// it, which is done, or a spare one.
	about := func(name, text, theme, place string, takesMore claims,
		reply func(id string) string,
	) badPatch {
		return badPatch{family(name, text).Says(theme, place), takesMore, nil, func(d *director, at *spot) string {
			id := d.ids[at.step]
			switch {
			case takesMore&later != 0:
				if id = d.ids[at.step-1]; d.p.Step(id).Status != plan.Done {
					return ""
				}
			case takesMore&spare != 0:
				id = d.ids[d.steps+1]
			}
			return reply(generators.Quoted(id))
		}}
	}
	return []badPatch{
		bad("patch-in-words", "the reply to a replan request is prose", "prose", "in the reply with a patch",
			"I would rather not change the plan. No REPLAN."),
		bad("patch-blank", "the reply to a replan request is blank", "a blank reply", "in the reply with a patch",
			" \n"),
		bad("patch-of-nothing", "a patch changes nothing", "a patch of nothing", "in a patch",
			`{"type":"PlanPatch","reason":"none"}`),
		bad("patch-of-another-type", "the type of a document is unknown", "another type", "in a patch",
			`{"type":"Note"}`),
		titled(bad("patch-with-a-number", "the title of a patch is a number", "a member of another type", "in a patch",
			`{"title":5}`)),
		bad("patch-without-id", "an update has no id", "a missing id", "in an update",
			`{"update_steps":[{"description":"x"}]}`),
		bad("patch-with-a-blank-id", "the id of an added step is blank", "a blank id", "in an add",
			`{"add_steps":[{"id":" ","description":"x"}]}`),
		bad("patch-of-unknown-step", "an update names an unknown step", "an unknown step", "in an update",
			`{"update_steps":[{"id":"no such step","description":"x"}]}`),
		bad("patch-bytes-no-text", "a patch contains bytes that are not UTF-8", "bytes that are not UTF-8", "in a patch",
			"{\"title\":\"\xff\"}"),
		ruled(titled(bad("patch-says-title-twice", "a patch has two titles", "a duplicate member", "in a patch",
			`{"title":"x","title":"y"}`)),
			func(p *harness.Profile) { p.DuplicateKeys = harness.Reject },
			func(p harness.Profile) bool { return p.DuplicateKeys == harness.Reject }),
		rough(titled(bad("patch-with-more", "a patch has an unknown member", "unknown members", "in a patch",
			`{"title":"x","risk":"low"}`))),
		rough(about("patch-removes-by-text", "remove_steps is an id instead of a list", "a text in place of a list",
			"in a remove", spare, func(id string) string { return `{"remove_steps":` + id + `}` })),
		{
			family("patch-waits-for-nothing", "an added step depends on an unknown step").Says("an unknown step",
				"in a dependency"), adds, nil,
			said(`{"add_steps":[{"id":"extra","description":"x","dependencies":["no such step"]}]}`),
		},
		about("patch-removes-done", "a patch removes a done step", "a done step", "in a remove",
			later, func(id string) string { return `{"remove_steps":[` + id + `]}` }),
		about("patch-changes-done", "a patch changes a done step", "a done step", "in an update",
			later, func(id string) string { return `{"update_steps":[{"id":` + id + `,"description":"x"}]}` }),
		about("patch-makes-a-circle", "a patch makes a step depend on itself", "a cycle", "in an update",
			0, func(id string) string {
				return `{"update_steps":[{"id":` + id + `,"dependencies":[` + id + `]}]}`
			}),
		about("patch-repeats-an-id", "a patch adds a step whose id already exists", "a duplicate id", "in an add",
			0, func(id string) string {
				return `{"add_steps":[{"id":` + strings.ReplaceAll(id, "\u00a0", " ") + `,"description":"x"}]}`
			}),
		ruled(about("patch-contradicts-itself", "a patch removes and updates the same step", "one step in two lists",
			"in a patch", spare, func(id string) string {
				return `{"remove_steps":[` + id + `],"update_steps":[{"id":` + id + `,"description":"x"}]}`
			}), func(p *harness.Profile) { p.Conflicts = harness.Reject },
			func(p harness.Profile) bool { return p.Conflicts == harness.Reject }),
		{
			family("patch-removes-all", "a patch removes every step").Says("every step", "in a remove"),
			planAsked | foremost, func(p *harness.Profile) { p.Parallel = 1 }, func(d *director, _ *spot) string {
				var ids []string
				for _, s := range d.p.Steps {
					if s.Status == plan.Done {
						return ""
					}
					ids = append(ids, s.ID)
				}
				return d.write(generators.Object(field("remove_steps", generators.Texts(ids))))
			},
		},
	}
}
