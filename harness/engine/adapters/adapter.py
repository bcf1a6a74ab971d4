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
# what you declare. See: replanbench list profiles; replanbench list policies
PROFILE = "reference"

# The dialects that your engine knows: plan and reply go to apply_reply, or the whole
# case to run_case. See: replanbench list dialects
REPLY_DIALECTS = ["REPLY DIALECTS"]
CASE_DIALECTS = ["CASE DIALECTS"]


class Rejected(Exception):
    """Refuses a reply. See: replanbench list codes"""

    def __init__(self, code, message="", at=None):
        super().__init__(message or code)
        self.code, self.message, self.at = code, message, at


# ---------------------------------------------------------------------------
# YOUR CODE: fill in the function for your dialect.


def apply_reply(plan, reply, limits):
    """Applies a model's reply to a plan and returns the new plan.

    plan    {"title": ..., "steps": [{"id", "description", "dependencies",
            "status", "tools_expected"}, ...]}; yours to change
    reply   the raw text that the model wrote (bytes that are not UTF-8 stand
            in it as with errors="surrogateescape")
    limits  {"max_plan_steps": 12}, or {} for none

    To refuse the reply: raise Rejected("done_immutable", "step_1 is done")
    To name what was asked for and not done (see: replanbench list warnings):
    return {"plan": plan, "warnings": [{"code": "truncated", "ids": ["step_9"]}]}
    print() is safe here: it goes to standard error.
    """
    raise NotImplementedError("fill in the function apply_reply in the adapter")


def run_case(case):
    """Evaluates a case of one of CASE_DIALECTS and returns its outcome,
    {"verdict": "applied", ...}. To refuse: raise Rejected, as above.

    For both as JSON: replanbench schema case; replanbench schema outcome. To see
    what is expected: replanbench list scenarios; replanbench replay FILE
    """
    raise NotImplementedError("fill in the function run_case in the adapter")


# ---------------------------------------------------------------------------
# The rest speaks the protocol: JSON-RPC 2.0, one message a line.


def patch(case):
    """Evaluates a case of one of REPLY_DIALECTS: its first reply."""
    reply = case["replies"][0] if case.get("replies") else ""
    if isinstance(reply, dict):
        reply = base64.b64decode(reply["base64"]).decode("utf-8", "surrogateescape")
    result = apply_reply(case["plan"], reply, case.get("limits", {}))
    if "plan" not in result:
        result = {"plan": result}
    return {"verdict": "applied", **result}


# What the engine can do: for each dialect what it declares, and the function from
# a case to an outcome. Engines that read more than the first reply declare
# "features": ["ladder"].
def dialects():
    return {
        name: ({"profile": PROFILE}, patch if name in REPLY_DIALECTS else run_case)
        for name in REPLY_DIALECTS + CASE_DIALECTS
    }


def evaluate(case):
    _, function = dialects()[case["dialect"]]
    try:
        return function(case)
    except Rejected as r:
        outcome = {"verdict": "rejected", "code": r.code, "message": r.message}
        if r.at is not None:
            outcome["at"] = r.at
        return outcome


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
