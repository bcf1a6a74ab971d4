// Package check judges outcomes of the dialect trim: what must hold for every
// policy, and what a policy claims. It knows nothing of how the policies work.
package check

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/history/sequence"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
)

// The checks of the dialect.
const (
	WellFormed = "trim-well-formed"
	Order      = "trim-order"
	Truthful   = "trim-truthful"
	NoGrowth   = "trim-no-growth"
	System     = "trim-system-kept"
	Graphemes  = "trim-graphemes"
	Idempotent = "trim-idempotent"
	Pairs      = "trim-pairs"
	Alternates = "trim-alternates"
	Fits       = "trim-fits"
	Protects   = "trim-protects"
	Once       = "trim-once"
	Shares     = "trim-shares"
)

// Judge holds an engine's outcome for a case of the dialect trim against what
// every policy must keep and what the case's policy claims. It knows nothing of
// how the policies work. What broke stands under the name of its check: of several
// breaks the first. Of the verdict unsupported nothing breaks. respelled are the messages
// left as the input spells them; nil if the outcome does not spell them otherwise.
func Judge(req history.Request, o harness.Outcome, gives func(member string) bool) (
	broken map[string]*judge.Break, respelled jsontext.Value,
) {
	if o.Verdict == harness.Unsupported {
		return nil, nil
	}
	j, err := newExaminer(req, gives)
	if err != nil {
		return nil, nil
	}
	switch {
	case o.Verdict == harness.Rejected:
		j.rejected(o)
	case !j.wellFormed(o):
	case j.align(o):
		j.always(o)
		j.claimed()
	case j.alignAnyhow():
		j.cuts()
		j.promised()
	}
	return j.broken, j.respelled
}

// Fates lists the messages that an outcome drops or cuts, found by comparing the
// histories: an engine need not report them. It reports false if it cannot find every
// message of the outcome in the case.
func Fates(c harness.Case, o harness.Outcome) (dropped []int, cut []harness.Cut, ok bool) {
	req, err := history.DecodeCase(c)
	if err != nil {
		return nil, nil, false
	}
	j, err := newExaminer(req, func(string) bool { return false })
	if err != nil || !j.wellFormed(o) || !j.find() {
		return nil, nil, false
	}
	for i, kept := range j.left() {
		if !kept {
			dropped = append(dropped, i)
		}
	}
	return dropped, j.cuts(), true
}

// Changed says what trimming again changed, from the outcomes; "" if nothing.
func Changed(first, second harness.Outcome) string {
	if second.Verdict != harness.Applied {
		return fmt.Sprintf("a second trim of the trimmed history is %s (%s)", second.Verdict, second.Code)
	}
	a, errA := history.Decode(first.Messages)
	b, errB := history.Decode(second.Messages)
	if errA != nil || errB != nil {
		return "" // another check says so
	}
	if len(a) != len(b) {
		return fmt.Sprintf("a second trim changes %d messages to %d", len(a), len(b))
	}
	for i := range a {
		if !same(&a[i], &b[i]) || a[i].Content != b[i].Content {
			return fmt.Sprintf("a second trim changes message %d", i)
		}
	}
	return ""
}

// examiner examines one outcome.
type examiner struct {
	gives     func(member string) bool
	req       history.Request
	claims    history.Claims
	in        *history.Counted
	out       *history.Counted
	kept      []int          // the input's index of each message left
	respelled jsontext.Value // see [Judge]
	broken    map[string]*judge.Break
}

// newExaminer counts the history of the case. The error is that its tokenizer is unknown.
func newExaminer(req history.Request, gives func(member string) bool) (*examiner, error) {
	tok, err := tokens.New(req.Budget.Tokenizer)
	if err != nil {
		return nil, err
	}
	return &examiner{
		gives: gives, req: req, claims: req.Policy.Claims(), in: history.Count(req.Messages, tok),
		broken: map[string]*judge.Break{},
	}, nil
}

// broke notes what a check finds first.
func (j *examiner) broke(check, kind, format string, args ...any) bool {
	if _, ok := j.broken[check]; !ok {
		j.broken[check] = &judge.Break{Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
	return false
}

// rejected judges a refusal: only cannot_fit is one, from a policy that claims
// to fit, for a history that needs trimming.
func (j *examiner) rejected(o harness.Outcome) {
	switch {
	case o.Code != harness.CannotFit && o.Code != harness.Refused:
		j.broke(WellFormed, "refuses:"+string(o.Code), "a valid case was rejected with %q", o.Code)
	case !j.claims.Fits:
		j.broke(Fits, "refused", "the policy %q must not reject with cannot_fit", j.req.Policy)
	case j.in.Total <= j.req.Budget.MaxTokens:
		j.broke(Fits, "refused", "cannot_fit, but the history has %d tokens; %d are allowed", j.in.Total,
			j.req.Budget.MaxTokens)
	case j.least() <= j.req.Budget.MaxTokens && j.onlyNeeded():
		j.broke(Fits, "refused", "cannot_fit, but the protected messages have %d tokens; %d are allowed", j.least(),
			j.req.Budget.MaxTokens)
	}
}

// wellFormed decodes what the outcome must hold.
func (j *examiner) wellFormed(o harness.Outcome) bool {
	switch {
	case o.Verdict != harness.Applied:
		return j.broke(WellFormed, "verdict", "the verdict is %q", o.Verdict)
	case o.Messages == nil:
		return j.broke(WellFormed, "messages", "the outcome has no messages")
	case o.Tokens == nil && j.gives("tokens"):
		return j.broke(WellFormed, "tokens", "the engine declares tokens, but the outcome has none")
	case !utf8.Valid(o.Messages):
		return j.broke(Graphemes, "cut", "the messages are not valid UTF-8")
	}
	messages, err := history.Decode(o.Messages)
	if err != nil {
		return j.broke(WellFormed, "messages", "the outcome's %v", err)
	}
	if respell(messages, j.in.Messages) {
		j.respelled = history.Encode(messages)
	}
	j.out = history.Count(messages, j.in.Tokenizer)
	return true
}

// respell writes the calls and unknown members of an outcome as the input does where they are
// the same JSON: an engine may sort members or escape letters, and calls are counted as text.
// It reports whether it changed any.
func respell(messages, in []history.Message) (changed bool) {
	same, spelling := map[string]bool{}, map[string]jsontext.Value{}
	for raw := range members(in) {
		same[string(*raw)] = true
	}
	for raw := range members(messages) {
		if same[string(*raw)] {
			continue
		}
		if len(spelling) == 0 {
			for raw := range members(in) {
				spelling[canonical(*raw)] = *raw
			}
		}
		if as, ok := spelling[canonical(*raw)]; ok {
			*raw, changed = as, true
		}
	}
	return changed
}

// members walks the members of messages that are kept as JSON.
func members(messages []history.Message) iter.Seq[*jsontext.Value] {
	return func(yield func(*jsontext.Value) bool) {
		for i := range messages {
			if m := &messages[i]; m.Extra != nil && !yield(&m.Extra) {
				return
			}
			for k := range messages[i].Calls {
				if !yield(&messages[i].Calls[k].Raw) {
					return
				}
			}
		}
	}
}

// canonical is a text that is equal for equal JSON. Whole numbers keep their digits.
func canonical(raw jsontext.Value) string {
	v := raw.Clone()
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return string(raw)
	}
	return string(v)
}

// align finds for each message left the one of the input that it was, with the
// help of dropped.
func (j *examiner) align(o harness.Outcome) bool {
	n := len(j.in.Messages)
	if o.Dropped == nil && !j.gives("dropped") {
		return j.find()
	}
	dropped := make([]bool, n)
	for i, d := range o.Dropped {
		if d < 0 || d >= n || i > 0 && d <= o.Dropped[i-1] {
			return j.broke(Truthful, "dropped", "dropped is not an ascending list of indices below %d", n)
		}
		dropped[d] = true
	}
	j.kept = make([]int, 0, n)
	for i := range n {
		if !dropped[i] {
			j.kept = append(j.kept, i)
		}
	}
	if len(j.kept) != len(j.out.Messages) {
		return j.broke(Truthful, "dropped", "the engine reports %d of %d messages as dropped, but %d remain", len(o.Dropped),
			n, len(j.out.Messages))
	}
	for k, i := range j.kept {
		if !same(&j.out.Messages[k], &j.in.Messages[i]) {
			return j.broke(Order, "order", "message %d of the outcome is not message %d of the input", k, i)
		}
	}
	return true
}

// find aligns the messages of an engine that does not say what it dropped, from the
// end on: each is the last one left that it can have been, one that is as it was
// before one that may have been cut.
func (j *examiner) find() bool {
	at := len(j.in.Messages)
	for k := len(j.out.Messages) - 1; k >= 0; k-- {
		m, found := &j.out.Messages[k], -1
		for i := at - 1; i >= k; i-- {
			n := &j.in.Messages[i]
			if same(m, n) && (m.Content == n.Content || found < 0) {
				found = i
				if m.Content == n.Content {
					break
				}
			}
		}
		if found < 0 {
			return j.broke(Order, "order", "message %d of the outcome is not an input message in the input's order", k)
		}
		at = found
		j.kept = slices.Insert(j.kept, 0, found)
	}
	return true
}

// beginning is how many bytes tell which message a text was cut from.
const beginning = 16

// alignAnyhow finds for each message left the one that it surely was, whatever became of
// the order, of the calls, and of what the engine says: one whose content it has, or else
// the only one that begins as it does. So a wrong order hides no other mistake. Of equal
// ones the last stays: what is protected is the last. It reports false if there is a
// message that may have been several, or none.
func (j *examiner) alignAnyhow() bool {
	whole, begun := map[string][]int{}, map[string][]int{}
	for i := range j.in.Messages {
		m := &j.in.Messages[i]
		whole[kind(m)+m.Content] = append(whole[kind(m)+m.Content], i)
		begun[start(m)] = append(begun[start(m)], i)
	}
	j.kept = make([]int, len(j.out.Messages))
	for k := len(j.kept) - 1; k >= 0; k-- {
		m := &j.out.Messages[k]
		text := kind(m) + m.Content
		if n := len(whole[text]); n > 0 {
			j.kept[k], whole[text] = whole[text][n-1], whole[text][:n-1]
			continue
		}
		list := begun[start(m)]
		if len(m.Content) < beginning || len(list) != 1 {
			return false
		}
		j.kept[k] = list[0]
	}
	return len(slices.Compact(slices.Sorted(slices.Values(j.kept)))) == len(j.kept)
}

// kind identifies a message without its content and calls.
func kind(m *history.Message) string {
	return strings.Join([]string{string(m.Role), m.Tag, string(m.Extra), ""}, "\x00")
}

// start is what a message is, and how it begins.
func start(m *history.Message) string { return kind(m) + m.Content[:min(beginning, len(m.Content))] }

// same compares all but the content.
func same(m, n *history.Message) bool {
	return m.Role == n.Role && m.CallID == n.CallID && m.Tag == n.Tag && string(m.Extra) == string(n.Extra) &&
		m.CallsText() == n.CallsText()
}

// longer reports whether a text is longer than another however it is measured: a
// marker may have fewer characters and more bytes than the text that it replaces.
func longer(a, b string) bool {
	return len(a) > len(b) && utf8.RuneCountInString(a) > utf8.RuneCountInString(b)
}

// always judges what holds for every policy.
func (j *examiner) always(o harness.Outcome) {
	if o.Tokens != nil && (o.Tokens.Before != j.in.Total || o.Tokens.After != j.out.Total) {
		j.broke(Truthful, "tokens", "the engine reports tokens from %d to %d; the count is from %d to %d", o.Tokens.Before,
			o.Tokens.After, j.in.Total, j.out.Total)
	}
	if j.out.Total > j.in.Total {
		j.broke(NoGrowth, "all", "the history grew from %d to %d tokens", j.in.Total, j.out.Total)
	}
	if cut := j.cuts(); !slices.Equal(cut, o.Cut) && (o.Cut != nil || j.gives("cut")) {
		j.broke(Truthful, "cut", "the engine reports cut as %v; it is %v", o.Cut, cut)
	}
	for i, kept := range j.left() {
		if j.in.Messages[i].Role == history.System && !kept {
			j.broke(System, "gone", "the system message %d was dropped", i)
		}
	}
}

// left marks the messages of the input that are left.
func (j *examiner) left() []bool {
	left := make([]bool, len(j.in.Messages))
	for _, i := range j.kept {
		left[i] = true
	}
	return left
}

// cuts lists the messages that were cut, and looks at what became of their texts.
func (j *examiner) cuts() (cut []harness.Cut) {
	for k, i := range j.kept {
		before, after := j.in.Messages[i].Content, j.out.Messages[k].Content
		if before == after {
			continue
		}
		cut = append(cut, harness.Cut{Index: i, Before: j.in.Tokens(i), After: j.out.Tokens(k)})
		switch {
		case j.out.Tokens(k) > j.in.Tokens(i):
			j.broke(NoGrowth, "message", "message %d grew from %d to %d tokens", i, j.in.Tokens(i), j.out.Tokens(k))
		case longer(after, before):
			j.broke(NoGrowth, "message", "message %d was cut and grew from %d to %d bytes", i, len(before), len(after))
		}
		if at := torn(before, after); at != "" {
			j.broke(Graphemes, "cut", "message %d was cut inside %q", i, at)
		} else if strings.Count(after, "\ufffd") > strings.Count(before, "\ufffd") {
			j.broke(Graphemes, "cut", "message %d has a new replacement character", i)
		}
	}
	return cut
}

// claimed judges what the policy promises.
func (j *examiner) claimed() {
	j.promised()
	if j.claims.Pairs {
		j.pairs()
	}
	if j.claims.Alternates {
		before, after := len(sequence.AlternationErrors(sequence.Normalize(j.in.Messages))),
			len(sequence.AlternationErrors(sequence.Normalize(j.out.Messages)))
		if after > before {
			j.broke(Alternates, "turn", "the number of messages out of turn rose from %d to %d", before, after)
		}
	}
	if j.claims.Once {
		j.once()
	}
}

// promised judges what the policy promises of the messages in any order.
func (j *examiner) promised() {
	if j.claims.Fits && j.out.Total > j.req.Budget.MaxTokens {
		j.broke(Fits, "over", "%d tokens remain; %d are allowed", j.out.Total, j.req.Budget.MaxTokens)
	}
	if goal := j.goal(); j.claims.Fits && j.out.Total > goal && j.least() <= goal && j.onlyNeeded() {
		j.broke(Fits, "goal", "%d tokens remain; %q claims at most %d", j.out.Total, j.req.Policy, goal)
	}
	if j.claims.Protects {
		j.protects()
	}
	if len(j.req.Policy) == 1 {
		j.shares(j.req.Policy[0])
	}
}

// goal is how many tokens a policy by itself claims to leave at most.
func (j *examiner) goal() int {
	percent := 100
	if len(j.req.Policy) == 1 && j.req.Policy[0].Name == "priority" {
		percent = j.req.Policy[0].Params[0]
	}
	return int(int64(j.req.Budget.MaxTokens) * int64(percent) / 100)
}

// pairs looks for tool results and calls that lost the other half.
func (j *examiner) pairs() {
	results, calls := sequence.Orphans(j.in.Messages)
	lostCalls, lostResults := sequence.Orphans(j.out.Messages)
	for _, k := range lostCalls {
		if i := j.kept[k]; !slices.Contains(results, i) {
			j.broke(Pairs, "result", "the tool result %d lost its call", i)
			return
		}
	}
	for _, k := range lostResults {
		if i := j.kept[k]; !slices.Contains(calls, i) {
			j.broke(Pairs, "call", "a tool call of message %d lost its result", i)
			return
		}
	}
}

// reference is how many tokens a reference to another message may take.
const reference = 16

// once looks at texts that stand several times, and, where no other check found
// anything, at what else became of the history. Where other steps come before or
// behind, they may cut and drop what they like, and only what is left over counts.
func (j *examiner) once() {
	protected, alone := history.Protected(j.in.Messages), len(j.req.Policy) == 1
	stood, whole, left := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range j.in.Messages {
		if m := &j.in.Messages[i]; m.Repeatable() {
			stood[m.Content]++
		}
	}
	for k, i := range j.kept {
		m := &j.in.Messages[i]
		same := m.Content == j.out.Messages[k].Content
		switch {
		case !m.Repeatable() || stood[m.Content] < 2:
			if alone && !same && len(j.broken) == 0 {
				j.broke(Once, "other", "message %d is cut, but it repeats nothing", i)
			}
		case same:
			whole[m.Content]++
			if !protected[i] && j.out.Tokens(k) > reference {
				left[m.Content]++
			}
		}
	}
	if alone && len(j.kept) < len(j.in.Messages) && len(j.broken) == 0 {
		j.broke(Once, "dropped", "a message is dropped, but none had to be")
	}
	for i := range j.in.Messages {
		if text := j.in.Messages[i].Content; alone && stood[text] > 1 && whole[text] == 0 {
			j.broke(Once, "first", "no message contains %q any more; %d messages did", judge.Brief(text), stood[text])
		}
	}
	for _, i := range j.kept {
		if text := j.in.Messages[i].Content; left[text] > 1 {
			j.broke(Once, "left", "%d messages still contain %q", left[text], judge.Brief(text))
		}
	}
}

// roomy is how many tokens are enough for a marker and something on both sides of it.
const roomy = 64

// shares looks at a step that caps messages and does nothing else.
func (j *examiner) shares(step history.Step) {
	if step.Name != "clamp" && step.Name != "section_caps" {
		return
	}
	if len(j.kept) < len(j.in.Messages) {
		j.broke(Shares, "dropped", "a message is dropped, but %s never drops messages", step.Name)
	}
	for k, i := range j.kept {
		before, after := &j.in.Messages[i], &j.out.Messages[k]
		percent, capped := share(step, before)
		limit := int(int64(j.req.Budget.MaxTokens) * int64(percent) / 100)
		_, calls := j.in.Parts(i)
		switch {
		case !capped || j.in.Tokens(i) <= limit:
			if before.Content != after.Content && !longer(after.Content, before.Content) {
				j.broke(Shares, "within", "message %d is changed, although it is within its share", i)
			}
		case after.Content != "" && j.out.Tokens(k) > limit:
			j.broke(Shares, "over", "message %d has %d tokens; its share is %d", i, j.out.Tokens(k), limit)
		case limit-calls < roomy:
		case !begins(before.Content, after.Content) || step.Name == "clamp" && !ends(before.Content, after.Content):
			j.broke(Shares, "ends", "message %d is cut to less than its share: %q", i, judge.Brief(after.Content))
		}
	}
}

// share is the percentage of the budget that a step lets a message take; false for a
// message that it leaves alone.
func share(step history.Step, m *history.Message) (percent int, capped bool) {
	switch {
	case step.Name == "clamp", m.Tag == history.TagRepoMap:
		return step.Params[0], true
	case m.Tag == history.TagSystemPrompt, m.Tag == "" && m.Role == history.System:
		return step.Params[1], true
	}
	return 0, false
}

// large is how many bytes a grapheme may have that surely fits.
const large = 16

// begins and ends report whether a text that was cut has anything of the text before
// at its front or its end.
func begins(before, after string) bool {
	first := graphemes(before, 0)[0]
	return len(first) > large || strings.HasPrefix(after, first)
}

func ends(before, after string) bool {
	list := graphemes(before[safeBefore(before, len(before)-1):], len(before))
	last := list[len(list)-1]
	return len(last) > large || strings.HasSuffix(after, last)
}

func (j *examiner) protects() {
	at := make(map[int]int, len(j.kept))
	for k, i := range j.kept {
		at[i] = k
	}
	for _, i := range protectedOf(j.in.Messages) {
		k, ok := at[i]
		switch {
		case j.in.Messages[i].Role == history.System: // other checks say what may happen to it
		case !ok:
			j.broke(Protects, tagged(&j.in.Messages[i]), "message %d (%s) was dropped", i, protectedAs(&j.in.Messages[i]))
		case j.in.Messages[i].Content != j.out.Messages[k].Content:
			j.broke(Protects, tagged(&j.in.Messages[i]), "message %d (%s) was cut", i, protectedAs(&j.in.Messages[i]))
		}
	}
}

func protectedAs(m *history.Message) string {
	if tag := tagged(m); tag != "user" {
		return tag
	}
	return "the last user message"
}

// tagged returns the reason why a message is protected.
func tagged(m *history.Message) string {
	if m.Tag == history.TagConstraints || m.Tag == history.TagPlan {
		return m.Tag
	}
	return "user"
}

// protectedOf lists the messages that no careful policy may lose.
func protectedOf(messages []history.Message) (list []int) {
	for i, is := range history.Protected(messages) {
		if is {
			list = append(list, i)
		}
	}
	return list
}

// least returns the tokens of the protected messages.
func (j *examiner) least() int {
	total := 0
	for _, i := range protectedOf(j.in.Messages) {
		total += j.in.Tokens(i)
	}
	return total
}

// onlyNeeded reports whether the protected messages stand for themselves: as
// they are, they would make a history without breaks, so that nothing else
// needs to stay.
func (j *examiner) onlyNeeded() bool {
	rest := collect.Map(protectedOf(j.in.Messages), func(i int) history.Message { return j.in.Messages[i] })
	results, calls := sequence.Orphans(rest)
	return results == nil && calls == nil && len(sequence.AlternationErrors(sequence.Normalize(rest))) == 0
}

// torn returns the grapheme of the text before that the text after holds only
// a part of, where the two part at their fronts or at their ends; "" if there
// is none.
func torn(before, after string) string {
	head := commonPrefix(before, after)
	at := safeBefore(before, head-1)
	b, a := graphemes(before[at:], head-at), graphemes(after[at:], head-at)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if strings.HasPrefix(b[i], a[i]) {
				return b[i]
			}
			break
		}
	}
	tail := commonSuffix(before[head:], after[head:])
	same := safeAfter(before[len(before)-tail:])
	before, after = before[:len(before)-same], after[:len(after)-same]
	b = graphemes(before[safeBefore(before, len(before)+same-tail-1):], len(before))
	a = graphemes(after[safeBefore(after, len(after)+same-tail-1):], len(after))
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			if strings.HasSuffix(b[j], a[i]) && b[j] != "\r\n" { // a marker may end with a newline
				return b[j]
			}
			break
		}
	}
	return ""
}

// graphemes splits a text up to the first grapheme that begins behind end.
func graphemes(s string, end int) []string {
	var list []string
	state := -1
	for at := 0; s != "" && at <= end; {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		list = append(list, cluster)
		at += len(cluster)
	}
	return list
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}

// safeAfter returns the length of the text after the first place between two ASCII characters
// that are not CR LF; 0 without such a place.
func safeAfter(s string) int {
	for i := 1; i < len(s); i++ {
		if safe(s, i) {
			return len(s) - i
		}
	}
	return 0
}

func safe(s string, i int) bool {
	return s[i] < 0x80 && s[i-1] < 0x80 && (s[i-1] != '\r' || s[i] != '\n')
}

// safeBefore returns a boundary between graphemes at or before i: the start of
// the text, or a place between two ASCII characters that are not CR LF.
func safeBefore(s string, i int) int {
	for i = min(i, len(s)-1); i > 0; i-- {
		if safe(s, i) {
			return i
		}
	}
	return 0
}
