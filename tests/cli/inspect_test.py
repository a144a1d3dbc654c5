"""hymt inspect, with the demo model that is inside the program and with variations of its file.

    inspect_test.py HYMT [unittest's arguments]
"""

import json
import os
import pathlib

import command
from command import Case, run

DEMO = pathlib.Path(__file__).parents[2] / "models" / "demo.gguf"


class Inspect(Case):

    def changed(self, old: bytes, new: bytes) -> str:
        """The demo model's file with one text changed for another of the same length."""
        self.assertEqual(len(old), len(new))
        data = DEMO.read_bytes()
        self.assertIn(old, data)
        path = self.scratch / "changed.gguf"
        path.write_bytes(data.replace(old, new, 1))
        return str(path)

    def test_reports_the_published_facts_of_the_demo_model(self):
        report = json.loads(self.says("inspect", "demo", "--json"))
        self.assertEqual(
            report["config"], {
                "layers": 6, "d_model": 256, "heads": 4, "kv_heads": 2, "d_head": 64,
                "d_ff": 1024, "vocabulary": 8192, "context": 2048, "rope_base": 12496091.0,
                "rms_epsilon": 1e-05, "tied": True
            })
        self.assertEqual(report["tensors"]["tensors"], 68)
        # 8192 x 256 rows of the embedding; in each of 6 layers q and o of 256 x 256, k and v of
        # 128 x 256, three matrices of 1024 x 256
        matrices = 8192 * 256 + 6 * 256 * (2 * 256 + 2 * 128 + 3 * 1024)
        self.assertEqual(report["tensors"]["types"]["BF16"],
                         {"tensors": 43, "weights": matrices, "bytes": 2 * matrices})
        vectors = 256 + 6 * (2 * 256 + 2 * 64)
        self.assertEqual(report["tensors"]["types"]["F32"],
                         {"tensors": 25, "weights": vectors, "bytes": 4 * vectors})
        self.assertEqual(report["tokenizer"]["pre_tokenizer"], "hunyuan")
        self.assertEqual(report["tokenizer"]["tokens"], 8192)
        self.assertEqual(report["model"]["prompts"], "hunyuan-mt")
        self.assertEqual(report["model"]["languages"], ["zh", "en", "fr", "de", "es", "ja"])
        self.assertIn({"id": 8187, "text": "<|eos|>"}, report["model"]["stop"])
        self.assertIn("hymt.prompts", report["model"]["reasons"][0])

    def test_abbreviates_long_lists(self):
        metadata = json.loads(self.says("inspect", "demo", "--json"))["metadata"]
        self.assertEqual(metadata["tokenizer.ggml.tokens"]["length"], 8192)
        self.assertEqual(len(metadata["tokenizer.ggml.tokens"]["first"]), 8)
        self.assertEqual(metadata["hymt.languages"], ["zh", "en", "fr", "de", "es", "ja"])

    def test_tells_people_the_same(self):
        said = self.says("inspect", str(DEMO))
        for pattern in [r"prompts +hunyuan-mt", r"stops at +8187 '<\|eos\|>'", r"layers +6\n",
                        r"BF16 +43 tensors", r"tokens +8192: 8184 normal, 8 control",
                        r"general\.name +'hymt demo'", r"tokenizer\.ggml\.tokens .* \(8192\)\]"]:
            self.assertRegex(said, pattern)
        self.assertLess(len(said), 8000)

    def test_another_generation_may_be_asked_for(self):
        report = json.loads(self.says("inspect", "demo", "--json", "--prompts", "hy-mt2"))
        self.assertEqual(report["model"]["prompts"], "hy-mt2")

    def test_shows_a_file_that_it_cannot_run_and_says_why(self):
        path = self.changed(b"hunyuan-dense", b"hunyuan-other")
        done = run("inspect", path, "--json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"\Ahymt: [^\n]*'hunyuan-other'[^\n]*\n\Z")
        report = json.loads(done.stdout)
        self.assertEqual(report["error"]["code"], "unsupported")
        self.assertNotIn("config", report)
        self.assertEqual(report["tensors"]["tensors"], 68)
        self.assertEqual(report["metadata"]["general.architecture"], "hunyuan-other")

    def test_text_from_a_file_cannot_steer_the_terminal(self):
        path = self.changed(b"hymt demo", b"\x1b[2J\xff\nbad")
        said = self.says("inspect", path)
        self.assertNotIn("\x1b", said)
        self.assertIn("'?[2J\N{REPLACEMENT CHARACTER}?bad'", said)
        self.assertEqual(json.loads(self.says("inspect", path, "--json"))["model"]["name"],
                         "?[2J\N{REPLACEMENT CHARACTER}?bad")

    def test_refuses_what_is_no_checkpoint(self):
        text = self.scratch / "text.gguf"
        text.write_text("no model")
        self.assertIn("not a GGUF file", self.refuses(1, "inspect", str(text)))
        self.assertIn("missing.gguf", self.refuses(1, "inspect", "missing.gguf"))
        self.assertIn("config.json", self.refuses(1, "inspect", str(self.scratch)))
        self.assertIn("cut short", self.refuses(1, "inspect", self.cut()))
        self.refuses(2, "inspect")

    def cut(self) -> str:
        path = self.scratch / "cut.gguf"
        path.write_bytes(DEMO.read_bytes()[:-1000])
        return str(path)

    def test_reads_a_hugging_face_folder(self):
        shared = os.environ.get("HYMT_SHARED", str(DEMO.parents[2] / "shared"))
        folder = pathlib.Path(shared) / "data" / "demo-model" / "hf"
        if not folder.is_dir():
            self.skipTest("needs the shared data folder: set HYMT_SHARED")
        report = json.loads(self.says("inspect", str(folder), "--json"))
        demo = json.loads(self.says("inspect", "demo", "--json"))
        self.assertEqual(report["tensors"]["tensors"], demo["tensors"]["tensors"])
        self.assertEqual(report["model"]["prompts"], "hunyuan-mt")
        for key, value in demo["config"].items():
            self.assertAlmostEqual(report["config"][key], value, delta=1e-7 * float(value), msg=key)


if __name__ == "__main__":
    command.main()
