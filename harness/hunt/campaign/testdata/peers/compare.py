"""Compares the loop of `replanbench fuzz` with those of two libraries for property-based
tests that do the same work, and prints cases a second of processor time, and the ratios.

    python3 compare.py REPLANBENCH [CASES]

The three run in turn, five rounds of them, each on one processor; the medians count. It
needs fast-check (npm install fast-check, in this folder or above) and Hypothesis (pip
install hypothesis, or Debian's python3-hypothesis); what is not there is left out.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROUNDS = 5


def cpu_seconds(command):
    """Runs a command, and returns its processor time and the last line that it printed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "GOMAXPROCS": "1"})
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{command[0]}: {err.strip().splitlines()[-1:] or status}")
    return usage.ru_utime + usage.ru_stime, (out.strip().splitlines() or [""])[-1]


def loops(binary, cases):
    """The commands by name, each with how many cases it runs."""
    yield "replanbench", cases, [binary, "fuzz", "--cases", str(cases), "--workers", "1", "--quiet"]
    yield "fast-check", cases // 4, ["node", str(HERE / "fast-check.mjs"), str(cases // 4)]
    yield "Hypothesis", cases // 40, [sys.executable, str(HERE / "hypothesis_loop.py"), str(cases // 40)]


def main():
    binary, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40000
    rates, sizes = {}, {}
    for _ in range(ROUNDS):
        for name, n, command in loops(binary, cases):
            try:
                seconds, last = cpu_seconds(command)
            except (RuntimeError, OSError) as problem:
                rates.setdefault(name, problem)
                continue
            rates.setdefault(name, []).append(n / seconds)
            if last.startswith("{"):
                said = json.loads(last)
                sizes[name] = said["bytes"] // said["cases"]
    ours = statistics.median(rates["replanbench"])
    print(f"{'':12} {'cases/s':>9} {'ratio':>7} {'B a case':>9}")
    for name, list_ in rates.items():
        if isinstance(list_, Exception):
            print(f"{name:12} left out: {list_}")
            continue
        rate = statistics.median(list_)
        print(f"{name:12} {rate:9.0f} {ours / rate:6.1f}× {sizes.get(name, ''):>9}")


if __name__ == "__main__":
    main()
