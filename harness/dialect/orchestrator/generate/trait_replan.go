package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// asks casts a scene in which a step asks for another plan.
func asks(a ascent) planting {
	return casts(late, func(d *director, at *spot, _ *plan.Step) bool {
		return d.request(`{"control":"replan","reason":"a step is missing"}`, a.from(at))
	})
}

// replans returns a trait of another plan.
func replans(name, text, theme, place string, needed claims, a ascent) trait {
	return rows("replan", place)(name, text, theme, shares|climbs|needed, asks(a)).seen(asked)
}

// replanTraits are other plans: good ones, and replies that the ladder refuses or
// coerces.
func replanTraits() []trait {
	const reply = "in the reply with a patch"
	edited := func(name, text, theme, place string, needed claims, change func(d *director, at *spot, e *edit)) trait {
		return replans(name, text, theme, place, needed, ascent{edit: change})
	}
	// added is a patch that adds a step.
	added := func(name, text, theme string, twist func(s *plan.Step, doc *generators.Value)) trait {
		return edited(name, text, theme, "in an add", adds,
			func(d *director, at *spot, e *edit) { d.addStep(e, at, twist) })
	}
	return append([]trait{
		replans("replan-asked", "a step requests a replan, and the replan succeeds", "a replan request", "in a step", 0,
			ascent{}),
		replans("patch-of-a-title", "a patch changes only the title", "a title alone", "in a patch", 0, ascent{idle: true}).
			needing("title"),
		replans("patch-in-a-fence", "a patch is in a code fence between prose", "a fence", reply, 0, ascent{dress: fenced}).
			under("reading.extract=true"),
		replans("patch-drafted", "a <think> block contains a patch in a code fence: a draft", "thoughts", reply, 0,
			ascent{dress: drafted(`{"title":"a draft"}`)}).under("reading.extract=true"),
		replans("ladder-fails", "no reply is a patch or a plan", "a ladder that fails", "in the replies", ends,
			ascent{bad: hopeless()}),
		replans("whole-plan-instead", "the reply is a full plan instead of a patch", "a full plan", reply, adds,
			ascent{full: true}),
		replans("whole-plan-loses-work", "a full plan leaves finished steps out, and they are restored",
			"finished steps left out", "in a full plan", adds|later, ascent{full: true, forgets: true}).
			under("carry_over=restore"),
		rows("replan", "in a full plan")("whole-plan-without-the-policy",
			"a full plan leaves the verification policy out, and the policy stays", "a policy left out",
			shares|climbs|adds|planGiven, asks(ascent{full: true})).
			before(func(d *director) { d.forgetPolicy = true }).needing("verification_policy"),
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
				if s := d.p.Step(d.ids[d.steps+1]); s.Status != plan.Done {
					e.update(at, s)
				}
			}),
		added("patch-adds-done", "a patch adds a step marked as done, and it still runs", "a step marked as done",
			func(_ *plan.Step, doc *generators.Value) { doc.Add("status", generators.Text("done")) }),
		edited("patch-repeats-a-dependency", "a patch adds a step that has a duplicate dependency", "a duplicate dependency",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
					id := d.p.Steps[0].ID
					s.Dependencies = []string{id}
					doc.Put("dependencies", generators.Texts([]string{id, id}))
				})
			}),
		edited("patch-adds-look-alikes", "a patch adds two steps whose ids differ only in case", "look-alike ids",
			"in an add", adds, func(d *director, at *spot, e *edit) {
				d.addStep(e, at, called("Alike"))
				d.addStep(e, at, called("aLIKE"))
			}),
		added("patch-adds-padded", "a patch adds a step whose id has leading and trailing white space", "padded ids",
			func(s *plan.Step, doc *generators.Value) { doc.Put("id", generators.Text(" "+s.ID+"\t")) }),
		edited("patch-over-the-limit", "a patch adds more steps than fit, and the excess is dropped", "more steps than fit",
			"in an add", caps, overTheLimit),
		rows("replan", "in an add")("plan-over-capacity", "the plan exceeds max_plan_steps, and a patch adds a step",
			"a plan over its limit", shares|climbs|caps|planGiven|spare, asks(ascent{bad: []replying{overCapacity}})).
			before(func(d *director) { d.limit = len(d.p.Steps) - 1 }),
		rows("replan", "in a patch")("patch-forgets-the-step", "a patch changes something, but not the step that failed",
			"a failed step that is not updated", takes|climbs|rounds, outOfRounds(ascent{stall: true})),
		edited("patch-removes-needed", "a patch removes a step that others depend on",
			"a removed step that others depend on", "in a remove", spare,
			func(d *director, _ *spot, e *edit) { d.remove(e, d.ids[d.steps]) }).ruled(func(p *harness.Profile) {
			if p.Orphans == harness.Reject {
				p.Orphans = harness.Bridge
			}
		}, func(p harness.Profile) bool { return p.Orphans != harness.Reject }),
	}, badPatches()...)
}

// overCapacity adds a step to a plan that is over its limit.
func overCapacity(d *director, _ *spot) string {
	if len(d.p.Steps) <= d.limit {
		return ""
	}
	return `{"add_steps":[{"id":"extra","description":"x"}]}`
}

// drafted puts a draft in a code fence, within thoughts, in front of a text.
func drafted(draft string) func(text string) string {
	return func(text string) string { return "<think>\n```json\n" + draft + "\n```\n</think>\n" + text }
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

// remove removes a step that is not done, by the policy for those that need it.
func (d *director) remove(e *edit, id string) {
	needs := func(s plan.Step) bool { return slices.Contains(s.Dependencies, id) }
	i := slices.IndexFunc(d.p.Steps, func(s plan.Step) bool { return s.ID == id })
	gone := d.p.Steps[i]
	if gone.Status == plan.Done || d.profile.Orphans == harness.Reject && slices.ContainsFunc(d.p.Steps, needs) {
		return // it stays
	}
	d.p.Steps = slices.Delete(d.p.Steps, i, i+1)
	e.removes = append(e.removes, generators.Text(id))
	if d.profile.Orphans != harness.Bridge {
		gone.Dependencies = nil
	}
	for j := range d.p.Steps {
		deps := d.p.Steps[j].Dependencies
		if k := slices.Index(deps, id); k >= 0 {
			more := slices.DeleteFunc(slices.Clone(gone.Dependencies), func(d string) bool { return slices.Contains(deps, d) })
			d.p.Steps[j].Dependencies = slices.Replace(slices.Clone(deps), k, k+1, more...)
		}
	}
}

// overTheLimit adds one step more than fits.
func overTheLimit(d *director, at *spot, e *edit) {
	d.limit = len(d.p.Steps) + at.Below(3)
	if len(e.adds) == 0 && d.limit == len(d.p.Steps) {
		d.limit++
	}
	for len(d.p.Steps) <= d.limit {
		d.addStep(e, at, func(s *plan.Step, doc *generators.Value) {
			s.Dependencies = nil
			doc.Put("dependencies", generators.Texts(nil))
		})
	}
	d.p.Steps = d.p.Steps[:d.limit]
}

func said(text string) replying { return func(*director, *spot) string { return text } }

// prose is refused as a patch everywhere.
var prose = said("I would rather not change the plan. No REPLAN.")

// badPatches are replies that are refused as patches under all rules, or under those that they ask for.
func badPatches() []trait {
	const reply, rough = "in the reply with a patch", "reading.coerce=false"
	refused := func(name, text, theme, place string, needed claims, bad replying) trait {
		return rows("replan", place)(name, text, theme, shares|climbs|needed, asks(ascent{bad: []replying{bad}}))
	}
	bad := func(name, text, theme, place, reply string) trait {
		return refused(name, text, theme, place, 0, said(reply))
	}
	// about is a patch about a step of the base: the one that asks, the one before
	// it, which is done, or a spare one. ID stands for its id.
	about := func(name, text, theme, place string, needed claims, patch string) trait {
		return refused(name, text, theme, place, needed, func(d *director, at *spot) string {
			id := d.ids[at.step]
			switch {
			case needed&later != 0:
				if id = d.ids[at.step-1]; d.p.Step(id).Status != plan.Done {
					return ""
				}
			case needed&spare != 0:
				id = d.ids[d.steps+1]
			}
			return strings.ReplaceAll(patch, "ID", generators.Quoted(id))
		})
	}
	return []trait{
		bad("patch-in-words", "the reply to a replan request is prose", "prose", reply,
			"I would rather not change the plan. No REPLAN."),
		bad("patch-blank", "the reply to a replan request is blank", "a blank reply", reply, " \n"),
		bad("patch-of-nothing", "a patch changes nothing", "a patch of nothing", "in a patch",
			`{"type":"PlanPatch","reason":"none"}`),
		bad("patch-of-another-type", "the type of a document is unknown", "another type", "in a patch",
			`{"type":"Note"}`),
		bad("patch-with-a-number", "the title of a patch is a number", "a member of another type", "in a patch",
			`{"title":5}`).needing("title"),
		bad("patch-adds-a-text", "an added step is a string", "a step of another type", "in an add",
			`{"add_steps":["Look elsewhere"]}`),
		bad("patch-adds-undescribed", "an added step has no description", "a missing description", "in an add",
			`{"add_steps":[{"id":"extra"}]}`),
		bad("patch-adds-a-number", "the description of an added step is a number", "a member of another type", "in an add",
			`{"add_steps":[{"id":"extra","description":7}]}`),
		bad("patch-adds-a-number-id", "the id of an added step is a number", "a member of another type", "in an add",
			`{"add_steps":[{"id":7,"description":"x"}]}`).under(rough),
		bad("patch-adds-a-number-status", "the status of an added step is a number", "a member of another type", "in an add",
			`{"add_steps":[{"id":"extra","description":"x","status":7}]}`),
		bad("patch-expects-a-number", "tools_expected of an added step contains a number", "a member of another type",
			"in an add", `{"add_steps":[{"id":"extra","description":"x","tools_expected":[7]}]}`).needing("tools_expected"),
		bad("patch-without-id", "an update has no id", "a missing id", "in an update",
			`{"update_steps":[{"description":"x"}]}`),
		bad("patch-with-a-blank-id", "the id of an added step is blank", "a blank id", "in an add",
			`{"add_steps":[{"id":" ","description":"x"}]}`),
		bad("patch-of-unknown-step", "an update names an unknown step", "an unknown step", "in an update",
			`{"update_steps":[{"id":"no such step","description":"x"}]}`),
		bad("patch-bytes-no-text", "a patch contains bytes that are not UTF-8", "bytes that are not UTF-8", "in a patch",
			"{\"title\":\"\xff\"}"),
		bad("patch-says-title-twice", "a patch has two titles", "a duplicate member", "in a patch",
			`{"title":"x","title":"y"}`).needing("title").under("duplicate_keys=reject"),
		bad("patch-with-more", "a patch has an unknown member", "unknown members", "in a patch",
			`{"title":"x","risk":"low"}`).needing("title").under(rough),
		about("patch-updates-more", "an update has an unknown member", "unknown members", "in an update", 0,
			`{"update_steps":[{"id":ID,"description":"x","risk":"low"}]}`).under(rough),
		about("patch-waits-by-object", "the dependencies of an update are an object", "a member of another type",
			"in an update", 0, `{"update_steps":[{"id":ID,"dependencies":{}}]}`),
		about("patch-updates-twice", "a patch updates a step twice", "a duplicate id", "in an update", 0,
			`{"update_steps":[{"id":ID,"description":"x"},{"id":ID,"description":"y"}]}`).
			under("duplicate_updates=reject"),
		about("patch-removes-by-text", "remove_steps is an id instead of a list", "a text in place of a list",
			"in a remove", spare, `{"remove_steps":ID}`).under(rough),
		refused("patch-waits-for-nothing", "an added step depends on an unknown step", "an unknown step", "in a dependency",
			adds, said(`{"add_steps":[{"id":"extra","description":"x","dependencies":["no such step"]}]}`)),
		about("patch-removes-done", "a patch removes a done step", "a done step", "in a remove", later,
			`{"remove_steps":[ID]}`),
		about("patch-changes-done", "a patch changes a done step", "a done step", "in an update", later,
			`{"update_steps":[{"id":ID,"description":"x"}]}`),
		about("patch-makes-a-circle", "a patch makes a step depend on itself", "a cycle", "in an update", 0,
			`{"update_steps":[{"id":ID,"dependencies":[ID]}]}`),
		refused("patch-repeats-an-id", "a patch adds a step whose id already exists", "a duplicate id", "in an add", 0,
			func(d *director, at *spot) string {
				id := generators.Quoted(strings.ReplaceAll(d.ids[at.step], "\u00a0", " "))
				return `{"add_steps":[{"id":` + id + `,"description":"x"}]}`
			}),
		about("patch-contradicts-itself", "a patch removes and updates the same step", "one step in two lists",
			"in a patch", spare, `{"remove_steps":[ID],"update_steps":[{"id":ID,"description":"x"}]}`).
			under("conflicts=reject"),
		refused("patch-removes-all", "a patch removes every step", "every step", "in a remove", planAsked|foremost,
			removeAll).ruled(func(p *harness.Profile) { p.Parallel = 1 }, nil),
	}
}

// removeAll removes every step, if none is done.
func removeAll(d *director, _ *spot) string {
	var ids []string
	for _, s := range d.p.Steps {
		if s.Status == plan.Done {
			return ""
		}
		ids = append(ids, s.ID)
	}
	return deform.Write(generators.Object(field("remove_steps", generators.Texts(ids))))
}
