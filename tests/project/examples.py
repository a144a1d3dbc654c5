"""Runs the examples of a Markdown file, as a reader would type them.

    ```sh        commands: the block must succeed as one script
    ```console   lines after "$ " are commands, the lines below each are what it must print
    ```json      must parse

In expected output "…" stands for anything within a line, and a line that is only "…" for any lines.
A comment right above a block says what else it takes:

    <!-- example: serves -->             it starts a server, which later blocks ask; ended by SIGTERM
    <!-- example: stand-in F.gguf -->    a file that readers have and the test has not: the demo model
    <!-- example: post /v1/translate --> its JSON, sent there, is answered with 200
    <!-- example: in the tree -->        it runs in the tree under test itself

Blocks run one after the other in one scratch folder, where build/hymt, run.sh and models/ are those of
the tree under test. Port 7860 is replaced by a free one, in commands and in what they print.
"""

import dataclasses
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

TIMEOUT = 400  # seconds a block, or the start of a server, may take
_FENCE = re.compile(
    r"^(?:<!-- example: (?P<how>.*?) -->\n+)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.M | re.S)


@dataclasses.dataclass(frozen=True)
class Block:
    line: int  # of the opening fence's first line of text
    kind: str  # sh, console, json …
    how: str  # the comment above it, or ""
    body: str


@dataclasses.dataclass(frozen=True)
class Step:
    command: str
    expected: str | None  # None: only that it succeeds


def blocks_of(markdown: str) -> list[Block]:
    return [
        Block(markdown.count("\n", 0, m.start("body")) + 1, m["kind"], m["how"] or "", m["body"])
        for m in _FENCE.finditer(markdown)
    ]


def steps_of(block: Block) -> list[Step]:
    if block.kind == "sh":
        return [Step(block.body, None)]
    steps: list[Step] = []
    command, output, continued = [], [], False
    for line in block.body.splitlines():
        if line.startswith("$ "):
            if command:
                steps.append(Step("\n".join(command), "\n".join(output)))
            command, output = [line[2:]], []
        elif continued:
            command.append(line)
        else:
            output.append(line)
        continued = (line.startswith("$ ") or continued) and line.endswith("\\")
    if not command:
        raise ValueError(f"line {block.line}: a console block without a line that begins with '$ '")
    steps.append(Step("\n".join(command), "\n".join(output)))
    return steps


def matches(expected: str, actual: str) -> bool:
    lines = []
    for line in expected.strip("\n").split("\n"):
        any_lines = line.strip() == "…"
        lines.append(r"(?:.*\n)*?" if any_lines else ".*".join(map(re.escape, line.split("…"))) + r"\n")
    return re.fullmatch("".join(lines), actual.strip("\n") + "\n") is not None


class Runner:
    """One Markdown file's session. Use as a context manager: it ends the server it started."""

    def __init__(self, root: pathlib.Path, hymt: pathlib.Path, scratch: pathlib.Path):
        self._root = root
        self._scratch = scratch
        self._port = _free_port()
        self._server: subprocess.Popen | None = None
        self._environment = os.environ | {"HYMT_OPEN": "0", "LC_ALL": "C.UTF-8"}
        (scratch / "build").mkdir()
        (scratch / "build" / "hymt").symlink_to(hymt)
        for name in ("run.sh", "test.sh", "models"):
            if (root / name).exists():
                (scratch / name).symlink_to(root / name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end_server()

    def run(self, block: Block) -> list[str]:
        """What went wrong, in words."""
        if block.how.startswith("stand-in "):
            self._stand_in(block.how.removeprefix("stand-in "))
        elif block.how.startswith("post "):
            return self._post(block.how.removeprefix("post "), block.body)
        elif block.how not in ("", "serves", "in the tree"):
            return [f"no such way to run an example: {block.how}"]
        if block.kind == "json":
            return _parse(block.body)
        if block.kind not in ("sh", "console"):
            return []
        if block.how == "serves":
            return self._serve(block)
        folder = self._root if block.how == "in the tree" else self._scratch
        return [fault for step in steps_of(block) if (fault := self._run_step(step, folder))]

    def _stand_in(self, name: str) -> None:
        link = self._scratch / name
        link.unlink(missing_ok=True)
        link.symlink_to(self._root / "models" / "demo.gguf")

    def _run_step(self, step: Step, folder: pathlib.Path) -> str | None:
        command = self._with_port(step.command)
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                  env=self._environment, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired:
            return f"$ {command}\n  did not end within {TIMEOUT} s"
        printed = done.stdout.decode("utf-8", "backslashreplace")
        if step.expected is None:
            return f"$ {command}\n  ended with {done.returncode}:\n{printed}" if done.returncode else None
        if matches(self._with_port(step.expected), printed):
            return None
        return f"$ {command}\n  should print:\n{step.expected}\n  and printed:\n{printed}"

    def _with_port(self, text: str) -> str:
        return text.replace("7860", str(self._port))

    def _post(self, path: str, body: str) -> list[str]:
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", body.encode(),
                                         {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=TIMEOUT).close()
        except urllib.error.HTTPError as error:
            return [f"POST {path} answered {error.code}: {error.read().decode('utf-8', 'replace')}"]
        except OSError as error:
            return [f"POST {path}: {error}"]
        return []

    def _serve(self, block: Block) -> list[str]:
        faults = self._end_server()
        command = self._with_port(steps_of(block)[0].command.strip())
        if str(self._port) not in command:
            command += f" --port {self._port}"
        with open(self._scratch / "server.log", "wb") as log:
            self._server = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self._scratch,
                                            env=self._environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + TIMEOUT
        while not self._ready():
            if self._server.poll() is not None or time.monotonic() > deadline:
                return [*faults, f"$ {command}\n  did not serve:\n{self._server_log()}"]
            time.sleep(0.1)
        return faults

    def _ready(self) -> bool:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self._port}/ready", timeout=5).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def _server_log(self) -> str:
        return (self._scratch / "server.log").read_text(encoding="utf-8", errors="replace")

    def _end_server(self) -> list[str]:
        server, self._server = self._server, None
        if server is None or server.poll() is not None:
            return []
        server.send_signal(signal.SIGTERM)
        try:
            status = server.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            server.kill()
            return [f"the server did not end within {TIMEOUT} s of SIGTERM"]
        return [f"the server ended with {status} on SIGTERM:\n{self._server_log()}"] if status else []

    def finish(self) -> list[str]:
        return self._end_server()


def _parse(text: str) -> list[str]:
    try:
        json.loads(text)
    except ValueError as error:
        return [f"no valid JSON: {error}"]
    return []


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
