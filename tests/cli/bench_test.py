"""hymt bench, with the demo model that is inside the program. What it measures is anybody's guess;
that its numbers hang together is not.

    bench_test.py HYMT [unittest's arguments]
"""

import json

import command
from command import Case

ARGUMENTS = ["bench", "--prefill", "24", "--decode", "1,3", "--context", "20", "--repeat", "1"]
PARTS = {"look-up", "norms", "qkv", "rotation", "attention", "o", "gate+up", "down", "vocabulary",
         "choice"}


class Bench(Case):

    def test_says_where_the_time_went_and_what_would_be_possible(self):
        ceilings, *tests = [json.loads(line)
                            for line in self.says(*ARGUMENTS, "--json").splitlines()]
        self.assertEqual(set(ceilings["ceilings"]),
                         {f"{name}_ops_per_s" for name in ("q4", "q8", "bf16", "f32")})
        self.assertTrue(all(rate > 1e6 for rate in ceilings["ceilings"].values()))
        self.assertEqual([(test["test"], test.get("tokens", test.get("batch"))) for test in tests],
                         [("prefill", 24), ("decode", 1), ("decode", 3)])
        for test in tests:
            self.assertEqual(set(test["parts"]), PARTS)
            n_tokens = 24 if test["test"] == "prefill" else 32 * test["batch"]
            seconds = n_tokens / test["tok_per_s"]
            told = sum(part["seconds"] for part in test["parts"].values())
            self.assertLessEqual(told, seconds)
            self.assertGreater(told, 0)
            self.assertAlmostEqual(test["share"], test["tok_per_s"] / test["limit_tok_per_s"])
            for product in ("qkv", "o", "gate+up", "down", "vocabulary"):
                self.assertGreater(test["parts"][product]["limit_seconds"], 0)

    def test_prints_a_table(self):
        said = self.says(*ARGUMENTS)
        for words in ("ceilings", "of limit", "prefill 24", "decode 3", "attention", "(waiting)"):
            self.assertIn(words, said)

    def test_refuses_what_does_not_fit(self):
        self.assertIn("context", self.refuses(1, "bench", "--prefill", "1000000"))
        self.assertIn("--kv-memory",
                      self.refuses(1, "bench", "--decode", "64", "--kv-memory", "1MiB"))
        self.refuses(2, "bench", "--kv-type", "q4_0")


if __name__ == "__main__":
    command.main()
