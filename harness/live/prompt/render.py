import json
import sys
import traceback

import jinja2


def main():
    given = json.load(sys.stdin)
    sources = dict(given["included"])
    sources[given["name"]] = given["text"]

    def find(name):
        return (sources[name], name, None) if name in sources else None

    environment = jinja2.Environment(loader=jinja2.FunctionLoader(find), undefined=jinja2.StrictUndefined)
    try:
        answer = {"text": environment.get_template(given["name"]).render(given["variables"])}
    except jinja2.TemplateSyntaxError as e:
        answer = {"error": e.message, "template": e.name or given["name"], "line": e.lineno}
    except Exception as e:
        place = (given["name"], 1)
        for frame in traceback.extract_tb(e.__traceback__):
            if frame.filename in sources:
                place = (frame.filename, frame.lineno)
        answer = {"error": str(e) or type(e).__name__, "template": place[0], "line": place[1]}
    sys.stdout.buffer.write(json.dumps(answer).encode("utf-8"))


main()
