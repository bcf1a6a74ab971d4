"""An engine of the planpatch dialect, written from its specification."""
import copy
import json

from wire import WHITE, Rejected, raw

DIALECT = "planpatch"
PROFILE = {"ladder": ["patch"], "reading": {"extract": False}}
STATUSES = ("pending", "in_progress", "done", "blocked", "failed")
LISTS = ("remove_steps", "update_steps", "add_steps")


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


def check_plan(plan):
    code = "invalid_plan"
    need(isinstance(plan, dict) and plan.get("type") in (None, "FullPlan"), code)
    need(isinstance(plan.get("title"), str), code)
    policy = plan.get("verification_policy")
    need(policy is None or isinstance(policy, str), code)
    steps = plan.get("steps")
    need(isinstance(steps, list) and steps, code)
    for s in steps:
        need(isinstance(s, dict) and isinstance(s.get("id"), str) and isinstance(s.get("description"), str), code)
        need(s["id"].strip(WHITE) != "", code)
        status = s.get("status")
        need(status is None or status in STATUSES, code)
        texts(s.get("dependencies"), code)
        texts(s.get("tools_expected"), code)
    ids = [s["id"] for s in steps]
    need(len(ids) == len(set(ids)), code)
    for s in steps:
        need(all(d in ids for d in s.get("dependencies") or []), code)
    need(not cyclic(steps), code)


def ident(value, old):
    """Returns an id of a reply as it is stored."""
    need(value is not None, "missing_field")
    need(isinstance(value, str), "bad_type")
    if value in old:
        return value
    name = value.strip(WHITE)
    need(name != "", "empty_id")
    if name in old:
        return name
    for own in old:
        if own.strip(WHITE) == name:
            return own
    return name


def item(value, known, added, old):
    need(isinstance(value, dict), "bad_type")
    need(all(name in known for name in value), "extra_field")
    out = {"id": ident(value.get("id"), old)}
    text = value.get("description")
    need(text is not None or not added, "missing_field")
    need(text is None or isinstance(text, str), "bad_type")
    if text is not None:
        out["description"] = text
    if value.get("dependencies") is not None or added:
        names = [ident(d, old) for d in texts(value.get("dependencies"), "bad_type")]
        out["dependencies"] = list(dict.fromkeys(names))
    if added:
        need(value.get("status") is None or isinstance(value["status"], str), "bad_type")
        out["status"] = "pending"
    if value.get("tools_expected") is not None or added:
        out["tools_expected"] = texts(value.get("tools_expected"), "bad_type")
    return out


def decode(value, old):
    need("steps" not in value and value.get("type") in (None, "PlanPatch"), "wrong_document")
    need(all(name in ("type", "title", "reason") + LISTS for name in value), "extra_field")
    for name in ("title", "reason"):
        need(value.get(name) is None or isinstance(value[name], str), "bad_type")
    for name in LISTS:
        need(value.get(name) is None or isinstance(value[name], list), "bad_type")
    remove = [ident(i, old) for i in value.get("remove_steps") or []]
    edit = ("id", "description", "dependencies", "tools_expected")
    update = [item(u, edit, False, old) for u in value.get("update_steps") or []]
    add = [item(a, edit + ("status",), True, old) for a in value.get("add_steps") or []]
    for items in (update, add):
        ids = [i["id"] for i in items]
        need(len(ids) == len(set(ids)), "duplicate_id")
    return (value.get("title") or "").strip(WHITE), set(remove), {u["id"]: u for u in update}, {a["id"]: a for a in add}


def settle(remove, update, add, old):
    """Resolves conflicts between the lists: policy replace."""
    for i in list(add):
        if i in update:
            if i in remove or i in old:
                del add[i]
            else:
                del update[i]
            remove.discard(i)
        elif i in remove:
            remove.discard(i)
            if i in old:
                update[i] = {k: v for k, v in add.pop(i).items() if k != "status"}
    for i in update:
        remove.discard(i)


def plain(plan):
    """Returns what counts when plans are compared."""
    return plan["title"], [(s["id"], s["description"], s.get("dependencies") or [], s.get("tools_expected") or [],
                            s.get("status") or "pending") for s in plan["steps"]]


def apply(case):
    limits = {k: v for k, v in (case.get("limits") or {}).items() if v is not None}
    need(all(v >= 1 for v in limits.values()), "bad_limit")
    check_plan(case["plan"])
    plan = copy.deepcopy(case["plan"])
    plan.pop("type", None)
    old = {s["id"]: s for s in plan["steps"]}
    need(case.get("replies"), "replies_exhausted")
    title, remove, update, add = decode(read(case["replies"][0], limits), old)
    settle(remove, update, add, old)
    if title:
        plan["title"] = title
    for i in remove:
        need(i not in old or old[i].get("status") != "done", "done_immutable")
    for i, u in update.items():
        need(i in old, "unknown_step")
        need(old[i].get("status") != "done", "done_immutable")
        old[i].update(u)
    steps = [s for s in plan["steps"] if s["id"] not in remove]
    need(not any(i in old for i in add), "duplicate_id")
    new = list(add.values())
    most = limits.get("max_plan_steps")
    if new and most is not None:
        need(len(steps) <= most, "over_capacity")
        new = new[:most - len(steps)]
    plan["steps"] = steps + new
    need(plan["steps"], "empty_plan")
    ids = {s["id"] for s in plan["steps"]}
    for s in plan["steps"]:
        need(all(d in ids for d in s.get("dependencies") or []), "missing_dependency")
    need(not cyclic(plan["steps"]), "dependency_cycle")
    need(plain(plan) != plain(case["plan"]), "empty_patch")
    return {"plan": plan}
