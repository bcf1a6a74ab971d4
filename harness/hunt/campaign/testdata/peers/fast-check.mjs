// Makes a plan and a patch, writes them as JSON, reads them, applies the patch and looks
// at what came of it, with fast-check. The first argument is the number of cases.
import fc from 'fast-check';
const N = +process.argv[2] || 1000;
const words = fc.constantFrom("read the parser", "fix all callers", "test docs/index.md", "数据库迁移", 'say "hi"', "a path C:\\tmp");
const status = fc.constantFrom("pending", "done", "in_progress", "blocked", "failed");
const tools = fc.array(fc.constantFrom("grep", "bash", "read_file"), {maxLength: 2});
const arb = fc.integer({min: 1, max: 32}).chain(n => {
  const ids = Array.from({length: n}, (_, i) => `step_${i + 1}`);
  const steps = ids.map((id, i) => fc.record({id: fc.constant(id), description: words,
    dependencies: i ? fc.uniqueArray(fc.constantFrom(...ids.slice(0, i)), {maxLength: 2}) : fc.constant([]),
    status, tools_expected: tools}));
  const someIds = fc.uniqueArray(fc.constantFrom(...ids), {maxLength: 2});
  return fc.record({
    plan: fc.record({title: words, steps: fc.tuple(...steps)}),
    patch: fc.record({type: fc.constant("PlanPatch"),
      remove_steps: fc.array(fc.constantFrom(...ids, "ghost"), {maxLength: 1}),
      update_steps: fc.uniqueArray(fc.record({id: fc.constantFrom(...ids), description: words, dependencies: someIds, tools_expected: tools}, {requiredKeys: ["id", "description", "dependencies", "tools_expected"]}), {maxLength: 4, selector: u => u.id}),
      add_steps: fc.array(fc.record({description: words, dependencies: someIds, tools_expected: tools}), {maxLength: 5}).map(l => l.map((a, k) => ({id: `step_${n + k + 1}`, ...a}))),
    }),
  });
}).map(({plan, patch}) => [JSON.stringify(plan), JSON.stringify(patch)]);

function apply(plan, patch) { // null: rejected
  const steps = new Map(plan.steps.map(s => [s.id, {...s}]));
  const rem = new Set(patch.remove_steps ?? []);
  for (const u of patch.update_steps ?? []) rem.delete(u.id);
  for (const i of rem) { const s = steps.get(i); if (s) { if (s.status === 'done') return null; steps.delete(i); } }
  for (const u of patch.update_steps ?? []) { const s = steps.get(u.id); if (!s || s.status === 'done') return null; Object.assign(s, u); }
  for (const a of patch.add_steps ?? []) { if (steps.has(a.id)) return null; steps.set(a.id, {dependencies: [], tools_expected: [], ...a, status: 'pending'}); }
  for (const s of steps.values()) for (const d of s.dependencies) if (!steps.has(d)) return null;
  if (cyclic(steps) || steps.size === 0) return null;
  return {title: plan.title, steps: [...steps.values()]};
}
function cyclic(steps) {
  const state = new Map();
  const visit = i => { const v = state.get(i); if (v === 1) return true; if (v === 2) return false; state.set(i, 1);
    for (const d of steps.get(i).dependencies) if (visit(d)) return true; state.set(i, 2); return false; };
  for (const i of steps.keys()) if (visit(i)) return true;
  return false;
}
const eq = (a, b) => a.id === b.id && a.description === b.description && a.status === b.status && a.dependencies.join('\0') === b.dependencies.join('\0') && a.tools_expected.join('\0') === b.tools_expected.join('\0');
const must = c => { if (!c) throw new Error('broken'); };
let ran = 0, size = 0;
function check([p, r]) {
  ran++; size += p.length + r.length;
  const before = JSON.parse(p), patch = JSON.parse(r);
  const after = apply(JSON.parse(p), patch);
  if (!after) return;
  const at = new Map(after.steps.map((s, i) => [s.id, i]));
  must(at.size === after.steps.length);
  const named = new Set([...patch.remove_steps, ...patch.update_steps.map(u => u.id), ...patch.add_steps.map(a => a.id)]);
  let last = -1;
  for (const s of before.steps) {
    const i = at.get(s.id);
    if (s.status === 'done') { must(i !== undefined && eq(s, after.steps[i]) && i > last); last = i; }
    if (!named.has(s.id)) must(i !== undefined && eq(s, after.steps[i]));
  }
  for (const s of after.steps) for (const d of s.dependencies) must(at.has(d));
  must(!cyclic(new Map(after.steps.map(s => [s.id, s]))));
  const old = new Set(before.steps.map(s => s.id));
  for (const s of after.steps) must(old.has(s.id) || s.status === 'pending');
}
fc.assert(fc.property(arb, check), {numRuns: N, seed: 1});
console.log(JSON.stringify({cases: ran, bytes: size}));
