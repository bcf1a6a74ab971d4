"""An engine of the todos dialect, written from its specification."""
import copy
import json
import unicodedata

from wire import WHITE, Rejected, raw

DIALECT = "todos"
PROFILE = {"reading": {"extract": False}, "in_progress": "one"}
STATUSES = ("pending", "in_progress", "completed", "cancelled")
OPEN = ("pending", "in_progress")


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


def normal(text):
    """Returns the form by which contents are compared."""
    for c in WHITE:
        text = text.replace(c, " ")
    return unicodedata.normalize("NFC", " ".join(word for word in text.split(" ") if word))


def check_plan(plan):
    code = "invalid_plan"
    need(isinstance(plan, dict) and list(plan) == ["items"] and isinstance(plan["items"], list), code)
    ids = []
    for i in plan["items"]:
        need(isinstance(i, dict), code)
        need(all(name in ("id", "content", "status", "priority", "active_form") for name in i), code)
        need(isinstance(i.get("content"), str) and i["content"].strip(WHITE) != "", code)
        need(i.get("status") in STATUSES, code)
        for name in ("priority", "active_form", "id"):
            need(i.get(name) is None or isinstance(i[name], str), code)
        if i.get("id") is not None:
            need(i["id"].strip(WHITE) != "" and i["id"] == i["id"].strip(WHITE), code)
            ids.append(i["id"])
    need(len(ids) == len(set(ids)), code)


def item(value):
    """Checks an item of a reply and returns it as it is stored."""
    need(isinstance(value, dict), "bad_type")
    known = ("id", "content", "status", "priority", "activeForm", "active_form")
    need(all(name in known for name in value), "extra_field")
    for name in ("id", "content", "status", "priority", "activeForm", "active_form"):
        need(value.get(name) is None or isinstance(value[name], str), "bad_type")
    out = {}
    if value.get("id") is not None:
        out["id"] = value["id"].strip(WHITE)
        need(out["id"] != "", "empty_id")
    need("content" in value and "status" in value, "missing_field")
    need(value["content"] is not None and value["status"] is not None, "bad_type")
    out["content"] = value["content"].strip(WHITE)
    need(out["content"] != "", "empty_id")
    need(value["status"] in STATUSES, "bad_type")
    out["status"] = value["status"]
    form = value.get("activeForm")
    if "activeForm" not in value:
        form = value.get("active_form")
    for name, text in (("priority", value.get("priority")), ("active_form", form)):
        if text is not None and text.strip(WHITE) != "":
            out[name] = text
    return out


def decode(value):
    need(all(name == "todos" for name in value), "extra_field")
    need("todos" in value, "missing_field")
    need(isinstance(value["todos"], list), "bad_type")
    return [item(i) for i in value["todos"]]


def duplicates(items):
    for k, b in enumerate(items):
        for a in items[:k]:
            both = a.get("id") is not None and b.get("id") is not None
            need(not both or a["id"] != b["id"], "duplicate_id")
            need(both or normal(a["content"]) != normal(b["content"]), "duplicate_content")


def pair(items, old):
    """Returns the index of the old item of each item, by the three passes."""
    same_id = lambda a, b: a.get("id") is not None and a.get("id") == b.get("id")
    same_text = lambda a, b: normal(a["content"]) == normal(b["content"])
    passes = (lambda a, b: same_text(a, b) and a.get("id") == b.get("id"), same_text, same_id)
    pairs = {}
    for qualifies in passes:
        for i, a in enumerate(items):
            for k, b in enumerate(old):
                if i not in pairs and k not in pairs.values() and qualifies(a, b):
                    pairs[i] = k
    return pairs


def merge(new, was):
    """Returns a paired item with what the reply leaves out."""
    out = {**was, **new}
    if normal(new["content"]) == normal(was["content"]):
        out["content"] = was["content"]
    return out


def restore(items, owners, old):
    """Puts omitted items back: after the nearest earlier old item, else to the front."""
    busy = any(i["status"] == "in_progress" for i in items)
    for k, was in enumerate(old):
        if k in owners or was["status"] == "cancelled":
            continue
        back = dict(was)
        if back["status"] == "in_progress":
            if busy:
                back["status"] = "pending"
            busy = True
        at = 0
        for before in range(k - 1, -1, -1):
            if before in owners:
                at = owners.index(before) + 1
                break
        items.insert(at, back)
        owners.insert(at, k)


def release(items, owners, given):
    """Takes ids away from items that another item of the reply has."""
    for n, i in enumerate(items):
        own = i.get("id")
        if own is not None and own in given and given[own] is not i and any(given[own] is k for k in items):
            del i["id"]


def cut(items, owners, most):
    if most is None:
        return items
    at = len(items) - 1
    while len(items) > most and at >= 0:
        if owners[at] is None and items[at]["status"] != "completed":
            del items[at], owners[at]
        at -= 1
    need(len(items) <= most or all(o is not None for o in owners), "over_capacity")
    return items


def plain(items):
    return [{k: v for k, v in i.items() if v is not None} for i in items]


def rewrite(old, reply, limits):
    """Applies one reply to a list."""
    items = decode(read(reply, limits))
    if not items:
        need(all(i["status"] not in OPEN for i in old), "empty_plan")
        need(old, "empty_patch")
        return []
    duplicates(items)
    pairs = pair(items, old)
    given, new, owners = {}, [], []
    for n, i in enumerate(items):
        k = pairs.get(n)
        made = i if k is None else merge(i, old[k])
        if k is not None:
            need(old[k]["status"] != "completed" or i["status"] == "completed", "done_immutable")
        if i.get("id") is not None:
            given[i["id"]] = made
        new.append(made)
        owners.append(k)
    need(len([i for i in new if i["status"] == "in_progress"]) <= 1, "too_many_in_progress")
    restore(new, owners, old)
    new = cut(new, owners, limits.get("max_plan_steps"))
    release(new, owners, given)
    need(plain(new) != plain(old), "empty_patch")
    return new


def apply(case):
    limits = {k: v for k, v in (case.get("limits") or {}).items() if v is not None}
    need(all(v >= 1 for v in limits.values()), "bad_limit")
    check_plan(case["plan"])
    items, applied, code = copy.deepcopy(case["plan"]["items"]), False, "replies_exhausted"
    for reply in case.get("replies") or []:
        try:
            items = rewrite(items, reply, limits)
            applied = True
        except Rejected as r:
            code = r.args[0]
    need(applied, code)
    return {"plan": {"items": items}}
