// A store of tasks. It keeps the rules of the profile reference.

const LISTS = {
  create: ["blocked_by", "blocks"], delete: [],
  update: ["blocked_by", "remove_blocked_by", "add_blocked_by", "add_blocks"],
};
const TEXTS = {
  create: ["subject", "description", "status"], delete: ["id"], update: ["id", "subject", "description", "status"],
};

function need(condition, why) {
  if (!condition) throw new Rejected("refused", why);
}

/** Checks the shape of a call, and returns its members with $N replaced. */
function readCall(call, created) {
  need(call && Object.hasOwn(LISTS, call.call), "unknown call");
  const texts = TEXTS[call.call], lists = LISTS[call.call], given = {};
  for (const [name, value] of Object.entries(call)) {
    need(name === "call" || texts.includes(name) || lists.includes(name), "unknown member");
    if (value === null) continue;
    need(lists.includes(name) ? Array.isArray(value) : typeof value === "string", "wrong type");
    given[name] = value;
  }
  const known = new Map(created.map((id, n) => [`$${n + 1}`, id]));
  const name = (id) => {
    need(typeof id === "string" && id.trim(), "an id is blank");
    return known.get(id.trim()) ?? id.trim();
  };
  for (const list of lists) given[list] &&= given[list].map(name);
  if (call.call !== "create") given.id = name(given.id);
  need((given.subject ?? "x").trim(), "a blank subject");
  need(["pending", "in_progress", "completed"].includes(given.status ?? "pending"), "unknown status");
  return given;
}

/** Changes the tasks, and returns the id of the task. */
function applyCall(tasks, used, call) {
  const isNew = call.call === "create";
  if (isNew) need(call.subject && (call.status ?? "pending") === "pending", "a new task is pending");
  for (let n = 1; isNew && (!call.id || used.has(call.id)); n++) call.id = `n${n}`;
  need(isNew || tasks.has(call.id), "unknown task");
  const before = { id: call.id, subject: "", description: "", status: "pending", blocked_by: [], ...tasks.get(call.id) };
  const done = before.status === "completed";
  if (call.call === "delete") {
    const needed = [...tasks.values()].some((t) => t.blocked_by?.includes(call.id));
    need(!done && !needed, "the task is done or needed");
    tasks.delete(call.id);
    return call.id;
  }
  const task = { ...before };
  for (const name of ["subject", "description", "status"]) task[name] = call[name] ?? before[name];
  task.subject = task.subject.trim();
  const edges = [...(call.blocked_by ?? []), ...(call.add_blocked_by ?? [])];
  const kept = (call.blocked_by ?? before.blocked_by).filter((id) => !call.remove_blocked_by?.includes(id));
  task.blocked_by = [...new Set([...kept, ...(call.add_blocked_by ?? [])])];
  const key = (t) => JSON.stringify({ ...t, blocked_by: [...t.blocked_by].sort() });
  need(!done || key(task) === key(before), "the task is done");
  tasks.set(task.id, task);
  for (const id of call.blocks ?? call.add_blocks ?? []) {
    const other = tasks.get(id);
    need(other, "unknown task");
    if (other.blocked_by?.includes(task.id)) continue;
    need(other.status !== "completed", "the task is done");
    tasks.set(id, { ...other, blocked_by: [...(other.blocked_by ?? []), task.id] });
  }
  need(edges.every((id) => tasks.has(id)), "unknown blocker");
  const reached = new Set(), todo = [...tasks.get(task.id).blocked_by];
  while (todo.length) {
    const id = todo.pop();
    if (!reached.has(id)) todo.push(...(tasks.get(id)?.blocked_by ?? []));
    reached.add(id);
  }
  need(!reached.has(task.id), "a cycle");
  const blocked = task.blocked_by.some((id) => ["pending", "in_progress"].includes(tasks.get(id).status));
  need(!blocked || [before.status, "pending"].includes(task.status), "the task is blocked");
  return task.id;
}

function applyReply(plan, reply) {
  let turn;
  try {
    turn = JSON.parse(reply);
  } catch {
    need(false, "the reply is not JSON");
  }
  need(Array.isArray(turn?.calls) && Object.keys(turn).length === 1, "no calls");
  need(!JSON.stringify(turn).match(/\\ud[89a-f]/), "half a character");
  let tasks = new Map(plan.tasks.map((t) => [t.id, t]));
  const used = new Set(tasks.keys()), results = [], created = [];
  for (const asked of turn.calls) {
    const changed = new Map(tasks);
    try {
      const call = readCall(asked, created);
      const id = applyCall(changed, used, call);
      tasks = changed;
      results.push(call.call === "create" ? { ok: true, id } : { ok: true });
      if (call.call === "create") used.add(id), created.push(id);
    } catch (e) {
      if (!(e instanceof Rejected)) throw e;
      results.push({ ok: false, code: "refused" });
    }
  }
  need(results.some((r) => r.ok), "no call was carried out");
  return { plan: { tasks: [...tasks.values()] }, results, created };
}
