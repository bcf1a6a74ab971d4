"""A store of tasks behind the adapter. It keeps the rules of the profile reference."""
import copy
import json
import re

import adapter
from adapter import Rejected

LISTS = {"create": ["blocked_by", "blocks"], "delete": [],
         "update": ["blocked_by", "remove_blocked_by", "add_blocked_by", "add_blocks"]}
TEXTS = {"create": ["subject", "description", "status"], "delete": ["id"],
         "update": ["id", "subject", "description", "status"]}


def need(condition, why):
    if not condition:
        raise Rejected("refused", why)


def read(call, created):
    """Checks the shape of a call, and returns its members with $N replaced."""
    need(isinstance(call, dict) and call.get("call") in list(LISTS), "unknown call")
    texts, lists = TEXTS[call["call"]], LISTS[call["call"]]
    need(set(call) <= {"call", *texts, *lists}, "unknown member")
    given = {k: v for k, v in call.items() if v is not None}
    need(all(isinstance(v, list if k in lists else str) for k, v in given.items()), "wrong type")
    ids = [i for k in lists for i in given.get(k, [])] + [given.get("id", "x"), given.get("subject", "x")]
    need(all(isinstance(i, str) and i.strip() for i in ids), "an id or subject is blank")
    need(given.get("status", "pending") in ("pending", "in_progress", "completed"), "unknown status")
    known = {f"${n}": i for n, i in enumerate(created, 1)}
    for k in lists:
        given[k] = [known.get(i.strip(), i.strip()) for i in given[k]] if k in given else None
    given["id"] = known.get(given.get("id", "").strip(), given.get("id", "").strip())
    return given


def apply_call(tasks, used, call):
    """Changes the tasks, and returns the id of the task."""
    old = tasks.get(call["id"], {"subject": "", "status": "pending"})
    before = copy.deepcopy({"description": "", "blocked_by": [], **old})
    if call["call"] == "create":
        need("subject" in call and call.get("status", "pending") == "pending", "a new task is pending")
        call["id"] = next(i for n in range(1, 9999) if (i := f"n{n}") not in used)
    else:
        need(call["id"] in tasks, "unknown task")
    if call["call"] == "delete":
        needed = any(call["id"] in t.get("blocked_by", []) for t in tasks.values())
        need(before["status"] != "completed" and not needed, "the task is done or needed")
        del tasks[call["id"]]
        return call["id"]
    task = {**before, "id": call["id"], **{k: call[k] for k in ("subject", "description", "status") if k in call}}
    task["subject"] = task["subject"].strip()
    start = before["blocked_by"] if call.get("blocked_by") is None else call["blocked_by"]
    kept = [i for i in start if i not in (call.get("remove_blocked_by") or [])]
    task["blocked_by"] = list(dict.fromkeys(kept + (call.get("add_blocked_by") or [])))
    if before["status"] == "completed":
        need({**task, "blocked_by": set(task["blocked_by"])} == {**before, "blocked_by": set(before["blocked_by"])}, "done")
    tasks[call["id"]] = task
    edges = (call.get("blocked_by") or []) + (call.get("add_blocked_by") or [])
    for other in call.get("blocks") or call.get("add_blocks") or []:
        need(other in tasks, "unknown task")
        if task["id"] not in tasks[other].get("blocked_by", []):
            need(tasks[other]["status"] != "completed", "done")
            tasks[other]["blocked_by"] = [*tasks[other].get("blocked_by", []), task["id"]]
    need(all(i in tasks for i in edges), "unknown blocker")
    reached, todo = set(), list(task["blocked_by"])
    while todo:
        reached.add(i := todo.pop())
        todo += [b for b in tasks[i].get("blocked_by", []) if b not in reached]
    need(task["id"] not in reached, "a cycle")
    blocked = any(tasks[i]["status"] in ("pending", "in_progress") for i in task["blocked_by"])
    need(task["status"] in (before["status"], "pending") or not blocked, "the task is blocked")
    return task["id"]


def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "a member is there twice")
    return dict(pairs)


def apply_reply(plan, reply, limits):
    try:
        reply.encode()  # fails on bytes that are not UTF-8
        document = json.loads(reply, object_pairs_hook=unique)
    except (ValueError, RecursionError) as e:
        raise Rejected("refused", f"the reply is not JSON: {e}")
    need(isinstance(document, dict) and set(document) == {"calls"} and isinstance(document["calls"], list), "no calls")
    need(not re.search(r"[\ud800-\udfff]", json.dumps(document, ensure_ascii=False)), "half a character")
    tasks, results, created = {t["id"]: t for t in plan["tasks"]}, [], []
    used = set(tasks)
    for call in document["calls"]:
        changed = copy.deepcopy(tasks)
        try:
            call = read(call, created)
            id = apply_call(changed, used, call)
        except Rejected:
            results.append({"ok": False, "code": "refused"})
            continue
        tasks = changed
        results.append({"ok": True, "id": id} if call["call"] == "create" else {"ok": True})
        if call["call"] == "create":
            created.append(id)
            used.add(id)
    need(any(r["ok"] for r in results), "no call was carried out")
    return {"plan": {"tasks": list(tasks.values())}, "results": results, "created": created}


if __name__ == "__main__":
    adapter.NAME = "store"
    adapter.PROFILE = {"reading": {"extract": False, "repair": False, "coerce": False}}
    adapter.WITHOUT = ["many", "replace", "next", "parent", "cancelled", "max_plan_steps", "max_reply_bytes", "max_depth",
                       "plan"]
    adapter.apply_reply = apply_reply
    adapter.main()
