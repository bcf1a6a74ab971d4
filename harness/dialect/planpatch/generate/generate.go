package generate

import (
	"sync"

	"replanbench/generators"
)

// patchMaker makes samples of the dialect planpatch.
type patchMaker struct {
	opts   generators.Options
	menu   generators.Menu[patchFault, *patchFault]
	drafts sync.Pool
}

func New(opts generators.Options) (generators.Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > generators.MaxPlanSteps {
		opts.MaxSteps = generators.MaxPlanSteps
	}
	m, err := generators.NewMenu[patchFault, *patchFault](patchFaults, opts.Faults)
	if err != nil {
		return nil, err
	}
	return &patchMaker{opts: opts, menu: m, drafts: sync.Pool{New: func() any { return new(draft) }}}, nil
}

func (m *patchMaker) Make(c generators.Choices) generators.Sample {
	d := m.drafts.Get().(*draft)
	defer m.drafts.Put(d)
	d.reset(c, m.opts.MaxSteps)
	return d.sample(m.opts.Profile, &m.menu)
}

// Faults lists the faults in the order of their families.
func Faults() []generators.Fault { return generators.Listed(patchFaults) }
