package harness

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/collect"
)

// Profile is the policy of an engine as data. Every field is a knob; the named
// sets are [Profiles]. No knob waives a safety invariant.
type Profile struct {
	Conflicts        string  `json:"conflicts"`         // reject | keep | replace
	DuplicateUpdates string  `json:"duplicate_updates"` // reject | last | merge
	DuplicateKeys    string  `json:"duplicate_keys"`    // reject | last
	ExtraFields      string  `json:"extra_fields"`      // reject | drop
	Orphans          string  `json:"orphans"`           // reject | detach | bridge
	CarryOver        string  `json:"carry_over"`        // restore | by_id
	Ladder           []Rung  `json:"ladder"`            // patch | retry | fullplan | react
	Reading          Reading `json:"reading"`
	OnError          string  `json:"on_error"`      // skip | abort | stop
	StepIDNames      string  `json:"step_id_names"` // step_id | any
	Positions        string  `json:"positions"`     // integer | any
	Parallel         int     `json:"parallel"`      // at least 1

	// Base is the named set that the profile was made from; "" is reference. It
	// gives the knobs of dialects their values where More has none, and does not
	// go along with a profile: see [Profile.For].
	Base string `json:"-"`
	// More holds values of the knobs that dialects declare for themselves, by name.
	More map[string]string `json:",embed"`
}

// Reading switches the reading tiers beyond strict on and off.
type Reading struct {
	Extract bool `json:"extract"`
	Repair  bool `json:"repair"`
	Coerce  bool `json:"coerce"`
	// Fences says that Extract looks into code fences alone, and not into prose.
	Fences bool `json:"-"`
}

// Rung is a step of the fallback ladder.
type Rung string

// The rungs.
const (
	RungPatch    Rung = "patch"
	RungRetry    Rung = "retry"
	RungFullPlan Rung = "fullplan"
	RungReact    Rung = "react"
)

// The values of the knobs.
const (
	Reject  = "reject"
	Keep    = "keep"
	Replace = "replace"
	Last    = "last"
	Drop    = "drop"
	Detach  = "detach"
	Bridge  = "bridge"
	Restore = "restore"
	ByID    = "by_id"
	Skip    = "skip"
	Abort   = "abort"
	Stop    = "stop"
	Merge   = "merge"
	Fence   = "fence"
	Any     = "any"
)

// The named profiles.
const (
	ProfileReference  = "reference"
	ProfileDocumented = "documented"
	ProfileStrict     = "strict"
	ProfileLenient    = "lenient"
	ProfileReact      = "react"
)

// Profiles lists the named profiles.
func Profiles() []Term {
	return []Term{
		{ProfileReference, "the defaults: extracts from prose, replaces on conflict, puts finished work back"},
		{ProfileDocumented, "the rules as first published: keeps on conflict, carries finished work over by id only"},
		{ProfileStrict, "no repair, no tolerance"},
		{ProfileLenient, "every repair on"},
		{ProfileReact, "as documented, with no whole plans: after three failed patches the step goes on without a plan"},
	}
}

// Named returns a named profile.
func Named(name string) (Profile, bool) {
	p := Profile{
		Conflicts: Replace, DuplicateUpdates: Reject, DuplicateKeys: Reject, ExtraFields: Reject,
		Orphans: Reject, CarryOver: Restore, Ladder: []Rung{RungPatch, RungRetry, RungFullPlan},
		Reading: Reading{Extract: true}, OnError: Skip, StepIDNames: "step_id", Positions: "integer", Parallel: 1,
	}
	switch name {
	case ProfileReference:
	case ProfileDocumented:
		p.Conflicts, p.CarryOver = Keep, ByID
	case ProfileStrict:
		p.Conflicts, p.Reading, p.OnError = Reject, Reading{}, Abort
	case ProfileLenient:
		p.DuplicateUpdates, p.DuplicateKeys, p.ExtraFields, p.Orphans = Last, Last, Drop, Bridge
		p.Reading, p.StepIDNames, p.Positions = Reading{Extract: true, Repair: true, Coerce: true}, Any, Any
	case ProfileReact:
		p.Conflicts, p.Ladder = Keep, []Rung{RungPatch, RungRetry, RungRetry, RungReact}
	default:
		return Profile{}, false
	}
	if name != ProfileReference {
		p.Base = name
	}
	return p, true
}

// sets are the named profiles. Nothing writes to them.
var sets = func() (list []Profile) {
	for _, t := range Profiles() {
		p, _ := Named(t.Name)
		list = append(list, p)
	}
	return list
}()

// Reference returns the default profile.
func Reference() Profile {
	p, _ := Named(ProfileReference)
	return p
}

// Equal reports whether two profiles have the same values, whatever the dialect.
func (p Profile) Equal(q Profile) bool {
	return p.Base == q.Base && maps.Equal(p.More, q.More) && p.Same(q, nil)
}

// Same reports whether two profiles have the same values for a dialect with these
// knobs of its own.
func (p Profile) Same(q Profile, own []Knob) bool {
	// the named sets differ in these
	if p.Conflicts != q.Conflicts || p.CarryOver != q.CarryOver || p.Reading != q.Reading {
		return false
	}
	for i := range own {
		if k := &own[i]; k.Own(&p) != k.Own(&q) || k.mixed && p.More[k.Name] != q.More[k.Name] {
			return false
		}
	}
	return p.DuplicateUpdates == q.DuplicateUpdates && p.DuplicateKeys == q.DuplicateKeys &&
		p.ExtraFields == q.ExtraFields &&
		p.Orphans == q.Orphans && p.OnError == q.OnError && p.StepIDNames == q.StepIDNames && p.Positions == q.Positions &&
		p.Parallel == q.Parallel && slices.Equal(p.Ladder, q.Ladder)
}

// Name returns the name of the set that the profile equals, or "".
func (p Profile) Name() string {
	for i, t := range Profiles() {
		if p.Equal(sets[i]) {
			return t.Name
		}
	}
	return ""
}

// For returns the profile as it is for a dialect with these knobs of its own: a
// named set, or values over the profile reference. So it can be written down.
func (p Profile) For(own []Knob) Profile {
	for i := range sets {
		if p.Same(sets[i], own) {
			q := sets[i]
			q.Ladder = slices.Clone(q.Ladder)
			return q
		}
	}
	return p.over(own)
}

// over returns the profile as values over the profile reference.
func (p Profile) over(own []Knob) Profile {
	q := p
	q.Base, q.More, q.Ladder = "", nil, slices.Clone(p.Ladder)
	for i := range own {
		k := &own[i]
		_, given := p.More[k.Name]
		value := k.Own(&p)
		if k.mixed && !given || !k.mixed && value == k.Default || k.check(value) != nil { // it may be another dialect's
			continue
		}
		if q.More == nil {
			q.More = map[string]string{}
		}
		q.More[k.Name] = value
	}
	return q
}

// Check looks at the knobs in More, of a dialect that has these of its own. The
// error names the unknown part.
func (p Profile) Check(own []Knob) error {
	for _, name := range slices.Sorted(maps.Keys(p.More)) {
		if err := new(Profile).Set(name, p.More[name], own...); err != nil {
			return err
		}
	}
	return nil
}

// Knob is one setting of a profile. A dialect may declare some of its own, whose
// values are in [Profile.More].
type Knob struct {
	Name    string   // with dots for nesting: reading.repair
	Text    string   // one line: what it decides
	Values  []string // what it may be; nil for a positive integer
	Rare    []string // the Values that generators do not draw: only engines that declare them are asked
	List    bool     // several values, separated by commas
	Default string   // of a dialect's own: in the profile reference
	// Named are the values of a dialect's own in the named sets in which they are
	// not the default.
	Named map[string]string
	get   func(*Profile) string
	set   func(*Profile, string)
	// mixed says that several dialects have the knob, with other defaults: then each value is kept.
	mixed bool
}

// Drawn lists the values that generators draw.
func (k Knob) Drawn() []string {
	return slices.DeleteFunc(slices.Clone(k.Values), func(v string) bool { return slices.Contains(k.Rare, v) })
}

// IsRare reports whether a value is one that generators do not draw.
func (k Knob) IsRare(value string) bool {
	return slices.Contains(k.Rare, value) || k.Values == nil && k.Default != "" && value != k.Default
}

// Get returns the knob's value in p.
func (k Knob) Get(p Profile) string {
	if k.get == nil {
		return k.Own(&p)
	}
	shared := p // unlike p, which stays off the heap
	return k.get(&shared)
}

// Of is Get without a copy of the profile.
func (k *Knob) Of(p *Profile) string {
	if k.get != nil {
		return k.get(p)
	}
	return k.Own(p)
}

// Own is Of for a knob that a dialect has of its own.
func (k *Knob) Own(p *Profile) string {
	if v, ok := p.More[k.Name]; ok {
		return v
	}
	return cmp.Or(k.Named[p.Base], k.Default)
}

// put sets the knob to a value that it may have. Profiles may share More, so it
// is copied.
func (k *Knob) put(p *Profile, v string) {
	if k.set != nil {
		k.set(p, v)
		return
	}
	more := maps.Clone(p.More)
	delete(more, k.Name)
	if p.More = more; k.mixed || k.Get(*p) != v {
		if more == nil {
			p.More = map[string]string{}
		}
		p.More[k.Name] = v
	}
	if len(p.More) == 0 {
		p.More = nil
	}
}

// Knobs lists the knobs of all dialects with their values, and behind them those
// that a dialect has of its own.
func Knobs(own ...Knob) []Knob { return slices.Concat(shared, own) }

// shared are the knobs of all dialects. Nothing writes to them.
var shared = func() []Knob {
	text := func(name string, f func(*Profile) *string, values ...string) Knob {
		return Knob{
			Name: name, Values: values,
			get: func(p *Profile) string { return *f(p) },
			set: func(p *Profile, v string) { *f(p) = v },
		}
	}
	flag := func(name string, f func(*Profile) *bool) Knob {
		return Knob{
			Name: name, Values: []string{"true", "false"},
			get: func(p *Profile) string { return strconv.FormatBool(*f(p)) },
			set: func(p *Profile, v string) { *f(p) = v == "true" },
		}
	}
	rare := func(k Knob, values ...string) Knob {
		k.Values, k.Rare = append(k.Values, values...), values
		return k
	}
	return []Knob{
		text("conflicts", func(p *Profile) *string { return &p.Conflicts }, Reject, Keep, Replace),
		rare(text("duplicate_updates", func(p *Profile) *string { return &p.DuplicateUpdates }, Reject, Last), Merge),
		text("duplicate_keys", func(p *Profile) *string { return &p.DuplicateKeys }, Reject, Last),
		text("extra_fields", func(p *Profile) *string { return &p.ExtraFields }, Reject, Drop),
		text("orphans", func(p *Profile) *string { return &p.Orphans }, Reject, Detach, Bridge),
		text("carry_over", func(p *Profile) *string { return &p.CarryOver }, Restore, ByID),
		{
			Name: "ladder", List: true,
			Values: []string{string(RungPatch), string(RungRetry), string(RungFullPlan), string(RungReact)},
			get:    getLadder,
			set:    setLadder,
		},
		{Name: "reading.extract", Values: []string{"true", "false", Fence}, Rare: []string{Fence}, get: getExtract, set: setExtract},
		flag("reading.repair", func(p *Profile) *bool { return &p.Reading.Repair }),
		flag("reading.coerce", func(p *Profile) *bool { return &p.Reading.Coerce }),
		rare(text("on_error", func(p *Profile) *string { return &p.OnError }, Skip, Abort), Stop),
		text("step_id_names", func(p *Profile) *string { return &p.StepIDNames }, "step_id", Any),
		text("positions", func(p *Profile) *string { return &p.Positions }, "integer", Any),
		{
			Name: "parallel",
			get:  func(p *Profile) string { return strconv.Itoa(p.Parallel) },
			set:  func(p *Profile, v string) { p.Parallel, _ = strconv.Atoi(v) },
		},
	}
}()

func getExtract(p *Profile) string {
	if p.Reading.Extract && p.Reading.Fences {
		return Fence
	}
	return strconv.FormatBool(p.Reading.Extract)
}

func setExtract(p *Profile, v string) { p.Reading.Extract, p.Reading.Fences = v != "false", v == Fence }

func getLadder(p *Profile) string {
	list := make([]byte, 0, 64)
	for i, r := range p.Ladder {
		list = append(append(list, ","[:min(i, 1)]...), r...)
	}
	return string(list)
}

func setLadder(p *Profile, v string) {
	p.Ladder = nil
	for s := range strings.SplitSeq(v, ",") {
		p.Ladder = append(p.Ladder, Rung(strings.TrimSpace(s)))
	}
}

// Set changes one knob, among them those that a dialect has of its own. The value
// of a list is separated by commas. The error names the knob, the value and what
// would be right.
func (p *Profile) Set(knob, value string, own ...Knob) error {
	k := find(knob, own)
	if k == nil {
		names := collect.Map(Knobs(own...), func(k Knob) string { return k.Name })
		return fmt.Errorf("unknown profile knob %q%s (the knobs are %s)", knob, DidYouMean(knob, names),
			strings.Join(names, ", "))
	}
	if err := k.check(value); err != nil {
		return err
	}
	if p.Base != "" { // dialects have other values of one knob: each resolves the set for itself
		k.put(p, value)
		return nil
	}
	q := p.over(own)
	k.put(&q, value)
	*p = q.For(own)
	return nil
}

// Variants yields the profiles that differ in one of these knobs, each with its setting as KNOB=VALUE. A value that
// the other knobs forbid is left out.
func (p Profile) Variants(knobs []Knob, own ...Knob) iter.Seq2[string, Profile] {
	return func(yield func(string, Profile) bool) {
		for _, k := range knobs {
			for _, value := range k.Values {
				if q := p; q.Set(k.Name, value, own...) == nil && !yield(k.Name+"="+value, q) {
					return
				}
			}
		}
	}
}

// find returns a knob of all dialects or of these; nil is none.
func find(name string, own []Knob) *Knob {
	for _, list := range [][]Knob{shared, own} {
		if i := slices.IndexFunc(list, func(k Knob) bool { return k.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

func (k *Knob) check(value string) error {
	if k.Values == nil && k.Default != "" && value == k.Default {
		return nil
	}
	if k.Values == nil {
		if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return fmt.Errorf("profile knob %s: %q is not an integer of at least 1", k.Name, value)
		}
		return nil
	}
	parts := []string{value}
	if k.List {
		parts = strings.Split(value, ",")
	}
	for _, v := range parts {
		if !slices.Contains(k.Values, strings.TrimSpace(v)) {
			return fmt.Errorf("profile knob %s: unknown value %q%s (the values are %s)", k.Name, v,
				DidYouMean(strings.TrimSpace(v), k.Values), strings.Join(k.Values, ", "))
		}
	}
	return nil
}

// Holds reports whether a knob has a value (KNOB=VALUE); own are the knobs of a dialect. No setting
// always holds.
func (p *Profile) Holds(setting string, own ...Knob) bool {
	name, value, _ := strings.Cut(setting, "=")
	k := find(name, own)
	return setting == "" || k != nil && k.Of(p) == value
}

// With returns the profile with other values of knobs (KNOB=VALUE). It panics for a wrong setting.
// own are the dialect's knobs.
func (p Profile) With(own []Knob, settings ...string) Profile {
	for _, s := range settings {
		q := p // unlike p, on the heap
		if err := q.Apply(s, own...); err != nil {
			panic("a setting is wrong: " + err.Error())
		}
		p = q
	}
	return p
}

// Apply changes the profile by one setting as written in scenarios and on the
// command line: the name of a set, which replaces everything, or knob=value, where
// the knob may be one that a dialect has of its own.
func (p *Profile) Apply(setting string, own ...Knob) error {
	if knob, value, ok := strings.Cut(setting, "="); ok {
		return p.Set(strings.TrimSpace(knob), strings.TrimSpace(value), own...)
	}
	q, ok := Named(strings.TrimSpace(setting))
	if !ok {
		return fmt.Errorf("unknown profile %q%s (the profiles are %s; a single knob is knob=value)", setting,
			DidYouMean(setting, Names(Profiles())), strings.Join(Names(Profiles()), ", "))
	}
	*p = q
	return nil
}

// MarshalJSONTo writes the profile as the name of the set that it equals, or
// as an object of the knobs that differ from the profile reference.
func (p Profile) MarshalJSONTo(enc *jsontext.Encoder) error {
	if name := p.Name(); name != "" {
		return enc.WriteToken(jsontext.String(name))
	}
	ref := Reference()
	out := map[string]any{}
	for name, v := range p.More {
		out[name] = v
		if list := strings.Split(v, ","); len(list) > 1 {
			out[name] = list
		}
	}
	reading := map[string]any{}
	for _, k := range Knobs() {
		if k.Get(p) == k.Get(ref) {
			continue
		}
		if name, ok := strings.CutPrefix(k.Name, "reading."); ok {
			reading[name] = k.Get(p) == "true"
			if k.Get(p) == Fence {
				reading[name] = Fence
			}
			out["reading"] = reading
			continue
		}
		switch k.Name {
		case "ladder":
			out[k.Name] = p.Ladder
		case "parallel":
			out[k.Name] = p.Parallel
		default:
			out[k.Name] = k.Get(p)
		}
	}
	return json.MarshalEncode(enc, out, json.Deterministic(true))
}

// MarshalJSON writes the profile with any JSON library.
func (p Profile) MarshalJSON() ([]byte, error) { return json.Marshal(p) }

// UnmarshalJSON reads the profile with any JSON library.
func (p *Profile) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, p) }

// UnmarshalJSONFrom reads the name of a set, or an object of knobs over the
// profile reference. Unknown values are errors. A knob that profiles do not have belongs
// to a dialect; [Profile.Check] checks it when the dialect is known.
func (p *Profile) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		return p.named(tok.String())
	}
	type knobs Profile // without the methods
	k := knobs(Reference())
	k.Ladder = nil
	if err := json.UnmarshalDecode(dec, &k, json.WithUnmarshalers(json.UnmarshalFromFunc(joinList))); err != nil {
		return err
	}
	q := Profile(k)
	if q.Ladder == nil {
		q.Ladder = Reference().Ladder
	}
	for _, knob := range Knobs() {
		if err := knob.check(knob.Get(q)); err != nil {
			return err
		}
	}
	*p = q
	return nil
}

// UnmarshalJSONFrom reads the switches that are given; extract may be true, false or "fence".
func (r *Reading) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	said := struct {
		Extract        jsontext.Value `json:"extract"`
		Repair, Coerce *bool
	}{Repair: &r.Repair, Coerce: &r.Coerce}
	err := json.UnmarshalDecode(dec, &said, json.MatchCaseInsensitiveNames(true))
	switch value := strings.Trim(string(said.Extract), `"`); {
	case err != nil || value == "":
		return err
	case value == "true", value == "false", value == Fence:
		p := Profile{}
		setExtract(&p, value)
		r.Extract, r.Fences = p.Reading.Extract, p.Reading.Fences
		return nil
	}
	return fmt.Errorf(`reading.extract is %s; the values are true, false and "fence"`, said.Extract)
}

// joinList takes a list or a number as the value of a knob. A list is written with commas.
func joinList(dec *jsontext.Decoder, v *string) error {
	if dec.PeekKind() == '0' {
		number, err := dec.ReadValue()
		*v = string(number)
		return err
	}
	if dec.PeekKind() != '[' {
		return errors.ErrUnsupported
	}
	var list []string
	err := json.UnmarshalDecode(dec, &list, json.WithUnmarshalers(nil)) // in a list, only texts
	*v = strings.Join(list, ",")
	return err
}

func (p *Profile) named(name string) error {
	q, ok := Named(name)
	if !ok {
		return fmt.Errorf("unknown profile %q%s (the profiles are %s)", name, DidYouMean(name, Names(Profiles())),
			strings.Join(Names(Profiles()), ", "))
	}
	*p = q
	return nil
}
