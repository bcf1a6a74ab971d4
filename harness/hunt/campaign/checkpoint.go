package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"replanbench/harness/hunt/cause"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
)

// The names below a campaign's directory.
const (
	FindingsDir    = "findings"
	CausesDir      = "causes"
	checkpointName = "checkpoint"
)

func (r *runner) findingsDir() string { return filepath.Join(r.Dir, FindingsDir) }

// checkpoint is the file that a shard of a campaign goes on from.
func (c *Config) checkpoint() string {
	if c.Shard.Whole() {
		return filepath.Join(c.Dir, checkpointName+".json")
	}
	return filepath.Join(c.Dir, fmt.Sprintf("%s-%d-of-%d.json", checkpointName, c.Shard.I, c.Shard.N))
}

// Lock makes Dir and keeps it for this run of the shard, as [files.Lock] does.
func (c *Config) Lock(holder string) (unlock func() error, err error) {
	if c.Dir == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, harness.Mistakef("making the directory %s: %w (choose another with --dir)", c.Dir, files.Cause(err))
	}
	return files.Lock(c.checkpoint(), holder)
}

// begin returns the result to go on from: an empty one, or the checkpoint's.
func (r *runner) begin() (Result, error) {
	declared := r.hello.Dialects[r.Dialect]
	empty := Result{
		Dialect: r.Dialect, Source: r.Source, GeneratorVersion: generatorVersion(), Engine: engineName(r.hello), Seed: r.Seed,
		Faults: r.Generator.Traits, Checks: r.Judging.Checks, Profile: r.Generator.Profile, Shards: []int{r.Shard.I},
		Of:      r.Shard.N,
		Without: r.Generator.Without, Skipped: r.Generator.Skip, Features: r.Generator.Features, Codes: declared.Codes,
		Gives: append([]string{}, declared.Gives...), Arguments: declared.Arguments,
		Judge:    r.Judging.Level.Effective(),
		Declared: declared.Profile, MaxSteps: r.Generator.MaxSteps,
		First: r.First, Planned: r.Cases, Chunk: r.Chunk, Next: uint64(r.Shard.I - 1), Behaviours: r.Behaviours,
		Groups: []cause.Group{}, Causes: []cause.Cause{},
		Coverage: newCoverage(r.Dialect, r.Generator.Traits, r.Judging.Checks),
	}
	if r.Dir == "" {
		return empty, nil
	}
	data, err := os.ReadFile(r.checkpoint())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return empty, nil
	case err != nil:
		return Result{}, fmt.Errorf("reading the checkpoint: %w", err)
	case !r.Resume:
		return empty, nil
	}
	var saved Result
	if err := json.Unmarshal(data, &saved, jsontext.AllowDuplicateNames(true)); err != nil {
		return Result{}, fmt.Errorf("%s: a damaged checkpoint: %w (delete it, or run without --resume)", r.checkpoint(),
			strictjson.Plain(err))
	}
	err = empty.sameCampaign(saved)
	if err == nil && !slices.Equal(saved.Shards, empty.Shards) {
		err = fmt.Errorf("it holds the shards %v", saved.Shards)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s is the checkpoint of another campaign: %w (give the same flags, or run without "+
			"--resume)", r.checkpoint(), err)
	}
	saved.Interrupted = false
	r.found = cause.Fresh(saved.Groups, r.Known)
	if r.found < r.MaxFindings {
		saved.Stopped = ""
	}
	return saved, nil
}

// saveEvery is how much work may be lost.
const saveEvery = 2 * time.Second

// save writes the checkpoint, whole or not at all.
func (r *runner) save(now bool) error {
	t := r.Now()
	if r.Dir == "" || r.sealed || !now && t.Sub(r.saved) < saveEvery {
		return nil
	}
	r.saved = t
	data, err := json.Marshal(r.result, json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("writing the checkpoint: %w", err)
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return fmt.Errorf("writing the checkpoint: %w (choose another directory with --dir)", err)
	}
	return files.WriteData(r.checkpoint(), data)
}
