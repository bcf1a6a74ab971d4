"""An engine of the tasks dialect, written from its specification."""
import re
import unicodedata
from json.decoder import scanstring

from wire import WHITE, Rejected, raw

DIALECT = "tasks"
PROFILE = {"reading": {"extract": False}}
DECLARED = {"codes": "exact", "features": ["ladder"], "gives": ["at", "tier", "warnings", "repairs", "created"]}
STATUSES = ("pending", "in_progress", "completed", "cancelled")
OPEN = STATUSES[:2]
NEW = "subject description status parent blocked_by blocks".split()
MEMBERS = {
    "create": ["call"] + NEW,
    "update": "call id ids subject description status parent blocked_by remove_blocked_by add_blocked_by add_blocks".split(),
    "delete": ["call", "id"],
    "replace": ["call", "mode", "tasks"],
    "next": ["call"],
}
ORDER = ("call key id ids subject description status parent blocked_by remove_blocked_by add_blocked_by "
         "blocks add_blocks mode tasks").split()
LISTS = ("ids", "blocked_by", "remove_blocked_by", "add_blocked_by", "blocks", "add_blocks")
EDGES = ("parent", "blocked_by", "add_blocked_by", "blocks", "add_blocks")
CREATED = re.compile(r"\$[1-9][0-9]*")
SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
REFERENCE = {
    "ids": "engine", "blank": "reject", "cancelled": "frees", "done_edit": "reject", "reopen": "reject",
    "delete_done": "reject", "unknown_dependency": "reject", "cycles": "reject", "early": "reject", "in_progress": "any",
    "create_status": "reject", "same_subject": "allow", "delete_needed": "reject", "unchanged": "allow", "batch": "each",
    "extra_fields": "reject", "duplicate_keys": "reject",
}
PROFILES = {
    "reference": {},
    "documented": {"done_edit": "allow", "delete_done": "allow", "reopen": "allow", "early": "allow", "delete_needed": "unlink"},
    "strict": {"in_progress": "one", "same_subject": "reject", "unchanged": "reject", "batch": "all"},
    "react": {"done_edit": "allow", "delete_done": "allow", "reopen": "allow", "early": "allow", "delete_needed": "unlink"},
    "lenient": {"reopen": "allow", "unknown_dependency": "drop", "early": "warn", "in_progress": "last", "create_status": "allow",
                "delete_needed": "unlink", "extra_fields": "drop", "duplicate_keys": "last"},
}


def need(ok, code, at=None):
    if not ok:
        raise Rejected(code, at)


def pointer(at, name):
    return at + "/" + str(name).replace("~", "~0").replace("/", "~1")


class Document:
    """A strict JSON text; notes the places of duplicate names and lone surrogates."""

    def __init__(self, text, deepest):
        self.text, self.deepest, self.duplicates, self.surrogates = text, deepest, [], []

    def skip(self, pos):
        while self.text[pos:pos + 1] in (" ", "\t", "\n", "\r"):
            pos += 1
        return pos

    def value(self, pos, depth, at):
        c = self.text[pos:pos + 1]
        if c in ("{", "["):
            need(depth <= self.deepest, "too_deep", "")
            return self.members(pos, depth, at) if c == "{" else self.items(pos, depth, at)
        if c == '"':
            return self.string(pos, at)
        m = SCALAR.match(self.text, pos)
        need(m, "no_document")
        return {"true": True, "false": False, "null": None}.get(m.group(), 0), m.end()

    def string(self, pos, at):
        need(self.text[pos:pos + 1] == '"', "no_document")
        try:
            text, end = scanstring(self.text, pos + 1, True)
        except ValueError:
            raise Rejected("no_document", None)
        if any("\ud800" <= c <= "\udfff" for c in text):
            self.surrogates.append(at)
        return text, end

    def items(self, pos, depth, at):
        out, pos = [], self.skip(pos + 1)
        while self.text[pos:pos + 1] != "]" or out:
            item, pos = self.value(self.skip(pos), depth + 1, pointer(at, len(out)))
            out.append(item)
            pos = self.skip(pos)
            if self.text[pos:pos + 1] == "]":
                break
            need(self.text[pos:pos + 1] == ",", "no_document")
            pos += 1
        return out, pos + 1

    def members(self, pos, depth, at):
        out, pos = {}, self.skip(pos + 1)
        while self.text[pos:pos + 1] != "}" or out:
            name, pos = self.string(self.skip(pos), at)
            if name in out:
                self.duplicates.append((pointer(at, name), name))
            pos = self.skip(pos)
            need(self.text[pos:pos + 1] == ":", "no_document")
            out[name], pos = self.value(self.skip(pos + 1), depth + 1, pointer(at, name))
            pos = self.skip(pos)
            if self.text[pos:pos + 1] == "}":
                break
            need(self.text[pos:pos + 1] == ",", "no_document")
            pos += 1
        return out, pos + 1


def read(reply, limits, p, warn):
    """Returns the list of calls of a reply."""
    data = raw(reply)
    need(len(data) <= limits.get("max_reply_bytes", 1 << 20), "reply_too_large")
    try:
        text = data.decode("utf-8").strip(WHITE)
    except UnicodeDecodeError:
        raise Rejected("invalid_utf8", None)
    d = Document(text, limits.get("max_depth", 64))
    need(text[:1] == "{", "no_document")
    value, end = d.value(0, 1, "")
    need(end == len(text), "no_document")
    for at in d.surrogates:
        raise Rejected("invalid_utf8", at)
    for at, name in d.duplicates:
        need(p["duplicate_keys"] == "last", "duplicate_key", at)
        warn.append(("duplicate_key", name))
    for name in value:
        if name != "calls":
            need(p["extra_fields"] == "drop", "extra_field", pointer("", name))
            warn.append(("unknown_field", name))
    need("calls" in value, "missing_field", "")
    need(isinstance(value["calls"], list), "bad_type", "/calls")
    need(value["calls"], "empty_patch", "/calls")
    return value["calls"]


def normal(text):
    """Returns the form by which subjects are compared."""
    for c in WHITE:
        text = text.replace(c, " ")
    return unicodedata.normalize("NFC", " ".join(word for word in text.split(" ") if word))


def ident(value, at):
    need(isinstance(value, str), "bad_type", at)
    need(value.strip(WHITE) != "", "empty_id", at)
    return value.strip(WHITE)


def member(name, value, at, p):
    """Rule 1 for one member: returns its value as it is compared and stored."""
    if name in LISTS or name == "tasks":
        need(isinstance(value, list) and (value or name != "ids"), "bad_type", at)
        return value if name == "tasks" else [ident(v, pointer(at, k)) for k, v in enumerate(value)]
    if name in ("key", "id", "parent"):
        return ident(value, at)
    need(isinstance(value, str), "bad_type", at)
    need(name != "status" or value in STATUSES, "bad_type", at)
    need(name != "mode" or value in ("append", "open"), "bad_type", at)
    if name == "subject":
        value = value.strip(WHITE)
        need(value != "" or p["blank"] == "allow", "empty_id", at)
    return value


def shape(value, known, required, at, p, warn, given=False):
    """Rule 1 for a call or a task of a replace: returns the members that are given."""
    for name in value:
        if name not in known:
            need(p["extra_fields"] == "drop", "extra_field", pointer(at, name))
            warn.append(("unknown_field", name))
    out = {}
    for name in ORDER[1:]:
        if name not in known or name not in value:
            need(name not in required, "missing_field", at)
        elif value[name] is not None or name in required:
            out[name] = member(name, value[name], pointer(at, name), p)
            need(name != "id" or not given or not CREATED.fullmatch(out[name]), "bad_type", at + "/id")
    return out


def new_task(value, known, at, p, warn):
    need(isinstance(value, dict), "bad_type", at)
    given = p["ids"] == "given"
    required = ["id", "subject"] if given else ["subject"]
    m = shape(value, known + ["id"] * given, required, at, p, warn, given)
    return m


def pending(m, at, p):
    need(m.get("status", "pending") == "pending" or p["create_status"] == "allow", "bad_type", at + "/status")
    return m


class Store:
    def __init__(self, plan):
        self.tasks, self.created, self.warn = {}, [], []
        for t in plan["tasks"]:
            self.tasks[t["id"]] = {
                "id": t["id"], "subject": t["subject"].strip(WHITE), "description": t.get("description") or "",
                "status": t["status"], "blocked_by": list(t.get("blocked_by") or []),
                "parent": t.get("parent")}
        self.ever = set(self.tasks)

    def copy(self):
        s = Store({"tasks": []})
        s.tasks, s.created, s.warn, s.ever = copied(self.tasks), list(self.created), list(self.warn), set(self.ever)
        return s

    def resolve(self, name, keys):
        if name in keys:
            return keys[name]
        if name in keys.values():
            return " " + name  # a task of the same call, which only its key names: an id that no task has
        if CREATED.fullmatch(name) and len(name) < 10 and int(name[1:]) <= len(self.created):
            return self.created[int(name[1:]) - 1]
        return name

    def add(self, given):
        """Adds an empty task and returns its id."""
        n = 1
        while given is None and "task_%d" % n in self.ever:
            n += 1
        own = "task_%d" % n if given is None else given
        self.ever.add(own)
        self.created.append(own)
        self.tasks[own] = {"id": own, "subject": "", "description": "", "status": "pending", "blocked_by": [], "parent": None}
        return own

    def unlink(self, gone):
        for t in self.tasks.values():
            t["blocked_by"] = [b for b in t["blocked_by"] if b not in gone]
            if t["parent"] in gone:
                t["parent"] = None

    def blocked(self, own, p):
        stops = OPEN + ("cancelled",) * (p["cancelled"] == "blocks")
        return any(b in self.tasks and self.tasks[b]["status"] in stops for b in self.tasks[own]["blocked_by"])

    def reaches(self, start, goal, kind):
        """Reports whether edges of a kind lead from one task to another."""
        seen, todo = set(), [start]
        while todo:
            own = todo.pop()
            if own == goal:
                return True
            if own in self.tasks and own not in seen:
                seen.add(own)
                t = self.tasks[own]
                todo += t["blocked_by"] if kind == "blocked_by" else [t["parent"]] if t["parent"] is not None else []
        return False


def blame(at, name):
    """Returns the place of a member, or the item of ids that names the task."""
    return at if "/ids/" in at else at + "/" + name


def copied(tasks):
    return {own: {**t, "blocked_by": list(t["blocked_by"])} for own, t in tasks.items()}


def edges(m, at):
    """Yields (member, index, other, place) for each edge that a call writes."""
    for name in EDGES:
        if name == "parent" and m.get(name) is not None:
            yield name, None, m[name], at + "/parent"
        elif name != "parent":
            for k, other in enumerate(m.get(name, [])):
                yield name, k, other, "%s/%s/%d" % (at, name, k)


def blockers(now, m):
    """Yields (member, set of blockers) after each member that changes the set."""
    now = set(now)
    for name in ("blocked_by", "remove_blocked_by", "add_blocked_by"):
        if name in m:
            now = {"b": set(), "r": now, "a": now}[name[0]]
            now = now - set(m[name]) if name[0] == "r" else now | set(m[name])
            yield name, now


def finished(before, specs, p):
    """Rule 3."""
    for own, m, at in specs:
        old = before.get(own)
        if old and old["status"] == "completed":
            for name in ("subject", "description", "status", "parent"):
                knob = "reopen" if name == "status" else "done_edit"
                need(name not in m or m[name] == old[name] or p[knob] == "allow", "done_immutable", blame(at, name))
            steps, was = list(blockers(old["blocked_by"], m)), set(old["blocked_by"])
            if steps and steps[-1][1] != was and p["done_edit"] != "allow":
                raise Rejected("done_immutable", at + "/" + next(name for name, now in steps if now != was))
        for name, _, other, place in edges(m, at):
            t = before.get(other)
            if name in ("blocks", "add_blocks") and t and t["status"] == "completed" and own not in t["blocked_by"]:
                need(p["done_edit"] == "allow", "done_immutable", place)


def connect(s, exist, specs, p):
    """Rule 4, and writes the members of the tasks: exist has the ids that edges may name."""
    for own, m, at in specs:
        for name, k, other, place in list(edges(m, at)):
            if other not in exist:
                need(p["unknown_dependency"] == "drop", "missing_dependency", place)
                s.warn.append(("dropped", other.strip(WHITE)))
                if name == "parent":
                    del m["parent"]
    for own, m, at in specs:
        t = s.tasks[own]
        t.update({name: m[name] for name in ("subject", "description", "status", "parent") if name in m})
        for name, now in blockers(t["blocked_by"], m):
            t["blocked_by"] = [b for b in dict.fromkeys(t["blocked_by"] + m[name]) if b in now]
        kept = set(m.get("blocked_by", []) + m.get("add_blocked_by", []))
        t["blocked_by"] = [b for b in t["blocked_by"] if b in exist or b not in kept]
    for own, m, at in specs:
        for name, _, other, _ in edges(m, at):
            if name in ("blocks", "add_blocks") and other in exist and own not in s.tasks[other]["blocked_by"]:
                s.tasks[other]["blocked_by"].append(own)
    for own, m, at in specs:
        for name, _, other, place in edges(m, at):
            child, blocker = (other, own) if name in ("blocks", "add_blocks") else (own, other)
            kind = "parent" if name == "parent" else "blocked_by"
            if other in exist and (kind == "parent" or blocker in s.tasks[child]["blocked_by"]):
                need(p["cycles"] == "allow" or not s.reaches(blocker, child, kind), "dependency_cycle", place)


def start(s, before, specs, p):
    """Rules 5 and 6."""
    becomes = [(own, m["status"], at) for own, m, at in specs
               if "status" in m and m["status"] != (before[own]["status"] if own in before else "pending")]
    for own, status, at in becomes:
        if status in ("in_progress", "completed") and s.blocked(own, p):
            need(p["early"] != "reject", "blocked", blame(at, "status"))
            if p["early"] == "warn":
                s.warn.append(("early", own))
    begun = [(own, at) for own, status, at in becomes if status == "in_progress"]
    for own, at in begun:
        others = [t for t in s.tasks.values() if t["status"] == "in_progress" and t["id"] != own]
        need(not others or p["in_progress"] != "one", "too_many_in_progress", blame(at, "status"))
    if begun and p["in_progress"] == "last":
        for t in s.tasks.values():
            if t["status"] == "in_progress" and t["id"] != begun[-1][0]:
                t["status"] = "pending"
                s.warn.append(("demoted", t["id"]))


def room(s, before, specs, at, p, limits):
    """Rule 7."""
    count = lambda tasks: len([t for t in tasks.values() if t["status"] in OPEN])
    most = limits.get("max_plan_steps")
    need(most is None or count(s.tasks) <= most or count(s.tasks) <= count(before), "over_capacity", at)
    if p["same_subject"] == "reject":
        for own, m, place in specs:
            for t in s.tasks.values():
                same = t["id"] != own and t["status"] in OPEN and normal(t["subject"]) == normal(m["subject"])
                need(not same, "duplicate_content", place + "/subject")


def resolved(s, m, keys):
    """Replaces the names of tasks in the members of a call by their ids."""
    out = dict(m)
    for name in LISTS:
        if name in m:
            out[name] = [s.resolve(v, keys) for v in m[name]]
    if m.get("parent") is not None:
        out["parent"] = s.resolve(m["parent"], keys)
    return out


def add_tasks(s, items, gone, at, p, limits):
    """Carries out a create or replace: items are (members, place)."""
    before, keys, given = copied(s.tasks), {}, set()
    for m, place in items:
        need("key" not in m or m["key"] not in keys, "duplicate_id", place + "/key")
        keys[m.get("key")] = None
        need("id" not in m or (m["id"] not in s.ever and m["id"] not in given), "duplicate_id", place + "/id")
        given.add(m.get("id"))
    names = list(s.created)
    own = [s.add(m.get("id")) for m, _ in items]
    keys = {m["key"]: i for (m, _), i in zip(items, own) if "key" in m}
    created, s.created = s.created, names  # a $N means a task that existed before the call
    specs = [(i, resolved(s, m, keys), place) for (m, place), i in zip(items, own)]
    s.created = created
    finished(before, specs, p)
    for i in gone:
        del s.tasks[i]
    s.unlink(gone)
    connect(s, (set(before) - set(gone)) | set(keys.values()), specs, p)
    start(s, before, specs, p)
    room(s, before, specs, at, p, limits)
    return own


def update(s, call, at, p):
    """Carries out an update. If a call has both id and ids, ids is the member too many."""
    many = call.get("ids") is not None and call.get("id") is None
    known = [name for name in MEMBERS["update"] if name != "ids" or call.get("ids") is None]
    if many:
        known = ["call", "ids", "status"] + ["id"] * ("id" in call)
    m = shape(call, known, ["ids", "status"] if many else ["id"], at, p, s.warn)
    if not many and "parent" in call and call["parent"] is None:
        m["parent"] = None
    m = resolved(s, m, {})
    if many:
        for k, own in enumerate(m["ids"]):
            need(own in s.tasks, "unknown_step", "%s/ids/%d" % (at, k))
            need(own not in m["ids"][:k], "duplicate_id", "%s/ids/%d" % (at, k))
        specs = [(own, {name: m[name] for name in m if name == "status"}, "%s/ids/%d" % (at, k)) for k, own in enumerate(m["ids"])]
    else:
        own = s.resolve(m.pop("id"), {})
        need(own in s.tasks, "unknown_step", at + "/id")
        specs = [(own, m, at)]
    before = copied(s.tasks)
    finished(before, specs, p)
    connect(s, set(before), specs, p)
    start(s, before, specs, p)
    return [own for own, _, _ in specs]


def delete(s, call, at, p):
    """Carries out a delete: rules 2, 3 and 8."""
    own = s.resolve(shape(call, MEMBERS["delete"], ["id"], at, p, s.warn)["id"], {})
    need(own in s.tasks, "unknown_step", at + "/id")
    need(s.tasks[own]["status"] != "completed" or p["delete_done"] == "allow", "done_immutable", at + "/id")
    gone, todo = [own], [own]
    while todo:
        name = todo.pop(0)
        needs = [t for t in s.tasks.values() if t["id"] not in gone and (name in t["blocked_by"] or t["parent"] == name)]
        need(not needs or p["delete_needed"] != "reject", "dependents_exist", at + "/id")
        if p["delete_needed"] == "cascade":
            more = [t["id"] for t in needs if t["status"] != "completed"]
            gone += more
            todo += more
    s.warn += [("cascaded", t) for t in s.tasks if t in gone[1:]]
    for name in gone:
        del s.tasks[name]
    if p["delete_needed"] != "orphan":
        s.unlink(gone)
    return [own]


def replace(s, call, at, p, limits):
    m = shape(call, MEMBERS["replace"], ["tasks"], at, p, s.warn)
    places = ["%s/tasks/%d" % (at, k) for k in range(len(m["tasks"]))]
    items = [(new_task(t, ["key"] + NEW, place, p, s.warn), place) for t, place in zip(m["tasks"], places)]
    items = [(pending(t, place, p), place) for t, place in items]
    gone = [t["id"] for t in s.tasks.values() if t["status"] in OPEN and m.get("mode") == "open"]
    return add_tasks(s, items, gone, at, p, limits)


def graph(s):
    return [{**t, "blocked_by": set(t["blocked_by"])} for t in s.tasks.values()]


def carry_out(s, call, at, p, limits):
    """Carries out one call on a store, which a refusal may leave half changed."""
    need(isinstance(call, dict), "bad_type", at)
    need("call" in call, "missing_field", at)
    need(isinstance(call["call"], str), "bad_type", at + "/call")
    need(call["call"] in MEMBERS, "unknown_operation", at + "/call")
    before, result, named = graph(s), {"ok": True}, []
    if call["call"] == "next":
        shape(call, MEMBERS["next"], [], at, p, s.warn)
        result["ready"] = [t for t in s.tasks if s.tasks[t]["status"] == "pending" and not s.blocked(t, p)]
        return result
    if call["call"] == "create":
        items = [(pending(new_task(call, MEMBERS["create"], at, p, s.warn), at, p), at)]
        result["id"] = add_tasks(s, items, [], at, p, limits)[0]
    elif call["call"] == "replace":
        result["ids"] = replace(s, call, at, p, limits)
    else:
        named = update(s, call, at, p) if call["call"] == "update" else delete(s, call, at, p)
    if graph(s) == before:
        need(p["unchanged"] == "allow", "empty_patch", at)
        s.warn += [("unchanged", own) for own in named] or [("unchanged", None)]
    return result


def turn(s, reply, p, limits):
    """Carries out one reply: returns the store, the results and the last refusal."""
    first = s.copy()
    results, refusal, warn = [], None, []
    calls = read(reply, limits, p, warn)
    s.warn = s.warn + warn
    for k, call in enumerate(calls):
        trial = s.copy()
        try:
            results.append(carry_out(trial, call, "/calls/%d" % k, p, limits))
            s = trial
        except Rejected as r:
            refusal = r.args
            results.append({"ok": False, "code": r.args[0], "at": r.args[1]})
            if p["batch"] != "each":
                break
    skipped = {"ok": False, "code": "not_run"}
    if refusal and p["batch"] == "all":
        results = [r if not r["ok"] else skipped for r in results]
        s = first
    results += [skipped] * (len(calls) - len(results))
    return s if any(r["ok"] for r in results) else first, results, refusal


def check_plan(plan):
    code = "invalid_plan"
    need(isinstance(plan, dict) and list(plan) == ["tasks"] and isinstance(plan["tasks"], list), code)
    known = ("id", "subject", "description", "status", "blocked_by", "parent")
    for t in plan["tasks"]:
        need(isinstance(t, dict) and all(name in known for name in t), code)
        need(all(isinstance(t.get(name), str) for name in ("id", "subject", "status")), code)
        need(all(t.get(name) is None or isinstance(t[name], str) for name in ("description", "parent")), code)
        need(t["id"].strip(WHITE) == t["id"] != "" and t["subject"].strip(WHITE) != "", code)
        need(not CREATED.fullmatch(t["id"]) and t["status"] in STATUSES, code)
        names = [] if t.get("blocked_by") is None else t["blocked_by"]
        need(isinstance(names, list) and all(isinstance(b, str) for b in names), code)
        need(len(names) == len(set(names)), code)
    s = Store(plan)
    need(len(s.tasks) == len(plan["tasks"]), code)
    for t in s.tasks.values():
        for kind, others in (("blocked_by", t["blocked_by"]), ("parent", [t["parent"]] * (t["parent"] is not None))):
            need(all(b in s.tasks and not s.reaches(b, t["id"], kind) for b in others), code)
    return s


def knobs(profile):
    if isinstance(profile, str):
        profile = PROFILES[profile]
    return {**REFERENCE, **(profile or {})}


def joined(pairs):
    """Returns warnings with one entry per code."""
    out = {}
    for code, name in pairs:
        out.setdefault(code, []).extend([] if name is None else [name])
    return [{"code": code, "ids": list(dict.fromkeys(ids))} for code, ids in out.items()]


def apply(case):
    limits = {k: v for k, v in (case.get("limits") or {}).items() if v is not None}
    need(all(v >= 1 for v in limits.values()), "bad_limit")
    s, p = check_plan(case["plan"]), knobs(case.get("profile"))
    results, applied, last, tier, refused = [], False, ("replies_exhausted", None), "none", []
    for n, reply in enumerate(case.get("replies") or [], 1):
        try:
            s, now, refusal = turn(s, reply, p, limits)
        except Rejected as r:
            last, refused = r.args, refused + [("reply_refused", str(n))]
            tier = tier if applied else "none"
            continue
        results += now
        last = refusal or last
        carried = any(r["ok"] for r in now)
        tier = "strict" if carried or not applied else tier
        applied = applied or carried
    out = {"plan": {"tasks": list(s.tasks.values())}, "results": results, "created": s.created, "tier": tier,
           "warnings": joined(s.warn + refused), "repairs": []}
    if not applied:
        out.update(verdict="rejected", code=last[0], at=last[1])
        out.pop("plan")
        out["warnings"] = []
    return {k: v for k, v in out.items() if v is not None}
