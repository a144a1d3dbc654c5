"""hymt tokenize, with the demo model that is inside the program.

    tokenize_test.py HYMT [unittest's arguments]
"""

import json

import command
from command import Case

FIRST_SPECIAL = 8184  # of the demo model: behind its 256 bytes and 7928 merges


class Tokenize(Case):

    def test_prints_an_id_and_a_piece_a_line(self):
        lines = self.says("tokenize", "Hello, world").splitlines()
        ids, pieces = zip(*(line.split("\t") for line in lines))
        self.assertEqual("".join(pieces), "Hello, world")
        self.assertTrue(all(0 <= int(one) < FIRST_SPECIAL for one in ids))

    def test_shows_line_ends_and_halves_of_characters_as_escapes(self):
        said = self.says("tokenize", "\U0001f680\n")
        self.assertNotIn("\U0001f680", said)
        self.assertTrue(said.startswith("240\t\\xF0\n159\t\\x9F\n"), said)
        self.assertTrue(said.endswith("\t\\n\n"), said)

    def test_tells_ids_and_pieces_as_json(self):
        answer = json.loads(self.says("tokenize", "--json", "a b"))
        self.assertEqual(answer["pieces"], ["a", " b"])
        self.assertEqual(len(answer["ids"]), 2)
        self.assertEqual(json.loads(self.says("tokenize", "--json", "")), {"ids": [], "pieces": []})

    def test_a_full_disk_is_a_failure(self):
        for arguments in (["tokenize", "Hello"], ["tokenize", "--json", "Hello"],
                          ["inspect", "demo"]):
            with open("/dev/full", "wb") as full:
                done = command.run(*arguments, stdout=full)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write to standard output", done.stderr)

    def test_special_tokens_are_text(self):
        answer = json.loads(self.says("tokenize", "--json", "a<|eos|>b<|extra_0|>c"))
        self.assertEqual("".join(answer["pieces"]), "a<|eos|>b<|extra_0|>c")
        self.assertLess(max(answer["ids"]), FIRST_SPECIAL)

    def test_reads_standard_input_as_it_is(self):
        asked = json.loads(self.says("tokenize", "--json", "one\ntwo\n"))
        for arguments in (["tokenize", "--json"], ["tokenize", "--json", "-"]):
            self.assertEqual(json.loads(self.says(*arguments, stdin=b"one\ntwo\n")), asked)

    def test_refuses_what_it_cannot_tokenize(self):
        self.assertIn("UTF-8", self.refuses(1, "tokenize", stdin=b"a\xff"))
        self.assertIn("/no/such", self.refuses(1, "tokenize", "--model", "/no/such", "x"))
        self.refuses(2, "tokenize", "one", "two")
        self.refuses(2, "tokenize", "--no-such-option", "x")


if __name__ == "__main__":
    command.main()
