"""counted.py WORKLOAD FILE [--record]: instructions that the kernels execute, under Callgrind.

Compares them with FILE (recorded.py), for the tables that Valgrind can run: it knows no AVX-512.
Exit status 77, for "skipped", without Valgrind or on a processor without AVX2.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import recorded

TABLES = ("scalar", "avx2")
SKIPPED = 77
HEAD = ("Instructions a multiply-add (multiply/FORMAT/ROWS, attend/ROWS) or an element (the others).",
        "Recorded by: " + recorded.AGAIN)


def counts_of(workload, table):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
             "--toggle-collect=measured", "--dump-after=measured", workload, table],
            capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{workload} {table} failed under valgrind:\n{run.stderr}")
        names = [line.split() for line in run.stdout.splitlines()]
        counts = {}
        for i, (name, units) in enumerate(names, start=1):  # a file for each call of measured()
            text = pathlib.Path(f"{out}.{i}").read_text()
            total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
            counts[f"{table}/{name}"] = int(total[1]) / int(units)
        return counts


def main():
    workload, path = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    runs_here = subprocess.run([workload], capture_output=True, text=True, check=True).stdout.split()
    if not set(TABLES) <= set(runs_here):
        print(f"skipped: this processor runs {', '.join(runs_here)}; the record is of {', '.join(TABLES)}")
        return SKIPPED
    counts = {}
    for table in TABLES:
        counts |= counts_of(workload, table)
    return recorded.check(path, HEAD, counts, "--record" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
