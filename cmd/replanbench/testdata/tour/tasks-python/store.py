"""A store of tasks that an agent changes call by call."""

CALLS, STATUSES = ["create", "update", "delete"], ["pending", "in_progress", "completed"]
TYPES = {"id": str, "subject": str, "description": str, "status": str, "blocked_by": list}


class Refused(Exception):
    """Why a call changes nothing."""


def need(condition, why):
    if not condition:
        raise Refused(why)


class Store:
    def __init__(self, tasks):
        self.tasks = {t["id"]: dict(t, blocked_by=sorted(t.get("blocked_by") or [])) for t in tasks}
        self.used, self.created = set(self.tasks), {}  # created has the ids of $1, $2 and so on

    def carry_out(self, call):
        """Carries out one call, and returns the id of a new task."""
        need(isinstance(call, dict) and call.get("call") in CALLS, "unknown call")
        given = self.read({k: v for k, v in call.items() if k != "call" and v is not None})
        if call["call"] == "create":
            id = next(i for n in range(1, 9999) if (i := f"new_{n}") not in self.used)
            self.change({"id": id, "subject": "", "status": "pending", "blocked_by": []}, given)
            self.used.add(id)
            self.created[f"${len(self.created) + 1}"] = id
            return id
        need(given.get("id") in self.tasks, "unknown task")
        task = self.tasks[given["id"]]
        if call["call"] == "update":
            return self.change(task, given)
        needed = any(task["id"] in other["blocked_by"] for other in self.tasks.values())
        need(task["status"] != "completed" and not needed, "the task is done or needed")
        del self.tasks[task["id"]]

    def read(self, given):
        """Checks types, and puts in the ids of created tasks."""
        need(all(isinstance(v, TYPES.get(k, ())) for k, v in given.items()), "wrong member or type")
        texts = [given.get("id", "-"), *given.get("blocked_by", [])]
        need(all(isinstance(text, str) and text.strip() for text in texts), "a blank id")
        id, *blockers = [self.created.get(text.strip(), text.strip()) for text in texts]
        return {**given, "id": id, **({"blocked_by": sorted(set(blockers))} if blockers else {})}

    def change(self, old, given):
        """Stores a task with other members, if the graph allows it."""
        subject = given.get("subject", old["subject"]).strip()
        task = {**old, **given, "id": old["id"], "subject": subject}
        need(subject and task["status"] in STATUSES, "wrong subject or status")
        need(old["status"] != "completed" or task == old, "the task is done")
        behind = list(task["blocked_by"])
        for i in behind:  # the list grows
            need(i in self.tasks, "unknown blocker")
            behind += [b for b in self.tasks[i]["blocked_by"] if b not in behind]
        need(task["id"] not in behind, "a cycle")
        is_blocked = any(self.tasks[i]["status"] != "completed" for i in task["blocked_by"])
        need(task["status"] in ("pending", old["status"]) or not is_blocked, "a blocker is open")
        self.tasks[task["id"]] = task
