"""Starts a crawl at a Webfarer coordinator, watches it and keeps its results. Python's standard library is enough.

Usage: python3 crawl.py COORDINATOR_URL TOKEN_FILE NAME SEED [private address to allow]...

Run it again with the same words after an interruption: it finds the same crawl and continues behind the last result
that it kept, without gaps or repeats. The results are in NAME.jsonl, one JSON object a line.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Coordinator:
    def __init__(self, url, token):
        self.url = url.rstrip("/")
        self.token = token

    def open(self, method, path, body=None, headers=None):
        """Sends a request and returns the response, which can be read line by line."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", "Bearer " + self.token)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            return urllib.request.urlopen(request, timeout=90)
        except urllib.error.HTTPError as refusal:
            problem = json.load(refusal)  # application/problem+json, RFC 9457
            if problem["retryable"]:
                raise ConnectionError(problem["detail"])
            sys.exit(problem["detail"] + "\n" + problem["next"])

    def ask(self, method, path, body=None, headers=None):
        with self.open(method, path, body, headers) as response:
            return json.load(response)


def start(coordinator, name, seed, private):
    """Creates the crawl. The key makes it safe to ask again: the same key answers the same crawl."""
    job = {"name": name, "seeds": [seed], "limits": {"pages": 1000}}
    if private:
        job["fetch"] = {"allowPrivate": private}
    return coordinator.ask("POST", "/v1/crawls", {"job": job}, {"Idempotency-Key": name})


def kept_token(path):
    """The bookmark: the token of the last whole line. Half a line, left by a crash, is cut off."""
    token, end = None, 0
    if os.path.exists(path):
        with open(path, "r+b") as file:
            for line in file:
                if line.endswith(b"\n"):
                    token, end = json.loads(line)["token"], end + len(line)
            file.truncate(end)
    return token


def read(coordinator, name, path, token):
    """Appends what the crawl has recorded since. Returns the last line of the answer: where the log stands."""
    query = {"wait": "30s", "limit": "1000"}
    if token:
        query["after"] = token
    where = "/v1/crawls/" + urllib.parse.quote(name, safe="") + "/results?" + urllib.parse.urlencode(query)
    with coordinator.open("GET", where) as lines, open(path, "ab") as file:
        for line in lines:
            entry = json.loads(line)
            if entry["kind"] == "bookmark":
                return entry
            file.write(line)  # with its token, so that result and bookmark are kept together
    raise ConnectionError("the answer was cut off")


def watch(coordinator, name):
    crawl = coordinator.ask("GET", "/v1/crawls/" + urllib.parse.quote(name, safe=""))
    if "progress" in crawl:
        balance = crawl["progress"]["balance"]
        print(f"{crawl['state']}: {balance['done']} of {balance['known']} known URLs done", flush=True)


def main(url, token_file, name, seed, *private):
    with open(token_file) as file:
        coordinator = Coordinator(url, file.read().strip())
    path = name + ".jsonl"
    while True:
        try:
            start(coordinator, name, seed, list(private))
            bookmark = read(coordinator, name, path, kept_token(path))
            watch(coordinator, name)
            if bookmark["over"]:
                print(f"{bookmark['state']}; the results are in {path}")
                return
        except (OSError, ConnectionError) as trouble:
            print(f"no answer from the coordinator ({trouble}); trying again", file=sys.stderr)
            time.sleep(1)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
