package generators

import "sync"

// patchMaker makes samples of the dialect planpatch.
type patchMaker struct {
	opts   Options
	menu   menu[patchFault, *patchFault]
	drafts sync.Pool
}

func newPatchMaker(opts Options) (Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > MaxPlanSteps {
		opts.MaxSteps = MaxPlanSteps
	}
	m, err := newMenu[patchFault, *patchFault](patchFaults, opts.Faults)
	if err != nil {
		return nil, err
	}
	return &patchMaker{opts: opts, menu: m, drafts: sync.Pool{New: func() any { return new(draft) }}}, nil
}

func (m *patchMaker) make(c choices) Sample {
	d := m.drafts.Get().(*draft)
	defer m.drafts.Put(d)
	d.reset(c, m.opts.MaxSteps)
	return d.sample(m.opts.Profile, &m.menu)
}

// Faults lists the faults in the order of their families.
func patchFaultList() []Fault { return listed(patchFaults) }
