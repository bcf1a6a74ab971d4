"""replanbench in pytest: a test for each scenario, each check and each cause.

    pytest                       # the whole gate of replanbench.yaml
    pytest -k "done or cycle"    # the tests with such names
    REPLANBENCH_ARGS="--cases 500" pytest

replanbench.yaml next to this file configures the engine and the tests. Failures in
its list of known failures (`known`) are expected (xfail).
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
    if run.returncode > 1:  # the gate could not run
        raise pytest.UsageError(run.stderr.decode(errors="replace").strip())
    return json.loads(run.stdout)


def told(failure):
    """The text that pytest shows for a failure."""
    case = (failure.get("evidence") or {}).get("case", {})
    lines = [failure.get("message", ""), failure.get("title", "")]
    lines += ["%-8s  %s" % (k, json.dumps(case[k])) for k in ("plan", "replies") if k in case]
    for d in failure.get("differences", []):
        lines += ["at " + (d["at"] or "the outcome"), "expected  " + d["want"], "got       " + d["got"]]
    return "\n".join([line for line in lines if line] + ["reproduce: " + failure["reproduce"]])


def tests():
    """The tests: name, status and message. Causes come first."""
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
            if check not in broken:  # its causes report a broken check
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
