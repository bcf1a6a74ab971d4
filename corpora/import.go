package corpora

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan/toolmap"
)

// Options contains values that recordings lack.
type Options struct {
	Dialect    string         // of the edits
	Plan       jsontext.Value // for replies without a plan in the recording
	Limits     harness.Limits // for replies without limits in the recording
	Map        []Mapping      // override the importer's mappings
	Model      string         // for recordings that do not name it
	Prompt     string         // name of the prompt, such as replan@1
	Source     string         // "": recorded
	Tags       []string
	Provenance string
	Messages   bool   // keep the prompts, which can be much longer than the replies
	Tool       string // if this tool is called, the reply is its arguments
	// Calls reads sessions of tool calls; nil for a dialect without such sessions.
	Calls *Calls
	// Maps are the tools of these calls. The first that names a tool counts.
	Maps toolmap.List
	// Tally, if it is not nil, counts the records that are left out.
	Tally *Tally
}

// Tally counts what an import left out, besides the lines that it reports.
type Tally struct {
	Read     map[string]int // calls that are read, by the name of their tool
	Repeated int            // calls that an earlier file or line contains
	NoPlan   int            // records of sessions whose plan nothing shows
	Planless int            // other records without a plan
	NoCalls  int            // files of sessions without a call that is read
	Tools    map[string]int // calls of other tools that seem to keep a plan, by name
}

// Skipped is the number of calls and files that were left out.
func (t *Tally) Skipped() int {
	n := t.Repeated + t.NoCalls
	for _, k := range t.Tools {
		n += k
	}
	return n
}

// importer reads the recordings of one tool.
type importer struct {
	term harness.Term
	// fields are its default mappings.
	fields []string
	// read passes the replies of a file to found. It returns an error for a malformed file.
	read func(name string, found func(draft) bool) error
	// folders says that a directory means the session files below it.
	folders bool
}

// draft is an unfinished record from an importer.
type draft struct {
	answer
	doc    jsontext.Value // the document for mappings
	choice int            // index among several replies to one request
	err    *Problem       // instead of a reply
}

func importers() []importer {
	row := func(name, text, fields string, read func(string, func(draft) bool) error) importer {
		return importer{harness.Term{Name: name, Text: text}, strings.Fields(fields), read, false}
	}
	folder := func(name, text string, read func(string, func(draft) bool) error) importer {
		return importer{harness.Term{Name: name, Text: text}, nil, read, true}
	}
	return []importer{
		row("rows", "a table of your own: JSON Lines, a JSON list or CSV with the columns plan, reply, model, prompt, case", rowFields(),
			readRows),
		row("openai-pairs", "JSON Lines of {request, response}: chat completions with their requests",
			"id=id plan=meta.plan max_plan_steps=meta.max_plan_steps failed_step=meta.failed_step retry_of=retry_of", readPairs),
		row("openai-batch", "output of the Batch API; give the input file before it for the parameters", "id=custom_id",
			readBatch()),
		row("text", "a directory with reply files and a plan.json", "", readTexts),
		row("promptfoo", "results of promptfoo as JSON; the plan in vars.plan",
			"plan=vars.plan max_plan_steps=vars.max_plan_steps failed_step=vars.failed_step", readPromptfoo),
		row("inspect", "log of inspect_ai, .eval or JSON; the plan in a sample's metadata.plan",
			"plan=metadata.plan max_plan_steps=metadata.max_plan_steps failed_step=metadata.failed_step", readInspect),
		folder("claude-code", "sessions of Claude Code: a directory such as ~/.claude/projects, JSONL files, or stream-json output", readClaudeCode),
		row("opencode", "output of opencode export, or the directory storage of opencode", "", readOpencode),
		folder("codex", "rollouts of Codex: the directory sessions, or its files rollout-*.jsonl", readCodex),
		folder("gemini-cli", "sessions of Gemini CLI: the directory chats, or its files session-*.json or .jsonl", readGeminiCLI),
		row("openhands", "conversations of OpenHands: a directory with events, an event list or a trajectory", "", readOpenHands),
		row("langsmith", "runs of LangSmith, JSON or JSON Lines; the plan in extra.metadata.plan",
			"plan=extra.metadata.plan failed_step=extra.metadata.failed_step", readLangSmith),
		row("otel", "OpenTelemetry spans as JSON (OTLP or the console exporter), with gen_ai.output.messages",
			"plan=attributes.plan failed_step=attributes.failed_step", readOTel),
		row("anthropic-pairs", "JSON Lines of {request, response} of Anthropic's messages, also as claude-trace writes them",
			"id=id plan=meta.plan max_plan_steps=meta.max_plan_steps failed_step=meta.failed_step retry_of=retry_of", readAnthropic),
		row("chat", "chat logs: messages with roles as JSON or JSON Lines, ShareGPT, or a text with the lines User: and Assistant:",
			"plan=plan failed_step=failed_step", readChat),
		row("vcr", "YAML cassettes of OpenAI, Anthropic, Gemini and Bedrock Converse calls (vcrpy, go-vcr, VCR)", "",
			readCassette),
	}
}

// Importers lists the importers and their inputs.
func Importers() []harness.Term {
	return collect.Map(importers(), func(i importer) harness.Term { return i.term })
}

// Import reads recordings of another tool from files in the given order. The importer text
// reads directories. Each step yields a record or an error: a *[Problem] for skipped input,
// or a final error for an unknown importer.
func Import(name string, files []string, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, i := range importers() {
			if i.term.Name == name {
				i.run(files, o, yield)
				return
			}
		}
		yield(Record{}, fmt.Errorf("unknown importer %q%s (the importers are %s)", name,
			harness.DidYouMean(name, harness.Names(Importers())), strings.Join(harness.Names(Importers()), ", ")))
	}
}

func (i importer) run(files []string, o Options, yield func(Record, error) bool) {
	f := finisher{
		options: o, samples: map[string]int{}, seen: map[string]place{}, used: map[string]bool{},
		threads: map[string]*followed{}, ids: map[string]bool{},
	}
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
	for _, file := range i.expand(files) {
		f.calling = 0
		emit := func(d draft) bool {
			more = f.emit(file, d, yield)
			return more
		}
		if err := i.read(file, emit); err != nil && more {
			emit(draft{err: &Problem{Source: file, Text: err.Error()}})
		}
		if !more {
			return
		}
		if o.Tally != nil && o.Calls != nil && f.calling == 0 {
			o.Tally.NoCalls++
		}
	}
	for _, m := range o.Map {
		if !f.used[m.spec] {
			if !yield(Record{}, &Problem{Source: name(files), Text: fmt.Sprintf("no record has a value for the mapping %s",
				m.spec)}) {
				return
			}
		}
	}
}

// expand replaces directories by the session files below them, in the order of their names.
func (i importer) expand(files []string) (list []string) {
	for _, file := range files {
		before := len(list)
		if info, err := os.Stat(file); i.folders && err == nil && info.IsDir() {
			_ = filepath.WalkDir(file, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.Type().IsRegular() && sessionFile.MatchString(path) {
					list = append(list, path) // what cannot be read is reported when it is
				}
				return nil
			})
		}
		if len(list) == before {
			list = append(list, file)
		}
	}
	return list
}

var sessionFile = regexp.MustCompile(`\.jsonl?(\.gz|\.zst)?$`)

func name(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%d files", len(files))
}

// runName returns a file's name without directory and extensions. Tags and provenance name
// the recording by it.
func runName(file string) string {
	base := filepath.Base(file)
	for {
		switch ext := filepath.Ext(base); ext {
		case ".jsonl", ".json", ".csv", ".tsv", ".gz", ".zst", ".yaml", ".yml":
			base = strings.TrimSuffix(base, ext)
		default:
			return base
		}
	}
}

// finisher converts drafts to records.
type finisher struct {
	options Options
	fields  []Mapping
	used    map[string]bool
	samples map[string]int       // repetitions by request
	seen    map[string]place     // by id
	threads map[string]*followed // by run and thread
	ids     map[string]bool      // of calls in sessions
	calling int                  // calls of the file that are read
}

// errRepeated is a call that an earlier file or line contains: sessions that are resumed or
// forked begin with a copy of the calls before them.
var errRepeated = errors.New("repeated call")

// repeated reports whether a call of a session was seen before.
func (f *finisher) repeated(id string, choice int) bool {
	if id += fmt.Sprintf("#%d", choice); !f.ids[id] {
		f.ids[id] = true
		return false
	}
	if f.options.Tally != nil {
		f.options.Tally.Repeated++
	}
	return true
}

// planTool matches the names of tools that seem to keep a plan.
var planTool = regexp.MustCompile(`(?i)todo|checklist|(create|update|write|set|list|get|add|delete)_?(plan|task)|(plan|task)s?_?(create|update|write|set|list|get|add|delete)`)

// hasStatuses reports whether a member of the arguments is a list of objects with a status.
func hasStatuses(arguments string) bool {
	var members map[string]jsontext.Value
	if json.Unmarshal([]byte(arguments), &members) != nil {
		return false
	}
	for _, v := range members {
		if items := elements(v); len(items) > 0 && lookup(items[0], "status") != nil {
			return true
		}
	}
	return false
}

// reads counts a call that is read, by the name of its tool.
func (f *finisher) reads(tool string) {
	if f.calling++; f.options.Tally != nil {
		if f.options.Tally.Read == nil {
			f.options.Tally.Read = map[string]int{}
		}
		f.options.Tally.Read[tool]++
	}
}

// skip counts the calls of tools that seem to keep a plan, by name or arguments.
func (f *finisher) skip(calls []call) {
	if f.options.Tally == nil {
		return
	}
	for _, c := range calls {
		if planTool.MatchString(c.name) || hasStatuses(c.arguments) {
			if f.options.Tally.Tools == nil {
				f.options.Tally.Tools = map[string]int{}
			}
			f.options.Tally.Tools[c.name]++
		}
	}
}

// place is the position of a reply among the repetitions of its request.
type place struct{ sample, attempt int }

func (f *finisher) emit(file string, d draft, yield func(Record, error) bool) bool {
	if d.err != nil {
		return yield(Record{}, d.err)
	}
	for _, one := range f.split(d) {
		if !f.record(file, one, yield) {
			return false
		}
	}
	return true
}

// split returns a draft for each call of a reply with several calls of the tools. Each call
// finds what the calls before it left.
func (f *finisher) split(d draft) []draft {
	c := f.options.Calls
	if c == nil || len(d.calls) < 2 {
		return []draft{d}
	}
	var list []draft
	for i, one := range d.calls {
		part := d
		part.calls, part.earlier = []call{one}, slices.Concat(d.earlier, d.calls[:i])
		if i > 0 {
			part.ID = fmt.Sprintf("%s.%d", d.ID, i) // #N is a reply of the same request
		}
		list = append(list, part)
	}
	return list
}

func (f *finisher) record(file string, d draft, yield func(Record, error) bool) bool {
	if err := f.finish(&d, runName(file)); errors.Is(err, errNoCall) || errors.Is(err, errRepeated) {
		return true
	} else if err != nil {
		return yield(Record{}, &Problem{Source: fmt.Sprintf("%s: reply %q", file, d.ID), Text: err.Error()})
	}
	return yield(d.Record, nil)
}

func (f *finisher) finish(d *draft, run string) error {
	o, r := f.options, &d.Record
	if o.Calls == nil || d.written() {
		d.choose(o.Tool)
		f.calling++
	} else if err := f.calls(d, run); err != nil {
		return err
	} else if d.thread != "" && f.repeated(d.ID, d.choice) {
		return errRepeated
	} else {
		f.reads(d.Tag("tool_call"))
	}
	r.V, r.Dialect, r.Attempt = Version, o.Dialect, 1
	r.Source, r.Prompt = cmp.Or(o.Source, Recorded), cmp.Or(o.Prompt, r.Prompt)
	r.Tags = append(append(r.Tags, o.Tags...), "run:"+run)
	r.Provenance = strings.TrimPrefix(o.Provenance+", "+run, ", ")
	for _, m := range f.fields {
		v := m.find(d.doc)
		if v == nil {
			continue
		}
		f.used[m.spec] = true
		if err := m.field.assign(r, v); err != nil {
			return fmt.Errorf("%s: %w", m.spec, err)
		}
		d.mapped = d.mapped && m.field.name != "reply"
	}
	if d.mapped {
		var columns map[string]jsontext.Value
		_ = json.Unmarshal(d.doc, &columns)
		const most = 12
		names := slices.Sorted(maps.Keys(columns))
		return fmt.Errorf("no reply: none of the columns %s (name its column of %s: --map reply=COLUMN)",
			strings.Join(replyColumns(), ", "), strings.Join(names[:min(len(names), most)], ", "))
	}
	if d.choice > 0 {
		r.ID += fmt.Sprintf("#%d", d.choice)
	}
	if r.Model = cmp.Or(r.Model, o.Model); r.Model == "" {
		return errors.New("the recording does not name the model (give --model NAME)")
	}
	if r.Plan == nil {
		r.Plan = o.Plan.Clone()
	}
	if r.Plan == nil && o.Tally != nil {
		if d.unknown {
			o.Tally.NoPlan++
		} else {
			o.Tally.Planless++
		}
	}
	if o.Limits.MaxPlanSteps != nil && r.Limits.MaxPlanSteps == nil {
		r.Limits = o.Limits
	}
	if !o.Messages {
		r.Messages = nil
	}
	f.number(r)
	return r.Check()
}

// number sets sample and attempt from the repetitions of a request.
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
	return encode(m)
}

// field is a part of a record that a mapped value can fill.
type field struct {
	name   string
	assign func(*Record, jsontext.Value) error
}

func fields() []field {
	str := func(name string, set func(*Record, string)) field {
		return field{name, func(r *Record, v jsontext.Value) error { set(r, text(v)); return nil }}
	}
	return []field{
		str("id", func(r *Record, s string) { r.ID = s }),
		str("case", func(r *Record, s string) { r.Case = s }),
		{"plan", assignPlan},
		{"max_plan_steps", assignSteps},
		str("failed_step", func(r *Record, s string) { r.Intent = &Intent{FailedStep: s} }),
		str("retry_of", func(r *Record, s string) { r.RetryOf = s }),
		str("model", func(r *Record, s string) { r.Model = s }),
		str("prompt", func(r *Record, s string) { r.Prompt = s }),
		str("dialect", func(r *Record, s string) { r.Dialect = s }),
		{"reply", func(r *Record, v jsontext.Value) error {
			if content := lookup(v, "content"); lookup(v, "role") != nil && content.Kind() == '"' {
				v = content // of a message
			}
			r.Reply = harness.Reply(text(v))
			return nil
		}},
		str("tag", func(r *Record, s string) { r.Tags = append(r.Tags, s) }),
	}
}

// Fields lists the fields that a [Mapping] can fill.
func Fields() []string {
	return collect.Map(fields(), func(f field) string { return f.name })
}

func assignPlan(r *Record, v jsontext.Value) error {
	v = unwrap(v)
	if v.Kind() != '{' {
		return errors.New("the value is not a plan: it must be a JSON object, or a string with a JSON object")
	}
	r.Plan = v.Clone()
	return r.Plan.Compact()
}

func assignSteps(r *Record, v jsontext.Value) error {
	n, err := strconv.Atoi(text(v))
	if err != nil {
		return fmt.Errorf("%s is not an integer", text(v))
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

// maxDocument limits the size of files that are read whole.
const maxDocument = 512 << 20

// readWhole reads a file with a single document.
func readWhole(name string) ([]byte, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no such file")
	case err != nil:
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("is a directory (name its files)")
	}
	in, err := decompress(f)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err == nil && len(data) > maxDocument {
		err = fmt.Errorf("the file is larger than %d MiB, the limit for this format (split it)", maxDocument>>20)
	}
	return data, err
}

// Unlikely explains why an importer reads nothing from files, or returns "".
func Unlikely(importer string, files []string) string {
	for _, name := range files {
		for _, err := range File(name).Records() {
			if err == nil {
				return name + " is already a corpus (score and compare read it directly)"
			}
			break
		}
		if guess := Guess(name); guess != "" && guess != importer {
			return fmt.Sprintf("%s looks like %s (replanbench corpus import %[2]s %[1]s)", name, guess)
		}
	}
	return ""
}

// Guess returns the importer that probably reads a file, or "".
func Guess(name string) (importer string) {
	data, err := readWhole(name)
	if err != nil {
		return ""
	}
	if kind := extension(name); kind == ".csv" || kind == ".tsv" {
		return "rows"
	}
	doc := jsontext.Value(data)
	if !doc.IsValid() {
		doc, _, _ = bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	}
	if list := elements(doc); len(list) > 0 {
		doc = list[0]
	}
	importer, _ = recognized(doc)
	return importer
}

// recognized returns the importer for a line or document, and the name of what it is.
func recognized(doc jsontext.Value) (importer, what string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(doc, &members) != nil {
		return "", ""
	}
	has := func(name string) bool { return members[name] != nil && members[name].Kind() != 'n' }
	switch {
	case has("custom_id"):
		return "openai-batch", "a line of a batch"
	case has("request") && has("response"):
		return "openai-pairs", "a request with its response"
	case has("choices"):
		return "openai-pairs", "a response"
	case has("resourceSpans"):
		return "otel", "a list of spans"
	case has("eval") && has("samples"):
		return "inspect", "a log of inspect_ai"
	case has("results"):
		return "promptfoo", "results of promptfoo"
	case has("messages"), has("conversations"):
		return "chat", "a chat log"
	case slices.ContainsFunc(replyColumns(), has):
		return "rows", "a row of a table"
	}
	return "", ""
}
