"""Runs a plan with scripted replies. planner.py changes the plan."""
import copy
import json
import re

import adapter
import planner
from planner import PLAN, Rejected, check, fill_in, members, parse, patch, replace

DEFAULTS = {"max_step_tool_calls": 20, "max_replans": 2, "planning_retries": 1, "max_plan_steps": 10**6}
QUOTES = ["【】", "[]", ("**", "**"), ("__", "__"), "``", '""', "''", "“”", "‘’", "「」", "『』"]


def run_case(case):
    """Each turn works on a state that is JSON, so another process can go on with it."""
    given = {k: v for k, v in (case.get("limits") or {}).items() if v is not None}
    script = {**case, "limits": {**DEFAULTS, **given}}
    run = {"state": "", "plan": case.get("plan"), "queue": [], "replies": 0, "tools": 0, "checks": 0, "attempts": 0}
    run.update(replans=0, rounds=0, react=False, gave_up=False, wave=[], trouble=[], written={}, verified={}, code="")
    if run["plan"]:
        run["plan"]["steps"] = [fill_in(s) for s in run["plan"]["steps"]]
    trace, this = [], Process(script)
    while run["queue"] or run["state"] != "ended":
        while run["queue"]:
            trace.append(run["queue"].pop(0))
            if len(trace) == case.get("interrupt_after"):
                run, this = json.loads(json.dumps(run)), Process(script)
                trace.append({"state": trace[-1]["state"], "event": "resumed"})
        if run["state"] != "ended":
            this.turn(run)
    return outcome(run, trace)


def outcome(run, trace):
    out = {"verdict": "rejected" if run["code"] else "applied", "trace": trace}
    if run["code"]:
        out["code"] = run["code"]
    if run["gave_up"]:
        out.update(rung="react", gave_up=True)
    if run["plan"] and not run["react"]:
        out["plan"] = run["plan"]
        for step in run["plan"]["steps"]:
            if run["code"] and step["status"] == "in_progress":
                step["status"] = "failed"
    return out


class Process:
    def __init__(self, script):
        self.replies, self.limits = script.get("replies") or [], script["limits"]
        self.results, self.checks = script.get("tools") or [], script.get("verify") or []
        self.saw_it_pass = False

    def turn(self, run):
        self.run = run
        {"": lambda: self.enter("INTAKE"), "INTAKE": lambda: self.enter("PLANNING"), "PLANNING": self.planning,
         "EXECUTING": self.executing, "BLOCKED": lambda: self.recover("dependency_deadlock"),
         "RECOVERING": self.recovering, "VERIFYING": self.verifying, "DONE": self.end}[run["state"]]()

    def event(self, name, step="", code=""):
        item = {"state": self.run["state"], "event": name, "step": step, "code": code}
        self.run["queue"].append({k: v for k, v in item.items() if v})

    def enter(self, state):
        self.run["state"] = state
        self.event("state")

    def fail(self, code):
        self.run["code"] = code
        self.event("run_failed", code=code)
        self.end()

    def end(self):
        self.run["state"] = "ended"

    def next_reply(self):
        if self.run["replies"] == len(self.replies):
            self.fail("replies_exhausted")
            return None
        self.run["replies"] += 1
        reply = self.replies[self.run["replies"] - 1]
        return reply if isinstance(reply, str) else ""  # bytes that are no text

    def planning(self):
        run = self.run
        if run["plan"]:
            block(run["plan"]["steps"])
            return self.enter("EXECUTING")
        reply = self.next_reply()
        if reply is None:
            return
        try:
            run["plan"] = first_plan(reply, self.limits["max_plan_steps"])
            return self.event("plan_generated")
        except Rejected:
            self.event("plan_rejected", code="refused")
        run["attempts"] += 1
        if run["attempts"] <= self.limits["planning_retries"]:
            return self.event("planning_retry")
        self.event("plan_parse_failed")
        run.update(gave_up=True, react=True)
        run["plan"] = {"title": "", "steps": [fill_in({"id": "react", "description": "work without a plan"})]}

    def executing(self):
        run = self.run
        steps = {s["id"]: s for s in run["plan"]["steps"]}
        done = {s["id"] for s in steps.values() if s["status"] == "done"}
        if run["wave"]:
            return self.step(steps[run["wave"][0]])
        if run["trouble"]:
            block(run["plan"]["steps"])
            return self.recover("max_replans_reached")
        if len(done) == len(steps):
            return self.enter("VERIFYING" if run["written"] else "DONE")
        ready = [s["id"] for s in steps.values()
                 if s["status"] not in ("done", "failed") and done.issuperset(s["dependencies"])]
        run["wave"] = ready[:1]
        if not ready:
            self.enter("BLOCKED")

    def step(self, step):
        if step["status"] != "in_progress":
            step["status"], self.run["rounds"] = "in_progress", 0
            return self.event("plan_step_start", step["id"])
        reply = self.next_reply()
        if reply is None:
            return
        action, legacy = read_action(reply)
        if legacy:
            self.event("control_protocol_legacy", step["id"])
        if action == "step_done":
            return self.finish(step, "done", "step_done")
        if action == "replan":
            return self.finish(step, "pending", "replan_asked")
        if not action:
            self.event("reply_invalid", step["id"], "refused")
        elif not self.call(step):
            return
        self.run["rounds"] += 1
        if self.run["rounds"] >= self.limits["max_step_tool_calls"]:
            self.finish(step, "failed", "step_failed")

    def finish(self, step, status, event):
        self.event(event, step["id"])
        self.run["wave"], step["status"] = [], status
        if status != "done":
            self.run["trouble"].append(step["id"])

    def call(self, step):
        if self.run["tools"] == len(self.results):
            self.fail("replies_exhausted")
            return False
        result = self.results[self.run["tools"]]
        self.run["tools"] += 1
        self.run["written"].update(result.get("writes") or {})
        self.event("tool_called", step["id"])
        return True

    def recover(self, code):
        if self.run["replans"] >= self.limits["max_replans"]:
            return self.fail(code)
        self.run["replans"] += 1
        self.enter("RECOVERING")

    def recovering(self):
        """The ladder: a patch, another one, a whole plan. A whole plan in place of a patch goes to the last rung."""
        run, first, origin = self.run, self.run["replies"], (self.run["trouble"] or [""])[0]
        self.event("replan_requested", origin)
        rungs = [] if run["react"] else ["patch", "retry"]
        for rung in rungs:
            if run["replies"] == len(self.replies):
                break
            if rung == "retry":
                self.event("retry_requested", origin)
            reply = self.next_reply()
            if is_full(reply):
                return self.full_plan(reply, origin)
            if self.change(patch, reply, "plan_patch_applied", "patch_rejected", origin):
                return
        read = run["replies"] > first
        if rungs and run["replies"] < len(self.replies):
            return self.full_plan(self.next_reply(), origin)
        if read:
            return self.full_plan(self.replies[-1], origin)
        self.event("replan_failed", origin)
        self.fail("replan_failed" if run["react"] else "replies_exhausted")

    def full_plan(self, reply, origin):
        if not self.change(replace, reply, "full_plan_used", "full_plan_rejected", origin):
            self.event("replan_failed", origin)
            self.fail("replan_failed")

    def change(self, how, reply, good, bad, origin):
        old = self.run["plan"]
        try:
            doc = parse(reply if isinstance(reply, str) else "")
            if (how is replace) != is_full(reply):
                raise Rejected(message="another document")
            new = planner.apply_reply(copy.deepcopy(old), reply, self.limits)
        except Rejected:
            self.event(bad, origin, "refused")
            return False
        self.event(good, origin)
        trouble = {s["id"] for s in old["steps"] if s["status"] in ("failed", "blocked")}
        named = {u["id"].strip() for u in doc.get("update_steps") or []}
        for step in new["steps"]:
            if step["id"] in trouble and (how is replace or step["id"].strip() in named):
                step["status"] = "pending"
                self.event("step_reopened", step["id"])
        self.run.update(plan=new, trouble=[])
        self.enter("PLANNING")
        return True

    def verifying(self):
        run = self.run
        if run["verified"] and run["verified"] == run["written"]:
            if not self.saw_it_pass:
                self.event("verify_cached")
            return self.enter("DONE")
        if run["checks"] == len(self.checks):
            return self.fail("replies_exhausted")
        run["checks"] += 1
        if self.checks[run["checks"] - 1]["ok"]:
            run["verified"], self.saw_it_pass = dict(run["written"]), True
            return self.event("final_verify")
        self.event("final_verify", code="verification_failed")
        if run["react"] or run["replans"] >= self.limits["max_replans"]:
            return self.fail("verification_failed")
        self.event("replan_triggered")
        self.recover("verification_failed")


def first_plan(reply, limit):
    """Reads a plan. One that is too long loses its last steps, and what needs them."""
    if not is_full(reply):
        raise Rejected(message="this is no plan")
    doc = members(parse(reply), PLAN, ["title", "steps"], drop=True)
    steps = [planner.read_step(s, str.strip, planner.NEW, ["id", "description"], drop=True) for s in doc["steps"]]
    planner.unique([s["id"] for s in steps])
    check([fill_in(s) for s in steps])
    steps = [fill_in({**s, "status": "pending"}) for s in steps]
    gone = {s["id"] for s in steps[limit:]}
    while more := {s["id"] for s in steps if gone & {*s["dependencies"]}} - gone:
        gone |= more
    plan = {"title": doc["title"].strip(), "steps": [s for s in steps if s["id"] not in gone]}
    if not plan["steps"]:
        raise Rejected(message="no step is left")
    if "verification_policy" in doc:
        plan["verification_policy"] = doc["verification_policy"]
    return plan


def is_full(reply):
    try:
        doc = parse(reply if isinstance(reply, str) else "")
    except Rejected:
        return False
    return "steps" in doc and doc.get("type") in (None, "FullPlan")


def read_action(reply):
    """What a reply in a step says, and whether it is only a word; None if it says nothing."""
    try:
        doc = parse(reply)
        if "control" in doc:
            control = members(doc, {"control": str, "reason": str}, ["control"])["control"]
            if control in ("step_done", "replan"):
                return control, False
        elif members(doc, {"tool": str, "args": dict}, ["tool"])["tool"].strip():
            return "tool", False
    except Rejected:
        pass
    word = legacy(reply)
    return word, bool(word)


def legacy(reply):
    thoughts = re.match(r"\s*<think>.*?</think>", reply, re.S)
    for line in reply[thoughts.end() if thoughts else 0:].split("\n"):
        line = line.strip().rstrip(".,;:!?…。，、；：！？")
        for before, after in QUOTES:
            if len(line) > len(before + after) and line.startswith(before) and line.endswith(after):
                line = line[len(before):-len(after)]
                break
        if line.isascii() and line.lower() in ("step_done", "replan"):
            return line.lower()
    return None


def block(steps):
    """What waits for a failed step is blocked; nothing else is."""
    bad = {s["id"] for s in steps if s["status"] == "failed"}
    for step in steps:
        if step["status"] in ("blocked", "in_progress"):
            step["status"] = "pending"
    while more := [s for s in steps if s["status"] == "pending" and bad & {*s["dependencies"]}]:
        for step in more:
            step["status"] = "blocked"
            bad.add(step["id"])


if __name__ == "__main__":
    reading = {"reading": {"extract": False}, "duplicate_keys": "last"}
    adapter.PROFILE, adapter.NAME, adapter.CASE_DIALECTS = {**reading, "conflicts": "reject"}, "runner", ["orchestrator"]
    adapter.WITHOUT = ["plan", "tools", "verify", "limits", "budget", "max_reply_bytes", "max_depth",
                       "max_tool_result_chars"]
    adapter.run_case = run_case
    adapter.main()
