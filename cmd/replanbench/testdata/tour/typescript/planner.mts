// Applies a model's patch to a plan: a first version, with a bug.

export type Step = { id: string; description: string; status?: string; dependencies?: string[] };
export type Plan = { title: string; steps: Step[] };
type Patch = { title?: string; steps?: unknown; remove_steps?: string[]; update_steps?: Step[]; add_steps?: Step[] };

/** Says why a patch is rejected. */
export class Refused extends Error {
  code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function apply(plan: Plan, reply: string, limit: number): Plan {
  let patch: Patch;
  try {
    patch = JSON.parse(reply) as Patch;
  } catch {
    throw new Refused("no_document", "the reply is not JSON");
  }
  const steps = new Map(structuredClone(plan.steps).map((step) => [step.id, step]));
  for (const id of patch.remove_steps ?? []) {
    if (steps.get(id)?.status === "done") throw new Refused("done_immutable", `${id} is done`);
    steps.delete(id);
  }
  for (const update of patch.update_steps ?? []) {
    const step = steps.get(update.id);
    if (!step) throw new Refused("unknown_step", update.id);
    Object.assign(step, update); // the bug: the step may be done
  }
  for (const step of patch.add_steps ?? []) {
    if (steps.has(step.id)) throw new Refused("duplicate_id", step.id);
    steps.set(step.id, { ...step, status: "pending" });
  }
  if (steps.size > limit) throw new Refused("over_capacity", `the plan may have ${limit} steps`);
  return { ...plan, title: patch.title ?? plan.title, steps: [...steps.values()] };
}
