#!/usr/bin/env python3
"""Connects your patch logic to replanbench. Needs Python 3.9 or later, nothing else.

Fill in the function apply_reply below, then:

    replanbench engine check -- python3 adapter.py
    replanbench fuzz -- python3 adapter.py
"""
import base64
import json
import sys
import traceback

NAME, VERSION = "my-planner", "0.1"

# The rules that your engine means to follow: the name of a profile, or knobs
# over the profile "reference" ({"conflicts": "reject"}). You are judged by
# what you declare. See: replanbench help profiles; replanbench list policies;
# replanbench engine infer finds out which rules fit what your engine does.
PROFILE = "reference"
WITHOUT = []  # what it does not have (replanbench list capabilities): never asked
GIVES = []  # what it tells beside the plan, such as "warnings": only that is compared
CODES = "any"  # "exact" once your refusals give the codes of replanbench list codes

# The dialects that your engine knows: plan and reply go to apply_reply, or the whole
# case to run_case. See: replanbench help dialects
REPLY_DIALECTS = ["REPLY DIALECTS"]
CASE_DIALECTS = ["CASE DIALECTS"]


class Rejected(Exception):
    """Refuses a reply. Begin with the code "refused", which says that the reason is
    not told and is never compared. See: replanbench list codes"""

    def __init__(self, code="refused", message="", at=None):
        super().__init__(message or code)
        self.code, self.message, self.at = code, message, at


# ---------------------------------------------------------------------------
# YOUR CODE: fill in the function for your dialect.


def apply_reply(plan, reply, limits):
    """Applies a model's reply to a plan and returns the new plan.

    plan    {"title": ..., "steps": [{"id", "description", "dependencies",
            "status", "tools_expected"}, ...], "verification_policy": ...}; all but id
            and description may be missing or null; status is pending, in_progress,
            done, blocked or failed. Members that you do not know must stay.
            (todos: {"items": [{"id", "content", "status", ...}]})
    reply   the raw text that the model wrote (bytes that are not UTF-8 stand
            in it as with errors="surrogateescape")
    limits  {"max_plan_steps": 12, "max_reply_bytes": 1000, "max_depth": 64}, each
            of them may be missing; {} for none

    To refuse the reply: raise Rejected("refused", "step_1 is done"). The plan that
    you were given is sent along as you leave it: a refusal changes nothing, so
    make your changes in a copy, or when nothing can go wrong any more.
    To name what was asked for and not done (see: replanbench list warnings):
    return {"plan": plan, "warnings": [{"code": "truncated", "ids": ["step_9"]}]},
    with GIVES = ["warnings"]. print() is safe here: it goes to standard error.

    A case, and its outcome, as they travel:

    {"dialect": "planpatch", "limits": {"max_plan_steps": 12},
     "plan": {"title": "T", "steps": [
      {"id": "a", "description": "A", "dependencies": [], "status": "done",
       "tools_expected": ["grep"], "seen": "a member of your own"},
      {"id": "b", "description": "B", "dependencies": ["a"], "status": "pending",
       "tools_expected": []}]},
     "replies": ["{\\"update_steps\\": [{\\"id\\": \\"b\\", \\"description\\": \\"C\\"}]}"]}

    {"verdict": "applied", "plan": {"title": "T", "steps": [
      {"id": "a", "description": "A", "dependencies": [], "status": "done",
       "tools_expected": ["grep"], "seen": "a member of your own"},
      {"id": "b", "description": "C", "dependencies": ["a"], "status": "pending",
       "tools_expected": []}]}}
    """
    raise NotImplementedError("fill in the function apply_reply in the adapter")


def run_case(case):
    """Evaluates a case of one of CASE_DIALECTS and returns its outcome,
    {"verdict": "applied", ...}. To refuse: raise Rejected, as above.

    A case may hold dialect, profile (if you declare the feature "profiles"), limits,
    plan, replies (each a text, or {"base64": ...} for bytes that are none), results,
    tools, verify, interrupt_after, context, files, calls, messages,
    budget, policy: those of its dialect. As JSON: replanbench schema case;
    replanbench schema outcome. To see what is expected:
    replanbench list scenarios; replanbench replay FILE
    """
    raise NotImplementedError("fill in the function run_case in the adapter")


# ---------------------------------------------------------------------------
# The rest speaks the protocol: JSON-RPC 2.0, one message a line.


def patch(case):
    """Evaluates a case of one of REPLY_DIALECTS: its first reply."""
    if not case.get("replies"):
        return refusal(Rejected("refused", "there is no reply"))
    reply = case["replies"][0]
    if isinstance(reply, dict):
        reply = base64.b64decode(reply["base64"]).decode("utf-8", "surrogateescape")
    try:
        result = apply_reply(case.get("plan"), reply, case.get("limits", {}))
    except Rejected as r:
        return {**refusal(r), "plan": case.get("plan")}  # as the refusal left it
    if "plan" not in result:
        result = {"plan": result}
    return {"verdict": "applied", **result}


def refusal(r):
    outcome = {"verdict": "rejected", "code": r.code, "message": r.message}
    if r.at is not None:
        outcome["at"] = r.at
    return outcome


# What the engine can do: for each dialect what it declares, and the function from
# a case to an outcome. Engines that read more than the first reply declare
# "features": ["ladder"].
def dialects():
    return {
        name: (
            {"profile": PROFILE, "codes": CODES, "without": WITHOUT, "gives": GIVES},
            patch if name in REPLY_DIALECTS else run_case,
        )
        for name in REPLY_DIALECTS + CASE_DIALECTS
    }


def evaluate(case):
    _, function = dialects()[case["dialect"]]
    try:
        return function(case)
    except Rejected as r:
        return refusal(r)


def respond(message):
    if message["method"] == "initialize":
        return {
            "protocol": 1,
            "engine": {"name": NAME, "version": VERSION},
            "window": 16,
            "dialects": {name: declared for name, (declared, _) in dialects().items()},
        }
    if message["method"] == "eval":
        return evaluate(message["params"]["case"])
    raise ValueError("unknown method " + repr(message["method"]))


def main():
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # standard output is the protocol's
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["method"] == "shutdown":
            return
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = respond(message)
            text = json.dumps(answer)
        except Exception as e:  # a bug of the engine: say so and go on
            traceback.print_exc()
            answer.pop("result", None)
            answer["error"] = {"code": -32000, "message": type(e).__name__ + ": " + str(e)[:500]}
            text = json.dumps(answer)
        out.write(text.encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
