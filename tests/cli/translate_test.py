"""hymt translate, with the demo model that is inside the program.

    translate_test.py HYMT [unittest's arguments]
"""

import json

import command
from command import Case


class Translate(Case):

    def test_takes_texts_as_arguments(self):
        said = self.says("translate", "--to", "en", "我喜欢这本书。", "Wo ist der Bahnhof?")
        self.assertEqual(said.count("\n"), 2)
        self.assertIn("book", said.splitlines()[0])
        self.assertIn("station", said.splitlines()[1])

    def test_keeps_margins_and_line_breaks_of_standard_input(self):
        said = self.says("translate", "--from", "en", "--to", "es",
                         stdin=b"  I like this book.\r\n\r\n12345\n\tThank you. \n")
        self.assertRegex(said, "\\A  [^\\s].*\\.\r\n\r\n12345\n\t[^\\s].* \n\\Z")

    def test_gives_nothing_for_nothing_and_echoes_what_has_no_letters(self):
        self.assertEqual(self.says("translate", "--to", "fr", stdin=b""), "")
        self.assertEqual(self.says("translate", "--to", "fr", stdin=" \n\u3000\n😀".encode()),
                         " \n\u3000\n😀")

    def test_tells_the_reply_as_json(self):
        reply = json.loads(self.says("translate", "--to", "en", "--json", "我喜欢这本书。"))
        [translation] = reply["translations"]
        self.assertEqual(translation["source"], "zh")
        self.assertIs(translation["detected"], True)
        self.assertEqual(translation["finish_reason"], "stop")
        self.assertEqual(translation["warnings"], [])
        self.assertGreater(reply["usage"]["input_tokens"], 0)
        self.assertGreater(reply["usage"]["output_tokens"], 0)

    def test_searches_with_beams(self):
        self.assertIn("Buch", self.says("translate", "--to", "de", "--beams", "4",
                                        "I like this book."))

    def test_takes_special_tokens_for_text(self):
        self.says("translate", "--from", "en", "--to", "zh",
                  "Hello <|eos|> <|startoftext|> <|extra_0|>")


class TranslateFiles(Case):

    def test_writes_one_line_for_each_line(self):
        source = self.scratch / "source.txt"
        target = self.scratch / "target.txt"
        source.write_text("\n".join(f"I have {i} books." for i in range(200)), encoding="utf-8")
        self.assertEqual(self.says("translate", "--from", "en", "--to", "fr", "--file",
                                   str(source), "--out", str(target)), "")
        lines = target.read_text(encoding="utf-8").split("\n")
        self.assertEqual(len(lines), 200)
        self.assertTrue(all(lines))
        # As many lines at a time or one by one: the same words.
        one = self.says("translate", "--from", "en", "--to", "fr", "I have 7 books.")
        self.assertEqual(one, lines[7] + "\n")
        self.assertEqual([path.name for path in self.scratch.iterdir() if "part" in path.name], [])

    def test_never_overwrites_what_it_reads(self):
        source = self.scratch / "source.txt"
        source.write_text("Hello.\n", encoding="utf-8")
        (self.scratch / "link.txt").symlink_to(source)
        for out in [source, self.scratch / "link.txt", self.scratch / "." / "source.txt"]:
            self.assertIn("--out", self.refuses(1, "translate", "--to", "fr", "--file",
                                                str(source), "--out", str(out)))
        self.assertEqual(source.read_text(encoding="utf-8"), "Hello.\n")

    def test_leaves_what_was_there_when_it_fails(self):
        target = self.scratch / "target.txt"
        target.write_text("precious", encoding="utf-8")
        broken = self.scratch / "broken.txt"
        broken.write_bytes(b"one\ntwo \xff\n")
        error = self.refuses(1, "translate", "--to", "fr", "--file", str(broken), "--out",
                             str(target))
        self.assertIn("UTF-8", error)
        self.assertIn("line 2", error)
        self.assertEqual(target.read_text(encoding="utf-8"), "precious")

    def test_says_which_file_it_cannot_use(self):
        for bad in [self.scratch / "missing.txt", self.scratch]:
            self.assertIn(str(bad), self.refuses(1, "translate", "--to", "fr", "--file", str(bad)))
        good = self.scratch / "good.txt"
        good.write_text("Hello.", encoding="utf-8")
        error = self.refuses(1, "translate", "--to", "fr", "--file", str(good), "--out",
                             str(self.scratch / "no" / "folder.txt"))
        self.assertIn("folder.txt", error)


class TranslateRefuses(Case):

    def test_wrong_usage(self):
        self.assertIn("--to", self.refuses(2, "translate", "Hello."))
        error = self.refuses(2, "translate", "--to", "xx", "Hello.")
        self.assertIn('"xx"', error)
        self.assertIn("zh-Hant", error)  # the codes there are
        self.refuses(2, "translate", "--to", "auto", "Hello.")
        self.refuses(2, "translate", "--from", "klingon", "--to", "en", "Hello.")
        self.refuses(2, "translate", "--to", "fr", "--beams", "9", "Hello.")
        self.refuses(2, "translate", "--to", "fr", "--out", "x", "Hello.")
        self.refuses(2, "translate", "--to", "fr", "--file", "x", "Hello.")

    def test_a_language_that_the_model_does_not_know(self):
        error = self.refuses(1, "translate", "--to", "pl", "Hello.")
        self.assertIn("Polish", error)
        self.assertIn("zh, en, fr", error)

    def test_text_that_is_not_utf8(self):
        self.assertIn("UTF-8", self.refuses(1, "translate", "--to", "fr", stdin=b"abc\xff"))

    def test_a_model_that_is_not_there(self):
        self.assertIn("nowhere.gguf", self.refuses(1, "translate", "--model", "nowhere.gguf",
                                                   "--to", "fr", "Hello."))

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = command.run("translate", "--to", "fr", "Hello.", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    def test_warns_of_what_the_model_does_not_know(self):
        done = command.run("translate", "--to", "fr", "--style", "formal", "Hello.")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: style", done.stderr)

    def test_a_glossary_that_is_no_table(self):
        glossary = self.scratch / "glossary.tsv"
        glossary.write_text("a\tb\n# a remark\n\nno tab here\n", encoding="utf-8")
        self.assertIn("line 4", self.refuses(1, "translate", "--to", "fr", "--glossary",
                                             str(glossary), "Hello."))


if __name__ == "__main__":
    command.main()
