// Connects your patch logic to replanbench. Needs Node 18 or later, nothing else.
//
// Fill in the function applyReply below, then:
//
//     replanbench engine check -- node adapter.mjs
//     replanbench fuzz --cases 2000 -- node adapter.mjs
//
// Several copies of this program may run at once, so let them share no file.

const NAME = "my-planner", VERSION = "0.1";

// The rules that your engine follows: the name of a profile, or knobs that override
// the profile "reference" ({conflicts: "reject"}). Your engine is judged by these rules.
// See: replanbench help profiles; replanbench list knobs.
// replanbench engine infer finds the rules that fit what your engine does.
const PROFILE = "reference";
// "parsed" if a client parses the arguments of the model's tool calls before your engine
// gets them: then every reply is one JSON object, and reading text is not judged. Types are
// still judged: if the client validates arguments by a schema, do so here, too.
const ARGUMENTS = "text";
const WITHOUT = []; // what it lacks (replanbench list capabilities): cases are skipped
const GIVES = []; // what it returns besides the plan, such as "warnings": compared
const FEATURES = []; // what it supports (replanbench list features): other cases are skipped
const CODES = "any"; // "exact" if your rejections return the codes of replanbench list codes

// The dialects that your engine knows. See: replanbench help dialects
//[replies
const REPLY_DIALECTS = ["REPLY DIALECTS"]; // plan and reply go to applyReply
//]
//[cases
const CASE_DIALECTS = ["CASE DIALECTS"]; // the whole case goes to runCase
//]

/**
 * Rejects a reply. Begin with the code "refused": it gives no reason, and reasons are
 * then never compared. With GIVES = ["warnings"] a rejection may have warnings:
 * new Rejected("refused", "", undefined, [{code: "truncated", ids: ["a"]}]).
 * See: replanbench list codes; replanbench list warnings
 */
export class Rejected extends Error {
  constructor(code = "refused", message = "", at = undefined, warnings = undefined) {
    super(message || code);
    Object.assign(this, { code, at, warnings });
  }
}

// ---------------------------------------------------------------------------
// YOUR CODE (the function to fill in may be async)

//[pages
//]

//[replies

/**
 * Applies a model's reply to a plan and returns the new plan.
 *
 * plan    the plan of the case, as above; optional members may be missing or null,
 *         and unknown members must be kept
 * reply   the raw text that the model wrote (a Buffer if it is not UTF-8)
 * limits  {max_plan_steps: 12, max_reply_bytes: 1000, max_depth: 64}; each limit
 *         may be missing
 *
 * To reject the reply: throw new Rejected("refused", "step_1 is done"). A rejection
 * must not change the plan: the adapter sends plan back to show that. So change a
 * copy, or check the whole reply first.
 * To return more than the plan, such as results (operations, tasks): return {plan, results}.
 * To warn about parts that were not applied (see: replanbench list warnings):
 * return {plan, warnings: [{code: "truncated", ids: ["step_9"]}]}, with
 * GIVES = ["warnings"]. console.log is safe here: it goes to standard error.
 */
function applyReply(plan, reply, limits) {
  throw new Error("fill in the function applyReply in the adapter");
}

//]
//[cases

/**
 * Evaluates a case and returns its outcome, both as above. For all members see:
 * replanbench schema case; replanbench schema outcome. For expected outcomes see:
 * replanbench list scenarios; replanbench replay FILE
 *
 * To reject: throw new Rejected("refused", "step_1 is done"). A reply is a text, or
 * {base64} for bytes that are not UTF-8. The case has a profile only if FEATURES
 * contains "profiles". console.log is safe here: it goes to standard error.
 */
function runCase(example) {
  throw new Error("fill in the function runCase in the adapter");
}

//]
// ---------------------------------------------------------------------------
// The rest speaks the protocol: JSON-RPC 2.0, one message per line.

//[replies
/**
 * Evaluates a case of one of REPLY_DIALECTS: its first reply. If you support a feature
 * that needs more of the case, such as "ladder", pass it to applyReply here.
 */
async function _patch({ plan, replies = [], limits = {} }) {
  if (replies.length === 0) return _refusal(new Rejected("refused", "there is no reply"));
  let reply = replies[0];
  if (typeof reply === "object") reply = Buffer.from(reply.base64, "base64");
  let result;
  try {
    result = await applyReply(plan, reply, limits);
  } catch (e) {
    if (!(e instanceof Rejected)) throw e;
    return { ..._refusal(e), plan }; // shows whether the rejection changed it
  }
  return { verdict: "applied", ...("plan" in result ? result : { plan: result }) };
}

//]
const _refusal = ({ code, message, at, warnings }) =>
  ({ verdict: "rejected", code, message, at, warnings });

// Each dialect with the function from a case to an outcome.
const _dialects = {
  //[replies
  ...Object.fromEntries(REPLY_DIALECTS.map((name) => [name, _patch])),
  //]
  //[cases
  ...Object.fromEntries(CASE_DIALECTS.map((name) => [name, runCase])),
  //]
};

async function _evaluate(example) {
  try {
    return await _dialects[example.dialect](example);
  } catch (e) {
    if (!(e instanceof Rejected)) throw e;
    return _refusal(e);
  }
}

async function _respond({ method, params }) {
  if (method === "initialize") {
    const rules = { profile: PROFILE, codes: CODES, arguments: ARGUMENTS };
    const declared = { ...rules, features: FEATURES, without: WITHOUT, gives: GIVES };
    return {
      protocol: 1,
      engine: { name: NAME, version: VERSION },
      window: 16,
      dialects: Object.fromEntries(Object.keys(_dialects).map((name) => [name, declared])),
    };
  }
  if (method === "eval") return _evaluate(params.case);
  throw new Error(`unknown method ${method}`);
}

// Standard output belongs to the protocol: all other output goes to standard error.
const _write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// JSON has no big integers, NaN or infinity: they become texts.
const _safe = (_, value) =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))
    ? String(value) : value;

// JSON.parse rounds long numbers: the engine gets them as texts with a mark, to pass on.
const _parse = (line) => JSON.parse(!/\d{16}/.test(line) ? line :
  line.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token[0] === '"' || token.length < 16 ? token : `"\ue000${token}"`));
const _print = (answer) =>
  JSON.stringify(answer, _safe).replace(/"\ue000(-?\d[\d.eE+-]*)"/g, "$1");

// The line of your code that failed, as FILE:LINE: crashes of one line are one bug.
const _place = (e) => {
  const lines = String(e?.stack).match(/[^\s()]+:\d+:\d+\)?$/gm) ?? [];
  const own = lines.find((line) => !/^node:|node_modules/.test(line));
  return own ? own.replace(/^.*[\/\\]|:\d+\)?$/g, "") + ": " : "";
};

async function _handle(line) {
  const message = _parse(String(line));
  if (message.method === "shutdown") process.exit(0);
  const head = { jsonrpc: "2.0", id: message.id };
  let answer;
  try {
    answer = _print({ ...head, result: await _respond(message) });
  } catch (e) { // a bug of the engine: report it and go on
    console.error(e);
    const error = { code: -32000, message: _place(e) + String(e).slice(0, 500) };
    answer = JSON.stringify({ ...head, error });
  }
  _write(answer + "\n");
}

// Lines end with \n only: the module readline would split at U+2028 as well.
let _parts = [];
for await (let chunk of process.stdin) {
  for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
    const line = Buffer.concat([..._parts, chunk.subarray(0, end)]);
    _parts = [];
    await _handle(line);
  }
  _parts.push(chunk);
}
