"""replanbench in pytest: a test for each cause and each other failure, and one for
everything else of a kind, such as the scenarios that pass.

    pytest                       # the whole gate of replanbench.yaml
    pytest -k "done or cycle"    # the tests with such names
    REPLANBENCH_ARGS="--cases 500" pytest

replanbench.yaml next to this file configures the engine and the tests. Failures in
its list of known failures (`known`) are expected (xfail). Collection does not run the
gate: its names come from the last run, which .replanbench keeps. What that run did not
name is in test_new_findings.

With Hypothesis, write properties on generated cases of your own dialect:

    @given(cases())
    @settings(deadline=None)
    def test_property(case):
        assert not case["broken"]  # or a property of case["case"] and case["result"]["outcome"]

Hypothesis shrinks by dropping traits; the line that it shows shrinks the rest.
"""
import functools
import json
import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

try:
    from hypothesis import strategies
except ImportError:
    strategies = None  # only cases() needs it

HERE = pathlib.Path(__file__).parent
KEPT = HERE / ".replanbench"
PROGRAM = os.environ.get("REPLANBENCH", "replanbench")
WIDTH = 200  # characters of a plan, a reply or a value
SHOWN = 10  # new findings, known scenarios, and scenarios that no cause explains, that are shown
MORE = "more failing scenarios"
KNOWN = "more known scenarios"


@pytest.fixture(scope="session")
def found():
    """The findings of the gate, which runs once: status and failure by name; or a list of errors."""
    if not shutil.which(PROGRAM):
        pytest.skip("the program replanbench is not installed")
    args = shlex.split(os.environ.get("REPLANBENCH_ARGS", ""))
    run = subprocess.run(
        [PROGRAM, "check", "--quiet", "--format", "json", *args], cwd=HERE, capture_output=True
    )
    if run.returncode > 1:  # the gate could not run
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        return ["\n".join(lines[-8:])]
    tests = list(findings(json.loads(run.stdout)))
    KEPT.mkdir(exist_ok=True)
    (KEPT / "report.json").write_bytes(run.stdout)
    (KEPT / "names.json").write_text(json.dumps([[name, label] for name, label, _, _ in tests]))
    return {name: (status, what) for name, _, status, what in tests}


@pytest.fixture
def gate(found):
    """The findings. If the gate could not run, the first test says why."""
    if isinstance(found, list):
        if found:
            pytest.fail(found.pop(), pytrace=False)
        pytest.skip("the gate could not run")
    return found


def kept_names():
    """The names of the last run, with the sentences of causes."""
    try:
        return json.loads((KEPT / "names.json").read_text())
    except (OSError, ValueError):
        return []


def findings(report):
    """The name, the label, the status and the failure of each test. Causes come first."""
    failures = {f["id"]: f for f in report["failures"] if not f.get("advisory")}
    rest = {}  # the names of what has no test of its own, by the name of their test
    shown = known = 0
    for campaign in (report.get("fuzz") or {}).get("campaigns", []):
        ways = [way for g in campaign["groups"] for way in [g["check"], *g.get("beside", {})]]
        broken = {way.split(" ")[0] for way in ways}  # also together with a worse failure, or not judged
        for c in campaign["causes"]:
            name = "/".join([campaign["dialect"], c["class"], c["id"]])
            failure = failures.pop(name, None)
            status = "fail" if failure else "known"
            if failure:
                failure = {"evidence": {"case": c.get("example", {})}, **failure}
            yield name, name + " " + short(c["sentence"], 80), status, failure or c["sentence"]
        for check, n in campaign["coverage"]["checks"].items():
            if check not in broken:  # the tests of causes report it
                kind = "other checks" if n else "checks without a case"
                rest.setdefault(campaign["dialect"] + "/" + kind, []).append(check)
    for s in (report.get("scenarios") or {}).get("results", []):
        failure = failures.pop(s["id"], None)
        if failure and shown < SHOWN:
            shown += 1
            yield s["id"], s["id"], "fail", failure
        elif failure:
            rest.setdefault(MORE, []).append(s["id"])
        elif s["status"] == "pass":
            rest.setdefault("other scenarios", []).append(s["id"])
        elif s["status"] == "known" and known < SHOWN:
            known += 1
            yield s["id"], s["id"], "known", s.get("reason", "")
        elif s["status"] == "known":
            rest.setdefault(KNOWN, []).append(s["id"])
        elif s["status"] != "unsupported":
            rest.setdefault("scenarios that a cause explains", []).append(s["id"])
    for name, failure in failures.items():
        yield name, name, "fail", failure
    for name, names in rest.items():
        text = short(", ".join(names), 60)
        if name == MORE:
            yield name, name, "fail", {"id": name, "message": text, "reproduce": "replanbench check"}
        elif name == KNOWN:
            yield name, name, "known", text
        else:
            yield name, name, "pass" if "other " in name else "%d not judged" % len(names), text


def short(text, width=WIDTH):
    """The text on one line, cut to the width."""
    text = " ".join(str(text).splitlines())
    return text if len(text) <= width else text[: width - 3] + "..."


def told(failure):
    """The text that pytest shows for a failure."""
    case = (failure.get("evidence") or {}).get("case", {})
    name = ": ".join(filter(None, [failure["id"], failure.get("message")]))
    lines = [name, *failure.get("title", "").split("\nCase ")[0].split("\n")]  # without the case
    lines += ["%-8s  %s" % (k, json.dumps(case[k])) for k in case if k not in ("dialect", "profile")]
    for d in failure.get("differences", [])[:3]:
        values = d["at"] or "the outcome", short(d["want"], 80), short(d["got"], 80)
        lines.append("at %s: expected %s, got %s" % values)
    lines = [short(line) for line in lines if line]
    if any("..." in line for line in lines):
        lines.append("complete in " + str(KEPT / "report.json"))
    return "\n".join(lines + ["reproduce: " + failure["reproduce"]])


NAMES = kept_names()


@pytest.mark.parametrize("name", [n for n, _ in NAMES], ids=[label for _, label in NAMES])
def test_replanbench(gate, name):
    status, what = gate.get(name, ("pass", ""))  # it no longer occurs
    if isinstance(what, dict):
        pytest.fail(told(what), pytrace=False)
    if status == "known":
        pytest.xfail(what)
    if status != "pass":
        pytest.skip(status + (": " + what if what else ""))


def test_new_findings(gate):
    """What the last run did not name; in the first run, that is everything."""
    named = {name for name, _ in NAMES}
    new = [w for name, (_, w) in gate.items() if name not in named and isinstance(w, dict)]
    if new:
        text = "\n\n".join(told(f) for f in new[:SHOWN])
        if len(new) > SHOWN:
            text += "\n\n%d more are in %s" % (len(new) - SHOWN, KEPT / "report.json")
        pytest.fail(text + "\n\nThe next run has a test for each.", pytrace=False)


class Case(dict):
    """A generated case: its name, the case, the engine's result, and what it breaks."""

    def __repr__(self):
        lines = [self["name"]] + self["broken"] + ["case " + json.dumps(self["case"])]
        shrink = "shrink: %s replay --minimize %s --config replanbench.yaml" % (PROGRAM, self["name"])
        return "\n  ".join([short(line) for line in lines] + [shrink])


class Drawer:
    """Draws generated cases by name, from a process of replanbench that runs the engine."""

    def __init__(self):
        self.process = subprocess.Popen(
            [PROGRAM, "engine", "draw"], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.traits = self.read()["traits"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("replanbench engine draw has ended: see its standard error")
        return json.loads(line)

    @functools.lru_cache(maxsize=10_000)
    def draw(self, dialect, seed, index, traits):
        name = "%s:%d:%d:%s" % (dialect, seed, index, "+".join(traits))
        self.process.stdin.write(name.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.read()
        if "error" in answer:
            raise ValueError(answer["error"])
        return Case(answer)


@functools.lru_cache(maxsize=None)
def drawer():
    return Drawer()


def cases(dialect=None, most=3):
    """A Hypothesis strategy: cases of replanbench's generators, by seed, index and a subset
    of the traits, of which a case has at most `most`."""

    @strategies.composite
    def drawn(draw):
        source = drawer()
        name = dialect or next(iter(source.traits))
        subset = strategies.lists(strategies.sampled_from(source.traits[name]), unique=True, max_size=most)
        number = strategies.integers(0, 9999)
        return source.draw(name, draw(number), draw(number), tuple(draw(subset)))

    return drawn()
