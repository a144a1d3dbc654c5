"""Reads the rows of both engines, prints their medians: medians.py yes|no (as JSON)."""

import json
import statistics
import sys

runs: dict[tuple[str, int], dict[str, list[float]]] = {}
shares: dict[tuple[str, int], list[float]] = {}  # of the limit that hymt measures beside each test
for line in sys.stdin:
    row = json.loads(line)
    if "test" not in row:  # hymt's ceilings
        continue
    of_test = runs.setdefault((row["test"], row.get("batch", 1)), {})
    of_test.setdefault(row.get("engine", "hymt"), []).append(row["tok_per_s"])
    if "share" in row:
        shares.setdefault((row["test"], row.get("batch", 1)), []).append(row["share"])

for (test, batch), engines in runs.items():
    rates = {engine: statistics.median(values) for engine, values in engines.items()}
    if sys.argv[1] == "yes":
        for engine, rate in rates.items():
            print(json.dumps({"engine": engine, "test": test, "batch": batch,
                              "tok_per_s": round(rate, 2)}))
    else:
        spread = {engine: (max(v) - min(v)) / statistics.median(v) for engine, v in engines.items()}
        print(f"{test:8} {batch:3}  " + "  ".join(
            f"{engine} {rate:8.1f} tokens/s (spread {100 * spread[engine]:.0f}%)"
            for engine, rate in rates.items()) +
              f"  ratio {rates['hymt'] / rates['node-llama-cpp']:.2f}, "
              f"{statistics.median(shares[test, batch]):.2f} of the limit")
