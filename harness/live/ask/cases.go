package ask

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"replanbench/corpora"
	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/files"
	"replanbench/harness/live"
	"replanbench/scenarios"
)

// Cases says about which plans models are asked.
type Cases struct {
	Sources  []string `name:"cases" sep:"none" default:"scenarios" line:"yes" arg:"FILE" help:"where the cases come from: scenarios, builtin, generated:N, or a FILE; may be given several times"`
	CaseSeed uint64   `default:"1" rare:"" help:"the seed of generated cases"`
	Limit    int      `arg:"N" help:"take only the first N cases"`
}

const (
	scenarioCases = "scenarios"
	// Generated begins the name of generated cases.
	Generated = "generated:"
)

// generatedSteps bounds generated plans, in steps. Plans of agents have about this size.
const generatedSteps = 12

// Load reads the cases of all sources. One source has no id twice.
func (f *Cases) Load(in files.Inputs, d *dialect.Dialect) (all live.Cases, err error) {
	seen := map[string]string{}
	for _, source := range f.Sources {
		more, err := f.source(in, d, source)
		if err != nil {
			return all, err
		}
		for i := 0; i < more.N && len(f.Sources) > 1; i++ {
			c, err := more.At(i)
			if err != nil {
				return all, err
			}
			if before, ok := seen[c.ID]; ok {
				return all, harness.Mistakef("--cases: duplicate id %q, in %s and in %s (ids must be unique)", c.ID, before, source)
			}
			seen[c.ID] = source
		}
		all = all.And(more)
	}
	if f.Limit > 0 {
		all = all.First(f.Limit)
	}
	return all, nil
}

func (f *Cases) source(in files.Inputs, d *dialect.Dialect, source string) (live.Cases, error) {
	if source == scenarioCases {
		builtin, err := scenarios.Builtin()
		return live.ListOf(scenarioPlans(d, builtin)...), err
	}
	if kind, count, _ := strings.Cut(source, ":"); kind+":" == Generated {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > 1_000_000 {
			return live.Cases{}, harness.Mistakef("--cases %s: write generated:N with N from 1 to 1000000", source)
		}
		return generatedPlans(d, f.CaseSeed, n)
	}
	if source == corpora.BuiltinName {
		return builtinCases(d)
	}
	file, err := seekable(in, source)
	if err != nil {
		return live.Cases{}, harness.Mistaken(err)
	}
	list, err := live.ReadCases(d, files.InputName(source), file)
	return list, harness.Mistaken(err)
}

// builtinCases returns the cases of the recorded built-in corpus.
func builtinCases(d *dialect.Dialect) (live.Cases, error) {
	recorded := corpora.Builtin()[0]
	text, err := decompressed(recorded)
	if err != nil {
		return live.Cases{}, err
	}
	list, err := live.ReadCases(d, recorded.Name, text)
	return list, harness.Mistaken(err)
}

// seekable returns a file of any size, open until the program ends, or the content of a pipe
// or of a compressed file.
func seekable(in files.Inputs, name string) (io.ReaderAt, error) {
	if info, err := os.Stat(name); name != files.Stdin && err == nil && info.Mode().IsRegular() {
		if file, err := os.Open(name); err == nil {
			head := make([]byte, 4)
			if n, _ := file.ReadAt(head, 0); corpora.Compressed(head[:n]) {
				return decompressed(corpora.File(name))
			}
			return file, nil
		}
	}
	data, err := in.Read(name)
	if err == nil && corpora.Compressed(data) {
		return decompressed(corpora.Source{Name: files.InputName(name), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(data)), nil
		}})
	}
	return bytes.NewReader(data), err
}

// decompressed returns the text of a corpus.
func decompressed(s corpora.Source) (io.ReaderAt, error) {
	text, err := s.Text()
	if err != nil {
		return nil, err
	}
	defer text.Close()
	data, err := files.ReadFrom(text, s.Name, files.MaxInput)
	return bytes.NewReader(data), err
}

// scenarioPlans takes the sound plans of the scenarios, each with its limits
// once.
func scenarioPlans(d *dialect.Dialect, builtin []scenarios.Scenario) []live.Case {
	var list []live.Case
	seen := map[string]bool{}
	for _, s := range builtin {
		if s.Case.Dialect != d.Name {
			continue
		}
		c, err := live.NewCase(d, live.CaseSpec{
			ID: s.ID, Plan: s.Case.Plan.Clone(), Limits: s.Case.Limits,
			Tools: s.Case.Tools.Clone(), Verify: s.Case.Verify.Clone(),
		})
		if err != nil || seen[c.Question()] {
			continue // many scenarios are about unsound plans or limits
		}
		seen[c.Question()] = true
		list = append(list, c)
	}
	return list
}

func generatedPlans(d *dialect.Dialect, seed uint64, n int) (live.Cases, error) {
	rules := harness.Reference()
	source, err := d.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: generatedSteps})
	return live.Cases{N: n, At: func(i int) (live.Case, error) {
		s := source.At(seed, uint64(i))
		c, err := live.NewCase(d, live.CaseSpec{
			ID: fmt.Sprintf("generated-%d-%d", seed, i), Plan: s.Case.Plan,
			Limits: s.Case.Limits, Tools: s.Case.Tools, Verify: s.Case.Verify,
		})
		if err != nil {
			return c, fmt.Errorf("generated case %d: %w", i, err)
		}
		return c, nil
	}}, err
}
