"""Reads a list of todos from Markdown, as it looks in most replies."""
import re

import adapter
from adapter import Rejected

BOX = re.compile(r"^- \[([ xX~-])\] (.+)$")  # no "*", nothing indented
STATUS = {" ": "pending", "x": "completed", "X": "completed", "-": "in_progress", "~": "in_progress"}


def apply_reply(plan, reply, limits):
    items = []
    for line in reply.splitlines():
        if box := BOX.match(line):
            items.append({"content": box[2].strip(), "status": STATUS[box[1]]})
    if not items:
        raise Rejected("no_document", "no line is an item")
    old = {item["content"]: item for item in plan["items"]}
    items = [{**old.pop(item["content"], {}), **item} for item in items]
    if items == plan["items"]:
        raise Rejected("empty_patch", "the list stays as it is")
    return {"items": items}


if __name__ == "__main__":
    adapter.NAME = "boxes"
    adapter.PROFILE = {"format": "markdown", "omitted_done": "drop", "omitted_open": "drop", "in_progress": "any", "reopen": "allow", "duplicates": "keep"}
    adapter.apply_reply = apply_reply
    adapter.main()
