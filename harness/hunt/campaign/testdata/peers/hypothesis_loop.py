"""Makes a plan and a patch, writes them as JSON, reads them, applies the patch and looks
at what came of it, with Hypothesis. The first argument is the number of cases."""
import json
import sys

from hypothesis import given, settings, HealthCheck, strategies as st, Phase

N = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
words = st.sampled_from(["read the parser", "fix all callers", "test docs/index.md", "数据库迁移", "say \"hi\"", "a path C:\\tmp"])
status = st.sampled_from(["pending", "done", "in_progress", "blocked", "failed"])
tools = st.lists(st.sampled_from(["grep", "bash", "read_file"]), max_size=2)

@st.composite
def case(draw):
    n = draw(st.integers(1, 32))
    steps = []
    for i in range(n):
        deps = [f"step_{k+1}" for k in draw(st.sets(st.integers(0, i - 1), max_size=2))] if i else []
        steps.append({"id": f"step_{i+1}", "description": draw(words), "dependencies": deps,
                      "status": draw(status), "tools_expected": draw(tools)})
    plan = {"title": draw(words), "steps": steps}
    ids = [s["id"] for s in steps]
    patch = {"type": "PlanPatch"}
    patch["remove_steps"] = draw(st.lists(st.sampled_from(ids + ["ghost"]), max_size=1))
    ups = []
    for i in draw(st.lists(st.sampled_from(ids), max_size=4, unique=True)):
        u = {"id": i, "description": draw(words), "tools_expected": draw(tools)}
        if True:
            u["dependencies"] = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
        ups.append(u)
    patch["update_steps"] = ups
    adds = []
    for k in range(draw(st.integers(0, 5))):
        adds.append({"id": f"step_{n+k+1}", "description": draw(words),
                     "dependencies": draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))})
    patch["add_steps"] = adds
    return json.dumps(plan), json.dumps(patch)

class Rejected(Exception): pass

def apply(plan, patch):
    steps = {s["id"]: dict(s) for s in plan["steps"]}
    rem = set(patch.get("remove_steps", []))
    for u in patch.get("update_steps", []): rem.discard(u["id"])
    for i in rem:
        if i in steps:
            if steps[i]["status"] == "done": raise Rejected("done_immutable")
            del steps[i]
    for u in patch.get("update_steps", []):
        s = steps.get(u["id"])
        if s is None: raise Rejected("unknown_step")
        if s["status"] == "done": raise Rejected("done_immutable")
        s.update(u)
    for a in patch.get("add_steps", []):
        if a["id"] in steps: raise Rejected("duplicate_id")
        steps[a["id"]] = {"dependencies": [], "tools_expected": [], **a, "status": "pending"}
    for s in steps.values():
        for d in s["dependencies"]:
            if d not in steps: raise Rejected("missing_dependency")
    if cyclic(steps): raise Rejected("dependency_cycle")
    if not steps: raise Rejected("empty_plan")
    return {"title": plan["title"], "steps": list(steps.values())}

def cyclic(steps):
    state = {}
    def visit(i):
        if state.get(i) == 1: return True
        if state.get(i) == 2: return False
        state[i] = 1
        if any(visit(d) for d in steps[i]["dependencies"]): return True
        state[i] = 2
        return False
    return any(visit(i) for i in steps)

ran = 0; size = 0
def check(ptext, rtext):
    global ran, size; size += len(ptext) + len(rtext)
    ran += 1
    before, patch = json.loads(ptext), json.loads(rtext)
    try: after = apply(json.loads(ptext), patch)
    except Rejected: return
    ids = [s["id"] for s in after["steps"]]
    assert len(set(ids)) == len(ids) and all(ids)
    new = {s["id"]: s for s in after["steps"]}
    last = -1
    named = set(patch["remove_steps"]) | {u["id"] for u in patch["update_steps"]} | {a["id"] for a in patch["add_steps"]}
    for s in before["steps"]:
        if s["status"] == "done":
            assert new[s["id"]] == s
            at = ids.index(s["id"]); assert at > last; last = at
        if s["id"] not in named:
            assert new[s["id"]] == s
    for s in after["steps"]:
        assert all(d in new for d in s["dependencies"])
    assert not cyclic(new)
    old = {s["id"] for s in before["steps"]}
    assert all(s["status"] == "pending" for s in after["steps"] if s["id"] not in old)


@settings(max_examples=N, database=None, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(case())
def run(texts):
    check(*texts)


run()
print(json.dumps({"cases": ran, "bytes": size}))
