"""The rules that the sources of src/ keep, as data, and the checker that reads them.

A folder of src/ is a layer. Its files may include their own folder and what ARROWS names for it:
whole folders ("base") or single headers ("tokenizer/vocabulary.h"). The rule is about direct
includes; docs/architecture.md gives the reasons. Besides arrows: includes are rooted at src/, every
header has its #pragma once, headers keep heavy libraries out, intrinsics stay in the kernels, and no
file grows past MAX_LINES.
"""

import dataclasses
import pathlib
import re

ANYTHING = None
ARROWS: dict[str, list[str] | None] = {
    "base": [],
    "checkpoint": ["base"],
    "tokenizer": ["base"],
    "model": ["base", "checkpoint", "tokenizer/vocabulary.h"],
    "cpu": ["base", "checkpoint", "model"],
    "cuda": ["base", "checkpoint", "model"],
    "engine": ["base", "model"],
    "translate": ["base", "tokenizer", "model/model_card.h", "engine"],
    "server": ["base", "translate"],
    "cli": ANYTHING,
}

# Libraries that cost every includer seconds of compile time: for .cc files only. A header that
# exists for the sake of such a library is listed with the reason.
HEAVY = re.compile(r"(boost|nlohmann|spdlog|fmt|CLI|toml\+\+|unicode|openssl|Python)[/.]")
LIGHT = {"nlohmann/json_fwd.hpp"}
HEAVY_ALLOWED: dict[str, str] = {}

# Instruction-set code is quarantined: only objects of this folder are compiled with such flags.
INTRINSICS = re.compile(r"(\w*intrin|arm_neon)\.h$")
INTRINSICS_HOME = "cpu/kernels/"

MAX_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".h", ".cc", ".inc"}


@dataclasses.dataclass(frozen=True)
class Fault:
    place: str  # file:line, relative to src/
    message: str

    def __str__(self) -> str:
        return f"src/{self.place}: {self.message}"


def check_tree(src: pathlib.Path) -> tuple[list[Fault], int]:
    """All faults below src, and how many files were read."""
    files = sorted(f for f in src.rglob("*") if f.suffix in SOURCES)
    return [fault for file in files for fault in _check_file(src, file)], len(files)


def _check_file(src: pathlib.Path, file: pathlib.Path) -> list[Fault]:
    name = file.relative_to(src).as_posix()
    lines = file.read_text(encoding="utf-8").splitlines()
    faults = []
    layer = name.split("/")[0]
    if layer not in ARROWS:
        faults.append(Fault(f"{name}:1", f"src/{layer}/ is no layer that ARROWS knows"))
    if file.suffix == ".h" and "#pragma once" not in lines:
        faults.append(Fault(f"{name}:1", "a header without #pragma once"))
    if len(lines) > MAX_LINES:
        faults.append(Fault(f"{name}:{len(lines)}", f"{len(lines)} lines: past {MAX_LINES}, split it"))
    for number, line in enumerate(lines, 1):
        if found := INCLUDE.match(line):
            bracket, target = found.groups()
            check = _check_own if bracket == '"' else _check_library
            if message := check(src, name, target):
                faults.append(Fault(f"{name}:{number}", message))
    return faults


def _check_own(src: pathlib.Path, name: str, target: str) -> str | None:
    layer, other = name.split("/")[0], target.split("/")[0]
    if not (src / target).is_file():
        return f'"{target}" names no file: include paths are rooted at src/'
    allowed = ARROWS.get(layer, [])
    if allowed is ANYTHING or other == layer or other in allowed or target in allowed:
        return None
    return f'"{target}" is a forbidden arrow: {layer}/ may include {", ".join(allowed) or "nothing"}'


def _check_library(src: pathlib.Path, name: str, target: str) -> str | None:
    if (src / target).is_file():
        return f"<{target}> is ours: include it in quotes"
    if INTRINSICS.match(target) and not name.startswith(INTRINSICS_HOME):
        return f"<{target}> outside {INTRINSICS_HOME}: the rest must run on any machine"
    if name.endswith(".h") and HEAVY.match(target) and target not in LIGHT:
        if name not in HEAVY_ALLOWED:
            return f"<{target}> in a header: keep it in a .cc file"
    return None
