"""inner_loops.py FILE [--record] TABLE=OBJECT...: how dense the inner loops of products are.

For the tables that Valgrind cannot run: reads the objects' code, finds the loops that are made of
dot products, and compares with FILE (recorded.py) how many instructions there are in them to one
dot product. Loops are told apart by what they do, not by names, so that kernels can be renamed and
cut differently: by their kind (4-bit weights are shifted in the loop, bytes are not), by how many
dot products are in them, which differs from tile to tile, and, alike in both, by rank.
"""

import collections
import pathlib
import re
import subprocess
import sys

import recorded

DOTS = {"vpdpbusd": "bytes", "vdpbf16ps": "bf16"}
AT_LEAST = 16  # dot products in a loop: fewer are a rest, or one row
HEAD = ("Instructions to one dot product in inner loops, by the objects' code: TABLE/KIND/DOT PRODUCTS/RANK.",
        "Recorded by: " + recorded.AGAIN)

# "  3f0:	vpdpbusd %zmm1,%zmm2,%zmm3" (objdump may put {vex} in front), "0000 <name>:"
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:\{\w+\} )*(\S+)\s*(.*)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <.*>:$")


def functions(listing):
    """For each function, its instructions: (address, mnemonic, operands)."""
    body = []
    for line in listing.splitlines():
        if FUNCTION.match(line):
            if body:
                yield body
            body = []
        elif match := INSTRUCTION.match(line):
            body.append((int(match[1], 16), match[2], match[3]))
    if body:
        yield body


def dots_in(code):
    return sum(mnemonic in DOTS for _, mnemonic, _ in code)


def loops(body):
    """The innermost loops with enough dot products: what lies between a jump back and its target."""
    found = []
    for address, mnemonic, operands in body:
        target = re.match(r"([0-9a-f]+)\b", operands) if mnemonic.startswith("j") else None
        if target and int(target[1], 16) <= address:
            found.append((int(target[1], 16), address))
    with_dots = []
    for begin, end in sorted(set(found), key=lambda span: span[1] - span[0]):
        code = [i for i in body if begin <= i[0] <= end]
        holds_another = any(begin <= other[0][0] and other[-1][0] <= end for other in with_dots)
        if not holds_another and dots_in(code) > 0:
            with_dots.append(code)
    return [code for code in with_dots if dots_in(code) >= AT_LEAST]


def kind_of(code):
    dot = next(mnemonic for _, mnemonic, _ in code if mnemonic in DOTS)
    halves = any(m.startswith("vpsr") and o.startswith("$0x4,") for _, m, o in code)
    return "nibbles" if halves else DOTS[dot]


def densities(listing):
    """Of each loop, instructions to a dot product; loops that are alike are ranked, the densest first."""
    alike = collections.defaultdict(list)
    for body in functions(listing):
        for code in loops(body):
            dots = dots_in(code)
            alike[kind_of(code), dots].append(len(code) / dots)
    return {f"{kind}/{dots}/{rank}": ratio for (kind, dots), ratios in sorted(alike.items())
            for rank, ratio in enumerate(sorted(ratios), start=1)}


def main():
    path = pathlib.Path(sys.argv[1])
    counts = {}
    for argument in sys.argv[2:]:
        if argument == "--record":
            continue
        table, objects = argument.split("=", 1)
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", *objects.split(",")],
                                 capture_output=True, text=True, check=True).stdout
        counts |= {f"{table}/{loop}": ratio for loop, ratio in densities(listing).items()}
    return recorded.check(path, HEAD, counts, "--record" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
