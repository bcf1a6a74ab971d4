package generate

import (
	"fmt"
	"strings"

	"replanbench/harness"
)

// row describes a trait: tasks, calls about them, and the result of each call.
// It has a field for each column of the table; most rows set few.
type row struct {
	name, family, theme, text string
	needs                     []string // settings
	lacks                     []string
	graph                     string
	calls, wants              []string
	alone, limit, open        bool
	spoil                     func(c *harness.Case) harness.Code // makes a case that is rejected before a call is read
	fault                     string                             // what happens to the store
	wrap                      func(body string) []harness.Reply
}

func one(call string) []string { return []string{call} }

// edit is a row with one call.
func edit(name, family, theme, text, graph, call, want string) row {
	return row{name: name, family: family, theme: theme, text: text, graph: graph, calls: one(call), wants: one(want)}
}

func (r row) when(needs string) row {
	r.needs = strings.Fields(needs)
	return r
}

// single marks a row that no other one with the mark joins.
func (r row) single() row {
	r.alone = true
	return r
}

// needing lists capabilities.
func (r row) needing(names ...string) row {
	r.lacks = names
	return r
}

// then adds calls.
func (r row) then(pairs ...string) row {
	for i := 0; i+1 < len(pairs); i += 2 {
		r.calls, r.wants = append(r.calls, pairs[i]), append(r.wants, pairs[i+1])
	}
	return r
}

func rows() []row {
	var list []row
	for _, part := range [][]row{edges(), ids(), finished(), timing(), deleting(), creating(), shapes(), texts(), plans(), stores()} {
		list = append(list, part...)
	}
	return list
}

const (
	cyclic  = "cycles=reject:dependency_cycle "
	unknown = "unknown_dependency=reject:missing_dependency "
	edited  = "done_edit=reject:done_immutable "
)

func up(id, rest string) string { return fmt.Sprintf(`{"call":"update","id":"%s",%s}`, id, rest) }

func edges() []row {
	return []row{
		edit("self-blocked", "edges", "cycle", "a task is added to its own blockers", "A:p",
			up("@A", `"add_blocked_by":["@A"]`), cyclic+"/add_blocked_by/0"),
		edit("cycle-of-two", "edges", "cycle", "an added blocker closes a cycle with a second task", "A:p B:p>A",
			up("@A", `"add_blocked_by":["@B"]`), cyclic+"/add_blocked_by/0"),
		edit("cycle-of-three", "edges", "cycle", "an added blocker closes a cycle of three tasks", "A:p B:p>A C:p>B",
			up("@A", `"add_blocked_by":["@C"]`), cyclic+"/add_blocked_by/0"),
		edit("self-by-set", "edges", "set edges cycle", "a new set of blockers contains the task itself", "A:p",
			up("@A", `"blocked_by":["@A"]`), cyclic+"/blocked_by/0"),
		edit("cycle-by-set", "edges", "set edges cycle", "a new set of blockers closes a cycle", "A:p B:p>A",
			up("@A", `"blocked_by":["@B"]`), cyclic+"/blocked_by/0"),
		edit("cycle-by-blocks", "edges", "blocks cycle", "add_blocks closes a cycle", "A:p B:p>A",
			up("@B", `"add_blocks":["@A"]`), cyclic+"/add_blocks/0"),
		edit("self-blocks", "edges", "blocks cycle", "add_blocks names the task itself", "A:p",
			up("@A", `"add_blocks":["@A"]`), cyclic+"/add_blocks/0"),
		edit("create-cycle", "edges", "blocks cycle", "a new task closes a cycle with a blocker of its own blocker", "A:p B:p>A",
			`{"call":"create","subject":"@s","blocked_by":["@B"],"blocks":["@A"]}`, cyclic+"/blocked_by/0"),
		edit("replace-cycle", "edges", "replace cycle", "two new tasks of a replace form a cycle", "",
			`{"call":"replace","tasks":[{"key":"a","subject":"@s","blocked_by":["b"]},{"key":"b","subject":"@s","blocked_by":["a"]}]}`,
			cyclic+"/tasks/0/blocked_by/0").when("ids=engine").needing("replace"),
		edit("self-parent", "edges", "parent cycle", "a task becomes its own parent", "A:p", up("@A", `"parent":"@A"`),
			cyclic+"/parent").needing("parent"),
		edit("parent-cycle", "edges", "parent cycle", "a child becomes the parent of its parent", "A:p B:p^A",
			up("@A", `"parent":"@B"`), cyclic+"/parent").needing("parent"),
		edit("unknown-blocker", "edges", "unknown edge", "a blocker does not exist", "A:p",
			up("@A", `"add_blocked_by":["nowhere"]`), unknown+"/add_blocked_by/0"),
		edit("unknown-in-set", "edges", "unknown set edge", "one of two blockers does not exist", "A:p B:p",
			up("@A", `"blocked_by":["@B","nowhere"]`), unknown+"/blocked_by/1"),
		edit("unknown-blocked", "edges", "unknown blocks edge", "a task to block does not exist", "A:p",
			up("@A", `"add_blocks":["nowhere"],"subject":"@s"`), unknown+"/add_blocks/0"),
		edit("unknown-parent", "edges", "unknown parent", "a parent does not exist", "A:p B:p^A",
			up("@B", `"parent":"nowhere","subject":"@s"`), unknown+"/parent").needing("parent"),
		edit("create-unknown-blocker", "edges", "unknown edge", "a new task names a blocker that does not exist", "",
			`{"call":"create","subject":"@s","blocked_by":["nowhere"]}`, unknown+"/blocked_by/0"),
		edit("deleted-blocker", "edges", "unknown edge", "a blocker was deleted before", "A:p B:p",
			`{"call":"delete","id":"@A"}`, "").needing("delete").
			then(up("@B", `"add_blocked_by":["@A"]`), unknown+"/add_blocked_by/0"),
		edit("done-blocker", "edges", "done edge", "a done task becomes a blocker", "A:c B:p", up("@B", `"add_blocked_by":["@A"]`), ""),
		edit("cancelled-blocker", "edges", "cancelled edge", "a cancelled task becomes a blocker", "A:x B:p",
			up("@B", `"add_blocked_by":["@A"]`), "").needing("cancelled"),
		edit("edge-again", "edges", "edge again", "an added blocker is one already", "A:p B:p>A",
			up("@B", `"add_blocked_by":["@A","@A"],"subject":"@s"`), ""),
		edit("remove-edge", "edges", "removed edge", "one of two blockers is removed", "A:p B:p C:p>A,B",
			up("@C", `"remove_blocked_by":["@A"]`), ""),
		edit("remove-no-edge", "edges", "removed edge", "remove_blocked_by names no blocker of the task", "A:p B:p",
			up("@B", `"remove_blocked_by":["@A","nowhere"],"subject":"@s"`), ""),
		edit("set-edges", "edges", "set edges", "a new set of blockers replaces the old one", "A:p B:p C:p>A",
			up("@C", `"blocked_by":["@B"]`), ""),
		edit("clear-edges", "edges", "set edges", "a new set of blockers is empty", "A:p C:p>A", up("@C", `"blocked_by":[]`), ""),
		edit("subject-with-edges", "edges", "kept edges", "a blocked task gets another subject", "A:p C:p>A^A",
			up("@C", `"subject":"@s"`), ""),
		edit("retitled", "edges", "kept members", "a task gets another subject", "A:p", up("@A", `"subject":"@s"`), ""),
		edit("no-parent", "edges", "no parent", "null removes the parent of a task", "A:p B:p^A",
			up("@B", `"parent":null`), "").needing("parent"),
		edit("add-blocks", "edges", "blocks", "add_blocks names an open task", "A:p B:p", up("@A", `"add_blocks":["@B"]`), ""),
		edit("set-and-remove", "edges", "set edges", "blocked_by, remove_blocked_by and add_blocked_by are in one call",
			"A:p B:p C:p D:p>A", up("@D", `"blocked_by":["@A","@B"],"remove_blocked_by":["@A"],"add_blocked_by":["@C"]`), ""),
	}
}

func ids() []row {
	return []row{
		edit("unknown-id", "ids", "unknown id", "an update names a task that does not exist", "",
			up("nowhere", `"@any":"@s"`), "unknown_step /id"),
		edit("case-id", "ids", "unknown id", "an id differs in case", "Abc:p", `{"call":"update","id":"K0","subject":"@s"}`,
			"unknown_step /id"),
		edit("far-created", "ids", "unknown id", "$N names a created task and there is none", "", up("@far", `"@any":"@s"`),
			"unknown_step /id"),
		edit("deleted-id", "ids", "unknown id", "an update names a deleted task", "A:p", `{"call":"delete","id":"@A"}`, "").
			needing("delete").then(up("@A", `"@any":"@s"`), "unknown_step /id"),
		edit("many-half", "ids", "many", "one of several ids does not exist", "A:p B:p",
			`{"call":"update","ids":["@A","nowhere","@B"],"status":"cancelled"}`, "unknown_step /ids/1").needing("many", "cancelled"),
		edit("many-twice", "ids", "many", "an id is named twice in ids", "A:p",
			`{"call":"update","ids":["@A","@A"],"status":"completed"}`, "duplicate_id /ids/1").needing("many"),
		edit("many-none", "ids", "many", "ids is empty", "", `{"call":"update","ids":[],"status":"completed"}`,
			"bad_type /ids").needing("many"),
		edit("many-all", "ids", "many", "several tasks get a status in one call", "A:p B:p",
			`{"call":"update","ids":["@A","@B"],"status":"completed"}`, "").needing("many"),
		edit("many-subject", "ids", "many", "ids has a subject next to it", "A:p",
			`{"call":"update","ids":["@A"],"subject":"x","status":"completed"}`, "extra_fields=reject:extra_field /subject").needing("many"),
		edit("many-and-id", "ids", "many", "ids has an id next to it", "A:p B:p",
			`{"call":"update","id":"@A","ids":["@B"],"status":"completed"}`, "extra_field /ids").needing("many").when("extra_fields=reject"),
		edit("created-id", "ids", "created id", "a call names a task that the turn created", "",
			`{"call":"create","subject":"@s"}`, "").then(up("@last", `"description":"more"`), ""),
		edit("created-after-refusal", "ids", "created id", "a call names a created task after a rejected creation", "",
			`{"call":"create","subject":"@s"}`, "").then(`{"call":"create","subject":" "}`, "blank=reject:empty_id /subject",
			up("@last", `"description":"more"`), "").when("blank=reject"),
		edit("created-deleted", "ids", "created id", "a created task is deleted and another one is created", "",
			`{"call":"create","subject":"@s"}`, "").then(`{"call":"delete","id":"@last"}`, "",
			`{"call":"create","subject":"@s"}`, "", up("@last", `"description":"more"`), "").needing("delete"),
		edit("key-twice", "ids", "replace keys", "a key of a replace is given twice", "",
			`{"call":"replace","tasks":[{"key":"a","subject":"@s"},{"key":"a","subject":"@s"}]}`,
			"duplicate_id /tasks/1/key").needing("replace").when("ids=engine"),
		edit("same-call-twice", "ids", "again", "the same update comes twice", "A:p", up("@A", `"description":"d"`), "").
			then(up("@A", `"description":"d"`), "unchanged=reject:empty_patch "),
	}
}

func finished() []row {
	return []row{
		edit("edit-done", "done", "done edited", "a done task gets another subject", "A:c", up("@A", `"subject":"@s"`), edited+"/subject"),
		edit("describe-done", "done", "done edited", "a done task gets another description", "A:c",
			up("@A", `"description":"other"`), edited+"/description"),
		edit("parent-done", "done", "done parent", "a done task gets a parent", "A:c B:p", up("@A", `"parent":"@B"`),
			edited+"/parent").needing("parent"),
		edit("block-done", "done", "done blocked", "a done task gets a blocker", "A:c B:p",
			up("@A", `"add_blocked_by":["@B"]`), edited+"/add_blocked_by"),
		edit("unblock-done", "done", "done removed edge", "a blocker of a done task is removed", "B:p A:c>B",
			up("@A", `"remove_blocked_by":["@B"]`), edited+"/remove_blocked_by"),
		edit("set-done", "done", "done set edges", "a done task gets another set of blockers", "B:p A:c>B",
			up("@A", `"blocked_by":[]`), edited+"/blocked_by"),
		edit("done-by-blocks", "done", "done blocks", "add_blocks names a done task", "A:c B:p",
			up("@B", `"add_blocks":["@A"]`), edited+"/add_blocks/0"),
		edit("done-by-create", "done", "done blocks", "a new task names a done one in blocks", "A:c",
			`{"call":"create","subject":"@s","blocks":["@A"]}`, edited+"/blocks/0"),
		edit("done-unknown-blocker", "done", "done blocked", "a done task gets a blocker that does not exist", "A:c",
			up("@A", `"add_blocked_by":["nowhere"]`), edited+"/add_blocked_by|"+unknown+"/add_blocked_by/0|unchanged=reject:empty_patch "),
		edit("reopen", "done", "reopened", "a done task becomes pending", "A:c", up("@A", `"status":"pending"`),
			"reopen=reject:done_immutable /status"),
		edit("reopen-needed", "done", "reopened", "a done task that a done one needs becomes pending", "A:c B:c>A",
			up("@A", `"status":"pending"`), "reopen=reject:done_immutable /status"),
		edit("cancel-done", "done", "reopened", "a done task is cancelled", "A:c", up("@A", `"status":"cancelled"`),
			"reopen=reject:done_immutable /status").needing("cancelled"),
		edit("reopen-many", "done", "many reopened", "one of several ids is a done task", "B:p A:c",
			`{"call":"update","ids":["@B","@A"],"status":"pending"}`, "reopen=reject:done_immutable /ids/1|unchanged=reject:").needing("many"),
		edit("delete-done", "done", "done deleted", "a done task is deleted", "A:c", `{"call":"delete","id":"@A"}`,
			"delete_done=reject:done_immutable /id").needing("delete"),
		edit("done-again", "done", "done again", "a done task is completed again", "A:c", up("@A", `"status":"completed"`),
			"unchanged=reject:empty_patch "),
		edit("revive", "done", "revived", "a cancelled task becomes pending", "A:x", up("@A", `"status":"pending"`), "").needing("cancelled"),
		edit("same-done", "done", "done again", "a done task gets equal values", "B:c A:c>B",
			up("@A", `"blocked_by":["@B"],"description":"About A"`), "unchanged=reject:empty_patch "),
	}
}

func timing() []row {
	start := `"status":"in_progress"`
	return []row{
		edit("start-early", "timing", "early", "a blocked task starts", "A:p B:p>A", up("@B", start), "early=reject:blocked /status").
			when("in_progress=any"),
		edit("finish-early", "timing", "early", "a blocked task is completed", "A:p B:p>A",
			up("@B", `"status":"completed"`), "early=reject:blocked /status"),
		edit("blocker-in-progress", "timing", "early", "a task is completed while its blocker is in progress", "A:i B:p>A",
			up("@B", `"status":"completed"`), "early=reject:blocked /status").when("in_progress=any"),
		edit("unblock-and-start", "timing", "removed edge", "one call removes the blocker and starts the task", "A:p B:p>A",
			up("@B", start+`,"remove_blocked_by":["@A"]`), "").when("in_progress=any"),
		edit("block-and-start", "timing", "early", "one call adds a blocker and starts the task", "A:p B:p",
			up("@B", start+`,"add_blocked_by":["@A"]`), "early=reject:blocked /status").when("in_progress=any"),
		edit("with-blocker", "timing", "with its blocker", "a task and its blocker are completed by the same ids", "A:p B:p>A",
			`{"call":"update","ids":["@B","@A"],"status":"completed"}`, "").needing("many"),
		edit("cancel-open", "timing", "cancelled", "an open task is cancelled", "A:p", up("@A", `"status":"cancelled"`), "").
			needing("cancelled"),
		edit("after-cancelled", "timing", "cancelled blocker", "a task is completed after its blocker was cancelled", "A:x B:p>A",
			up("@B", `"status":"completed"`), "").needing("cancelled").when("cancelled=frees"),
		edit("blocked-by-cancelled", "timing", "cancelled blocker", "a task is completed while a cancelled blocker blocks", "A:x B:p>A",
			up("@B", `"status":"completed"`), "early=reject:blocked /status").needing("cancelled").when("cancelled=blocks"),
		edit("block-running", "timing", "running blocked", "a task in progress gets a blocker", "A:i B:p",
			up("@A", `"add_blocked_by":["@B"]`), "").when("in_progress=any"),
		edit("two-in-progress", "timing", "two in progress", "a second task starts", "A:i B:p", up("@B", start),
			"in_progress=one:too_many_in_progress /status").when("in_progress=one"),
		edit("last-in-progress", "timing", "two in progress", "a second task starts and the first gives way", "A:i B:p", up("@B", start), "").
			when("in_progress=last"),
		edit("many-in-progress", "timing", "many in progress", "several ids start at once", "A:p B:p",
			`{"call":"update","ids":["@A","@B"],"status":"in_progress"}`,
			"in_progress=one:too_many_in_progress /ids/0").needing("many").when("in_progress=one"),
		edit("next", "timing", "next", "next follows a completed blocker", "A:p B:p>A C:x D:p>C",
			up("@A", `"status":"completed"`), "").then(`{"call":"next"}`, "").needing("next", "cancelled"),
		edit("next-blocked", "timing", "next", "next is called while a task is blocked", "A:p B:p>A", `{"call":"next"}`, "").
			needing("next"),
		edit("next-ready", "timing", "next", "next is called while a task is done and another one is ready", "A:p B:c",
			`{"call":"next"}`, "").needing("next"),
		edit("finish-chain", "timing", "chain", "a chain of tasks is completed in order", "A:p B:p>A C:p>B",
			up("@A", `"status":"completed"`), "").then(up("@B", `"status":"completed"`), "", up("@C", `"status":"completed"`), ""),
	}
}

func deleting() []row {
	needed := "delete_needed=reject:dependents_exist /id"
	return []row{
		edit("delete-leaf", "delete", "leaf", "a task is deleted that no other needs", "A:p B:p>A", `{"call":"delete","id":"@B"}`, "").needing("delete"),
		edit("delete-needed", "delete", "needed", "a blocker of another task is deleted", "A:p B:p>A",
			`{"call":"delete","id":"@A"}`, needed).needing("delete"),
		edit("delete-parent", "delete", "needed parent", "the parent of a task is deleted", "A:p B:p^A",
			`{"call":"delete","id":"@A"}`, needed).needing("delete", "parent"),
		edit("delete-chain", "delete", "needed chain", "the first task of a chain is deleted", "A:p B:p>A C:p>B D:c>C",
			`{"call":"delete","id":"@A"}`, needed).needing("delete"),
		edit("delete-before-done", "delete", "needed by done", "a blocker of a done task is deleted", "A:p B:c>A",
			`{"call":"delete","id":"@A"}`, needed).needing("delete"),
		edit("delete-unknown", "delete", "unknown id", "a task is deleted that does not exist", "",
			`{"call":"delete","id":"nowhere"}`, "unknown_step /id").needing("delete"),
		edit("delete-twice", "delete", "again", "a task is deleted twice", "A:p", `{"call":"delete","id":"@A"}`, "").
			then(`{"call":"delete","id":"@A"}`, "unknown_step /id").needing("delete"),
		edit("delete-members", "delete", "extra member", "a delete has a subject", "A:p", `{"call":"delete","id":"@A","subject":"x"}`,
			"extra_field /subject").needing("delete").when("extra_fields=reject"),
	}
}

func creating() []row {
	create := func(rest string) string { return `{"call":"create","subject":"@s"` + rest + `}` }
	return []row{
		edit("same-subject", "create", "same subject", "a new task has the subject of an open one", "A:p",
			`{"call":"create","subject":" @same"}`, "same_subject=reject:duplicate_content /subject"),
		edit("same-as-done", "create", "same subject", "a new task has the subject of a done one", "A:c", `{"call":"create","subject":"@same"}`, ""),
		edit("blank-subject", "create", "blank subject", "the subject of a new task is blank", "", `{"call":"create","subject":" \t"}`,
			"blank=reject:empty_id /subject").when("blank=reject"),
		edit("blank-update", "create", "blank subject", "an update makes the subject blank", "A:p", up("@A", `"subject":""`), "blank=reject:empty_id /subject"),
		edit("no-subject", "create", "no subject", "a new task has no subject", "", `{"call":"create","description":"d"}`, "missing_field "),
		edit("create-started", "create", "status", "a new task is in progress", "", create(`,"status":"in_progress"`),
			"create_status=reject:bad_type /status").when("in_progress=any"),
		edit("create-done", "create", "status", "a new task is completed", "", create(`,"status":"completed"`), "create_status=reject:bad_type /status"),
		edit("create-done-early", "create", "status", "a new task is completed before its blocker", "A:p",
			create(`,"status":"completed","blocked_by":["@A"]`), "early=reject:blocked /status").when("create_status=allow"),
		edit("create-blocks", "create", "blocks", "a new task names an open one in blocks", "A:p", create(`,"blocks":["@A"]`), ""),
		edit("create-child", "create", "new parent", "a new task has a parent", "A:p", create(`,"parent":"@A"`), "").needing("parent"),
		edit("create-described", "create", "described", "a new task has a description with white space", "", create(`,"description":" a longer text\n of two lines "`), ""),
		edit("replace-keys", "create", "replace keys", "tasks of a replace name each other by key", "A:p",
			`{"call":"replace","tasks":[{"key":"a","subject":"@s","blocked_by":["@A"]},{"subject":"@s","blocked_by":["a"]}]}`, "").
			needing("replace").when("ids=engine"),
		edit("replace-half", "create", "replace half", "one task of a replace is invalid", "",
			`{"call":"replace","tasks":[{"subject":"@s"},{"subject":7}]}`, "bad_type /tasks/1/subject").needing("replace").when("ids=engine"),
		{
			name: "replace-open", family: "create", theme: "open", text: "a replace removes the open tasks first",
			graph: "A:p B:c>A", calls: one(`{"call":"replace","mode":"open","tasks":[{"subject":"@s"}]}`), alone: true, open: true,
			lacks: []string{"replace"}, needs: []string{"ids=engine"},
		},
		{
			name: "limit-reached", family: "create", theme: "limit", text: "a new task exceeds the limit of open tasks",
			graph: "A:p", calls: one(create("")), alone: true, limit: true, lacks: []string{"max_plan_steps"},
		},
		edit("given-id", "create", "given id", "a new task has the id of another one", "A:p",
			`{"call":"create","id":"@A","subject":"@s"}`, "duplicate_id /id").when("ids=given"),
		edit("given-again", "create", "given id", "a new task has the id of a deleted one", "A:p", `{"call":"delete","id":"@A"}`, "").
			then(`{"call":"create","id":"@A","subject":"@s"}`, "duplicate_id /id").when("ids=given").needing("delete"),
		edit("id-of-engine", "create", "given id", "a new task has an id although the engine assigns them", "",
			`{"call":"create","id":"mine","subject":"@s"}`, "extra_field /id").when("ids=engine extra_fields=reject"),
	}
}

func shapes() []row {
	return []row{
		edit("subject-null", "shape", "null", "the subject of an update is null", "A:p", up("@A", `"subject":null,"description":"d"`), ""),
		edit("nothing-to-do", "shape", "nothing", "an update has only an id", "A:p", `{"call":"update","id":"@A"}`, "unchanged=reject:empty_patch "),
		edit("new-status-word", "shape", "unknown word", "an update has a status that tasks do not have", "A:p",
			up("@A", `"status":"archived"`), "bad_type /status"),
	}
}

// plans are rows about cases that are rejected before a call is read.
func plans() []row {
	invalid := func(name, theme, text, tasks string) row {
		return row{
			name: name, family: "plan", theme: theme, text: text, alone: true, lacks: []string{"plan"},
			spoil: func(c *harness.Case) harness.Code {
				c.Plan = []byte(`{"tasks":[` + tasks + `]}`)
				return harness.InvalidPlan
			},
		}
	}
	return []row{
		invalid("plan-blank-subject", "blank subject", "a subject of the plan is blank", `{"id":"a","subject":" ","status":"pending"}`),
		invalid("plan-padded-id", "padded id", "an id of the plan is padded", `{"id":" a","subject":"A","status":"pending"}`),
		invalid("plan-created-id", "given id", "an id of the plan has the form of $1", `{"id":"$1","subject":"A","status":"pending"}`),
		invalid("plan-duplicate-id", "given id", "an id of the plan is there twice",
			`{"id":"a","subject":"A","status":"pending"},{"id":"a","subject":"B","status":"pending"}`),
		invalid("plan-status", "unknown word", "a status of the plan is unknown", `{"id":"a","subject":"A","status":"done"}`),
		invalid("plan-unknown-blocker", "unknown edge", "a blocker of the plan does not exist",
			`{"id":"a","subject":"A","status":"pending","blocked_by":["b"]}`),
		invalid("plan-blocker-twice", "edge twice", "a blocker of the plan is named twice",
			`{"id":"a","subject":"A","status":"pending","blocked_by":["b","b"]},{"id":"b","subject":"B","status":"pending"}`),
		invalid("plan-cycle", "cycle", "the blockers of the plan form a cycle",
			`{"id":"a","subject":"A","status":"pending","blocked_by":["b"]},{"id":"b","subject":"B","status":"pending","blocked_by":["a"]}`),
		invalid("plan-own-parent", "parent cycle", "a task of the plan is its own parent", `{"id":"a","subject":"A","status":"pending","parent":"a"}`),
		{
			name: "limit-of-zero", family: "plan", theme: "limit", text: "the limit of tasks is zero", alone: true,
			lacks: []string{"max_plan_steps"}, spoil: func(c *harness.Case) harness.Code {
				c.Limits.MaxPlanSteps = new(0)
				return harness.BadLimit
			},
		},
	}
}

func texts() []row {
	text := func(name, theme, text string, wrap func(body string) string) row {
		return row{
			name: name, family: "text", theme: theme, text: text, alone: true,
			wrap: func(body string) []harness.Reply { return []harness.Reply{harness.Reply(wrap(body))} },
		}
	}
	several := func(name, theme, text string, wrap func(body string) []harness.Reply) row {
		return row{name: name, family: "text", theme: theme, text: text, alone: true, wrap: wrap}
	}
	const good = `{"calls":[{"call":"create","subject":"Later"}]}`
	return []row{
		text("single-call", "single", "the reply is one call alone", func(string) string { return `{"call":"create","subject":"Alone"}` }),
		text("no-calls", "nothing", "the list of calls is empty", func(string) string { return `{"calls":[]}` }),
		text("many-calls", "size", "the reply has two hundred calls", func(string) string {
			return `{"calls":[` + strings.Repeat(`{"call":"create","subject":"One of many"},`, 199) + `{"call":"next"}]}`
		}),
		several("unread-between", "unread turn", "a reply between two others is unreadable", func(b string) []harness.Reply {
			return []harness.Reply{harness.Reply(b), "no JSON", good}
		}),
		several("unread-first", "unread turn", "the first reply is unreadable", func(b string) []harness.Reply {
			return []harness.Reply{"{", harness.Reply(b)}
		}),
		several("two-turns", "turns", "a second turn names a task of the first", func(b string) []harness.Reply {
			return []harness.Reply{good, `{"calls":[{"call":"update","id":"$1","status":"completed"},{"call":"next"}]}`}
		}),
	}
}
