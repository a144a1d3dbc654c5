#!/usr/bin/env python3
"""How the service does under load, beside what `hymt bench` says the model could do.

    bench/serving.py --texts FILE [FILE...] [--model M] [--concurrency 1,8,32,128,512] ...

Measures the model alone (`hymt bench`: prefill of 512 tokens, decoding at each batch), starts
`hymt serve` and puts each number of callers on it for --duration seconds. Prints requests/s,
latencies, and the share: the time the model alone would have taken for those tokens (those of
prompts found computed left out), over the time that passed. The load generator runs on the same
machine and is paid for in that share. The service remembers no answers meanwhile, as the texts
repeat: what is measured is the engine. At last every text is asked for alone, and once more under
load: the answers must be equal.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_SEQUENCES = 64  # hymt's default: no larger batch decodes
COUNTERS = {"prefilled": "prompt_tokens", "cached": "cached_prompt_tokens",
            "generated": "generated_tokens", "steps": "steps", "preempted": "preemptions"}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Service:
    """hymt serve on a free port, until the end of a with statement."""

    def __init__(self, hymt: str, arguments: list[str]):
        self.process = subprocess.Popen([hymt, "serve", "--port", "0", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise SystemExit("hymt serve did not start: " + " ".join(arguments))
        self.url = found[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def counters(self) -> dict[str, float]:
        text = urllib.request.urlopen(self.url + "/metrics").read().decode()
        return {key: float(re.search(rf"^hymt_engine_{name}_total (\S+)$", text, re.M)[1])
                for key, name in COUNTERS.items()}

    def resident(self) -> int:
        """Bytes of memory that are its own and in use."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+) kB$", status, re.M)[1]) * 1024


def bench(hymt: str, model: list[str], batches: list[int]) -> tuple[float, dict[int, float]]:
    """Tokens a second: of a prefill, and by batch of decoding."""
    lines = subprocess.run(
        [hymt, "bench", *model, "--prefill", "512", "--decode", ",".join(map(str, batches)),
         "--json"], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [row for row in map(json.loads, lines) if "test" in row]
    prefill = next(r["tok_per_s"] for r in rows if r["test"] == "prefill")
    return prefill, {r["batch"]: r["tok_per_s"] for r in rows if r["test"] == "decode"}


def load(hymt: str, service: Service, callers: int, options) -> dict:
    before = service.counters()
    command = [hymt, "load", service.url, "--texts", *options.texts, "--to", options.to,
               "--concurrency", str(callers), "--duration", str(options.duration), "--json",
               "--request", options.request]
    report = json.loads(subprocess.run(command, check=True, capture_output=True,
                                       text=True).stdout)
    after = service.counters()
    report.update({key: after[key] - before[key] for key in after})
    if report["differing_answers"]:
        raise SystemExit(f"{callers} callers: {report['differing_answers']} answers differ")
    report["callers"] = callers
    report["resident"] = service.resident()
    return report


def verify(hymt: str, service: Service, callers: int, options) -> None:
    n = sum(len(pathlib.Path(f).read_text(encoding="utf-8").splitlines()) for f in options.texts)
    report = json.loads(subprocess.run(
        [hymt, "load", service.url, "--texts", *options.texts, "--to", options.to, "--verify",
         "--concurrency", str(callers), "--duration", "3600", "--requests", str(2 * n), "--json",
         "--request", options.request], check=True, capture_output=True, text=True).stdout)
    differing = report["differing_answers"]
    say(f"{report['requests']} answers under load, {differing} of which differ from the one given "
        "alone")
    if differing:
        raise SystemExit("answers differ under load")


def print_row(row: dict) -> None:
    latency = row["latency_s"]
    errors = {code: n for code, n in row["outcomes"].items() if code != "200"}
    print(f"{row['callers']:4} callers  {row['requests_per_s']:7.1f} requests/s  "
          f"{row['tokens_per_s']:7.0f} tokens/s  p50 {1000 * latency['p50']:6.0f} ms  "
          f"p99 {1000 * latency['p99']:6.0f} ms  share {row['share']:.2f}  "
          f"prompts from cache {row['cached_share']:.2f}  rows a step "
          f"{(row['prefilled'] + row['generated']) / row['steps']:.1f}  "
          f"resident {row['resident'] / 2**20:.1f} MiB  errors {errors or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hymt", default=str(ROOT / "build/hymt"))
    parser.add_argument("--model", help="default: the demo model")
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--to", default="en", help="languages, in turn: zh,es,fr")
    parser.add_argument("--concurrency", default="1,8,32,128,512")
    parser.add_argument("--duration", type=float, default=10)
    parser.add_argument("--repeat", type=int, default=1, help="medians of so many rounds")
    parser.add_argument("--request", default="{}", help="further fields of each request")
    parser.add_argument("--serve", default="", help="further arguments of hymt serve")
    parser.add_argument("--no-verify", dest="verify", action="store_false")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    model = ["--model", options.model] if options.model else []
    callers = [int(n) for n in options.concurrency.split(",")]

    batches = sorted({min(n, MAX_SEQUENCES) for n in callers})
    prefill, decode = bench(options.hymt, model, batches)
    rounds = []
    for _ in range(options.repeat):
        with Service(options.hymt, [*model, "--max-queue", "1024", "--deadline", "10m",
                                    "--cache-memory", "0", *options.serve.split()]) as service:
            for n in callers:
                rounds.append(load(options.hymt, service, n, options))
                say(f"{n} callers: {rounds[-1]['requests_per_s']:.1f} requests/s")
            if options.verify:
                verify(options.hymt, service, max(callers), options)
    again_prefill, again_decode = bench(options.hymt, model, batches)
    prefill = (prefill + again_prefill) / 2  # the machine may have changed its pace meanwhile
    decode = {n: (decode[n] + again_decode[n]) / 2 for n in decode}

    for n in callers:
        same = sorted((r for r in rounds if r["callers"] == n), key=lambda r: r["requests_per_s"])
        row = same[len(same) // 2]
        row["cached_share"] = row["cached"] / (row["cached"] + row["prefilled"])
        alone = (row["input_tokens"] * (1 - row["cached_share"]) / prefill +
                 row["output_tokens"] / decode[min(n, MAX_SEQUENCES)])
        row["share"] = alone / row["seconds"]
        if options.json:
            print(json.dumps(row))
        else:
            print_row(row)
    rates = ", ".join(f"{n}: {rate:.0f}" for n, rate in decode.items())
    say(f"hymt bench: prefill 512: {prefill:.0f}, decode {rates} tokens/s")


if __name__ == "__main__":
    main()
