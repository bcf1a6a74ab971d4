// Package fault lists what can go wrong with a model and its connection. Each fault
// damages one answer of the endpoint, and says which part of the plan call arrives,
// and so what an agent may do with it.
package fault

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/collect"
)

// Arrival is what of the call arrives.
type Arrival string

// The arrivals.
const (
	// Intact: the call arrives as a careful model sends it, in another dress. It
	// must be carried out.
	Intact Arrival = "intact"
	// Odd: the call arrives whole in an answer that breaks the API. The agent carries it
	// out unchanged, or not at all.
	Odd Arrival = "odd"
	// Partial: what arrives is no whole call. It must not be carried out.
	Partial Arrival = "partial"
	// Invalid: a whole call arrives that is none of the plan tool. It must not be carried out.
	Invalid Arrival = "invalid"
	// Nothing of the call arrives.
	Nothing Arrival = "nothing"
	// Doubled: the call arrives, and behind it another one.
	Doubled Arrival = "doubled"
)

// Fault is one thing that goes wrong.
type Fault struct {
	Name    string
	Family  string // transport, stream, answer, call
	Text    string // one line
	Arrives Arrival
	Alone   bool // no other call may come before the plan call

	// The stages of an answer. A fault spoils one or more.
	answer  func(s *Shot)
	events  func(s *Shot)
	deliver func(s *Shot)
	// only says which requests the fault can be answered to; nil is all.
	only func(r *wire.Request) bool
}

func (a Arrival) fault(name, text string) Fault { return Fault{Name: name, Text: text, Arrives: a} }

// on returns the fault for some requests only.
func (f Fault) on(only func(r *wire.Request) bool) Fault { f.only = only; return f }

// changes, sends and delivers return the fault with what it does at a stage.
func (f Fault) changes(answer func(s *Shot)) Fault   { f.answer = answer; return f }
func (f Fault) sends(events func(s *Shot)) Fault     { f.events = events; return f }
func (f Fault) delivers(deliver func(s *Shot)) Fault { f.deliver = deliver; return f }

func (f Fault) alone() Fault { f.Alone = true; return f }

// Shot is an answer on its way.
type Shot struct {
	Request  *wire.Request
	Answer   wire.Answer
	Last     wire.Answer // the answer before it, if there was one
	Second   string      // the arguments of a second call
	Window   int         // tokens that fit into the model's window
	Gzip     bool        // the agent reads gzip
	Location string      // where the endpoint is

	Events   []wire.Event
	Delivery endpoint.Delivery
}

// call returns the plan call, which is the last call of the answer.
func (s *Shot) call() *wire.Call {
	if len(s.Answer.Calls) == 0 {
		return &wire.Call{}
	}
	return &s.Answer.Calls[len(s.Answer.Calls)-1]
}

// Fits reports whether the fault can be answered to a request. Many faults do not exist
// in every API.
func (f *Fault) Fits(r *wire.Request) bool { return f.only == nil || f.only(r) }

// Send makes the delivery of a shot, spoilt by the fault; nil spoils nothing.
func (f *Fault) Send(s *Shot) endpoint.Delivery {
	if f == nil {
		f = &Fault{}
	}
	run := func(stage func(*Shot)) {
		if stage != nil {
			stage(s)
		}
	}
	run(f.answer)
	s.Events = wire.Write(s.Request, s.Answer)
	run(f.events)
	s.Delivery = endpoint.Deliver(s.Request, s.Events)
	run(f.deliver)
	return s.Delivery
}

// Find returns the fault of that name. The error names the nearest one.
func Find(name string) (*Fault, error) {
	list := All()
	i := slices.IndexFunc(list, func(f Fault) bool { return f.Name == name })
	if i < 0 {
		return nil, harness.Mistakef("unknown fault %q%s (see replanbench list transport)", name,
			harness.DidYouMean(name, Names()))
	}
	return &list[i], nil
}

// Names lists the names of all faults.
func Names() []string {
	return collect.Map(All(), func(f Fault) string { return f.Name })
}

// All lists the faults.
func All() []Fault {
	return slices.Concat(
		family("transport", transport()), family("stream", stream()), family("answer", answer()), family("call", call()),
	)
}

func family(name string, list []Fault) []Fault {
	for i := range list {
		list[i].Family = name
	}
	return list
}

// Forms of requests that faults need.
func streamed(r *wire.Request) bool   { return r.Stream }
func unstreamed(r *wire.Request) bool { return !r.Stream }
func isChat(r *wire.Request) bool     { return r.API == wire.Chat }
func notGemini(r *wire.Request) bool  { return r.API != wire.Gemini }
func notResponses(r *wire.Request) bool {
	return r.API != wire.Responses // there only texts have a role, and status says how it ended
}
func sse(r *wire.Request) bool          { return r.Stream && r.API != wire.Gemini }
func geminiStream(r *wire.Request) bool { return r.Stream && r.API == wire.Gemini }
