"""Runs planner.py as an engine that takes 5 ms for a case, and says how often it was asked."""
import runpy
import sys
import time

import adapter

run, calls = adapter.main, 0


def main():
    apply = adapter.apply_reply

    def slow(*args, **named):
        global calls
        calls += 1
        time.sleep(0.005)
        return apply(*args, **named)

    adapter.apply_reply = slow
    run()
    with open("calls", "a") as file:
        print(calls, file=file)


adapter.main = main
sys.argv[0] = "planner.py"
runpy.run_path("planner.py", run_name="__main__")
