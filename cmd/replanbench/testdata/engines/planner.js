// Applies updates to a plan with versions: lists of add, modify, remove, reorder.

const BUGS = process.argv.slice(2); // the bugs to have, by their numbers: see README.md
const MEMBERS = {
  id: "string", name: "string", description: "string", assigned_specialist: "string", priority: "number",
  dependencies: "list", parameters: "object", status: "string", tools_expected: "list",
};
const KINDS = ["add", "modify", "remove", "reorder"];

function runCase({ plan, replies = [], results = {}, limits = {} }) {
  const session = { plan: { version: 1, history: [], ...defined(plan) }, results: { ...results } };
  session.plan.steps = session.plan.steps.map(filled);
  const limit = limits.max_plan_steps ?? Infinity;
  let applied = false;
  for (const reply of replies) {
    if (BUGS.includes("1") && applied) break;
    const update = read(reply);
    if (update && applyUpdate(session, update, limit)) applied = true;
  }
  if (!applied || limit < 1) throw new Rejected("refused", "nothing was applied");
  return { verdict: "applied", plan: session.plan, results: session.results };
}

function read(reply) {
  try {
    const update = JSON.parse(typeof reply === "string" ? reply : "bytes that are no text");
    const sound = !JSON.stringify(update).match(/\\ud[89a-f]/); // no half characters
    return sound && Array.isArray(update.operations) ? update : null;
  } catch {
    return null;
  }
}

/** Applies what can be applied of one update, and files the old plan. */
function applyUpdate(session, update, limit) {
  const { plan, results } = session;
  const { history, ...old } = plan;
  const state = {
    steps: structuredClone(plan.steps), results, limit, changed: new Set(), added: new Set(),
    used: new Set([...plan.steps, ...(BUGS.includes("2") ? [] : history).flatMap((h) => h.steps)].map((s) => s.id.trim())),
  };
  let count = 0;
  const operations = update.operations.map((op) => {
    const done = operate(state, op);
    if (done) count++;
    return { type: op?.type, result: done ? "applied" : "failed", reason: text(op?.reason) };
  });
  const meta = isObject(update.plan_metadata) ? update.plan_metadata : {};
  const name = text(meta.name).trim() || plan.name, description = text(meta.description);
  const next = { ...plan, name, description: description.trim() ? description : plan.description };
  if (count === 0 && next.name === plan.name && next.description === plan.description) return false;
  next.version++;
  next.history = [...history, { ...old, update_reason: text(meta.update_reason), operations }];
  next.steps = state.steps;
  session.plan = next;
  for (const id of state.changed) delete session.results[id];
  return true;
}

/** Applies one operation, if it can be, and says whether anything changed. */
function operate(state, op) {
  const { steps } = state;
  if (!isObject(op) || !KINDS.includes(op.type) || !isA(op.reason, "string")) return false;
  const data = op.type === "add" || op.type === "modify" ? readData(op.step_data) : {};
  if (!data || (op.type === "reorder" || op.type === "add" && op.position != null) && !Number.isInteger(op.position)) return false;
  if (op.type === "add") return add(state, op, data);
  if (!isID(op.step_id)) return false;
  const id = spell(steps, op.step_id), at = steps.findIndex((s) => s.id === id);
  if (at < 0 || steps[at].status === "completed" && op.type !== "reorder") return false;
  if (op.type === "modify") return modify(state, at, data);
  if (op.type === "remove") {
    if (steps.some((s) => s.dependencies.includes(id))) return false;
    steps.splice(at, 1);
    state.added.delete(id);
    state.changed.add(id);
    return true;
  }
  if (op.position < 0 || op.position >= steps.length || op.position === at) return false;
  const [step] = steps.splice(at, 1);
  const skip = BUGS.includes("3") && op.position > at ? 1 : 0;
  steps.splice(op.position - skip, 0, step);
  return true;
}

function add({ steps, used, added, limit }, op, data) {
  if (!text(data.name).trim() && !text(data.description).trim()) return false;
  const taken = (id) => used.has(id) || added.has(id);
  let id = data.id?.trim();
  for (let n = 1; id === undefined || data.id === undefined && taken(id); n++) id = `step_${n}`;
  if (taken(id) || steps.length >= limit) return false;
  const step = filled({ ...data, id, status: "pending", dependencies: spellAll(steps, data.dependencies ?? []) });
  if (!step.dependencies.every((d) => steps.some((s) => s.id === d))) return false;
  const at = op.position ?? steps.length;
  steps.splice(at < 0 ? steps.length : at, 0, step);
  added.add(id);
  return true;
}

function modify({ steps, changed }, at, data) {
  if ("id" in data || "status" in data) return false;
  const old = { ...steps[at] };
  const step = BUGS.includes("4") ? Object.assign(steps[at], data) : { ...old, ...data };
  if (data.dependencies) step.dependencies = spellAll(steps, data.dependencies);
  const reaches = (id, seen) => id === old.id || !seen.has(id) && seen.add(id)
    && steps.find((s) => s.id === id).dependencies.some((d) => reaches(d, seen));
  if (!step.dependencies.every((d) => steps.some((s) => s.id === d) && !reaches(d, new Set()))) return false;
  if (same(step, old)) return false;
  steps[at] = step;
  changed.add(old.id);
  return true;
}

/** The members of step_data that are not null; null if it is no sound object. */
function readData(data) {
  if (!isObject(data) || Object.keys(data).some((k) => !(k in MEMBERS) || !isA(data[k], MEMBERS[k]))) return null;
  const given = Object.fromEntries(Object.entries(data).filter(([, v]) => v != null));
  const sound = (given.dependencies ?? []).every(isID) && (given.tools_expected ?? []).every((t) => typeof t === "string");
  return sound && ("id" in given ? isID(given.id) : true) ? given : null;
}

const filled = (step) => ({ status: "pending", dependencies: [], tools_expected: [], ...defined(step) });
const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, v]) => v != null));
const spell = (steps, id) => (steps.find((s) => s.id === id) ?? steps.find((s) => s.id.trim() === id.trim()))?.id ?? id.trim();
const spellAll = (steps, ids) => [...new Set(ids.map((id) => spell(steps, id)))];
const text = (value) => (typeof value === "string" ? value : "");
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isID = (value) => typeof value === "string" && value.trim() !== "";
const isA = (v, type) => v == null || (type === "list" ? Array.isArray(v) : type === "object" ? isObject(v) : typeof v === type);
const sorted = (v) => (isObject(v) ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : Array.isArray(v) ? v.map(sorted) : v);
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
