#!/usr/bin/env python3
"""Connects your patch logic to replanbench. Needs Python 3.9 or later, nothing else.

Fill in the function apply_reply below, then:

    replanbench engine check -- python3 adapter.py
    replanbench fuzz --cases 2000 -- python3 adapter.py

Several copies of this program may run at once, so let them share no file.
"""
import base64
import json
import os
import sys
import traceback

# A program run as a script is not the module of its name: "import adapter" in your code would
# make a second Rejected, which nothing here catches. This line makes the two one.
sys.modules.setdefault(os.path.splitext(os.path.basename(__file__))[0], sys.modules[__name__])

NAME, VERSION = "my-planner", "0.1"

# The rules that your engine follows: the name of a profile, or knobs that override
# the profile "reference" ({"conflicts": "reject"}). Your engine is judged by these rules.
# See: replanbench help profiles; replanbench list knobs.
# replanbench engine infer finds the rules that fit what your engine does.
PROFILE = "reference"
# "parsed" if a client parses the arguments of the model's tool calls before your engine
# gets them: then every reply is one JSON object, and reading text is not judged. Types are
# still judged: if the client validates arguments by a schema, do so here, too.
ARGUMENTS = "text"
WITHOUT = []  # what it lacks (replanbench list capabilities): cases are skipped
GIVES = []  # what it returns besides the plan, such as "warnings": compared
FEATURES = []  # what it supports (replanbench list features): other cases are skipped
CODES = "any"  # "exact" if your rejections return the codes of replanbench list codes

# The dialects that your engine knows. See: replanbench help dialects
#[replies
REPLY_DIALECTS = ["REPLY DIALECTS"]  # plan and reply go to apply_reply
#]
#[cases
CASE_DIALECTS = ["CASE DIALECTS"]  # the whole case goes to run_case
#]


class Rejected(Exception):
    """Rejects a reply. Begin with the code "refused": it gives no reason, and reasons
    are then never compared. With GIVES = ["warnings"] a rejection may have warnings:
    Rejected("refused", warnings=[{"code": "truncated", "ids": ["a"]}]).
    See: replanbench list codes; replanbench list warnings"""

    def __init__(self, code="refused", message="", at=None, warnings=()):
        super().__init__(message or code)
        self.code, self.message, self.at, self.warnings = code, message, at, list(warnings)


# ---------------------------------------------------------------------------
# YOUR CODE

#[pages
#]

#[replies


def apply_reply(plan, reply, limits):
    """Applies a model's reply to a plan and returns the new plan.

    plan    the plan of the case, as above; optional members may be missing or null,
            and unknown members must be kept
    reply   the raw text that the model wrote (bytes that are not UTF-8 are
            decoded with errors="surrogateescape")
    limits  {"max_plan_steps": 12, "max_reply_bytes": 1000, "max_depth": 64}; each
            limit may be missing

    To reject the reply: raise Rejected("refused", "step_1 is done"). A rejection
    must not change the plan: the adapter sends plan back to show that. So change
    a copy, or check the whole reply first.
    To return more than the plan, such as results (operations, tasks):
    return {"plan": plan, "results": results}.
    To warn about parts that were not applied (see: replanbench list warnings):
    return {"plan": plan, "warnings": [{"code": "truncated", "ids": ["step_9"]}]},
    with GIVES = ["warnings"]. print() is safe here: it goes to standard error.
    """
    raise NotImplementedError("fill in the function apply_reply in the adapter")


#]
#[cases


def run_case(case):
    """Evaluates a case and returns its outcome, both as above. For all members
    see: replanbench schema case; replanbench schema outcome. For expected outcomes
    see: replanbench list scenarios; replanbench replay FILE

    To reject: raise Rejected("refused", "step_1 is done"). A reply is a text, or
    {"base64": ...} for bytes that are not UTF-8. The case has a profile only if
    FEATURES contains "profiles". print() is safe here: it goes to standard error.
    """
    raise NotImplementedError("fill in the function run_case in the adapter")


#]
# ---------------------------------------------------------------------------
# The rest speaks the protocol: JSON-RPC 2.0, one message per line.


#[replies
def _patch(case):
    """Evaluates a case of one of REPLY_DIALECTS: its first reply. If you support a
    feature that needs more of the case, such as "ladder", pass it to apply_reply here."""
    if not case.get("replies"):
        return _refusal(Rejected("refused", "there is no reply"))
    reply = case["replies"][0]
    if isinstance(reply, dict):
        reply = base64.b64decode(reply["base64"]).decode("utf-8", "surrogateescape")
    try:
        result = apply_reply(case.get("plan"), reply, case.get("limits", {}))
    except Rejected as r:
        return {**_refusal(r), "plan": case.get("plan")}  # shows whether the rejection changed it
    if "plan" not in result:
        result = {"plan": result}
    return {"verdict": "applied", **result}


#]
def _refusal(r):
    outcome = {"verdict": "rejected", "code": r.code, "message": r.message}
    if r.at is not None:
        outcome["at"] = r.at
    if r.warnings:
        outcome["warnings"] = r.warnings
    return outcome


# Each dialect with its declaration and the function from a case to an outcome.
def _dialects():
    declared = {
        "profile": PROFILE,
        "codes": CODES,
        "arguments": ARGUMENTS,
        "features": FEATURES,
        "without": WITHOUT,
        "gives": GIVES,
    }
    return {
        #[replies
        **{name: (declared, _patch) for name in REPLY_DIALECTS},
        #]
        #[cases
        **{name: (declared, run_case) for name in CASE_DIALECTS},
        #]
    }


def _evaluate(case):
    _, function = _dialects()[case["dialect"]]
    try:
        return function(case)
    except Rejected as r:
        return _refusal(r)


def _respond(message):
    if message["method"] == "initialize":
        return {
            "protocol": 1,
            "engine": {"name": NAME, "version": VERSION},
            "window": 16,
            "dialects": {name: declared for name, (declared, _) in _dialects().items()},
        }
    if message["method"] == "eval":
        return _evaluate(message["params"]["case"])
    raise ValueError("unknown method " + repr(message["method"]))


def _safe(value):
    """Replaces what JSON cannot have: NaN and infinity become texts, other objects their str()."""
    if isinstance(value, dict):
        return {str(k): _safe(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_safe(v) for v in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _place(e):
    """Returns the line of your code that failed, as FILE:LINE: crashes of one line are one bug."""
    frames = traceback.extract_tb(e.__traceback__)
    own = [f for f in frames if not f.filename.startswith(("<", os.path.dirname(os.__file__)))]
    return "%s:%d: " % (os.path.basename(own[-1].filename), own[-1].lineno) if own else ""


def main():
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # standard output belongs to the protocol
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["method"] == "shutdown":
            return
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = _safe(_respond(message))
            text = json.dumps(answer)  # in ASCII: half a character cannot break it
        except Exception as e:  # a bug of the engine: report it and go on
            traceback.print_exc()
            answer.pop("result", None)
            text = "%s%s: %s" % (_place(e), type(e).__name__, str(e)[:500])
            answer["error"] = {"code": -32000, "message": text}
            text = json.dumps(answer)
        out.write(text.encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
