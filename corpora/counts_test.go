package corpora_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness/plan/toolmap"
)

// TestOwnCounts compares what each importer reads and skips with a count of the calls in
// the text of the files, which knows nothing of importers.
func TestOwnCounts(t *testing.T) {
	tracker := map[string]int{"tracker_create_task": 1}
	for _, test := range []struct {
		importer string
		files    []string
		calls    string // the text that is in the files once for each call of a plan tool
		unread   int    // calls that are not read: superseded messages, rewound messages, failed runs
		other    map[string]int
	}{
		{"codex", []string{"codex.jsonl"}, `"name":"update_plan"`, 0, nil},
		{"gemini-cli", []string{"gemini.jsonl"}, `"name":"write_todos"`, 1, tracker},
		{"gemini-cli", []string{"gemini.json"}, `"name": "write_todos"`, 0, tracker},
		{"opencode", []string{"opencode-storage"}, `"tool": "todowrite"`, 0, nil},
		{"openhands", []string{"openhands"}, `"name": "task_tracker"`, 0, nil},
		{"openhands", []string{"openhands-trajectory.json"}, `"action": "task_tracking"`, 0, nil},
		{"langsmith", []string{"langsmith.jsonl"}, `"outputs": \{.*"name": "write_todos"`, 0, nil},
		{"otel", []string{"otel.jsonl"}, `"a[126]".*write_todos`, 0, nil},
		{"anthropic-pairs", []string{"anthropic.jsonl"}, `"response": \{.*TodoWrite`, 0, nil},
		{"chat", []string{"chat.jsonl"}, `"name": "write_todos"`, 0, nil},
	} {
		t.Run(test.importer+" "+test.files[0], func(t *testing.T) {
			t.Chdir("testdata/import")
			var tally corpora.Tally
			records := 0
			for _, err := range corpora.Import(test.importer, test.files, corpora.Options{
				Dialect: "letters", Calls: wholeLists(), Maps: toolmap.For("todos"), Tally: &tally, Model: "unnamed",
			}) {
				if err == nil {
					records++
				}
			}
			want, read := count(t, test.files, test.calls), 0
			for n := range maps.Values(tally.Read) {
				read += n
			}
			if read != records || read != want-test.unread {
				t.Errorf("%d calls in the files, %d of them not to be read; %d read, %d records", want, test.unread, read, records)
			}
			if diff := cmp.Diff(test.other, tally.Tools); diff != "" {
				t.Errorf("other plan tools: -want +got:\n%s", diff)
			}
		})
	}
}

// count counts the matches in files and directories.
func count(t *testing.T, files []string, pattern string) (n int) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for _, root := range files {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			n += len(re.FindAll(data, -1))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return n
}
