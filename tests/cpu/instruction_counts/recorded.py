"""Compares instruction counts with those in a file, or writes the file anew.

A file has a line for each count: its name, then the number; '#' begins a comment. Counts depend on
the compiler: they are recorded for the one that CMakeLists.txt names, and compared with it only.
"""

MORE = 1.04  # above this many times the record it is a regress
LESS = 0.90  # below, the record is out of date
AGAIN = "cmake --build build --target record_instruction_counts"


def read(path):
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {name: float(count) for name, count in filter(None, lines)}


def write(path, head, counts):
    width = max(map(len, counts), default=0)
    lines = [f"# {line}" for line in head] + [f"{n:<{width}} {c:.4g}" for n, c in counts.items()]
    path.write_text("\n".join(lines) + "\n")


def compare(recorded, counts):
    """What is wrong, and what is merely worth saying: two lists of lines."""
    faults = [f"{name}: recorded, but not found any more" for name in recorded if name not in counts]
    hints = []
    for name, count in counts.items():
        if name not in recorded:
            faults.append(f"{name}: {count:.4g}, and nothing recorded")
            continue
        was = recorded[name]
        change = f"{name}: {was:.4g} -> {count:.4g} ({count / was - 1:+.1%})"
        if count > was * MORE:
            faults.append(change)
        elif count < was * LESS:
            hints.append(change)
    return faults, hints


def check(path, head, counts, record):
    """Writes the record, or says how the counts differ from it; the exit status."""
    if record:
        write(path, head, counts)
        print(f"{path}: {len(counts)} counts recorded")
        return 0
    faults, hints = compare(read(path), counts)
    for line in faults:
        print("WORSE", line)
    for line in hints:
        print("better", line)
    if faults:
        print(f"These differ for the worse from {path}\n(up to {MORE - 1:.0%} more is let pass). If the new "
              f"code was measured to be faster all the same, record it:\n  {AGAIN}")
    elif hints:
        print(f"Well done. To hold the new counts, record them:\n  {AGAIN}")
    return 1 if faults else 0
