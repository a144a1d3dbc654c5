"""Every example of the READMEs works; links of the documentation lead somewhere; and the runner of
examples sees a wrong one.

    examples_test.py HYMT [unittest's arguments]
"""

import pathlib
import re
import sys
import tempfile
import unittest

import examples

ROOT = pathlib.Path(__file__).resolve().parents[2]
HYMT = pathlib.Path()  # main sets it
READMES = ["README.md", "README.zh-CN.md"]
DOCUMENTS = [*READMES, "CONTRIBUTING.md", "docs/architecture.md", "tools/demo_model/README.md"]


def run_all(markdown: str) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="hymt-examples.") as scratch:
        with examples.Runner(ROOT, HYMT, pathlib.Path(scratch)) as runner:
            faults = [f"line {block.line}: {fault}" for block in examples.blocks_of(markdown)
                      for fault in runner.run(block)]
            return faults + runner.finish()


class TheDocumentation(unittest.TestCase):
    maxDiff = None

    def test_has_only_examples_that_work(self):
        for name in READMES:
            with self.subTest(name):
                markdown = (ROOT / name).read_text(encoding="utf-8")
                n_run = sum(b.kind in ("sh", "console") for b in examples.blocks_of(markdown))
                self.assertGreater(n_run, 5, "the examples were not found")
                self.assertEqual(run_all(markdown), [])

    def test_says_the_same_in_both_languages(self):
        """The Chinese README has the same blocks of code in the same order."""
        english, chinese = ([(b.kind, b.how, b.body) for b in examples.blocks_of(
            (ROOT / name).read_text(encoding="utf-8"))] for name in READMES)
        self.assertEqual(english, chinese)

    def test_links_to_files_that_exist(self):
        for name in DOCUMENTS:
            text = (ROOT / name).read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#:\s]+)[^):]*\)", text):
                with self.subTest(f"{name}: {target}"):
                    self.assertTrue((ROOT / name).parent.joinpath(target).exists())


class TheRunner(unittest.TestCase):

    def test_accepts_what_is_true(self):
        self.assertEqual(run_all("""
```sh
test -x build/hymt
echo x > file
```
```console
$ cat file; printf 'took %s ms\\n' 12; seq 5
x
took … ms
1
…
5
$ echo two \\
  lines
two lines
```
```json
{"a": [1]}
```
"""), [])

    def test_sees_a_command_that_fails(self):
        self.assertIn("ended with 3", run_all("```sh\nexit 3\n```\n")[0])

    def test_sees_the_first_of_two_commands_fail(self):
        self.assertIn("ended with 1", run_all("```sh\nfalse\ntrue\n```\n")[0])

    def test_sees_other_output(self):
        for printed, shown in (("a", "b"), ("a", ""), ("ab", "a"), ("1\n2", "1\n…\n3")):
            with self.subTest(shown):
                self.assertEqual(len(run_all(f"```console\n$ printf '{printed}'\n{shown}\n```\n")), 1)

    def test_sees_a_server_that_does_not_start(self):
        faults = run_all("<!-- example: serves -->\n```sh\nbuild/hymt nonsense\n```\n")
        self.assertIn("did not serve", faults[0])

    def test_sees_json_that_is_none(self):
        self.assertIn("no valid JSON", run_all("```json\n{a: 1}\n```\n")[0])

    def test_sees_a_request_that_is_not_answered(self):
        self.assertIn("POST /x", run_all("<!-- example: post /x -->\n```json\n{}\n```\n")[0])

    def test_sees_a_comment_that_it_does_not_know(self):
        self.assertIn("no such way", run_all("<!-- example: skip -->\n```sh\ntrue\n```\n")[0])


if __name__ == "__main__":
    HYMT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
