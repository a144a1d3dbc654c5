"""The sources keep the rules of source_rules.py; and the checker sees each kind of fault."""

import pathlib
import tempfile
import unittest

import source_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]


def faults_of(files: dict[str, str]) -> list[str]:
    """What the checker says of a tree with these files."""
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder)
        for name, text in files.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text, encoding="utf-8")
        return source_rules.check_tree(src)[0]


class TheSources(unittest.TestCase):
    def test_keep_every_rule(self):
        faults, n_files = source_rules.check_tree(ROOT / "src")
        self.assertGreater(n_files, 30, "src/ was not found")
        self.assertEqual(faults, [])

    def test_every_layer_exists_unless_it_is_planned(self):
        missing = {layer for layer in source_rules.ARROWS if not (ROOT / "src" / layer).is_dir()}
        self.assertLessEqual(missing, {"cuda"})


class TheChecker(unittest.TestCase):
    HEADER = "#pragma once\n"

    def test_accepts_arrows_of_the_table(self):
        self.assertEqual(
            faults_of({
                "base/a.h": self.HEADER,
                "tokenizer/vocabulary.h": self.HEADER + '#include "base/a.h"\n',
                "model/m.h": self.HEADER + '#include "tokenizer/vocabulary.h"\n#include <vector>\n',
                "cli/main.cc": '#include "model/m.h"\n#include <CLI/CLI.hpp>\n',
            }), [])

    def test_sees_an_arrow_upwards(self):
        faults = faults_of({"base/a.cc": '\n#include "engine/e.h"\n', "engine/e.h": self.HEADER})
        self.assertEqual(len(faults), 1)
        self.assertIn("src/base/a.cc:2", faults[0])
        self.assertIn("forbidden arrow", faults[0])

    def test_sees_a_skipped_layer(self):
        faults = faults_of({"server/s.cc": '#include "engine/e.h"\n', "engine/e.h": self.HEADER})
        self.assertIn("forbidden arrow", faults[0])

    def test_lets_a_single_header_through_and_not_its_neighbour(self):
        tree = {"tokenizer/vocabulary.h": self.HEADER, "tokenizer/tokenizer.h": self.HEADER}
        self.assertEqual(faults_of(tree | {"model/m.cc": '#include "tokenizer/vocabulary.h"\n'}), [])
        faults = faults_of(tree | {"model/m.cc": '#include "tokenizer/tokenizer.h"\n'})
        self.assertIn("forbidden arrow", faults[0])

    def test_sees_an_include_that_is_not_rooted_at_src(self):
        tree = {"base/a.h": self.HEADER, "base/a.cc": '#include "a.h"\n'}
        self.assertIn("rooted at src/", faults_of(tree)[0])

    def test_sees_ours_in_angle_brackets(self):
        tree = {"base/a.h": self.HEADER, "engine/e.cc": "#include <base/a.h>\n"}
        self.assertIn("in quotes", faults_of(tree)[0])

    def test_sees_a_header_without_pragma_once(self):
        self.assertIn("#pragma once", faults_of({"base/a.h": "int a();\n"})[0])

    def test_keeps_a_heavy_library_inside_one_folder(self):
        tree = {
            "server/http/s.h": self.HEADER + "#include <boost/asio.hpp>\n",
            "server/http/s.cc": '#include "server/http/s.h"\n',
            "server/server.cc": "#include <boost/asio.hpp>\n",
        }
        self.assertEqual(faults_of(tree), [])
        faults = faults_of(tree | {"server/server.h": self.HEADER + '#include "server/http/s.h"\n'})
        self.assertEqual(len(faults), 1)
        self.assertIn("src/server/server.h:2", faults[0])
        self.assertIn("brings <boost/asio.hpp>", faults[0])

    def test_sees_a_heavy_library_through_another_header(self):
        faults = faults_of({
            "server/http/s.h": self.HEADER + "#include <boost/asio.hpp>\n",
            "server/http/t.h": self.HEADER + '#include "server/http/s.h"\n',
            "server/server.cc": '#include "server/http/t.h"\n',
        })
        self.assertIn("src/server/server.cc:1", faults[0])

    def test_sees_intrinsics_outside_the_kernels(self):
        intrinsics = "#include <immintrin.h>\n"
        self.assertEqual(faults_of({"cpu/kernels/avx2/dot.cc": intrinsics}), [])
        self.assertIn("any machine", faults_of({"cpu/graph/layer.cc": intrinsics})[0])

    def test_sees_a_file_that_grew_too_long(self):
        lines = "//\n" * source_rules.MAX_LINES
        self.assertEqual(faults_of({"base/a.cc": lines}), [])
        self.assertIn("501 lines", faults_of({"base/a.cc": lines + "//\n"})[0])

    def test_sees_a_folder_that_is_no_layer(self):
        self.assertIn("no layer", faults_of({"utils/a.cc": ""})[0])


if __name__ == "__main__":
    unittest.main()
