package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// finishedTraits touch work that is done, which no edit may change.
func finishedTraits() []patchTrait {
	row := rows("finished")
	done := func(name, text, place string, puts lists, code harness.Code) patchTrait {
		return row(name, text+": "+string(code), "done step", place, puts).refused("", code)
	}
	added := func(name, text, theme string, statuses ...string) patchTrait {
		return row(name, text, theme, "add", adds).just(func(d *draft) {
			d.add(with(d.fresh(), field("status", generators.Raw(generators.Pick(&d.Choices, statuses)))))
		})
	}
	odd := []string{`"in_progress"`, `"Done"`, `"completed"`, `"✅"`, `"failed"`, `""`}
	return []patchTrait{
		done("done-update", "the patch updates a finished step", "update", updates, harness.DoneImmutable).
			onDone(func(d *draft, i int) {
				v := d.reworded(i)
				if d.OneIn(4) { // even if it repeats the current value
					v = with(v, described(d.P.Steps[i].Description))
				}
				d.update(v)
			}),
		done("done-remove", "the patch removes a finished step", "remove", removes, harness.DoneImmutable).
			onDone(func(d *draft, i int) { d.remove(d.id(i)) }),
		done("done-readd", "the patch adds a finished step again", "add", adds, harness.DuplicateID).
			onDone(func(d *draft, i int) { d.add(d.named(d.id(i))) }),
		row("done-replace", "the patch removes and adds a finished step: id_conflict under reject, duplicate_id under keep, "+
			"done_immutable under replace", "done step", "remove and add", removes|adds).
			refused("conflicts=reject", harness.IDConflict).refused("conflicts=keep", harness.DuplicateID).
			refused("conflicts=replace", harness.DoneImmutable).onDone(func(d *draft, i int) {
			d.remove(d.id(i))
			d.add(d.named(d.id(i)))
		}),
		added("status-done-in-add", "an added step claims to be done: it starts as pending", "status done", `"done"`),
		added("status-odd-in-add", "an added step has a status other than pending and done: it starts as pending",
			"odd status", odd...),
		added("full-forges-done", "a full plan adds a step that claims to be done: it becomes pending", "status done",
			`"done"`).inFull(),
	}
}

// inFull returns a trait of patches as one of full plans.
func (t patchTrait) inFull() patchTrait {
	t.puts, t.Place = 0, "full plan"
	return t.in(inFullPlan)
}

// carried returns the step of the full plan for a step of the plan.
func (d *draft) carried(i int) *item {
	return &d.adds[slices.IndexFunc(d.adds, func(a item) bool { return a.at == i })]
}

// leaveOut takes steps out of a full plan; it keeps one.
func (d *draft) leaveOut(which func(a item) bool) {
	d.adds = slices.DeleteFunc(d.adds, which)
	if len(d.adds) == 0 {
		d.add(d.fresh())
	}
}

func (d *draft) carriesDone(a item) bool { return a.at >= 0 && d.isDone(a.at) }

// turn reverses the order of the steps of a full plan that carry some steps of the plan.
func (d *draft) turn(which func(i int) bool) bool {
	var list []*item
	for k := range d.adds {
		if a := &d.adds[k]; a.at >= 0 && which(a.at) {
			list = append(list, a)
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i].key, list[j].key = list[j].key, list[i].key
	}
	return len(list) > 1
}

// fullTraits are full plans that are careless with the steps of the plan.
func fullTraits() []patchTrait {
	row := rows("finished")
	full := func(name, text, theme string) patchTrait {
		return row(name, text, theme, "full plan", 0).in(inFullPlan)
	}
	// carried is a trait of a done step that a full plan carries.
	carried := func(t patchTrait, change func(d *draft, a *item)) patchTrait {
		return t.onDone(func(d *draft, i int) { change(d, d.carried(i)) })
	}
	restored := func(name, text, theme string) patchTrait {
		return full(name, text, theme).under(restoring).claiming(aSteps).refused("carry_over=by_id", "")
	}
	drop := func(d *draft, a *item) {
		at := a.at
		d.leaveOut(func(a item) bool { return a.at == at })
	}
	over := func(d *draft) {
		end(&d.adds, d.fresh())
		d.limiting = oneTooMany
	}
	status := func(d *draft, a *item, texts ...string) {
		a.Value = with(a.Value, field("status", generators.Raw(generators.Pick(&d.Choices, texts))))
	}
	reopens := carried(full("full-reopens-done", "a full plan reopens a finished step: it stays done",
		"done step with another status"), func(d *draft, a *item) { status(d, a, `"pending"`, `"in_progress"`, `"failed"`) })
	return []patchTrait{
		carried(restored("full-drops-done", "a full plan leaves out a finished step: it is restored, except under by_id",
			"done step left out"), drop),
		restored("full-drops-all-done", "a full plan leaves out every finished step: they are restored, except under by_id",
			"done steps left out").takes(2, 0).claiming(aDone).just(func(d *draft) { d.leaveOut(d.carriesDone) }),
		full("full-drops-blocker", "a full plan leaves out an open step that a finished step depends on: missing_dependency",
			"open step left out that a done one needs").inBase().takes(2, 0).claiming(aSteps).
			refused("", harness.MissingDependency).does(func(d *draft) bool {
			i, j := d.useBlocker()
			if i >= 0 {
				*d.carried(j) = item{d.carried(j).key, j, d.told(j).Value}
				drop(d, d.carried(i))
			}
			return i >= 0
		}),
		carried(restored("full-renames-done", "a full plan renames a finished step: it is restored next to the renamed one, "+
			"except under by_id", "done step with another id"), func(d *draft, a *item) {
			a.at, a.Value = -1, with(a.Value, field("id", generators.Text(d.newID())))
			status(d, a, `"done"`, `"pending"`)
		}),
		carried(full("full-reuses-done", "a full plan reuses the id of a finished step for other work: the finished step "+
			"stays", "done step with other words").claiming(aSteps), func(d *draft, a *item) {
			a.Value = with(d.step(idOf(a.Value), d.phrase(a.Get("description").Str), nil), field("status", *a.Get("status")))
		}),
		reopens,
		full("full-cuts-done", "a full plan exceeds the limit and ends with finished steps: the last unfinished step is "+
			"dropped", "done steps beyond the limit").takes(2, 0).claiming(aSteps|aLimit|aDone).varying().refused("", "").
			just(func(d *draft) {
				for k := range d.adds {
					if d.carriesDone(d.adds[k]) {
						d.adds[k].key += tail
					}
				}
				over(d)
			}),
		full("full-forges-open", "a full plan marks an open step as done: it becomes pending",
			"open step with another status").onOpen(func(d *draft, i int) {
			status(d, d.carried(i), `"done"`, `"Done"`, `"failed"`)
		}),
		restored("full-reorders-done", "a full plan reorders finished steps: they keep their old order",
			"done steps in another order").takes(2, 0).claiming(aDone).
			does(func(d *draft) bool { return d.turn(d.isDone) }),
		full("full-over-limit", "a full plan has more steps than allowed: the last unfinished steps are dropped",
			"more steps than allowed").claiming(aLimit).varying().refused("", "").just(over),
		carried(restored("full-restored-over-limit", "a full plan at the limit leaves out a finished step: it is restored, "+
			"and the last unfinished step is dropped", "done step left out at the limit").claiming(aLimit).varying().
			refused("", ""), func(d *draft, a *item) {
			drop(d, a)
			over(d)
		}),
		full("full-reorders-open", "a full plan reorders open steps: the new order applies", "open steps in another order").
			takes(0, 2).claiming(aOpen).does(func(d *draft) bool { return d.turn(d.isOpen) }),
		full("full-begun", "a full plan contains an open step that was in progress, blocked or failed: it becomes pending",
			"step in progress").inBase().at(onPlan).onOpen(begun),
		full("full-leaves-results", "a full plan leaves out the unknown members of a finished step: they stay",
			"unknown members of a done step").needs("unknown members").inBase().at(onPlan).onDone(withResult),
	}
}

// documentTraits are about the document as a whole.
func documentTraits() []patchTrait {
	row := rows("structure")
	patch := func(name, text, theme, place string) patchTrait { return row(name, text, theme, place, 0).in(inPatch) }
	full := func(name, text, theme string) patchTrait {
		return row(name, text, theme, "full plan", 0).in(inFullPlan)
	}
	bare := func(t patchTrait, change func(d *draft)) patchTrait {
		return t.claiming(aContent).at(onShape).varying().just(func(d *draft) {
			d.bare = true
			change(d)
		})
	}
	nothing := func(*draft) {}
	titled := func(t patchTrait, change func(d *draft)) patchTrait {
		return t.needs("title").claiming(aTitle).at(onShape).just(change)
	}
	return slices.Concat([]patchTrait{
		bare(patch("empty-patch", "the patch changes nothing: empty_patch", "no change", "patch").
			refused("", harness.EmptyPatch), nothing),
		bare(patch("title-only", "the patch changes only the title: applied", "title only", "patch").
			claiming(aTitle).needs("title"), func(d *draft) { d.newTitle = d.phrase(d.P.Title) }),
		titled(row("title-blank", "the title in the reply is blank: the old title stays", "blank title", "title", 0),
			func(d *draft) { d.title = generators.Quoted(generators.Pick(&d.Choices, spaces[:])) }),
		titled(row("title-space", "the title has leading or trailing white space: it is trimmed",
			"white space around the title", "title", 0).needs("padded titles"), func(d *draft) {
			d.newTitle = d.phrase(d.P.Title)
			d.title = generators.Quoted(d.padded(d.newTitle))
		}),
		titled(row("title-prefix", "the new title begins like the old one, or the other way round: it replaces the old one",
			"title within the other", "title", 0), func(d *draft) {
			if d.newTitle = d.P.Title + " again"; d.OneIn(2) {
				d.newTitle = lastCut(d.P.Title)
			}
		}),
		patch("title-absent", "the patch has no title: the old title stays", "absent member", "title").claiming(aTitle).
			at(onShape).just(func(d *draft) { d.title = generators.None }),
		patch("reason-absent", "the patch has no reason", "absent member", "reason").
			just(func(d *draft) { d.reason = generators.None }),
		patch("lists-absent", "the patch leaves out empty lists", "absent member", "patch").
			just(func(d *draft) { d.noLists = true }),
		row("type-absent", "the document has no type: a patch, or a full plan if it has steps", "absent member", "type", 0).
			claiming(aReading).just(func(d *draft) { d.kind = generators.None }),
		row("defaults-absent", "an added step leaves out members with default values", "absent member", "add", 0).
			just(func(d *draft) { d.brief = true }),
		patch("status-in-update", "an update sets a status: extra_field, stripped by coercion", "status", "update").
			gives(updates).unread(harness.ExtraField, generators.Coerce).onOpen(func(d *draft, i int) {
			status := generators.Text(string(generators.Pick(&d.Choices, plan.Statuses())))
			d.update(with(d.reworded(i), field("status", status)))
		}),
		patch("steps-smuggled", "a patch also has steps: wrong_document, never a patch", "steps of a full plan", "patch").
			needs("full plan").claiming(aTitle|aContent).unread(harness.WrongDocument, 0).just(func(d *draft) {
			d.steps = generators.Pick(&d.Choices, []string{"[]", "null", `[{"id":"x","description":"y"}]`})
		}),
		row("update-one-member", "an update gives one member of its step: the others stay", "update of one member", "update",
			updates).takes(0, 2).on((*draft).useDependent, func(d *draft, i int) { d.update(d.reworded(i)) }),
		row("update-nulls", "members of an update are null: the old values stay", "null", "update", updates).takes(0, 2).
			on((*draft).useDependent, func(d *draft, i int) {
				v := with(d.reworded(i), field("dependencies", generators.Raw("null")))
				if !d.drawn.Lacks("tools_expected") {
					v.Add("tools_expected", generators.Raw("null"))
				}
				d.update(v)
			}),
		row("update-to-the-same", "an update repeats the current value: nothing changes", "update to the same", "update",
			updates).onOpen(func(d *draft, i int) {
			s := &d.P.Steps[i]
			v := change(s.ID, described(s.Description))
			if !d.drawn.Lacks("tools_expected") {
				v.Add("tools_expected", generators.Texts(s.ToolsExpected))
			}
			d.update(v)
		}),
		bare(row("remove-everything", "the patch removes every step: empty_plan, or done_immutable if one is finished",
			"removal of every step", "remove", removes).claiming(aOpen|aDone|aRemoveList).refused("", harness.EmptyPlan).
			refused("", harness.DoneImmutable), func(d *draft) {
			for i := range d.P.Steps {
				d.takeAway(i)
			}
		}),
		row("full-plan", "the reply is a plain full plan: the rung fullplan, or as the ladder says", "full plan", "full plan",
			0).needs("full plan").claiming(aWhole).at(onShape).just(wholePlan),
		full("full-duplicate-id", "two steps of a full plan have the same id: duplicate_id", "one id twice").
			refused("", harness.DuplicateID).onOpen(func(d *draft, i int) { d.add(d.named(d.id(i))) }),
		full("full-duplicate-padded", "two ids of a full plan differ only in white space: duplicate_id", "padded id").
			refused("", harness.DuplicateID).onOpen(func(d *draft, i int) { d.add(d.named(d.padded(d.id(i)))) }),
		full("full-without-title", "a full plan has no title: missing_field", "missing title").claiming(aTitle).
			unread(harness.MissingField, 0).at(onShape).just(func(d *draft) { d.title = generators.None }),
		full("full-empty", "a full plan has no steps: empty_plan", "no steps").claiming(aSteps|aReading).
			refused("", harness.EmptyPlan).just(func(d *draft) { d.steps = "[]" }),
		bare(full("full-same", "a full plan equals the old plan: empty_patch, unless an open step has begun", "no change").
			claiming(aTitle).refused("", harness.EmptyPatch), nothing),
		full("full-cycle", "new steps of a full plan depend on each other: dependency_cycle", "cycle").claiming(aCycle).
			refused("", harness.DependencyCycle).just(func(d *draft) { d.ring(1 + d.Below(4)) }),
		full("full-missing-dependency", "a step of a full plan depends on an unknown step: missing_dependency",
			"unknown dependency").refused("", harness.MissingDependency).just(func(d *draft) { d.addOn(d.newID()) }),
		full("full-brings-policy", "a full plan sets a verification policy: it replaces the old one", "verification policy").
			needs("verification_policy").claiming(aPolicy).just(func(d *draft) { d.policy = `"manual_review"` }),
		full("full-leaves-policy", "a full plan leaves out the verification policy or sets it to null: the old one stays",
			"verification policy").needs("verification_policy").inBase().claiming(aPolicy).at(onPlan).just(func(d *draft) {
			if d.P.VerificationPolicy = "run_pytest"; d.OneIn(3) {
				d.policy = "null"
			}
		}),
	})
}

// gives returns the trait as one that gives items to lists of a patch.
func (t patchTrait) gives(puts lists) patchTrait { t.puts = puts; return t }
func wholePlan(d *draft)                         { d.full = true }

// wordingTraits add steps whose text looks like syntax. An engine must keep it unchanged.
func wordingTraits() []patchTrait {
	row := rows("text")
	described := func(name, theme string, texts ...string) patchTrait {
		return row(name, "a description contains "+theme+": it stays unchanged", theme, "add", adds).
			just(func(d *draft) { d.add(d.worded(generators.Pick(&d.Choices, texts))) })
	}
	return []patchTrait{
		described("text-comment", "comment marks", "see http://x.y/z", "/* not */ done", "fix # 7"),
		described("text-fence", "a code fence", "```json\n{\"title\":\"no\"}\n```", "run `make`"),
		described("text-think", "a <think> block", "<think>{\"title\":\"no\"}</think>", "write </think>"),
		described("text-braces", "braces", "close the } brace", "the {braces} and [brackets]", "a ] b } c"),
		described("text-commas", "a comma before a bracket", "drop the ,] and the ,}", "f(a, b,)}, g"),
		described("text-apostrophe", "single quotes", "it's error text", "the 'quoted' name", "don't"),
		described("text-quotes", "quotation marks", `say "hi" to all`, `"`, "“so”"),
		described("text-backslash", "backslashes", `a path C:\tmp`, `\n is no line`, `\`),
		described("text-spaces", "repeated white space", "line one\nline two", "two  blanks", " at both ends ", "tab\there"),
		described("text-literals", "None, True or False", "None, True and False", "null"),
		described("text-non-ascii", "non-ASCII letters", "der Zähler", "数据库迁移", "the 🚀 launch", "e\u0301t\u00e9"),
		described("text-json", "JSON", `{"type":"PlanPatch","title":"no"}`, `{"id":"x"}`),
		described("text-empty", "no characters", ""),
		described("html-entities-in-text", "HTML entities", "a &lt;b&gt; &amp; &quot;c&quot;"),
	}
}
