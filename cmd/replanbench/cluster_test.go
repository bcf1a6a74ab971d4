package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// TestCluster runs the commands of the files for schedulers in the order in which the
// schedulers do, on a small campaign in two shards, and holds what they merge to the
// report of the whole.
func TestCluster(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	run := func(t *testing.T, dir string, env []string, args ...string) string {
		t.Helper()
		ctx := t.Context()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.WaitDelay = time.Second
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() != 1 || err != nil && !ok {
			t.Fatalf("%s: %v\n%s%s", args, err, out, exit.Stderr)
		}
		return string(out)
	}
	environment := regexp.MustCompile(`(?s)\n  "environment": \{.*?\n  \}`)
	whole := environment.ReplaceAllString(run(t, t.TempDir(), nil, "replanbench", "fuzz", "--cases", "300", "--quiet",
		"--format", "json"), "")

	for _, test := range []struct {
		cluster, file string
		// commands are what the scheduler runs of the file: of both shards, then the merge.
		commands func(t *testing.T, file string) [][]string
	}{
		{"slurm", "replanbench.slurm.sh", slurmCommands},
		{"kubernetes", "replanbench.kubernetes.yml", kubernetesCommands},
		{"github", ".github/workflows/replanbench-shards.yml", githubCommands},
	} {
		t.Run(test.cluster, func(t *testing.T) {
			dir := t.TempDir()
			if code, out, message := call(t.Context(), "init", "--cluster", test.cluster, "--dir", dir); code != exitOK {
				t.Fatalf("init: exit code %d: %s%s", code, out, message)
			}
			work := filepath.Join(dir, "work")
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			env := []string{"SHARDS=2", "CASES=300", "WORK=" + work, "GITHUB_STEP_SUMMARY="}
			for _, args := range test.commands(t, filepath.Join(dir, filepath.FromSlash(test.file))) {
				run(t, dir, env, args...)
			}
			merged, err := os.ReadFile(filepath.Join(work, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whole, string(environment.ReplaceAll(merged, nil))); diff != "" {
				t.Errorf("the merged report is not that of the whole (-whole +merged):\n%s", diff)
			}
		})
	}
}

// slurmCommands run each task, and one of them again, which is done.
func slurmCommands(_ *testing.T, file string) [][]string {
	return [][]string{
		{"bash", "-n", file},
		{"env", "SLURM_ARRAY_TASK_ID=1", "bash", file, "task"},
		{"env", "SLURM_ARRAY_TASK_ID=2", "bash", file, "task"},
		{"env", "SLURM_ARRAY_TASK_ID=2", "bash", file, "task"}, // again: it is done
		{"bash", file, "merge"},
	}
}

func kubernetesCommands(t *testing.T, file string) [][]string {
	type container struct{ Command, Args []string }
	var jobs [2]struct {
		Kind string
		Spec struct {
			Template struct {
				Spec struct{ Containers []container }
			}
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	for i := range jobs {
		if err := dec.Decode(&jobs[i]); err != nil || jobs[i].Kind != "Job" {
			t.Fatalf("job %d: %v, %q", i, err, jobs[i].Kind)
		}
	}
	line := func(i int) []string {
		c := jobs[i].Spec.Template.Spec.Containers[0]
		return append(c.Command, c.Args...)
	}
	return [][]string{
		append([]string{"env", "JOB_COMPLETION_INDEX=0"}, line(0)...),
		append([]string{"env", "JOB_COMPLETION_INDEX=1"}, line(0)...),
		line(1),
	}
}

func githubCommands(t *testing.T, file string) [][]string {
	var flow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &flow); err != nil {
		t.Fatal(err)
	}
	step := func(job, name string) []string {
		for _, s := range flow.Jobs[job].Steps {
			if s.Name == name {
				return []string{"bash", "-euo", "pipefail", "-c", s.Run}
			}
		}
		t.Fatalf("%s: no step %s", job, name)
		return nil
	}
	return [][]string{
		append([]string{"env", "SHARD=1"}, step("shard", "run the shard")...),
		append([]string{"env", "SHARD=2"}, step("shard", "run the shard")...),
		step("merge", "merge the reports"),
	}
}
