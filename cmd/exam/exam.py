"""Measures how well campaigns separate bugs: mutants of engines written from the specification.

    python3 cmd/exam/exam.py bin/replanbench --mutants 30

For each dialect it runs a campaign against each mutant alone, and against engines that
combine several of the detected mutants, and prints one table.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import mutate

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = "crash loss unsound forged unsteady accepts refuses differs reports code".split()
DIALECTS = ("planpatch", "operations", "todos", "tasks")


def campaign(o, dialect, chosen, seed, plain=0):
    """Runs a campaign against an engine with mutations, and returns its result."""
    name = "%s-%s-%d%s" % (dialect, "+".join(map(str, chosen)), seed, "-plain" if plain else "")
    kept = os.path.join(o.keep, name + ".json")
    if not os.path.exists(kept):
        engine = os.path.join(o.keep, name + ".py")
        with open(os.path.join(HERE, "engines", dialect + ".py")) as f:
            source = f.read()
        with open(engine, "w") as f:
            f.write(mutate.mutate(source, chosen))
        size = ["--traits", "none", "--cases", str(plain)] if plain else ["--cases", str(o.cases)]
        subprocess.run([o.program, "fuzz", "--dialect", dialect, "--seed", str(seed), *size, "--quiet", "--timeout", "5s",
                        "--max-findings", "100000", "--workers", "1", "--skip", "bounded", "--dir", kept[:-5], "--format", "json", "--out", kept, "--",
                        sys.executable, os.path.join(HERE, "engines", "wire.py"), engine],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    try:
        with open(kept) as f:
            return json.load(f)["fuzz"]["campaigns"][0]
    except (OSError, KeyError):  # the engine does not even start
        return {"unconnected": True, "causes": [], "groups": []}


def loud(items):
    return [x for x in items if not x.get("advisory")]


def worst(items):
    return min((CLASSES.index(x["class"]) for x in loud(items)), default=-1)


def single(o, dialect, place):
    """Classifies one mutant."""
    r = campaign(o, dialect, [place], 1)
    m = {"place": place, "causes": loud(r["causes"]), "groups": {g["id"] for g in loud(r["groups"])}}
    m["plain"] = r.get("unconnected") or any(not g["culprits"] for g in loud(r["groups"]))
    m["unconnected"] = r.get("unconnected", False)
    m["detected"] = m["unconnected"] or bool(m["groups"])
    m["right"] = not m["causes"] or worst(r["causes"]) == worst(r["groups"])
    if not m["detected"]:
        m["missed"] = bool(loud(campaign(o, dialect, [place], 1, plain=o.plain)["groups"]))
    return m


def matched(causes, mutants):
    """Pairs causes with mutants that show one of their groups, as many as possible."""
    taken = {}

    def find(k, seen):
        for i, m in enumerate(mutants):
            if i not in seen and m["groups"] & set(causes[k]["groups"]):
                seen.add(i)
                if i not in taken or find(taken[i], seen):
                    taken[i] = k
                    return True
        return False

    return sum(find(k, set()) for k in range(len(causes)))


def distinct(mutants):
    """Leaves out mutants without a cause, and mutants with the same first cause as another: no campaign distinguishes those bugs."""
    first = {}
    for m in filter(lambda m: m["causes"], mutants):
        first.setdefault(m["causes"][0]["id"], m)
    return list(first.values())


def combined(o, dialect, mutants, n, rng):
    """Measures engines with n mutants, or all there are: bugs that show, those with a cause, causes, stable ids."""
    counts = [0, 0, 0, 0, 0]
    mutants = distinct(mutants)
    for _ in range(o.sets if mutants else 0):
        chosen = rng.sample(mutants, min(n, len(mutants)))
        before = None
        for seed in range(1, o.seeds + 1):
            r = campaign(o, dialect, sorted(m["place"] for m in chosen), seed)
            causes, groups = loud(r["causes"]), {g["id"] for g in loud(r["groups"])}
            ids = {c["id"] for c in causes}
            if before is None:
                showing = [m for m in chosen if m["groups"] & groups]
                counts[0] += len(showing)
                counts[1] += matched(causes, showing)
                counts[2] += len(causes)
            else:
                counts[3] += len(ids & before)
                counts[4] += len(ids | before)
            before = ids
    return counts


def share(n, of):
    return "%d of %d (%.0f %%)" % (n, of, 100 * n / of) if of else "none"


def examine(o, dialect, pool):
    with open(os.path.join(HERE, "engines", dialect + ".py")) as f:
        every = mutate.places(f.read())
    rng = random.Random(o.seed)
    sample = rng.sample(range(len(every)), min(o.mutants or len(every), len(every)))
    list_ = list(pool.map(lambda p: single(o, dialect, p), sample))
    found = [m for m in list_ if m["detected"]]
    cause = [m for m in found if not m["unconnected"]]
    rare = [m for m in cause if not m["plain"]]
    print("%s: %d places, %d mutants" % (dialect, len(every), len(sample)))
    rows = [
        ("detected", len(found), len(list_)),
        ("not detected, but wrong in plain cases", sum(m.get("missed", False) for m in list_), len(list_)),
        ("not in plain cases: exactly one failing cause", sum(len(m["causes"]) == 1 for m in rare), len(rare)),
        ("not in plain cases: at most two", sum(len(m["causes"]) in (1, 2) for m in rare), len(rare)),
        ("detected: exactly one failing cause", sum(len(m["causes"]) == 1 for m in cause), len(cause)),
        ("the class is the worst", sum(m["right"] for m in cause), len(cause)),
    ]
    for n in sorted({min(n, len(distinct(rare))) for n in o.bugs}):
        bugs, there, causes, same, either = combined(o, dialect, rare, n, rng)
        rows.append(("%d bugs: their causes are there" % n, there, bugs))
        rows.append(("%d bugs: causes for each bug" % n, causes, bugs))
        rows.append(("%d bugs: ids that are equal for the next seed" % n, same, either))
    for text, n, of in rows:
        print("  %-50s %s" % (text, share(n, of)), flush=True)
    for m in list_:
        if o.verbose and m["detected"] and len(m["causes"]) != 1:
            print("  %d causes: place %d, line %d, %s" % (len(m["causes"]), m["place"], *every[m["place"]]))


def main():
    p = argparse.ArgumentParser(description="Measure how well campaigns separate bugs.")
    p.add_argument("program", help="the replanbench program")
    p.add_argument("--dialects", nargs="*", default=DIALECTS, choices=DIALECTS)
    p.add_argument("--mutants", type=int, default=0, help="mutants of each dialect (default all)")
    p.add_argument("--cases", type=int, default=4000, help="cases of a campaign")
    p.add_argument("--plain", type=int, default=50000, help="plain cases for a mutant that is not detected")
    p.add_argument("--sets", type=int, default=3, help="combined engines of each size")
    p.add_argument("--bugs", type=int, nargs="*", default=(8, 20), help="mutants in a combined engine")
    p.add_argument("--seeds", type=int, default=3, help="seeds for each combined engine")
    p.add_argument("--seed", type=int, default=1, help="seed of the sample")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--keep", help="directory that keeps engines and reports; existing reports are reused")
    p.add_argument("--verbose", action="store_true", help="list the mutants that do not have exactly one cause")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(o.jobs) as pool:
        o.keep = o.keep or temporary
        os.makedirs(o.keep, exist_ok=True)
        for dialect in o.dialects:
            examine(o, dialect, pool)


if __name__ == "__main__":
    main()
