package corpora

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Options say what the recordings themselves do not.
type Options struct {
	Dialect    string         // of the edits
	Plan       jsontext.Value // of replies whose recording holds none
	Limits     harness.Limits // likewise
	Map        []Mapping      // over the importer's own
	Model      string         // where the recording does not name it
	Prompt     string         // name of the prompt, such as replan@1
	Source     string         // "" is recorded
	Tags       []string
	Provenance string
	Messages   bool // keep the prompts, which may be much longer than the replies
}

// importer reads the recordings of one tool.
type importer struct {
	term harness.Term
	// fields are the mappings that its documents mostly need.
	fields []string
	read   func(name string, found func(draft) bool)
}

// draft is a reply as an importer found it.
type draft struct {
	record Record
	doc    jsontext.Value // where mappings look
	choice int            // which of several replies to one request
	err    *Problem       // in place of a reply
}

func importers() []importer {
	return []importer{
		{
			harness.Term{Name: "openai-pairs", Text: "JSON Lines of {request, response}: chat completions with their requests"},
			[]string{
				"id=id", "plan=meta.plan", "max_plan_steps=meta.max_plan_steps",
				"failed_step=meta.failed_step", "retry_of=retry_of",
			},
			readPairs,
		},
		{
			harness.Term{Name: "openai-batch", Text: "output of the Batch API; give the input file before it for the parameters"},
			[]string{"id=custom_id"},
			readBatch(),
		},
		{
			harness.Term{Name: "text", Text: "a directory of reply files beside one plan.json"},
			nil,
			readTexts,
		},
		{
			harness.Term{Name: "promptfoo", Text: "results of promptfoo as JSON; the plan in vars.plan"},
			[]string{"plan=vars.plan", "max_plan_steps=vars.max_plan_steps", "failed_step=vars.failed_step"},
			readPromptfoo,
		},
		{
			harness.Term{Name: "inspect", Text: "log of inspect_ai as JSON; the plan in a sample's metadata.plan"},
			[]string{"plan=metadata.plan", "max_plan_steps=metadata.max_plan_steps", "failed_step=metadata.failed_step"},
			readInspect,
		},
		{
			harness.Term{Name: "vcr", Text: "YAML cassettes of OpenAI, Anthropic and Gemini calls (vcrpy, go-vcr, VCR)"},
			nil,
			readCassette,
		},
	}
}

// Importers lists the importers with what they read.
func Importers() []harness.Term {
	var terms []harness.Term
	for _, i := range importers() {
		terms = append(terms, i.term)
	}
	return terms
}

// Import reads recordings of another tool, from files (or, of the importer
// text, directories), in the order given. Each step yields a record, or an
// error: a *[Problem] where something was skipped, anything else as the last
// step where the importer does not exist.
func Import(name string, files []string, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var names []string
		for _, i := range importers() {
			if i.term.Name == name {
				i.run(files, o, yield)
				return
			}
			names = append(names, i.term.Name)
		}
		yield(Record{}, fmt.Errorf("unknown importer %q (the importers are %s)", name, strings.Join(names, ", ")))
	}
}

func (i importer) run(files []string, o Options, yield func(Record, error) bool) {
	f := finisher{options: o, samples: map[string]int{}, seen: map[string]place{}, used: map[string]bool{}}
	for _, spec := range i.fields {
		m, err := ParseMapping(spec)
		if err != nil {
			yield(Record{}, err)
			return
		}
		f.fields = append(f.fields, m)
	}
	f.fields = append(f.fields, o.Map...)
	more := true
	for _, file := range files {
		i.read(file, func(d draft) bool {
			more = f.emit(file, d, yield)
			return more
		})
		if !more {
			return
		}
	}
	for _, m := range o.Map {
		if !f.used[m.spec] {
			if !yield(Record{}, &Problem{Source: name(files), Text: fmt.Sprintf("the mapping %s was found in no record", m.spec)}) {
				return
			}
		}
	}
}

func name(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%d files", len(files))
}

// runName is a file's name without directory and extensions, for the tag and
// the provenance that say which recording a reply is from.
func runName(file string) string {
	base := filepath.Base(file)
	for {
		switch ext := filepath.Ext(base); ext {
		case ".jsonl", ".json", ".gz", ".zst", ".yaml", ".yml":
			base = strings.TrimSuffix(base, ext)
		default:
			return base
		}
	}
}

// finisher makes records of drafts.
type finisher struct {
	options Options
	fields  []Mapping
	used    map[string]bool
	samples map[string]int   // how often a request was seen
	seen    map[string]place // by id
}

// place is where a reply stands among the repetitions of its request.
type place struct{ sample, attempt int }

func (f *finisher) emit(file string, d draft, yield func(Record, error) bool) bool {
	if d.err != nil {
		return yield(Record{}, d.err)
	}
	if err := f.finish(&d, runName(file)); err != nil {
		return yield(Record{}, &Problem{Source: file, Text: fmt.Sprintf("reply %q: %v", d.record.ID, err)})
	}
	return yield(d.record, nil)
}

func (f *finisher) finish(d *draft, run string) error {
	o, r := f.options, &d.record
	r.V, r.Dialect, r.Attempt = Version, o.Dialect, 1
	r.Source, r.Prompt = o.Source, o.Prompt
	if r.Source == "" {
		r.Source = Recorded
	}
	r.Tags = append(append(r.Tags, o.Tags...), "run:"+run)
	r.Provenance = strings.TrimPrefix(o.Provenance+", "+run, ", ")
	for _, m := range f.fields {
		v := m.find(d.doc)
		if v == nil {
			continue
		}
		f.used[m.spec] = true
		if err := assign(m.Field)(r, v); err != nil {
			return fmt.Errorf("%s: %w", m.spec, err)
		}
	}
	if d.choice > 0 {
		r.ID += fmt.Sprintf("#%d", d.choice)
	}
	if r.Plan == nil {
		r.Plan = o.Plan.Clone()
	}
	if o.Limits.MaxPlanSteps != nil && r.Limits.MaxPlanSteps == nil {
		r.Limits = o.Limits
	}
	if r.Model == "" {
		r.Model = o.Model
	}
	if r.Model == "" {
		return errors.New("the recording does not name the model (give --model NAME)")
	}
	if !o.Messages {
		r.Messages = nil
	}
	f.number(r)
	return r.Check()
}

// number counts repetitions of a request, and takes retries to what they repeat.
func (f *finisher) number(r *Record) {
	if first, ok := f.seen[r.RetryOf]; ok && r.RetryOf != "" {
		r.Sample, r.Attempt = first.sample, first.attempt+1
	} else {
		if r.RetryOf != "" {
			r.Attempt = 2
		}
		key := *r
		key.Params, key.Sample = without(r.Params, "seed"), 0
		r.Sample = f.samples[key.Key()]
		f.samples[key.Key()]++
	}
	f.seen[r.ID] = place{r.Sample, r.Attempt}
}

// without returns the object without a member.
func without(object jsontext.Value, name string) jsontext.Value {
	var m map[string]jsontext.Value
	if json.Unmarshal(object, &m) != nil {
		return object
	}
	delete(m, name)
	v, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return object
	}
	return v
}

// assign returns how a mapped value enters a record, or nil for a field that
// cannot be mapped.
func assign(field string) func(*Record, jsontext.Value) error {
	str := func(at func(*Record) *string) func(*Record, jsontext.Value) error {
		return func(r *Record, v jsontext.Value) error { *at(r) = text(v); return nil }
	}
	switch field {
	case "id":
		return str(func(r *Record) *string { return &r.ID })
	case "case":
		return str(func(r *Record) *string { return &r.Case })
	case "model":
		return str(func(r *Record) *string { return &r.Model })
	case "prompt":
		return str(func(r *Record) *string { return &r.Prompt })
	case "retry_of":
		return str(func(r *Record) *string { return &r.RetryOf })
	case "dialect":
		return str(func(r *Record) *string { return &r.Dialect })
	case "reply":
		return func(r *Record, v jsontext.Value) error { r.Reply = harness.Reply(text(v)); return nil }
	case "tag":
		return func(r *Record, v jsontext.Value) error { r.Tags = append(r.Tags, text(v)); return nil }
	case "plan":
		return assignPlan
	case "max_plan_steps":
		return assignSteps
	case "failed_step":
		return func(r *Record, v jsontext.Value) error { r.Intent = &Intent{FailedStep: text(v)}; return nil }
	}
	return nil
}

// Fields lists what a [Mapping] can fill.
func Fields() []string {
	return []string{"id", "case", "plan", "max_plan_steps", "failed_step", "retry_of", "model", "prompt", "dialect", "reply", "tag"}
}

func assignPlan(r *Record, v jsontext.Value) error {
	v = unwrap(v)
	if v.Kind() != '{' {
		return errors.New("what stands there is no plan: it must be a JSON object, or a string that holds one")
	}
	r.Plan = v.Clone()
	return r.Plan.Compact()
}

func assignSteps(r *Record, v jsontext.Value) error {
	n, err := strconv.Atoi(text(v))
	if err != nil {
		return fmt.Errorf("%s is no integer", text(v))
	}
	r.Limits.MaxPlanSteps = &n
	return nil
}

// hash is the SHA-256 of a JSON value in canonical form.
func hash(v jsontext.Value) string {
	v = v.Clone()
	if v.Canonicalize() != nil {
		return ""
	}
	sum := sha256.Sum256(v)
	return hex.EncodeToString(sum[:])
}

// maxDocument bounds files that are not lines and so are read whole.
const maxDocument = 512 << 20

// readWhole reads a file that is one document.
func readWhole(name string) ([]byte, *Problem) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Problem{Source: name, Text: "no such file"}
	case err != nil:
		return nil, &Problem{Source: name, Text: err.Error()}
	case info.IsDir():
		return nil, &Problem{Source: name, Text: "is a directory (name its files)"}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &Problem{Source: name, Text: err.Error()}
	}
	defer f.Close()
	in, err := decompress(f)
	if err != nil {
		return nil, &Problem{Source: name, Text: err.Error()}
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err == nil && len(data) > maxDocument {
		err = fmt.Errorf("the file has more than %d MiB, and is read whole (split it)", maxDocument>>20)
	}
	if err != nil {
		return nil, &Problem{Source: name, Text: err.Error()}
	}
	return data, nil
}

// Unlikely says why files hold nothing to import.
func Unlikely(files []string) string {
	for _, name := range files {
		for _, err := range File(name).Records() {
			if err == nil {
				return name + " is a corpus already (score and compare take it as it is)"
			}
			break
		}
	}
	return "no reply was found (the importers are listed by replanbench list importers)"
}
