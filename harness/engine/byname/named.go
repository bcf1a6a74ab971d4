// Package byname opens the engine that a user names: the reference, one with a
// known defect, a command, or an address.
package byname

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/files"
	"replanbench/harness/engine"
	"replanbench/harness/engine/reference"
)

// The names of engines in this process.
const (
	Reference = "reference"
	defect    = "defect"
)

// Engine selects the engine under test, its rules and its limits. Its fields are flags, and the
// keys below engine in replanbench.yaml.
type Engine struct {
	// Use is reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH. Command replaces it.
	Use     string   `yaml:"use" doc:"reference, defect:NAME, or the address of an HTTP endpoint. Ignored if command is set." name:"engine" default:"reference" list:"${engines}" key:"engine.use" arg:"ENGINE" help:"the ENGINE under test: reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH; or give a command after --"`
	Command []string `yaml:"command" doc:"The command that starts your engine, word by word: [python3, adapter.py]. Empty: no command."`
	// Profile overrides settings of the engine's own profile.
	Profile []string `yaml:"profile" doc:"Rules that override the engine's own: a profile name, or knob=value (see replanbench list knobs)." sep:"none" list:"${profiles}" key:"engine.profile" arg:"PROFILE" help:"judge by the rules of this PROFILE: a profile's name or knob=value; may be given several times (see replanbench list profiles, list knobs)"`
	// Source is the engine's own file; "" is the first of the command.
	Source string `yaml:"source" doc:"Its own file, such as planner.py: GitHub and SARIF annotate failures there. Empty: the first word of the command that is a file." rare:"" key:"engine.source" arg:"FILE" help:"the engine's source FILE, such as planner.py, for annotations (GitHub, SARIF; default the first word of the command that is a file)"`
	// Judge is how much of the engine's behaviour is judged; "" is all.
	Judge string `enum:"exact,safety,rules" key:"judge" help:"what fails a case: safety (crashes, lost work, unsound plans), rules (also wrong verdicts and plans) or exact (also codes and places)"`
	// Codes, Arguments, Without and Gives override the engine's declaration; see [harness.Declaration]. An
	// item of the lists may name its dialect (operations/reorder). The single item none is an
	// empty list.
	Codes     string         `yaml:"codes" doc:"How to compare the codes of its rejections: exact, or any to ignore the codes. This and the next three override the engine's declaration. Empty: as declared." rare:"" key:"engine.codes" arg:"RULE" help:"compare rejection codes by this RULE: exact or any (overrides what the engine declares)"`
	Arguments string         `yaml:"arguments" doc:"How the engine gets a reply: text (it reads the text of the model), or parsed (a client has parsed the arguments of a tool call, so reading is not judged, but types are). Empty: as declared." rare:"" key:"engine.arguments" arg:"KIND" help:"how the engine gets replies, as this KIND: text or parsed (overrides what the engine declares)"`
	Without   []string       `yaml:"without" doc:"Capabilities that it lacks (see replanbench list capabilities): NAME, or DIALECT/NAME for one dialect. Cases that need them are skipped. Write none for an empty list." rare:"" list:"${capabilities}" key:"engine.without" arg:"CAPABILITIES" help:"the CAPABILITIES that the engine lacks (a,b; none), overrides its declaration (see replanbench list capabilities)"`
	Gives     []string       `yaml:"gives" doc:"Optional members of outcomes that it returns, such as warnings, repairs, meta, tier. Only these are compared. Write none for an empty list." rare:"" key:"engine.gives" arg:"MEMBERS" help:"the optional MEMBERS of outcomes that the engine gives (a,b; none), overrides its declaration"`
	Bounds    engine.Options `embed:""`
}

// None is an empty list that replaces the declared one.
const None = "none"

// Settings returns the requested profile, or nil.
func (e *Engine) Settings() (*harness.Profile, error) {
	if len(e.Profile) == 0 {
		return nil, nil
	}
	p, own := harness.Reference(), all.Words().Own
	for _, s := range e.Profile {
		if err := p.Apply(s, own...); err != nil {
			return nil, harness.Mistakef("--profile: %w", err)
		}
	}
	return &p, nil
}

// Open opens the engine. The caller closes it. warn reports options without effect.
func (e *Engine) Open(ctx context.Context, warn func(string)) (harness.Engine, error) {
	if e.Source != "" && !isFile(e.Source) {
		return nil, harness.Mistakef("--source %s: no such file in or below this directory", e.Source)
	}
	if e.Bounds.Deadline < 0 {
		return nil, harness.Mistakef("--timeout %v: the time must be positive", e.Bounds.Deadline)
	}
	p, err := e.Settings()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(e.judges(), e.declares()); err != nil {
		return nil, err
	}
	asked := *e
	if e.Said() != nil {
		asked.Bounds.Restate = func(own harness.Hello) harness.Hello { return e.restate(own, p) }
	}
	found, err := asked.find(ctx, warn)
	if err != nil || e.Said() == nil || !e.InProcess() {
		return found, err
	}
	own, err := found.Hello(ctx)
	return restated{found, asked.Bounds.Restate(own)}, err
}

func (e *Engine) find(ctx context.Context, warn func(string)) (harness.Engine, error) {
	kind, rest, _ := strings.Cut(e.Use, ":")
	switch {
	case e.IsReference():
		return reference.New(), nil
	case e.Command != nil && e.Use != Reference:
		return nil, harness.Mistakef("--engine %s and -- %s name two engines (leave one out)", e.Use,
			strings.Join(e.Command, " "))
	case e.Command != nil:
		return e.start(ctx, e.Command, warn)
	case kind == "exec":
		return e.start(ctx, strings.Fields(rest), warn)
	case kind == "http" || kind == "https":
		address, err := e.Address()
		if err != nil {
			return nil, err
		}
		if u, err := url.Parse(address); err != nil || u.Host == "" {
			return nil, harness.Mistakef("--engine %s: an address is http://HOST/PATH", WithoutSecrets(e.Use))
		}
		return engine.Dial(ctx, address, e.outside())
	case kind == defect:
		return Defective(rest)
	}
	return nil, harness.Mistakef("--engine %s: no such engine%s (use reference, defect:NAME, exec:CMD ARGS or "+
		"http://HOST/PATH)", e.Use, harness.DidYouMean(e.Use, []string{Reference}))
}

// Level is how much of the engine's behaviour is judged.
func (e *Engine) Level() harness.Level { return harness.Level(e.Judge).Effective() }

// judges rejects an unknown level.
func (e *Engine) judges() error {
	names := harness.Names(harness.Levels())
	if e.Judge == "" || slices.Contains(names, e.Judge) {
		return nil
	}
	return harness.Mistakef("--judge %s: unknown level%s (choose one of %s)", e.Judge, harness.DidYouMean(e.Judge, names),
		strings.Join(names, ", "))
}

// start starts a command as engine. An error is a failure of the engine, not a mistake of the
// user.
func (e *Engine) start(ctx context.Context, command []string, warn func(string)) (harness.Engine, error) {
	if len(command) == 0 {
		return nil, harness.Mistakef("the engine's command is missing: -- CMD ARGS")
	}
	o := e.outside()
	if o.Memory > 0 && !engine.MemoryWatched() {
		warn("this system cannot limit the memory of engines, so --engine-memory has no effect")
	}
	s, err := engine.Start(ctx, command, o)
	if err != nil {
		return nil, err
	}
	return &telling{s, warn}, nil
}

// telling is a command that reports a failure after the last case, when no case is to blame.
type telling struct {
	*engine.Subprocess
	warn func(string)
}

func (t *telling) Close() error {
	err := t.Subprocess.Close()
	if err != nil {
		t.warn("the engine failed after its last answer: " + err.Error())
	}
	return err
}

// outside returns the limits of an engine outside this process.
func (e *Engine) outside() engine.Options {
	o := e.Bounds
	if o.MaxRestarts == 0 {
		o.MaxRestarts = engine.NoRestart
	}
	return o
}

// Defective returns a built-in engine with a known defect.
func Defective(name string) (harness.Engine, error) {
	e := all.Mutant(name)
	if e == nil {
		var names []string
		for _, d := range all.Dialects() {
			for _, m := range d.Defects {
				names = append(names, m.Name)
			}
		}
		return nil, harness.Mistakef("unknown defect %q%s (see replanbench list defects)", name,
			harness.DidYouMean(name, names))
	}
	return e, nil
}

// IsReference reports whether the engine is the built-in reference without overrides.
func (e *Engine) IsReference() bool { return e.Command == nil && e.Use == Reference }

// InProcess reports whether the engine runs in this process, so that another instance costs
// nothing.
func (e *Engine) InProcess() bool {
	return e.IsReference() || e.Command == nil && strings.HasPrefix(e.Use, defect+":")
}

// Starts reports whether the engine is a program that is started.
func (e *Engine) Starts() bool { return e.Command != nil || strings.HasPrefix(e.Use, "exec:") }

// File is the engine's own file: Source, or the first word of the command that is a text file in
// or below the working directory, or "".
func (e *Engine) File() string {
	for _, word := range append([]string{e.Source}, e.Command...) {
		const head = 512 // bytes; a compiled program has a zero among them
		if isFile(word) && bytes.IndexByte(files.Head(word, head), 0) < 0 {
			return filepath.Clean(word)
		}
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && filepath.IsLocal(name)
}

// Args returns the arguments that choose the same engine, for the command line
// that reproduces a result.
func (e *Engine) Args() []string {
	var args []string
	if e.Use != Reference {
		args = append(args, "--engine", WithoutSecrets(e.Use))
	}
	for _, p := range e.Profile {
		args = append(args, "--profile", p)
	}
	if level := e.Level(); level != harness.JudgeExact {
		args = append(args, "--judge", string(level))
	}
	if e.Codes != "" {
		args = append(args, "--codes", e.Codes)
	}
	if e.Arguments != "" {
		args = append(args, "--arguments", e.Arguments)
	}
	if e.Without != nil {
		args = append(args, "--without", strings.Join(e.Without, ","))
	}
	if e.Gives != nil {
		args = append(args, "--gives", strings.Join(e.Gives, ","))
	}
	if e.Command != nil {
		args = append(append(args, "--"), e.Command...)
	}
	return args
}

// variable matches the name of an environment variable in an address, such as ${KEY}.
func variable() *regexp.Regexp { return regexp.MustCompile(`\$\{(\w+)\}`) }

// Address returns the address with the escaped values of environment variables in place of
// their names.
func (e *Engine) Address() (string, error) {
	var missing error
	address := variable().ReplaceAllStringFunc(e.Use, func(text string) string {
		name := strings.Trim(text, "${}")
		value, ok := os.LookupEnv(name)
		if !ok {
			missing = harness.Mistakef("--engine %s: the environment variable %s is not set", WithoutSecrets(e.Use), name)
		}
		return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
	})
	return address, missing
}

// WithoutSecrets returns an address for reports, without password and query. It keeps the
// names of environment variables.
func WithoutSecrets(address string) string {
	const begin, end = "variable.", ".variable" // in place of characters that no address may contain
	u, err := url.Parse(variable().ReplaceAllString(address, begin+"$1"+end))
	if err != nil || u.Host == "" {
		return address
	}
	named := func(value string) bool { return strings.HasPrefix(value, begin) && strings.HasSuffix(value, end) }
	query := u.Query()
	for name := range query {
		if !named(query.Get(name)) {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	shown := u.Redacted()
	if password, _ := u.User.Password(); named(password) {
		shown = u.String()
	}
	return regexp.MustCompile(regexp.QuoteMeta(begin)+`(\w+)`+regexp.QuoteMeta(end)).ReplaceAllString(shown, "$${$1}")
}

// Meet opens the engine and returns its declaration. The caller closes it.
func (e *Engine) Meet(ctx context.Context, warn func(string)) (harness.Engine, harness.Hello, error) {
	engine, err := e.Open(ctx, warn)
	if err != nil {
		return nil, harness.Hello{}, err
	}
	hello, err := Introduction(ctx, engine)
	if err != nil {
		engine.Close()
		return nil, hello, err
	}
	return engine, hello, nil
}

// Introduction returns the engine's declaration.
func Introduction(ctx context.Context, e harness.Engine) (harness.Hello, error) {
	hello, err := e.Hello(ctx)
	if err != nil {
		return hello, fmt.Errorf("the engine did not answer initialize: %w", err)
	}
	return hello, nil
}
