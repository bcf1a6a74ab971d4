package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/agent/profile"
	"replanbench/harness/config"
	"replanbench/harness/config/starter"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/adapters"
)

// initFlags say what init writes, and where.
type initFlags struct {
	Adapter   string   `list:"${adapters}" arg:"LANGUAGE" help:"also write an adapter in this LANGUAGE: ${adapters}"`
	Example   string   `conflicts:"adapter,dialect" list:"${examples}" arg:"NAME" help:"write a small project to copy, by its NAME: python, typescript, go (an engine with bugs), tasks-python, tasks-node, tasks-go (a store of tasks), research (prompts)"`
	Dialect   []string `list:"${dialects}" arg:"DIALECTS" help:"the DIALECTS that the adapter is for (default ${first-dialect}; see replanbench list dialects)"`
	Dialects  []string `old:"dialect" list:"${dialects}" help:"the old name of --dialect"`
	Arguments string   `enum:"text,parsed" help:"what the engine gets: the text that a model wrote, or arguments that a client has parsed; on a terminal init asks"`
	Cluster   string   `list:"${clusters}" arg:"SCHEDULER" help:"also write files to run a campaign in shards on a SCHEDULER: ${clusters}"`
	Agents    bool     `help:"also write a workflow that tests new versions of agents and writes a table of versions and causes"`
	MCP       bool     `name:"mcp" help:"also write a workflow that tests your own task server"`
	Dir       string   `default:"." arg:"DIR" help:"the project's DIR, which is created if missing"`
	Force     bool     `help:"overwrite existing files"`

	asks    bool             // whether the engine gets parsed arguments
	example *starter.Example // the project of Example
}

func newInit(e env) *cobra.Command {
	var f initFlags
	return command(e, &cobra.Command{
		Use:   "init [--adapter LANGUAGE]",
		Short: "Write the files of a new project: configuration, adapter, CI workflow",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.asks = f.Adapter != "" && !cmd.Flags().Changed("arguments")
			adapter, err := f.adapter(cmd.Context())
			if err != nil {
				return err
			}
			cluster, err := f.scheduler()
			if err != nil {
				return err
			}
			f.Dialect = append(f.Dialect, f.Dialects...)
			for _, d := range f.Dialect {
				if all.Find(d) == nil {
					return usagef("--dialect: unknown dialect %q%s (choose from %s)", d, harness.DidYouMean(d, all.Names()),
						strings.Join(all.Names(), ", "))
				}
			}
			return f.run(e, adapter, cluster)
		},
	}, &f)
}

// adapter is the one of --adapter or of --example; nil is none.
func (f *initFlags) adapter(ctx context.Context) (*adapters.Adapter, error) {
	language := f.Adapter
	if f.Example != "" && !slices.Contains(examples(), f.Example) {
		return nil, usagef("--example: unknown project %q%s (choose from %s)", f.Example,
			harness.DidYouMean(f.Example, examples()), strings.Join(examples(), ", "))
	}
	if f.Example != "" {
		x, err := example(f.Example)
		if err != nil {
			return nil, err
		}
		if f.example, language = &x, x.Adapter; x.Dialect != "" {
			f.Dialect = []string{x.Dialect}
		}
	}
	if language == "" {
		return nil, nil
	}
	a, err := adapters.Find(language)
	if err != nil {
		return nil, usagef("--adapter: %w%s", err, harness.DidYouMean(f.Adapter, adapterNames()))
	}
	if version := oldNode(ctx); a.Language == "typescript" && version != "" {
		a = a.StartedBy("tsx, because Node "+version+" runs no TypeScript: npm install --save-dev tsx; npx tsx is slower",
			"node", "--import", "tsx")
	}
	return &a, nil
}

// scheduler is the one of --cluster; nil is none.
func (f *initFlags) scheduler() (*starter.Cluster, error) {
	list := starter.Clusters()
	if f.Cluster == "" {
		return nil, nil
	}
	i := slices.IndexFunc(list, func(c starter.Cluster) bool { return c.Name == f.Cluster })
	if i < 0 {
		names := clusterNames()
		return nil, usagef("--cluster: unknown scheduler %q%s (choose from %s)", f.Cluster,
			harness.DidYouMean(f.Cluster, names), strings.Join(names, ", "))
	}
	return &list[i], nil
}

func clusterNames() []string {
	return collect.Map(starter.Clusters(), func(c starter.Cluster) string { return c.Name })
}

func (f *initFlags) run(e env, a *adapters.Adapter, cluster *starter.Cluster) error {
	in := bufio.NewReader(e.stdin)
	p := starter.Project{
		Dir: f.Dir, Adapter: a, Example: f.example, Dialects: f.split(e, in), Cluster: cluster, Server: f.MCP, Ref: ref(),
		Overwrite: func(name string) bool {
			return f.Force || agrees(e, in, escape.Terminal(name)+" exists and differs; write over it?")
		},
	}
	if f.Agents {
		list, err := profile.Builtin()
		if err != nil {
			return err
		}
		for _, a := range list {
			if a.Package != "" {
				p.Agents = append(p.Agents, starter.Agent{Name: a.Name, Package: a.Package, Command: a.Command})
			}
		}
	}
	if a != nil || f.Example == research {
		more, err := firstScenario(cmp.Or(p.Dialects.First, all.Names()[0]), f.Example)
		if err != nil {
			return err
		}
		p.More = more
	}
	list, err := p.Write()
	for _, w := range list {
		fmt.Fprintf(e.stdout, "%-9s  %s\n", w.Said, escape.Terminal(w.Name))
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(w starter.Written) bool { return w.Said == "kept" }) {
		fmt.Fprint(e.stdout, "\nThe kept files differ from what init would write; --force writes over them.\n")
	}
	f.next(e, p, f.tests(e))
	return nil
}

// oldNode returns the version of the installed Node if it cannot run TypeScript, or "".
func oldNode(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	var major, minor int
	if _, failed := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err != nil || failed != nil {
		return ""
	}
	if major > 23 || major == 23 && minor >= 6 || major == 22 && minor >= 18 {
		return ""
	}
	return fmt.Sprintf("%d.%d", major, minor)
}

// tests returns the command of the engine that replanbench.yaml tests, or nil.
func (f *initFlags) tests(e env) []string {
	c, err := readConfig(e, filepath.Join(f.Dir, config.FileName))
	if err != nil {
		return nil // check will show the mistake
	}
	return c.Engine.Command
}

// split sorts the dialects by what an adapter gives for them; without any it is
// the first.
func (f *initFlags) split(e env, in *bufio.Reader) (d adapters.Dialects) {
	d.Parsed = f.Arguments == harness.ParsedArguments || f.asks &&
		agrees(e, in, "Does your engine get the arguments of a tool call as parsed JSON, and not the text of a reply?")
	names := f.Dialect
	if len(names) == 0 {
		names = all.Names()[:1]
	} else {
		d.First = names[0]
	}
	for _, name := range names {
		found := all.Find(name)
		d.Pages = append(d.Pages, found.Help)
		if found.Edits {
			d.Replies = append(d.Replies, name)
		} else {
			d.Cases = append(d.Cases, name)
		}
	}
	return d
}

// agrees asks a question; where nobody can be asked the answer is no.
func agrees(e env, in *bufio.Reader, question string) bool {
	if !e.inTerminal || !e.errTerminal {
		return false
	}
	fmt.Fprint(e.stderr, question+" [y/N] ")
	answer, err := in.ReadString('\n')
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}

// next says what to do now. tested is the command of the engine that replanbench.yaml names.
func (f *initFlags) next(e env, p starter.Project, tested []string) {
	a, check := p.Adapter, "replanbench check"
	if p.Example != nil {
		fmt.Fprintf(e.stdout, "\n%s says what to type.\n", escape.Terminal(filepath.Join(f.Dir, "README.md")))
		return
	}
	if a == nil {
		fmt.Fprint(e.stdout, "\nName your engine in "+config.FileName+" (replanbench init --adapter writes one), then:\n\n")
	} else {
		if !slices.Equal(a.Command, tested) {
			check += " -- " + strings.Join(a.Command, " ")
			to := fmt.Sprintf("%s tests %s. To test %s instead, write there, under engine:", config.FileName,
				escape.Shell(tested...), a.File)
			fmt.Fprintf(e.stdout, "\n%s\n\n  command: [%s]\n\n"+
				"Its workflow then needs the set-up of %s; %s --force writes both.\n", explain.Wrap(to, ""),
				strings.Join(a.Command, ", "), a.Runtime(), "init --adapter "+a.Language)
		}
		needs := ""
		if a.Needs != "" {
			needs = " (it needs " + a.Needs + ")"
		}
		fmt.Fprintf(e.stdout, "\n%s\n\n", explain.WrapTo(80, "Fill in the function "+
			strings.Join(a.ToFill(p.Dialects), " and ")+needs+", then:", ""))
	}
	if f.Dir != "." {
		fmt.Fprintf(e.stdout, "  cd %s\n", escape.Shell(f.Dir))
	}
	if a != nil {
		for _, c := range a.Prepare(f.Dir) {
			fmt.Fprintf(e.stdout, "  %s\n", strings.Join(c, " "))
		}
		command := strings.Join(a.Command, " ")
		fmt.Fprintf(e.stdout, "  replanbench engine check -- %s\n", command)
		fuzz := "replanbench fuzz"
		if first := p.Dialects.First; first != "" {
			fuzz += " --dialect " + first
		}
		fmt.Fprintf(e.stdout, "  %s --cases 2000 -- %s\n", fuzz, command)
	}
	fmt.Fprintln(e.stdout, "  "+check)
	if c := p.Cluster; c != nil {
		fmt.Fprintf(e.stdout, "\n%s says how to start the shards.\n", c.File)
	}
}
