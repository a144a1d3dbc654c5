"""Runs hymt and looks at what it said."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HYMT = ""  # main sets it


def run(*arguments: str, stdin: bytes = b"", **options) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if name != "HYMT_MODEL"}
    return subprocess.run([HYMT, *arguments], input=stdin, env=environment, timeout=300,
                          capture_output="stdout" not in options,
                          **({"stderr": subprocess.PIPE} if "stdout" in options else {}), **options)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hymt-cli.")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def says(self, *arguments: str, stdin: bytes = b"") -> str:
        done = run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def refuses(self, code: int, *arguments: str, stdin: bytes = b"") -> str:
        """What it says on standard error; a failure (1) is told in one line."""
        done = run(*arguments, stdin=stdin)
        error = done.stderr.decode()
        self.assertEqual(done.returncode, code, error)
        self.assertEqual(done.stdout, b"")
        if code == 1:
            self.assertRegex(error, r"\Ahymt: [^\n]+\n\Z")
        return error


def main():
    global HYMT
    HYMT = sys.argv.pop(1)
    unittest.main(module="__main__")
