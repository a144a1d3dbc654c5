"""hymt quantize, with the demo model that is inside the program.

    quantize_test.py HYMT [unittest's arguments]
"""

import json
import os
import pathlib
import resource
import shutil

import command
from command import Case, run

DEMO = pathlib.Path(__file__).parents[2] / "models" / "demo.gguf"
MATRICES = 8192 * 256 + 6 * 256 * (2 * 256 + 2 * 128 + 3 * 1024)  # weights


class Quantize(Case):

    def quantized(self, kind: str, source: str = "demo") -> pathlib.Path:
        path = self.scratch / f"{kind}.gguf"
        self.says("quantize", source, str(path), "--type", kind)
        return path

    def report(self, path: pathlib.Path) -> dict:
        return json.loads(self.says("inspect", str(path), "--json"))

    def types(self, path: pathlib.Path) -> dict:
        return self.report(path)["tensors"]["types"]

    def test_sizes_are_those_of_the_formats(self):
        for kind, bytes_of_32 in [("q8_0", 34), ("q4_0", 18), ("f16", 64), ("f32", 128)]:
            types = self.types(self.quantized(kind))
            kept = 4 * (256 + 6 * (2 * 256 + 2 * 64)) if kind == "f32" else 0
            self.assertEqual(types[kind.upper()]["bytes"], MATRICES // 32 * bytes_of_32 + kept)
            self.assertLessEqual(types.keys(), {kind.upper(), "F32"})

    def test_the_result_still_translates(self):
        path = self.quantized("q8_0")
        said = self.says("translate", "--model", str(path), "--from", "zh", "--to", "en", "你好！")
        self.assertRegex(said, r"(?i)^(hello|hi)\b")

    def test_bf16_of_a_bf16_model_is_the_same_model(self):
        """Through f32, which holds every bf16 number: nothing may be lost on the way."""
        wide = self.quantized("f32")
        back = self.quantized("bf16", str(wide))
        texts = ["--from", "en", "--to", "es", "I like this book.", "Where is the station?"]
        self.assertEqual(self.says("translate", "--model", str(back), *texts),
                         self.says("translate", *texts))

    def test_says_what_it_did(self):
        said = self.says("quantize", "demo", str(self.scratch / "m.gguf"), "--type", "Q4_0")
        self.assertRegex(said, r"m\.gguf: weights 16\.0 MB -> 4\.5 MB \(Q4_0\), file 4\.\d MB\n")
        again = self.says("quantize", str(self.scratch / "m.gguf"), str(self.scratch / "n.gguf"),
                          "--type", "q8_0")
        self.assertIn("quantised already", again)

    def test_writes_down_the_generation_that_it_found(self):
        source = self.scratch / "Hy-MT2.gguf"  # told by its name alone
        source.write_bytes(DEMO.read_bytes().replace(b"hymt.prompts", b"hymt.promptz"))
        self.assertEqual(self.report(source)["model"]["prompts"], "hy-mt2")
        path = self.quantized("q8_0", str(source))
        self.assertEqual(self.report(path)["metadata"]["hymt.prompts"], "hy-mt2")

    def test_converts_what_it_cannot_run(self):
        source = self.scratch / "other.gguf"
        source.write_bytes(DEMO.read_bytes().replace(b"hunyuan-dense", b"hunyuan-other"))
        path = self.quantized("q8_0", str(source))
        report = json.loads(run("inspect", str(path), "--json").stdout)
        self.assertEqual(report["metadata"]["general.architecture"], "hunyuan-other")
        self.assertNotIn("BF16", report["tensors"]["types"])

    def test_a_hugging_face_folder_becomes_the_same_model(self):
        shared = os.environ.get("HYMT_SHARED", str(DEMO.parents[2] / "shared"))
        folder = pathlib.Path(shared) / "data" / "demo-model" / "hf"
        if not folder.is_dir():
            self.skipTest("needs the shared data folder: set HYMT_SHARED")
        path = self.quantized("bf16", str(folder))
        ours, demo = self.report(path), self.report(DEMO)
        by_name = lambda report: sorted(report["tensors"]["list"], key=lambda one: one["name"])
        self.assertEqual(by_name(ours), by_name(demo))
        self.assertEqual(ours["config"], demo["config"])  # the RoPE base is a float32 again
        self.assertEqual(ours["tokenizer"], demo["tokenizer"])
        self.assertEqual(ours["model"]["stop"], demo["model"]["stop"])

    def test_never_overwrites_its_input(self):
        path = self.scratch / "m.gguf"
        shutil.copy(DEMO, path)
        other_name = self.scratch / "link.gguf"
        other_name.symlink_to(path)
        for out in [path, other_name]:
            self.assertIn("the input itself",
                          self.refuses(1, "quantize", str(path), str(out), "--type", "q4_0"))
        self.assertEqual(path.read_bytes(), DEMO.read_bytes())

    def test_a_full_disk_leaves_nothing_and_says_so(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        path = self.scratch / "m.gguf"
        path.write_text("what was there before")
        done = run("quantize", "demo", str(path), "--type", "q4_0", preexec_fn=small_files,
                   restore_signals=False)  # Python ignores SIGXFSZ, and so does its child
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Ahymt: [^\n]*m\.gguf: writing [^\n]+\n\Z")
        self.assertEqual([p.name for p in self.scratch.iterdir()], ["m.gguf"])
        self.assertEqual(path.read_text(), "what was there before")

    def test_refuses_wrong_usage(self):
        out = str(self.scratch / "m.gguf")
        self.assertIn("missing.gguf", self.refuses(1, "quantize", "missing.gguf", out, "--type",
                                                   "q8_0"))
        self.assertIn("folder", self.refuses(1, "quantize", "demo", str(self.scratch), "--type",
                                             "q8_0"))
        self.assertIn("/no/such", self.refuses(1, "quantize", "demo", "/no/such/m.gguf", "--type",
                                               "q8_0"))
        self.assertIn("q4_k", self.refuses(2, "quantize", "demo", out, "--type", "q4_k"))
        self.refuses(2, "quantize", "demo", out)
        self.refuses(2, "quantize", "demo", "--type", "q8_0")


if __name__ == "__main__":
    command.main()
