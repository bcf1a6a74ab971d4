"""The wire protocol of the exam's engines: not mutated."""
import base64
import importlib.util
import json
import os
import sys
import traceback

WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


class Rejected(Exception):
    """The reply is rejected, with a code."""


def raw(reply):
    return base64.b64decode(reply["base64"]) if isinstance(reply, dict) else reply.encode("utf-8", "surrogatepass")


def answer(apply, case):
    try:
        return {"verdict": "applied", **apply(case)}
    except Rejected as r:
        return {"verdict": "rejected", "code": r.args[0]}


def serve(dialect, profile, apply, more):
    sys.setrecursionlimit(5000)
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    declared = {"profile": profile, "codes": "any", "features": [], "without": [], "gives": [], **more}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": message.get("id")}
        if message["method"] == "shutdown":
            return
        try:
            if message["method"] == "initialize":
                reply["result"] = {"protocol": 1, "engine": {"name": dialect, "version": "1"}, "window": 16,
                                   "dialects": {dialect: declared}}
            else:
                reply["result"] = answer(apply, message["params"]["case"])
            text = json.dumps(reply)
        except Exception as e:
            reply.pop("result", None)
            place = traceback.extract_tb(e.__traceback__)[-1]
            reply["error"] = {"code": -32000, "message": "%s:%d: %s: %s" % (
                os.path.basename(place.filename), place.lineno, type(e).__name__, str(e)[:500])}
            text = json.dumps(reply)
        out.write(text.encode() + b"\n")
        out.flush()


def main():
    """Serves an engine: wire.py FILE [FEATURE...], where FILE defines DIALECT, PROFILE, apply, and may define DECLARED.

    It also declares the features of the arguments, such as profiles.
    """
    spec = importlib.util.spec_from_file_location("engine", sys.argv[1])
    engine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(engine)
    more = {"features": [], **getattr(engine, "DECLARED", {})}
    more["features"] = more["features"] + sys.argv[2:]
    serve(engine.DIALECT, engine.PROFILE, engine.apply, more)


if __name__ == "__main__":
    sys.modules["wire"] = sys.modules["__main__"]
    main()
