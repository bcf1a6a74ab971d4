"""Applies a model's patch, or its whole new plan, to a plan."""
import copy
import json
import sys

import adapter
from adapter import Rejected

BUGS = sys.argv[1:]  # the bugs to have, by their numbers: see README.md
STEP = {"id": str, "description": str, "dependencies": list, "tools_expected": list}
NEW = {**STEP, "status": str}
PATCH = {"type": str, "title": str, "remove_steps": list, "update_steps": list, "add_steps": list, "reason": str}
PLAN = {"type": str, "title": str, "steps": list, "verification_policy": str}


def apply_reply(plan, reply, limits):
    for step in plan["steps"]:
        step.update(fill_in(step))
    doc, new = parse(reply), copy.deepcopy(plan)
    if "steps" in doc and doc.get("type") in (None, "FullPlan"):
        change, doc = replace, members(doc, PLAN, ["title", "steps"], drop=True)
    else:
        change, doc = patch, members(doc, PATCH)
    ids = {s["id"].strip(): s["id"] for s in plan["steps"]}  # as the plan spells them
    change(new, doc, lambda name: ids.get(name.strip(), name.strip()), limits.get("max_plan_steps") or 10**6)
    new["title"] = doc.get("title", "").strip() or plan["title"]
    check(new["steps"], ids.values() if "2" in BUGS else ())
    if new == plan:
        raise Rejected(message="nothing changed")
    return new


def patch(plan, doc, spell, limit):
    if doc.get("type", "PlanPatch") != "PlanPatch":
        raise Rejected(message="this is no patch")
    removed = {name_of(name) if "4" in BUGS else spell(name_of(name)) for name in doc.get("remove_steps", [])}
    updates = [read_step(u, spell, STEP, ["id"]) for u in doc.get("update_steps", [])]
    adds = [read_step(a, spell, NEW, ["id", "description"]) for a in doc.get("add_steps", [])]
    unique([*removed, *(u["id"] for u in updates), *(a["id"] for a in adds)])
    steps = {s["id"]: s for s in plan["steps"]}
    done = {s["id"] for s in plan["steps"] if s["status"] == "done"}
    for update in updates:
        if update["id"] not in steps:
            raise Rejected(message="there is no step " + update["id"])
        steps[update["id"]].update(update)
    if done & (removed | {u["id"] for u in updates}) or steps.keys() & {a["id"] for a in adds}:
        raise Rejected(message="a step is done, or there already")
    steps = {name: step for name, step in steps.items() if name not in removed}
    if adds and len(steps) > limit:
        raise Rejected(message="the plan is too long as it is")
    room = limit - len(steps) + ("3" in BUGS)
    for add in adds[:room] if adds else []:
        steps[add["id"]] = fill_in({**add, "status": "pending"})
    plan["steps"] = list(steps.values())


def replace(plan, doc, spell, limit):
    steps = [read_step(s, spell, NEW, ["id", "description"], drop=True) for s in doc["steps"]]
    unique([s["id"] for s in steps])
    done = [s for s in plan["steps"] if s["status"] == "done"]
    if "1" in BUGS:
        done = [s for s in done if s["id"] in {new["id"] for new in steps}]
    finished, before = {s["id"] for s in done}, None
    if not steps:
        raise Rejected(message="no step is left")
    for step in plan["steps"]:  # what is done stays, behind the step that stood before it
        names = [s["id"] for s in steps]
        if step["id"] in finished and step["id"] not in names:
            steps.insert(names.index(before) + 1 if before else 0, step)
        before = step["id"] if step["id"] in names or step["id"] in finished else before
    for step in [s for s in reversed(steps) if s["id"] not in finished]:
        if len(steps) > limit:
            steps.remove(step)
    plan["steps"] = [done.pop(0) if s["id"] in finished else fill_in({**s, "status": "pending"}) for s in steps]
    if "verification_policy" in doc:
        plan["verification_policy"] = doc["verification_policy"]


def parse(reply):
    try:
        doc = json.loads(reply)
        json.dumps(doc, ensure_ascii=False, allow_nan=False).encode()  # half characters, NaN
    except (ValueError, RecursionError):
        raise Rejected(message="the reply is not JSON")
    if not isinstance(doc, dict):
        raise Rejected(message="the reply is no object")
    return doc


def members(value, types, required=(), drop=False):
    """The members of an object that are not null, if each has its type."""
    if not isinstance(value, dict) or not drop and value.keys() - types.keys():
        raise Rejected(message="not an object, or one with other members")
    given = {k: v for k, v in value.items() if v is not None and k in types}
    if set(required) - given.keys() or not all(isinstance(v, types[k]) for k, v in given.items()):
        raise Rejected(message="a member is missing, or has the wrong type")
    return given


def read_step(value, spell, *kind, **options):
    step = members(value, *kind, **options)
    step["id"] = spell(name_of(step["id"]))
    if "dependencies" in step:
        step["dependencies"] = list(dict.fromkeys(spell(name_of(d)) for d in step["dependencies"]))
    if not all(isinstance(t, str) for t in step.get("tools_expected", [])):
        raise Rejected(message="a tool is no text")
    return step


def name_of(value):
    if not isinstance(value, str) or not value.strip():
        raise Rejected(message="an id is blank, or no text")
    return value


def unique(names):
    if len(names) > len(set(names)):
        raise Rejected(message="an id is there twice")


def fill_in(step):
    given = {k: v for k, v in step.items() if v is not None or k not in NEW}
    return {"dependencies": [], "status": "pending", "tools_expected": [], **given}


def check(steps, known=()):
    """Takes away what waits for nothing, again and again; what is left waits for ever."""
    left = {s["id"]: set(s["dependencies"]) for s in steps}
    missing = set().union(*left.values()) - left.keys() - set(known)
    while ready := {name for name, needs in left.items() if not needs & left.keys()}:
        left = {name: needs for name, needs in left.items() if name not in ready}
    if left or missing or not steps:
        raise Rejected(message="no step, a dependency that is not there, or a cycle")


if __name__ == "__main__":
    reading = {"reading": {"extract": False}, "duplicate_keys": "last"}
    adapter.PROFILE = {**reading, "conflicts": "reject", "ladder": ["patch", "fullplan"]}
    adapter.NAME, adapter.WITHOUT = "planner", ["max_reply_bytes", "max_depth", "plan"]
    adapter.apply_reply = apply_reply
    adapter.main()
