"""The scripts that compare instruction counts, on listings and counts written here."""

import pathlib
import tempfile
import unittest

import inner_loops
import recorded

DOT = "\tvpdpbusd %ymm1,%ymm2,%ymm3\n"
OTHER = "\tvmovaps %ymm1,%ymm2\n"


def listing(*lines):
    """A function; a line that starts with a tab gets the next address, a number jumps there."""
    text = "0000000000000000 <f>:\n"
    for address, line in enumerate(lines):
        text += f"  {address:x}:{line}" if isinstance(line, str) else f"  {address:x}:\tjne    {line:x} <f+0x1>\n"
    return text


class InnerLoops(unittest.TestCase):

    def test_counts_what_lies_between_a_jump_back_and_its_target(self):
        code = listing(OTHER, *[DOT] * 16, *[OTHER] * 15, 1)
        self.assertEqual(inner_loops.densities(code), {"bytes/16/1": 2.0})

    def test_ranks_those_with_as_many_products(self):
        loose = listing(*[DOT] * 16, *[OTHER] * 31, 0)
        dense = listing(*[DOT] * 16, *[OTHER] * 15, 0)
        larger = listing(*[DOT] * 20, *[OTHER] * 9, 0)
        self.assertEqual(inner_loops.densities(loose + dense + larger),
                         {"bytes/16/1": 2.0, "bytes/16/2": 3.0, "bytes/20/1": 1.5})

    def test_leaves_out_loops_around_loops_and_those_with_few_products(self):
        nested = listing(*[OTHER] * 40, *[DOT] * 16, *[OTHER] * 15, 40, 0)
        self.assertEqual(inner_loops.densities(nested), {"bytes/16/1": 2.0})
        around_few = listing(*[DOT] * 15, 0, DOT, 0)
        self.assertEqual(inner_loops.densities(around_few), {})
        self.assertEqual(inner_loops.densities(listing(*[DOT] * 15, 0)), {})

    def test_knows_forward_jumps_and_names_the_kinds(self):
        self.assertEqual(inner_loops.densities(listing(*[DOT] * 20, 30)), {})
        shift = "\tvpsrlw $0x4,%ymm1,%ymm1\n"
        self.assertEqual(inner_loops.densities(listing(*[DOT] * 16, shift, 0)), {"nibbles/16/1": 18 / 16})
        vex = "\t{vex} vpdpbusd %ymm1,%ymm2,%ymm3\n"
        self.assertEqual(inner_loops.densities(listing(*[vex] * 16, 0)), {"bytes/16/1": 17 / 16})
        bf16 = "\tvdpbf16ps %zmm1,%zmm2,%zmm3\n"
        self.assertEqual(inner_loops.densities(listing(*[bf16] * 24, 0)), {"bf16/24/1": 25 / 24})


class Recorded(unittest.TestCase):

    def test_lets_a_few_percent_pass_and_tells_worse_from_better(self):
        was = {"a": 100.0, "b": 100.0, "c": 100.0}
        faults, hints = recorded.compare(was, {"a": 103.0, "b": 106.0, "c": 80.0})
        self.assertEqual(faults, ["b: 100 -> 106 (+6.0%)"])
        self.assertEqual(hints, ["c: 100 -> 80 (-20.0%)"])

    def test_misses_what_is_gone_and_what_was_never_recorded(self):
        faults, _ = recorded.compare({"gone": 1.0}, {"new": 1.0})
        self.assertEqual(len(faults), 2)

    def test_reads_what_it_wrote(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "counts.txt"
            recorded.write(path, ["head"], {"avx2/multiply/q4/8": 0.123456, "x": 12.5})
            self.assertEqual(recorded.read(path), {"avx2/multiply/q4/8": 0.1235, "x": 12.5})


if __name__ == "__main__":
    unittest.main()
