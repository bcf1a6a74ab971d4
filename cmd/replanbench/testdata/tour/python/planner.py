"""Applies a model's patch to a plan: a toy of forty lines, with bugs."""
import json

import adapter
from adapter import Rejected


def apply_reply(plan, reply, limits):
    try:
        patch = json.loads(reply)
    except ValueError:
        raise Rejected("no_document", "the reply is not JSON")
    before = json.dumps(plan)
    plan["title"] = patch.get("title", plan["title"])
    steps = {step["id"]: step for step in plan["steps"]}
    for name in patch.get("remove_steps", []):
        open_step(steps, name)
        steps.pop(name, None)
    for update in patch.get("update_steps", []):
        open_step(steps, update["id"]).update(update)
    for step in patch.get("add_steps", []):
        if step["id"] in steps:
            raise Rejected("duplicate_id", step["id"])
        steps[step["id"]] = {"status": "pending", **step}
    plan["steps"] = list(steps.values())
    if json.dumps(plan) == before:
        raise Rejected("empty_patch", "nothing changed")
    return plan


def open_step(steps, name):
    step = steps.get(name, {})
    if step.get("status") == "done":
        raise Rejected("done_immutable", name + " is done")
    return step


if __name__ == "__main__":
    adapter.NAME, adapter.PROFILE = "toy", {"reading": {"extract": False}, "ladder": ["patch"]}
    adapter.apply_reply = apply_reply
    adapter.main()
