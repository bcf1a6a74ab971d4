package agent

import (
	"context"
	"regexp"
	"strconv"
	"sync"
	"time"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/agent/wire"
)

// Listen plays the model to agents that others start, until the sessions or the time are
// used up, or the context ends. Each new conversation is the next session; the calls in
// its history identify a conversation. Listen calls tell with the URL of the endpoint,
// and with the key that requests must carry.
func Listen(ctx context.Context, c Config, address string, tell func(url, key string)) (Result, error) {
	h := &host{config: c, ctx: ctx, finished: make(chan struct{})}
	o := endpoint.Options{Address: address, Key: session.NewKey(), Model: session.ModelName}
	if c.Agent.Record != nil {
		o.Log = func(x endpoint.Exchange) { c.Agent.Record(session.Name{}, o.Key, x) }
	}
	server, err := endpoint.Open(h, o)
	if err != nil {
		return Result{}, err
	}
	defer server.Close()
	tell(server.URL(), o.Key)
	var late <-chan time.Time
	if c.Time > 0 {
		timer := time.NewTimer(c.Time)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
	case <-late:
	case <-h.finished:
		time.Sleep(lastWords) // the agent reads the last answer
	}
	return h.result()
}

// lastWords is how long the endpoint stays behind the end of the last session.
const lastWords = 300 * time.Millisecond

// host plays the model in several conversations.
type host struct {
	config   Config
	ctx      context.Context
	finished chan struct{}

	mu      sync.Mutex
	driver  *driver
	planner *Planner
	faults  []string
	plans   []Planned
	players []*session.Player
	err     error
	once    sync.Once
}

// Answer hands the request to the player of its conversation.
func (h *host) Answer(ctx context.Context, r *wire.Request) endpoint.Delivery {
	h.mu.Lock()
	p, err := h.player(r)
	h.mu.Unlock()
	if err != nil {
		return endpoint.Delivery{Status: 400, Type: "application/json", Body: wire.Error(r.API, 400, err.Error())}
	}
	d := p.Answer(ctx, r)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over() {
		h.once.Do(func() { close(h.finished) })
	}
	return d
}

// over reports whether every session was begun and played to its end.
func (h *host) over() bool {
	if len(h.players) < h.config.Sessions {
		return false
	}
	for _, p := range h.players {
		if !p.Over() {
			return false
		}
	}
	return true
}

// player finds the player of a request, or begins a session.
func (h *host) player(r *wire.Request) (*session.Player, error) {
	if id, ok := conversation(r); ok && id < len(h.players) {
		return h.players[id], nil
	}
	last := len(h.players) - 1
	chosen, ok := profile.Choose(h.config.Agent.Profiles, r.Tools)
	if !ok || last+1 >= h.config.Sessions {
		if last >= 0 {
			return h.players[last], nil
		}
		if len(r.Tools) > 0 {
			h.err = session.NoTool(r.Tools)
		}
		return session.NewPlayer(h.config.Agent.Profiles, session.Script{}, 0, ""), nil
	}
	if err := h.begin(chosen); err != nil {
		h.err = err
		return nil, err
	}
	plan := h.planner.Session(last + 1)
	p := session.NewPlayer([]*profile.Profile{chosen}, plan.Script, plan.ID, "")
	h.plans, h.players = append(h.plans, plan), append(h.players, p)
	return p, nil
}

// begin plans the sessions when the first conversation shows which profile it is.
func (h *host) begin(p *profile.Profile) error {
	if h.driver != nil {
		return nil
	}
	subject, err := newSubject(p, h.config.Rules)
	if err != nil {
		return err
	}
	source, err := subject.Source(h.config.Traits)
	if err != nil {
		return err
	}
	if h.faults, err = Faults(h.config.Faults); err != nil {
		return err
	}
	h.err = nil
	h.driver = &driver{config: h.config, subject: subject}
	h.planner = newPlanner(subject, source, h.config.Seed, h.config.Sessions, h.config.Turns, h.faults)
	return nil
}

// ownCall matches the ids of calls, which name the session.
var ownCall = regexp.MustCompile(`^call_(\d+)_\d+_r?\d+(?:b|n\d+)?$`)

// conversation returns the session of a request, by the calls in its history.
func conversation(r *wire.Request) (int, bool) {
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			if found := ownCall.FindStringSubmatch(c.ID); found != nil {
				id, err := strconv.Atoi(found[1])
				return id, err == nil
			}
		}
	}
	return 0, false
}

// result judges what was played.
func (h *host) result() (Result, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.driver == nil {
		return Result{}, h.err
	}
	var sessions []played
	for i, p := range h.players {
		log := p.Log()
		broken, judged, err := h.driver.subject.Judge(context.WithoutCancel(h.ctx), h.plans[i], log)
		if err != nil {
			return Result{}, err
		}
		sessions = append(sessions, played{h.plans[i], log, broken, judged})
	}
	r := h.driver.result(sessions, h.faults)
	for i := range r.Causes {
		c := &r.Causes[i]
		c.Session = h.driver.session(c, c.from.Script)
	}
	return r, nil
}
