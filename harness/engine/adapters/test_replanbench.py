"""replanbench in pytest: a test for each scenario, each check and each cause.

    pytest                       # all of replanbench.yaml
    pytest -k "done or cycle"    # what is called so
    REPLANBENCH_ARGS="--cases 500" pytest

The engine and what is tested stand in replanbench.yaml beside this file. Failures
that the file named there by `known` lists are expected to fail (xfail).
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("REPLANBENCH", "replanbench")


def report():
    """Runs the gate, once for all tests."""
    if not shutil.which(PROGRAM):
        pytest.skip("the program replanbench is not installed", allow_module_level=True)
    args = shlex.split(os.environ.get("REPLANBENCH_ARGS", ""))
    run = subprocess.run(
        [PROGRAM, "check", "--quiet", "--format", "json", *args], cwd=HERE, capture_output=True
    )
    if run.returncode > 1:  # neither passed nor failed: it could not run
        raise pytest.UsageError(run.stderr.decode(errors="replace").strip())
    return json.loads(run.stdout)


def told(failure):
    """What pytest shows of a failure."""
    case = (failure.get("evidence") or {}).get("case", {})
    lines = [failure.get("message", ""), failure.get("title", "")]
    lines += ["%-8s  %s" % (k, json.dumps(case[k])) for k in ("plan", "replies") if k in case]
    for d in failure.get("differences", []):
        lines += ["at " + (d["at"] or "the outcome"), "expected  " + d["want"], "got       " + d["got"]]
    return "\n".join([line for line in lines if line] + ["reproduce: " + failure["reproduce"]])


def tests():
    """The tests: name, status, and what to tell. Causes come first."""
    r = report()
    failures = {f["id"]: f for f in r["failures"] if not f.get("advisory")}
    for campaign in (r.get("fuzz") or {}).get("campaigns", []):
        broken = set()
        for c in campaign["causes"]:
            name = "/".join([campaign["dialect"], c["class"], c["id"]])
            failure = failures.pop(name, None)
            name = "/".join([campaign["dialect"], c["check"], c["id"]])
            yield name, "fail" if failure else "known", failure or c["sentence"]
            broken.add(c["check"])
        for check, n in campaign["coverage"]["checks"].items():
            if check not in broken:  # what is broken is told by its causes
                yield campaign["dialect"] + "/" + check, "pass" if n else "not_run", "it had no case"
    for s in (r.get("scenarios") or {}).get("results", []):
        if s["status"] != "unsupported":
            yield s["id"], s["status"], failures.pop(s["id"], None) or s.get("reason", "")
    for name, failure in failures.items():
        yield name, "fail", failure


TESTS = list(tests())


@pytest.mark.parametrize("status,what", [t[1:] for t in TESTS], ids=[t[0] for t in TESTS])
def test_replanbench(status, what):
    if isinstance(what, dict):
        pytest.fail(told(what), pytrace=False)
    if status == "known":
        pytest.xfail(what)
    if status != "pass":
        pytest.skip(status.replace("_", " ") + (": " + what if what else ""))
