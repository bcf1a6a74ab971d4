"""Compares the rate at which `replanbench fuzz` drives an engine that does nothing, in Python
and in Node, over standard input and over HTTP, with a bare loop that sends the same requests
to the same engine and throws the answers away. No harness can be faster than that loop.

    python3 wire.py REPLANBENCH [CASES]

Both run in turn, five rounds of them; the medians count. The rates are wall-clock rates, so
the machine should be idle. Node is left out where it is missing.
"""
import http.client
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
ENGINES = {"Python": [sys.executable, str(HERE / "empty.py")], "Node": ["node", str(HERE / "empty.mjs")]}
ROUNDS, CONNECTIONS = 5, 8


def campaign(binary, cases, *engine):
    command = [binary, "fuzz", "--quiet", "--from", "mix", "--checks", "total", "--cases", str(cases), *engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-500:]}")


def piped(command, requests):
    """Sends the requests to an engine as fast as it reads them."""
    with open(requests, "rb") as source:
        subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, check=True)


def posted(port, requests):
    """Posts the requests over a few connections at once."""
    def client(mine):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for body in mine:
            connection.request("POST", "/", body, {"Content-Type": "application/json"})
            connection.getresponse().read()

    clients = [threading.Thread(target=client, args=(requests[i::CONNECTIONS],)) for i in range(CONNECTIONS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()


def seconds(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def served(command):
    """Starts an engine behind HTTP, and returns its process and port."""
    engine = subprocess.Popen([*command, "http"], stdout=subprocess.PIPE, text=True)
    return engine, int(engine.stdout.readline())


def row(name, cases, ours, bare):
    ours, bare = cases / statistics.median(ours), cases / statistics.median(bare)
    print(f"{name:14} {ours:9.0f} {bare:9.0f} {100 * ours / bare:7.0f} %", flush=True)


def main():
    binary, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    print(f"{'':14} {'cases/s':>9} {'bare':>9} {'of it':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in ENGINES.items():
            if not shutil.which(command[0]):
                print(f"{name:14} left out: there is no {command[0]}")
                continue
            requests = os.path.join(folder, name)
            os.environ["RECORD"] = requests
            campaign(binary, cases, "--", *command)
            del os.environ["RECORD"]
            with open(requests, "rb") as file:
                lines = file.read().splitlines()
            ours, bare = [], []
            for _ in range(ROUNDS):
                ours.append(seconds(campaign, binary, cases, "--", *command))
                bare.append(seconds(piped, command, requests))
            row(name + ", stdio", cases, ours, bare)
            engine, port = served(command)
            try:
                ours, bare = [], []
                for _ in range(ROUNDS):
                    ours.append(seconds(campaign, binary, cases, "--engine", f"http://127.0.0.1:{port}/"))
                    bare.append(seconds(posted, port, lines))
                row(name + ", HTTP", cases, ours, bare)
            finally:
                engine.kill()
                engine.wait()


if __name__ == "__main__":
    main()
