"""An engine of the operations dialect, written from its specification."""
import copy
import json

from wire import WHITE, Rejected, raw

DIALECT = "operations"
PROFILE = {"reading": {"extract": False}}
STATUSES = ("pending", "running", "completed", "failed", "skipped")
DATA = ("id", "name", "description", "assigned_specialist", "priority", "dependencies", "parameters", "status", "tools_expected")


def need(ok, code):
    if not ok:
        raise Rejected(code)


def unique(pairs):
    names = [name for name, _ in pairs]
    need(len(names) == len(set(names)), "duplicate_key")
    return dict(pairs)


def constant(_):
    raise Rejected("no_document")


def sound(value, depth, limit):
    """Checks texts and depth of a decoded value."""
    need(depth <= limit, "too_deep")
    if isinstance(value, str):
        need(not any("\ud800" <= c <= "\udfff" for c in value), "invalid_utf8")
    elif isinstance(value, list):
        for item in value:
            sound(item, depth + isinstance(item, (list, dict)), limit)
    elif isinstance(value, dict):
        for name, item in value.items():
            sound(name, depth, limit)
            sound(item, depth + isinstance(item, (list, dict)), limit)


def read(reply, limits):
    data = raw(reply)
    most = limits.get("max_reply_bytes")
    need(len(data) <= (1 << 20 if most is None else most), "reply_too_large")
    try:
        text = data.decode("utf-8")
        value = json.loads(text.strip(WHITE), object_pairs_hook=unique, parse_constant=constant)
    except UnicodeDecodeError:
        raise Rejected("invalid_utf8")
    except ValueError:
        raise Rejected("no_document")
    except RecursionError:
        raise Rejected("too_deep")
    need(isinstance(value, dict), "no_document")
    deepest = limits.get("max_depth")
    sound(value, 1, 64 if deepest is None else deepest)
    return value


def texts(value, code):
    if value is None:
        return []
    need(isinstance(value, list) and all(isinstance(v, str) for v in value), code)
    return value


def cyclic(steps):
    edges = {s["id"]: s.get("dependencies") or [] for s in steps}
    done = set()
    while len(done) < len(edges):
        free = [i for i in edges if i not in done and all(d in done for d in edges[i])]
        if not free:
            return True
        done.update(free)
    return False


def text(value, code="bad_type"):
    need(value is None or isinstance(value, str), code)


def number(value, code="bad_type"):
    need(value is None or isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value), code)


def shape(step, code):
    """Checks the members of a step, or of step_data."""
    for name in ("name", "description", "assigned_specialist"):
        text(step.get(name), code)
    priority = step.get("priority")
    need(priority is None or isinstance(priority, (int, float)) and not isinstance(priority, bool), code)
    need(step.get("parameters") is None or isinstance(step["parameters"], dict), code)
    texts(step.get("dependencies"), code)
    texts(step.get("tools_expected"), code)


def check_plan(plan):
    code = "invalid_plan"
    need(isinstance(plan, dict) and isinstance(plan.get("steps"), list), code)
    for name in ("id", "name", "description"):
        text(plan.get(name), code)
    number(plan.get("version"), code)
    need(plan.get("version") is None or plan["version"] >= 1, code)
    need(plan.get("history") is None or isinstance(plan["history"], list), code)
    for s in plan["steps"]:
        need(isinstance(s, dict) and isinstance(s.get("id"), str) and s["id"].strip(WHITE) != "", code)
        need(s.get("status") is None or s["status"] in STATUSES, code)
        shape(s, code)
        need(s.get("name") is not None or s.get("description") is not None, code)
    ids = [s["id"] for s in plan["steps"]]
    need(len(ids) == len(set(ids)), code)
    for s in plan["steps"]:
        need(all(d in ids for d in s.get("dependencies") or []), code)
    need(not cyclic(plan["steps"]), code)


def named(value, ids):
    """Returns an id of a reply in the spelling of the plan."""
    if value in ids:
        return value
    name = value.strip(WHITE)
    need(name != "", "empty_id")
    for own in ids:
        if own.strip(WHITE) == name:
            return own
    return name


def depends(data, ids):
    return list(dict.fromkeys(named(d, ids) for d in data.get("dependencies") or []))


def find(op, steps):
    need(op.get("step_id") is not None, "missing_field")
    need(isinstance(op["step_id"], str), "bad_type")
    i = named(op["step_id"], [s["id"] for s in steps])
    for s in steps:
        if s["id"] == i:
            return s
    raise Rejected("unknown_step")


def check_result(steps):
    ids = [s["id"] for s in steps]
    for s in steps:
        need(all(d in ids for d in s.get("dependencies") or []), "missing_dependency")
    need(not cyclic(steps), "dependency_cycle")


def data_of(op):
    data = op.get("step_data")
    need(data is not None, "missing_field")
    need(isinstance(data, dict), "bad_type")
    shape(data, "bad_type")
    for name in ("id", "status"):
        text(data.get(name))
    return data


def add(op, state):
    data, steps = data_of(op), state["steps"]
    number(op.get("position"))
    need(any((data.get(name) or "").strip(WHITE) for name in ("name", "description")), "missing_field")
    need(all(name in DATA for name in data), "extra_field")
    used = {i.strip(WHITE) for i in state["used"] | {s["id"] for s in steps}}
    if data.get("id") is not None:
        new = data["id"].strip(WHITE)
        need(new != "", "empty_id")
        need(new not in used, "duplicate_id")
    else:
        n = 1
        while "step_%d" % n in used:
            n += 1
        new = "step_%d" % n
    most = state["most"]
    need(most is None or len(steps) < most, "over_capacity")
    step = {k: v for k, v in data.items() if v is not None}
    step.update(id=new, status="pending", dependencies=depends(data, [s["id"] for s in steps] + [new]))
    at = op.get("position")
    if at is None or at < 0 or at > len(steps):
        at = len(steps)
    return steps[:int(at)] + [step] + steps[int(at):]


def modify(op, state):
    data, steps = data_of(op), state["steps"]
    step = find(op, steps)
    need(step.get("status") != "completed", "done_immutable")
    need(all(name in DATA and name not in ("id", "status") for name in data), "extra_field")
    change = {k: v for k, v in data.items() if v is not None}
    if "dependencies" in change:
        change["dependencies"] = depends(data, [s["id"] for s in steps])
    state["cleared"].add(step["id"])
    return [{**s, **change} if s is step else s for s in steps]


def remove(op, state):
    steps = state["steps"]
    step = find(op, steps)
    need(step.get("status") != "completed", "done_immutable")
    need(not any(step["id"] in (s.get("dependencies") or []) for s in steps if s is not step), "dependents_exist")
    state["cleared"].add(step["id"])
    return [s for s in steps if s is not step]


def reorder(op, state):
    need(op.get("position") is not None, "missing_field")
    number(op["position"])
    steps = state["steps"]
    step = find(op, steps)
    at = op["position"]
    if at < 0 or at >= len(steps):
        return steps
    rest = [s for s in steps if s is not step]
    return rest[:int(at)] + [step] + rest[int(at):]


KINDS = {"add": add, "modify": modify, "remove": remove, "reorder": reorder}


def plain(s):
    return {k: v for k, v in s.items() if v is not None and v != [] and v != {}}


def run(op, state):
    """Applies one operation and reports whether it changed the list."""
    need(isinstance(op, dict), "bad_type")
    need(op.get("type") is not None, "missing_field")
    need(isinstance(op["type"], str), "bad_type")
    need(op["type"] in KINDS, "unknown_operation")
    text(op.get("reason"))
    before = set(state["cleared"])
    try:
        steps = KINDS[op["type"]](op, state)
        check_result(steps)
    except Rejected:
        state["cleared"] = before
        raise
    if [plain(s) for s in steps] == [plain(s) for s in state["steps"]]:
        state["cleared"] = before
        return False
    state["steps"] = steps
    return True


def metadata(meta, plan):
    """Applies plan_metadata and returns whether it changed the plan, and the reason."""
    if not isinstance(meta, dict):
        return False, None
    meta = {k: v for k, v in meta.items() if isinstance(v, str)}
    changed = False
    for name in ("name", "description"):
        value = (meta.get(name) or "").strip(WHITE)
        if value and value != plan.get(name):
            plan[name] = value
            changed = True
    return changed, meta.get("update_reason")


def update(plan, reply, most, results):
    """Applies one update, and returns whether it changed the plan."""
    need("operations" in reply, "missing_field")
    need(isinstance(reply["operations"], list), "bad_type")
    used = {s["id"] for s in plan["steps"]}
    for old in plan.get("history") or []:
        used |= {s["id"] for s in old.get("steps") or []}
    state = {"steps": plan["steps"], "used": used, "most": most, "cleared": set()}
    before = copy.deepcopy({k: v for k, v in plan.items() if k != "history"})
    changed, reason = metadata(reply.get("plan_metadata"), plan)
    for op in reply["operations"]:
        try:
            changed = run(op, state) or changed
        except Rejected:
            pass
    need(changed, "empty_patch")
    plan["steps"] = state["steps"]
    before["version"] = before.get("version") or 1
    if reason is not None:
        before["update_reason"] = reason
    plan["version"] = before["version"] + 1
    plan["history"] = (plan.get("history") or []) + [before]
    for i in state["cleared"]:
        results.pop(i, None)


def apply(case):
    limits = {k: v for k, v in (case.get("limits") or {}).items() if v is not None}
    need(all(v >= 1 for v in limits.values()), "bad_limit")
    check_plan(case["plan"])
    plan, results = copy.deepcopy(case["plan"]), dict(case.get("results") or {})
    need(case.get("replies"), "replies_exhausted")
    applied, code = False, ""
    for reply in case["replies"]:
        try:
            update(plan, read(reply, limits), limits.get("max_plan_steps"), results)
            applied = True
        except Rejected as r:
            code = r.args[0]
    need(applied, code)
    return {"plan": plan, "results": results}
