"""Memory is fixed at start: 10,000 requests of all kinds leave the service as large as 500 did. All are
computed, though their texts repeat, and remembered.

    memory_test.py HYMT      (exits with 77 without the shared data folder)
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import urllib.parse

SHARED = os.environ.get("HYMT_SHARED", pathlib.Path(__file__).parents[3] / "shared")
CORPUS = pathlib.Path(SHARED) / "data/corpus"
# Kinds of requests: how many of a hundred, hymt load's arguments.
KINDS = [
    (50, ["--to", "zh,es,fr"]),
    (20, ["--to", "de", "--stream"]),
    (10, ["--to", "ja", "--request", '{"temperature": 1}']),
    (10, ["--to", "en", "--request", '{"max_tokens": 3}']),
    (5, ["--to", "fr", "--request", '{"beams": 4}']),
    (5, ["--to", "zh", "--request", '{"deadline_ms": 20}']),
]


class Service:
    def __init__(self, hymt: str):
        self.hymt = hymt
        self.process = subprocess.Popen([hymt, "serve", "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline())[0]

    def resident(self) -> int:
        """kB of memory in use that no file backs: the model inside the program is none of it."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^RssAnon:\s+(\d+) kB$", status, re.M)[1])

    def ask(self, n: int, texts: list[str], arguments: list[str]) -> None:
        done = subprocess.run([self.hymt, "load", self.url, "--texts", *texts, "--concurrency",
                               "40", "--duration", "3600", "--requests", str(n), "--json",
                               "--no-cache", *arguments], capture_output=True, text=True)
        if "no request was answered (504)" in done.stderr:  # too slow a machine for any
            return
        if done.returncode != 0:
            sys.exit(f"{arguments}: {done.stderr}")
        outcomes = json.loads(done.stdout)["outcomes"]
        unwanted = set(outcomes) - {"200", "504"}
        if unwanted:
            sys.exit(f"{arguments}: {outcomes}")

    def leave_early(self, n: int) -> None:
        """Requests whose client is gone before the answer."""
        place = urllib.parse.urlsplit(self.url)
        body = json.dumps({"text": "I like this book. " * 20, "target": "zh"})
        for _ in range(n):
            with socket.create_connection((place.hostname, place.port)) as client:
                client.sendall(f"POST /v1/translate HTTP/1.1\r\nHost: {place.netloc}\r\n"
                               "Content-Type: application/json\r\n"
                               f"Content-Length: {len(body)}\r\n\r\n{body}".encode())

    def mixed(self, n: int, texts: list[str]) -> None:
        for share, arguments in KINDS:
            self.ask(n * share // 100, texts, arguments)
        self.leave_early(n // 50)


def main() -> None:
    hymt = sys.argv[1]
    if not CORPUS.is_dir():
        print("skipped: needs the shared data folder: set HYMT_SHARED")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="hymt-memory.") as scratch:
        pairs = sorted(CORPUS.glob("test.en-*.tsv"))
        pages = pathlib.Path(scratch) / "long.txt"  # several sentences to a text
        lines = [line.split("\t")[0] for line in pairs[0].read_text(encoding="utf-8").splitlines()]
        pages.write_text("\n".join(" ".join(lines[i:i + 8]) for i in range(0, 240, 8)),
                         encoding="utf-8")
        texts = [*map(str, pairs), str(pages)]
        service = Service(hymt)
        try:
            service.mixed(500, texts)
            first = service.resident()
            for _ in range(19):
                service.mixed(500, texts)
            last = service.resident()
        finally:
            service.process.kill()
            service.process.wait()
    print(f"resident after 500 requests: {first} kB, after 10,000: {last} kB "
          f"({100 * (last - first) / first:+.2f}%)")
    if last > 1.02 * first:
        sys.exit("memory grew by more than 2%")


if __name__ == "__main__":
    main()
