"""Keeps a list of todos by their ids: an item without one that is known is new,
and what a rewrite leaves out stays, unless it was begun."""
import json

import adapter
from adapter import Rejected


def apply_reply(plan, reply, limits):
    try:
        todos = json.loads(reply)["todos"]
    except (ValueError, KeyError, TypeError):
        raise Rejected("no_document", "the reply holds no list of todos")
    old = {item.get("id", item["content"]): item for item in plan["items"]}
    items = []
    for todo in todos:
        known = old.pop(todo.get("id") or todo["content"], {})
        item = {"content": todo["content"], "status": todo["status"]}
        if known and known["content"] != todo["content"]:
            continue  # the words do not match: somebody else's item
        for ours, theirs in (("id", "id"), ("priority", "priority"), ("active_form", "activeForm")):
            if value := todo.get(theirs) or known.get(ours):
                item[ours] = value
        items.append(item)
    return {"items": items + [item for item in old.values() if item["status"] != "in_progress"]}


if __name__ == "__main__":
    adapter.NAME, adapter.PROFILE = "merge", {"reading": {"extract": False}}
    adapter.apply_reply = apply_reply
    adapter.main()
