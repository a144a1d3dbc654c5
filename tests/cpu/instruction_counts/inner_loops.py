"""inner_loops.py FILE [--record] TABLE=OBJECT...: how dense the inner loops of products are.

For the tables that Valgrind cannot run: reads the objects' code, finds the loops that are made of
dot products, and compares with FILE (recorded.py) how many instructions there are in the densest of
each kind to one dot product. Loops are told apart by what they do, not by names, so that kernels
can be renamed and cut differently: 4-bit weights are shifted in the loop, bytes are not.
"""

import pathlib
import re
import subprocess
import sys

import recorded

DOTS = {"vpdpbusd": "bytes", "vdpbf16ps": "bf16"}
AT_LEAST = 16  # dot products in a loop: fewer are a rest, or one row
HEAD = ("Instructions to one dot product in the densest loop of each kind, by the objects' code.",
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


def loops(body):
    """The innermost loops with enough dot products: what lies between a jump back and its target."""
    found = []
    for address, mnemonic, operands in body:
        target = re.match(r"([0-9a-f]+)\b", operands) if mnemonic.startswith("j") else None
        if target and int(target[1], 16) <= address:
            found.append((int(target[1], 16), address))
    with_code = []
    for begin, end in sorted(found, key=lambda span: span[1] - span[0]):
        code = [i for i in body if begin <= i[0] <= end]
        holds_another = any(begin <= b and e <= end for b, e, _ in with_code)
        if not holds_another and sum(i[1] in DOTS for i in code) >= AT_LEAST:
            with_code.append((begin, end, code))
    return [code for _, _, code in with_code]


def kind_of(code):
    dot = next(mnemonic for _, mnemonic, _ in code if mnemonic in DOTS)
    halves = any(m.startswith("vpsr") and o.startswith("$0x4,") for _, m, o in code)
    return "nibbles" if halves else DOTS[dot]


def densest(listing):
    """By kind: instructions to a dot product."""
    best = {}
    for body in functions(listing):
        for code in loops(body):
            ratio = len(code) / sum(mnemonic in DOTS for _, mnemonic, _ in code)
            kind = kind_of(code)
            best[kind] = min(ratio, best.get(kind, ratio))
    return best


def main():
    path = pathlib.Path(sys.argv[1])
    counts = {}
    for argument in sys.argv[2:]:
        if argument == "--record":
            continue
        table, objects = argument.split("=", 1)
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", *objects.split(",")],
                                 capture_output=True, text=True, check=True).stdout
        counts |= {f"{table}/{kind}": ratio for kind, ratio in sorted(densest(listing).items())}
    return recorded.check(path, HEAD, counts, "--record" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
