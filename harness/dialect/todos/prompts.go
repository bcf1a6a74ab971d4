package todos

import (
	"embed"

	"replanbench/harness"
	"replanbench/harness/dialect"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts are those that ask for the list anew, in the format todos.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: []harness.Term{
			{Name: "todo_list", Text: "requests the whole list of todos, with the rules"},
			{Name: "todo_list.zh", Text: "the same in Chinese"},
			{Name: "todo_list_retry", Text: "requests a retry, with the error"},
			{Name: "todo_list_retry.zh", Text: "the same in Chinese"},
		},
		First: "todo_list", Retry: "todo_list_retry",
	}
}
