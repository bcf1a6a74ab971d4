package scenarios

import (
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/strictjson"
)

// planMembers lists what a wanted plan may have.
func (p *parser) planMembers() []string {
	if p.dialect.Name == "operations" {
		return []string{"id", "name", "description", "version", "steps", "history"}
	}
	return []string{"title", "steps", "verification_policy"}
}

// checkOperations checks a wanted list of operations, or of their results.
func (p *parser) checkOperations(list *strictjson.Value, start int) error {
	if len(list.Items) == 0 || list.Items[0].Kind != strictjson.String {
		return p.checkItems(list, start, "type", "step_id", "result", "warnings")
	}
	for i := range list.Items {
		result := strictjson.Member{Name: "result", Value: list.Items[i]}
		if err := p.checkTerm(&result, start, harness.Names(all.Words().Results)); err != nil {
			return err
		}
	}
	return nil
}

// resultsOnly leaves of the operations that an outcome has only their results,
// where only these are wanted.
func resultsOnly(want, got map[string]any) {
	wanted, _ := want["operations"].([]any)
	if len(wanted) == 0 {
		return
	}
	if _, ok := wanted[0].(string); !ok {
		return
	}
	operations, _ := got["operations"].([]any)
	results := make([]any, len(operations))
	for i, o := range operations {
		object, _ := o.(map[string]any)
		results[i] = object["result"]
	}
	got["operations"] = results
}
