// A store of tasks that an agent changes call by call.

export class Refused extends Error {} // a call that changes nothing

function need(condition, why) {
  if (!condition) throw new Refused(why);
}

const STATUSES = ["pending", "in_progress", "completed"];
const sorted = (ids) => [...new Set(ids)].sort();

export class Store {
  constructor(tasks) {
    this.tasks = new Map(tasks.map((t) => [t.id, { ...t, blocked_by: sorted(t.blocked_by) }]));
    [this.created, this.count] = [new Map(), tasks.length]; // the ids of $1, $2 and so on
  }

  /** Carries out one call, and returns the id of a new task. */
  carryOut(call) {
    const given = this.read(call ?? {});
    if (call?.call === "create") {
      const id = `new_${++this.count}`;
      this.change({ id, subject: "", status: "pending", blocked_by: [] }, given);
      this.created.set(`$${this.created.size + 1}`, id);
      return id;
    }
    const task = this.tasks.get(given.id);
    need(task && ["update", "delete"].includes(call.call), "unknown task or call");
    if (call.call === "update") return this.change(task, given);
    const needed = [...this.tasks.values()].some((t) => t.blocked_by.includes(task.id));
    need(task.status !== "completed" && !needed, "the task is done or needed");
    this.tasks.delete(task.id);
  }

  /** Checks the types of members, and puts in the ids of created tasks. */
  read({ call, blocked_by, ...given }) {
    const texts = [...Object.values(given), ...Object.values(blocked_by ?? [])];
    need(Array.isArray(blocked_by ?? []) && texts.every((t) => typeof t === "string"), "a type");
    const named = (id) => this.created.get(id.trim()) ?? id.trim();
    if (given.id) given.id = named(given.id);
    return blocked_by ? { ...given, blocked_by: sorted(blocked_by.map(named)) } : given;
  }

  /** Stores a task with other members, if the graph allows it. */
  change(old, given) {
    const subject = (given.subject ?? old.subject).trim();
    const task = { ...old, ...given, id: old.id, subject };
    need(subject && STATUSES.includes(task.status), "wrong subject or status");
    need(old.status !== "completed" || JSON.stringify(task) === JSON.stringify(old), "it is done");
    const behind = new Set(task.blocked_by);
    for (const id of behind) { // the set grows
      need(this.tasks.has(id), "unknown blocker");
      this.tasks.get(id).blocked_by.forEach((i) => behind.add(i));
    }
    need(!behind.has(task.id), "a cycle");
    const blocked = task.blocked_by.some((id) => this.tasks.get(id).status !== "completed");
    need(!blocked || ["pending", old.status].includes(task.status), "a blocker is open");
    this.tasks.set(task.id, task);
  }
}
