#!/usr/bin/env python3
"""Renders templates.jsonl with Python's Jinja2 and writes golden.json.

Run it with a Python that has Jinja2 3.1 (Debian: apt install python3-jinja2):

    python3 generate.py

The table has one template a line: {"name", "template"}. context.json holds the
variables, and parts.json the templates that others include. A template that Jinja2 refuses is recorded with the type of its error.
"""

import json
import pathlib
import platform

import jinja2

here = pathlib.Path(__file__).parent


def main():
    table = [json.loads(line) for line in (here / "templates.jsonl").read_text(encoding="utf-8").splitlines() if line]
    context = json.loads((here / "context.json").read_text(encoding="utf-8"))
    parts = json.loads((here / "parts.json").read_text(encoding="utf-8"))
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader(parts))
    golden = {}
    for case in table:
        try:
            golden[case["name"]] = {"text": environment.from_string(case["template"]).render(context)}
        except Exception as e:  # what kind of error is part of the golden
            golden[case["name"]] = {"error": type(e).__name__}
    document = {"jinja2": jinja2.__version__, "python": platform.python_version(), "rendered": golden}
    (here / "golden.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


main()
