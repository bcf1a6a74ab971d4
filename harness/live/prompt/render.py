import json
import sys
import traceback

import jinja2
from jinja2 import sandbox

MOST_TEXT = 16 << 20  # characters that a prompt may have
MOST_MEMORY = 1 << 30  # bytes that rendering may take


def bound_memory():
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # not every system has such a limit


def render(template, variables):
    parts, size = [], 0
    for part in template.generate(variables):
        parts.append(part)
        size += len(part)
        if size > MOST_TEXT:
            raise OverflowError("the template makes more than 16 MiB of text")
    return "".join(parts)


def main():
    bound_memory()
    given = json.load(sys.stdin)
    sources = dict(given["included"])
    sources[given["name"]] = given["text"]

    def find(name):
        return (sources[name], name, None) if name in sources else None

    environment = sandbox.SandboxedEnvironment(loader=jinja2.FunctionLoader(find), undefined=jinja2.StrictUndefined)
    try:
        answer = {"text": render(environment.get_template(given["name"]), given["variables"])}
    except jinja2.TemplateSyntaxError as e:
        answer = {"error": e.message, "template": e.name or given["name"], "line": e.lineno}
    except MemoryError:
        answer = {"error": "the template needs more than 1 GiB of memory", "template": given["name"], "line": 1}
    except Exception as e:
        place = (given["name"], 1)
        for frame in traceback.extract_tb(e.__traceback__):
            if frame.filename in sources:
                place = (frame.filename, frame.lineno)
        answer = {"error": str(e) or type(e).__name__, "template": place[0], "line": place[1]}
    sys.stdout.buffer.write(json.dumps(answer).encode("utf-8"))


main()
