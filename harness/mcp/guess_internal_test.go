package mcp

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/plan/toolmap"
)

// TestUnusualNames maps a server whose tools begin with its name and call a task a card.
func TestUnusualNames(t *testing.T) {
	text := map[string]any{"type": "string"}
	number := map[string]any{"type": "integer"}
	offered := func(name string, properties map[string]any, required ...any) *tool {
		return &tool{Name: name, Schema: map[string]any{"properties": properties, "required": required}}
	}
	for _, test := range []struct {
		name  string
		tools []*tool
		want  []string // the calls, with their members; nil for a draft
	}{
		{"noun first", []*tool{
			offered("board_add", map[string]any{"title": text, "needs": map[string]any{"type": "array", "items": number}}, "title"),
			offered("board_drop", map[string]any{"card": number}, "card"),
			offered("board_link", map[string]any{"card": number, "needs": number}, "card", "needs"),
			offered("board_show", nil),
			offered("board_state", map[string]any{"card": number, "state": text}, "card", "state"),
		}, []string{
			"board_add create needs=blocked_by:number title=subject", "board_drop delete card=id:number",
			"board_link update card=id:number needs=add_blocked_by:one_number", "board_show list",
			"board_state update card=id:number state=status",
		}},
		{"verb last", []*tool{
			offered("TaskCreate", map[string]any{"subject": text}, "subject"),
			offered("TaskList", nil), offered("NoteGet", map[string]any{"id": text}, "id"),
		}, []string{"TaskCreate create subject=subject", "TaskList list"}},
		{"unusual create", []*tool{
			offered("tracker.open_issue", map[string]any{"headline": text, "body": text}, "headline"),
			offered("tracker.edit_issue", map[string]any{"number": number, "headline": text}, "number"),
			offered("tracker.reopen_issue", map[string]any{"number": number, "why": text}, "number", "why"),
			offered("tracker.delete_issue", map[string]any{"number": number}, "number"),
			offered("tracker.export", map[string]any{"path": text}, "path"),
			offered("tracker.list_issues", nil),
		}, []string{
			"tracker.open_issue create body=description headline=subject",
			"tracker.edit_issue update headline=subject number=id:number", "tracker.delete_issue delete number=id:number",
			"tracker.list_issues list",
		}},
		{"several at once", []*tool{
			offered("add_cards", map[string]any{"board": text, "cards": map[string]any{"type": "array", "items": map[string]any{
				"properties": map[string]any{"title": text, "size": number}, "required": []any{"title", "size"},
			}}}, "board", "cards"),
			offered("list_cards", nil),
		}, []string{
			"add_cards replace title=subject board cards.size", "add_cards create title=subject board cards.size",
			"list_cards list",
		}},
		{"no words", []*tool{offered("追加", map[string]any{"件名": text}), offered("--", nil)}, nil},
		{"nothing", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := guessProfile("board", "1", test.tools)
			draft, unmapped := errors.AsType[*Unmapped](err)
			if unmapped != (test.want == nil) {
				t.Fatalf("the error is %v", err)
			}
			if unmapped {
				if !strings.Contains(draft.Draft, "dialect: tasks") {
					t.Errorf("the draft is no profile:\n%s", draft.Draft)
				}
				return
			}
			var got []string
			for _, u := range p.Tools {
				line := u.Tool + " " + u.Call
				for _, name := range slices.Sorted(maps.Keys(u.Members)) {
					line += " " + name + "=" + u.Members[name].To
					if as := u.Members[name].As; as != toolmap.AsText {
						line += ":" + as
					}
				}
				for _, name := range slices.Sorted(maps.Keys(u.Fill)) {
					line += " " + name
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestPromises reads the rules that descriptions promise, and statuses by their words.
func TestPromises(t *testing.T) {
	text := map[string]any{"type": "string"}
	for promise, want := range map[string][]string{
		"Finished cards (closed or dropped) cannot be moved again.":              {"reopen=reject"},
		"Delete a todo. Completed todos can't be removed.":                       {"delete_done=reject"},
		"Finished items, and items that others wait for, cannot be deleted.":     {"delete_done=reject", "delete_needed=reject"},
		"Only open tickets can be edited.":                                       {"done_edit=reject"},
		"A card that waits for open cards cannot be started or closed.":          {"early=reject"},
		"Only one task can be in_progress. Cycles are rejected.":                 {"cycles=reject", "in_progress=one"},
		"Finished cards can be moved again. A comment cannot be deleted.":        {},
		"Lists finished cards. The board cannot be deleted. Cards can be edited": {},
	} {
		p, err := guessProfile("cards", "1", []*tool{
			{Name: "card_add", Schema: map[string]any{"properties": map[string]any{"title": text}}},
			{Name: "card_list", Schema: map[string]any{}},
			{Name: "card_move", Text: promise, Schema: map[string]any{"properties": map[string]any{
				"id": text, "to": map[string]any{"enum": []any{"open", "doing", "closed", "frozen"}},
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Rules); diff != "" {
			t.Errorf("%s (-want +got):\n%s", promise, diff)
		}
		if got := p.Tools[2].Members["to"].To; got != "status" {
			t.Errorf("the status is read as %q", got)
		}
	}
}

// TestListsEverything finds the arguments without which a list leaves out finished tasks, or ends after a page.
func TestListsEverything(t *testing.T) {
	text, flag := map[string]any{"type": "string"}, map[string]any{"type": "boolean"}
	got, err := guessProfile("cards", "1", []*tool{
		{Name: "card_add", Schema: map[string]any{"properties": map[string]any{"title": text}}},
		{Name: "card_list", Schema: map[string]any{"properties": map[string]any{
			"include_completed": flag, "only_open": flag, "verbose": flag, "query": text,
			"state":    map[string]any{"enum": []any{"open", "closed", "all"}},
			"limit":    map[string]any{"type": "integer", "maximum": 50},
			"pageSize": map[string]any{"type": "number", "default": 10},
			"page":     map[string]any{"type": "integer"},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"include_completed": true, "only_open": false, "state": "all", "limit": 50, "pageSize": 1000}
	if diff := cmp.Diff(want, got.Server.State.Args); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
