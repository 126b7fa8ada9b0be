#!/usr/bin/env python3
"""Measures how long searches take in an open session, with the questions about one repository.

  bench/search/latency.py KENNING corpus/commits/kafka bench/search/code.json --csv bench/results/search-latency.csv

Milliseconds of `kenning.search` as a client sees them, for each mode the median and the 95th percentile of
five rounds over the questions of the repository, after one round that is not counted.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import time

ROUNDS = 5


class Client:
    """A minimal client of the language server."""

    def __init__(self, kenning, root):
        self.server = subprocess.Popen([kenning, "serve"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0
        uri = root.as_uri()
        self.request("initialize", {"processId": None, "rootUri": uri, "capabilities": {}, "workspaceFolders": [{"uri": uri, "name": root.name}]})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while header := self.server.stdout.readline().strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        return json.loads(self.server.stdout.read(length))

    def request(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            elif message.get("id") == self.last:
                return message

    def command(self, name, argument):
        return self.request("workspace/executeCommand", {"command": name, "arguments": [argument]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kenning")
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    root = options.tree.resolve()
    subprocess.run([options.kenning, "index"], cwd=root, capture_output=True, check=True)
    queries = [question["query"] for question in json.loads(options.questions.read_text()) if question["repo"] == root.name]
    client = Client(str(pathlib.Path(options.kenning).resolve()), root)
    client.command("kenning.reindex", {})
    rows = []
    for scope in ("code", "files", "all"):
        for mode in ("keyword", "hybrid"):
            times = []
            for number in range(ROUNDS + 1):
                for query in queries:
                    start = time.perf_counter()
                    answer = client.command("kenning.search", {"query": query, "scope": scope, "mode": mode})
                    if "error" in answer:
                        raise SystemExit(answer["error"]["message"])
                    if number > 0:
                        times.append((time.perf_counter() - start) * 1000)
            times.sort()
            rows.append([root.name, scope, mode, len(times), f"{times[len(times) // 2]:.1f}", f"{times[len(times) * 95 // 100]:.1f}"])
            print(*rows[-1])
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["repository", "scope", "mode", "searches", "median_ms", "p95_ms"])
            writer.writerows(rows)
    client.server.kill()


main()
