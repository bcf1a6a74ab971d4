// Package budget trims chat histories to a token budget, and tells what each
// way of trimming keeps and loses.
//
// Replanning fails first where the context is overfull: what gets cut is
// often the very constraint that forbids the mistake, or the call that a tool
// result answers. So a policy is data here: a pipeline of named steps with
// their thresholds ([ParsePolicy], [Policies]), applied by [Policy.Trim], whose
// [Result] says of every message whether it was kept, cut or dropped and by
// which step. [Judge] holds an outcome, ours or another engine's, against what
// its policy claims; [Simulation] counts over many histories.
//
// # Tokens
//
// A message costs the tokens of its content plus those of the compact JSON of
// its tool calls, counted apart; nothing is added per message. Each message is
// counted once ([Count]); whatever trims or compares works on those counts.
//
// # The dialect trim
//
// A case of the dialect ([Eval]) holds
//
//   - messages: a list of {role, content, tool_calls?, tool_call_id?, tag?}.
//     role is system (developer is read as system), user, assistant or tool; content is a string, null, or a
//     list of {"type":"text","text":…}, which are joined. A tool call needs an
//     id, a tool message a tool_call_id. Other members travel along uncounted.
//   - budget: {"max_tokens":32768,"tokenizer":"o200k_base"}. The tokenizer may
//     be absent and is then o200k_base.
//   - policy: a list of steps, each "clamp(25)" or {"name":"clamp","percent":25},
//     or one string with bars: "section_caps|emergency|clamp(25)".
//
// The outcome holds messages in the same form, tokens {before, after}, dropped
// (indices of the input's messages, rising) and cut ({index, before, after}
// with the message's tokens, rising). Where a policy that claims to fit cannot,
// the code is cannot_fit, the message names what is too large, and at points to
// the largest of it in messages.
//
// The package does not call models, does not summarise, and does not decide
// when a plan should be changed.
package budget
