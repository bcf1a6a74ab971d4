"""An endpoint with two models that follow a prompt in 60 and in 75 of 100 cases."""
import hashlib
import http.server
import json
import random
import sys

FOLLOWS = {"small": 0.60, "large": 0.75}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt, model = json.dumps(request["messages"]), request["model"]
        chance = random.Random(hashlib.sha256((model + prompt).encode()).hexdigest())
        step = {"id": "extra_%d" % chance.randrange(10**6), "description": "Read the log"}
        reply = json.dumps({"add_steps": [step]})
        if chance.random() >= FOLLOWS.get(model, 0):
            reply = "I would rather talk about the plan first."
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        body = json.dumps({"id": "1", "object": "chat.completion", "model": model, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Endpoint(http.server.ThreadingHTTPServer):
    request_queue_size = 128


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8931
with Endpoint(("127.0.0.1", port), Model) as endpoint:
    print("http://127.0.0.1:%d/v1" % endpoint.server_port, flush=True)
    endpoint.serve_forever()
