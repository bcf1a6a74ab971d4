"""An engine that gives every case the same plan: over standard input, or, with the argument
http, behind a port that it prints. It appends its requests to the file $RECORD, if any."""
import http.server
import json
import os
import sys

HELLO = {"protocol": 1, "engine": {"name": "empty", "version": "1"}, "window": 64, "dialects": {"planpatch": {}}}
PLAN = {"title": "t", "steps": [{"id": "a", "description": "A", "dependencies": [], "status": "pending", "tools_expected": []}]}
RECORD = open(os.environ["RECORD"], "ab") if "RECORD" in os.environ else None


def answer(line):
    request = json.loads(line)
    result = HELLO if request["method"] == "initialize" else {"verdict": "applied", "plan": PLAN}
    if RECORD:
        RECORD.write(line.strip() + b"\n")
    return json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}).encode() + b"\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        body = answer(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


if "http" in sys.argv:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
for line in sys.stdin.buffer:
    if b'"id"' in line[:80]:
        sys.stdout.buffer.write(answer(line))
        sys.stdout.buffer.flush()
