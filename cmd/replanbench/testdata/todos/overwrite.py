"""Keeps a list of todos as many tools do: what the model writes is the list."""
import json

import adapter
from adapter import Rejected


def apply_reply(plan, reply, limits):
    try:
        todos = json.loads(reply)["todos"]
    except (ValueError, KeyError, TypeError):
        raise Rejected("no_document", "the reply holds no list of todos")
    items = []
    for todo in todos or []:
        if not isinstance(todo, dict) or not isinstance(todo.get("content"), str):
            raise Rejected("bad_type", "a todo needs a content")
        item = {"content": todo["content"].strip(), "status": todo.get("status", "pending")}
        for ours, theirs in (("id", "id"), ("priority", "priority"), ("active_form", "activeForm")):
            if todo.get(theirs):
                item[ours] = todo[theirs]
        items.append(item)
    return {"items": items}


if __name__ == "__main__":
    adapter.NAME, adapter.PROFILE = "overwrite", {"reading": {"extract": False}}
    adapter.apply_reply = apply_reply
    adapter.main()
