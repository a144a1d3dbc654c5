"""hymt eval, with the demo model that is inside the program.

    eval_test.py HYMT [unittest's arguments]
"""

import json

import command
from command import Case

PAIRS = [("I like this book.", "我喜欢这本书。"), ("Where is the station?", "车站在哪里？"),
         ("She is my sister.", "她是我的妹妹。"), ("What time is it?", "现在几点了？")]


class Eval(Case):

    def pairs(self, text: str = "".join(f"{a}\t{b}\n" for a, b in PAIRS)) -> str:
        path = self.scratch / "pairs.tsv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_scores_with_the_tokenizer_of_the_target(self):
        for arguments, tokenize in [(["--from", "en", "--to", "zh"], "zh"),
                                    (["--from", "zh", "--to", "en", "--swap"], "13a")]:
            scores = json.loads(self.says("eval", *arguments, "--json", self.pairs()))
            self.assertEqual(scores["sentences"], 4)
            self.assertEqual(scores["tokenize"], tokenize)
            self.assertEqual(sum(scores["finish_reasons"].values()), 4)
            for score in ["bleu", "chrf2", "chrf2++"]:
                self.assertGreater(scores[score], 20)
                self.assertLessEqual(scores[score], 100)
            self.assertGreater(scores["tokens_per_second"], 0)

    def test_a_perfect_translation_scores_100(self):
        """The references are what the model says."""
        said = self.says("translate", "--from", "en", "--to", "es", *[a for a, _ in PAIRS])
        pairs = self.pairs("".join(f"{a}\t{b}\n"
                                   for (a, _), b in zip(PAIRS, said.splitlines(), strict=True)))
        scores = json.loads(self.says("eval", "--from", "en", "--to", "es", "--json", pairs))
        for score in ["bleu", "chrf2", "chrf2++"]:
            self.assertAlmostEqual(scores[score], 100)

    def test_tells_people_the_same(self):
        said = self.says("eval", "--from", "en", "--to", "zh", "--limit", "2", self.pairs())
        self.assertRegex(said, r"en -> zh, 2 sentences\nBLEU \d+\.\d\d \(zh\)  chrF2 \d+\.\d\d  "
                         r"chrF2\+\+ \d+\.\d\d\n[\d.]+ s, [\d.]+ tokens/s, [\d.]+ sentences/s\n")

    def test_refuses_what_it_cannot_read(self):
        flags = ["eval", "--from", "en", "--to", "zh"]
        self.assertIn("line 2", self.refuses(1, *flags, self.pairs("a\tb\nonly one\n")))
        self.assertIn("line 1", self.refuses(1, *flags, self.pairs("a\tb\tc\n")))
        self.assertIn("no sentence pairs", self.refuses(1, *flags, self.pairs("")))
        self.assertIn("missing.tsv", self.refuses(1, *flags, "missing.tsv"))
        self.assertIn("Polish", self.refuses(1, "eval", "--from", "en", "--to", "pl",
                                             self.pairs()))
        self.refuses(2, "eval", "--from", "en", self.pairs())
        self.refuses(2, "eval", "--from", "en", "--to", "xx", self.pairs())


if __name__ == "__main__":
    command.main()
