// Connects your patch logic to replanbench. Needs Node 18 or later, nothing else.
//
// Fill in the function applyReply below, then:
//
//     replanbench engine check -- node adapter.mjs
//     replanbench fuzz -- node adapter.mjs

const NAME = "my-planner", VERSION = "0.1";

// The rules that your engine means to follow: the name of a profile, or knobs
// over the profile "reference" ({conflicts: "reject"}). You are judged by what
// you declare. See: replanbench help profiles; replanbench list policies;
// replanbench engine infer finds out which rules fit what your engine does.
const PROFILE = "reference";
const WITHOUT = []; // what it does not have (replanbench list capabilities): never asked
const GIVES = []; // what it tells beside the plan, such as "warnings": only that is compared
const CODES = "any"; // "exact" once your refusals give the codes of replanbench list codes

// The dialects that your engine knows: plan and reply go to applyReply, or the
// whole case to runCase. See: replanbench help dialects
const REPLY_DIALECTS = ["REPLY DIALECTS"];
const CASE_DIALECTS = ["CASE DIALECTS"];

/**
 * Refuses a reply. Begin with the code "refused", which says that the reason is not
 * told and is never compared. See: replanbench list codes
 */
class Rejected extends Error {
  constructor(code = "refused", message = "", at = undefined) {
    super(message || code);
    Object.assign(this, { code, at });
  }
}

// ---------------------------------------------------------------------------
// YOUR CODE: fill in the function for your dialect. It may be async.

/**
 * Applies a model's reply to a plan and returns the new plan.
 *
 * plan    {title, steps: [{id, description, dependencies, status,
 *         tools_expected}, ...], verification_policy}; all but id and description may
 *         be missing or null; status is pending, in_progress, done, blocked or
 *         failed. Members that you do not know must stay.
 *         (todos: {items: [{id, content, status, ...}]})
 * reply   the raw text that the model wrote (a Buffer if it is not UTF-8)
 * limits  {max_plan_steps: 12, max_reply_bytes: 1000, max_depth: 64}, each of them
 *         may be missing; {} for none
 *
 * To refuse the reply: throw new Rejected("refused", "step_1 is done"). The plan that
 * you were given is sent along as you leave it: a refusal changes nothing, so make
 * your changes in a copy, or when nothing can go wrong any more.
 * To name what was asked for and not done (see: replanbench list warnings):
 * return {plan, warnings: [{code: "truncated", ids: ["step_9"]}]}, with
 * GIVES = ["warnings"]. console.log is safe here: it goes to standard error.
 *
 * A case, and its outcome, as they travel:
 *
 * {"dialect": "planpatch", "limits": {"max_plan_steps": 12},
 *  "plan": {"title": "T", "steps": [
 *   {"id": "a", "description": "A", "dependencies": [], "status": "done",
 *    "tools_expected": ["grep"], "seen": "a member of your own"},
 *   {"id": "b", "description": "B", "dependencies": ["a"], "status": "pending",
 *    "tools_expected": []}]},
 *  "replies": ["{\"update_steps\": [{\"id\": \"b\", \"description\": \"C\"}]}"]}
 *
 * {"verdict": "applied", "plan": {"title": "T", "steps": [
 *   {"id": "a", "description": "A", "dependencies": [], "status": "done",
 *    "tools_expected": ["grep"], "seen": "a member of your own"},
 *   {"id": "b", "description": "C", "dependencies": ["a"], "status": "pending",
 *    "tools_expected": []}]}}
 */
function applyReply(plan, reply, limits) {
  throw new Error("fill in the function applyReply in the adapter");
}

/**
 * Evaluates a case of one of CASE_DIALECTS and returns its outcome,
 * {verdict: "applied", ...}. To refuse: throw new Rejected(...), as above.
 *
 * A case may hold dialect, profile (if you declare the feature "profiles"), limits,
 * plan, replies (each a text, or {base64} for bytes that are none), results, tools,
 * verify, interrupt_after, context, files, calls, messages, budget,
 * policy: those of its dialect. As JSON: replanbench schema case;
 * replanbench schema outcome. To see what is expected:
 * replanbench list scenarios; replanbench replay FILE
 */
function runCase(example) {
  throw new Error("fill in the function runCase in the adapter");
}

// ---------------------------------------------------------------------------
// The rest speaks the protocol: JSON-RPC 2.0, one message a line.

/** Evaluates a case of one of REPLY_DIALECTS: its first reply. */
async function patch({ plan, replies = [], limits = {} }) {
  if (replies.length === 0) return refusal(new Rejected("refused", "there is no reply"));
  let reply = replies[0];
  if (typeof reply === "object") reply = Buffer.from(reply.base64, "base64");
  let result;
  try {
    result = await applyReply(plan, reply, limits);
  } catch (e) {
    if (!(e instanceof Rejected)) throw e;
    return { ...refusal(e), plan }; // as the refusal left it
  }
  return { verdict: "applied", ...("plan" in result ? result : { plan: result }) };
}

const refusal = ({ code, message, at }) => ({ verdict: "rejected", code, message, at });

// What the engine can do: for each dialect what it declares, and the function
// from a case to an outcome. Engines that read more than the first reply declare
// features: ["ladder"].
const dialects = Object.fromEntries([...REPLY_DIALECTS, ...CASE_DIALECTS].map((name) => [
  name,
  {
    declared: { profile: PROFILE, codes: CODES, without: WITHOUT, gives: GIVES },
    evaluate: REPLY_DIALECTS.includes(name) ? patch : runCase,
  },
]));

async function evaluate(example) {
  try {
    return await dialects[example.dialect].evaluate(example);
  } catch (e) {
    if (!(e instanceof Rejected)) throw e;
    return refusal(e);
  }
}

async function respond({ method, params }) {
  if (method === "initialize") {
    const declared = Object.entries(dialects).map(([name, d]) => [name, d.declared]);
    return {
      protocol: 1,
      engine: { name: NAME, version: VERSION },
      window: 16,
      dialects: Object.fromEntries(declared),
    };
  }
  if (method === "eval") return evaluate(params.case);
  throw new Error(`unknown method ${method}`);
}

// Standard output is the protocol's: whatever else is printed goes to standard error.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

async function handle(line) {
  const message = JSON.parse(line);
  if (message.method === "shutdown") process.exit(0);
  const head = { jsonrpc: "2.0", id: message.id };
  let answer;
  try {
    answer = JSON.stringify({ ...head, result: await respond(message) });
  } catch (e) { // a bug of the engine: say so and go on
    console.error(e);
    const error = { code: -32000, message: String(e).slice(0, 500) };
    answer = JSON.stringify({ ...head, error });
  }
  write(answer + "\n");
}

// Lines end with \n only: the module readline would split at U+2028 as well.
let parts = [];
for await (let chunk of process.stdin) {
  for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
    const line = Buffer.concat([...parts, chunk.subarray(0, end)]);
    parts = [];
    await handle(line);
  }
  parts.push(chunk);
}
