// Package spec contains the names that the rules, generators and checks of the dialect
// planmode share. It contains no rule.
package spec

import (
	_ "embed"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	doc "replanbench/harness/document"
)

// The events of a session in the dialect planmode.
const (
	EventPlanEnter    = "plan.enter"
	EventPlanExit     = "plan.exit"
	EventPlanApproved = "plan.approved"
	EventPlanDenied   = "plan.denied"
)

//go:embed words.json
var words []byte

// Vocabulary lists the words of outcomes. It is shared and must not be changed.
func Vocabulary() harness.Vocabulary { return vocabulary() }

var vocabulary = sync.OnceValue(func() harness.Vocabulary { return knob.Words(words) })

// Answer returns the short form of what the user says to ExitPlanMode, which the dialog labels.
func Answer(said string) string {
	switch said {
	case "Yes, auto-accept edits":
		return "auto_accept"
	case "Yes, manually approve edits":
		return "manual"
	case "No, keep planning":
		return "keep_planning"
	}
	return said
}

// Phases lists the phases of plan mode, in order.
func Phases() []string { return []string{"explore", "design", "review", "finalize", "exit"} }

// Session declares the members of a case.
func Session() doc.Value {
	slug := doc.Text().As("slug").With(`"pattern": "^[a-z]+-[a-z]+-[a-z]+$", "maxLength": 252`)
	context := doc.Object(
		doc.Plain("agent", doc.Any(`"type": ["boolean", "string", "null"]`)).
			Says("Whether an agent makes the calls, or its name in any case; plan is the plan agent."),
		doc.May("agent_tools", doc.List(doc.Text())).Says("Which of write, edit and bash the agent has."),
		doc.May("phase", doc.Enum(append(Phases(), "")...)).
			Says("The phase of plan mode to begin in; absent: plan mode is off."),
		doc.May("seed", doc.Integer("0", "18446744073709551615")).
			Says("What the plan file's name is drawn from; absent: 0."),
		doc.May("slugs", doc.List(slug)).Says("The first names that are drawn."),
		doc.May("slug", slug).Says("The name that the session has already."),
		doc.May("taken", doc.List(slug)).Says("Names that other sessions have."),
		doc.May("session", doc.Text()).Says("The session's id in events; absent: session."),
		doc.May("timestamp", doc.Integer("0", "9007199254740991")).
			Says("When plan mode is entered, in milliseconds, as in plan.enter."),
	).Says("Where the session begins.")
	files := doc.Value{Kind: doc.ObjectKind}.With(`
		"propertyNames": {
			"maxLength": 4096, "pattern": "^[^\\x00/]{1,255}(/[^\\x00/]{1,255})*$",
			"not": {"pattern": "(^|/)\\.\\.?(/|$)"}
		},
		"additionalProperties": {"oneOf": [{"type": "string"}, {
			"description": "A symbolic link.", "type": "object", "properties": {"link": {"type": "string"}},
			"required": ["link"], "additionalProperties": false
		}]}`).Says("Contents by clean path, relative to the configuration directory; plan files are in plans.")
	calls := doc.List(doc.OneOf(phase(), toggle(), Call())).
		Says("What the model calls, in order, with what the user says to it.")
	return doc.Object(doc.Plain("context", context), doc.Plain("files", files), doc.Needs("calls", calls)).
		As("Session").Says("A session of the dialect planmode: the members context, files and calls of a case. $defs " +
		"contains calls as a model should write them.")
}

func phase() doc.Value {
	return doc.Object(doc.Needs("phase", doc.Any(""))).As("phase").
		Says("Goes on to the next of explore, design, review, finalize, exit. Any other value is a wrong argument.")
}

func toggle() doc.Value {
	return doc.Object(doc.Needs("toggle", doc.Any(`"const": true`))).As("toggle").
		Says("The user turns plan mode on or off.")
}

// Call declares a call of a tool.
func Call() doc.Value {
	return doc.Object(
		doc.Needs("tool", doc.Text().With(`"minLength": 1`)),
		doc.Plain("args", doc.Any("")).Says("Any JSON: wrong arguments are something to test."),
		doc.Plain("approval", doc.Any("")).Says("What the user says."),
		doc.May("feedback", doc.Text()).Says("What the user adds to the approval."),
	).As("call").Says("A call of a tool: EnterPlanMode, ExitPlanMode, write {path, content}, edit {path, old, new}, " +
		"read {path}, Task {agent}, ls, glob, grep, fetch, bash, AskUserQuestion.").With(`
		"if": {"properties": {"tool": {"const": "ExitPlanMode"}}},
		"then": {"properties": {"approval": {"enum": ["auto_accept", "manual", "keep_planning",
			"Yes, auto-accept edits", "Yes, manually approve edits", "No, keep planning", null]}}},
		"else": {"properties": {"approval": {"enum": ["approve", "deny", true, false, null]}}}`)
}

// Layout returns an empty layout: sessions have no ids.
func Layout() *doc.Layout { return &doc.Layout{} }
