"""The rules that the sources of src/ keep, as data, and the checker that reads them.

A top folder of src/ is a layer. Its files may include their own layer and what ARROWS names for it:
whole layers ("base") or single headers ("tokenizer/vocabulary.h"). The rule is about direct includes;
docs/architecture.md gives the reasons. Besides arrows: include paths are rooted at src/, every header
has its #pragma once, heavy libraries stay inside one folder, intrinsics stay in the kernels, and no
file grows past MAX_LINES.
"""

import dataclasses
import pathlib
import posixpath
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

# Libraries that cost every file that sees them seconds of compile time. A header that includes one,
# directly or through others, may be included by files of its own folder only.
HEAVY = re.compile(r"(boost|nlohmann|spdlog|fmt|CLI|toml\+\+|unicode|openssl)[/.]")
LIGHT = {"nlohmann/json_fwd.hpp"}

# Instruction-set code is quarantined: only objects of this folder are compiled with such flags.
INTRINSICS = re.compile(r"(\w*intrin|arm_neon)\.h$")
INTRINSICS_HOME = "cpu/kernels/"

MAX_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".h", ".cc", ".inc"}


@dataclasses.dataclass(frozen=True)
class Include:
    line: int
    target: str
    quoted: bool


@dataclasses.dataclass(frozen=True)
class Source:
    name: str  # relative to src/
    lines: list[str]
    includes: list[Include]

    @property
    def layer(self) -> str:
        return self.name.split("/")[0]

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.name)


def read_tree(src: pathlib.Path) -> dict[str, Source]:
    sources = {}
    for file in sorted(f for f in src.rglob("*") if f.suffix in SUFFIXES):
        lines = file.read_text(encoding="utf-8").splitlines()
        found = ((i, INCLUDE.match(line)) for i, line in enumerate(lines, 1))
        includes = [Include(i, m[2], m[1] == '"') for i, m in found if m]
        name = file.relative_to(src).as_posix()
        sources[name] = Source(name, lines, includes)
    return sources


def check_tree(src: pathlib.Path) -> tuple[list[str], int]:
    """All faults below src, each with its place, and how many files were read."""
    sources = read_tree(src)
    heavy = _heavy_headers(sources)
    faults = []
    for source in sources.values():
        faults += [f"src/{source.name}: {message}" for message in _check_file(source)]
        for include in source.includes:
            check = _check_own if include.quoted else _check_library
            if message := check(source, include.target, sources, heavy):
                faults.append(f"src/{source.name}:{include.line}: {message}")
    return faults, len(sources)


def _heavy_headers(sources: dict[str, Source]) -> dict[str, str]:
    """Each header that brings a heavy library, with that library's include."""
    heavy: dict[str, str] = {}
    while True:
        before = len(heavy)
        for source in sources.values():
            if source.name.endswith(".h") and source.name not in heavy:
                for include in source.includes:
                    if not include.quoted and HEAVY.match(include.target) and include.target not in LIGHT:
                        heavy[source.name] = include.target
                    elif include.quoted and include.target in heavy:
                        heavy[source.name] = heavy[include.target]
        if len(heavy) == before:
            return heavy


def _check_file(source: Source) -> list[str]:
    faults = []
    if source.layer not in ARROWS:
        faults.append(f"src/{source.layer}/ is no layer that ARROWS knows")
    if source.name.endswith(".h") and "#pragma once" not in source.lines:
        faults.append("a header without #pragma once")
    if len(source.lines) > MAX_LINES:
        faults.append(f"{len(source.lines)} lines: past {MAX_LINES}, split it")
    return faults


def _check_own(source: Source, target: str, sources: dict[str, Source], heavy: dict[str, str]
              ) -> str | None:
    if target not in sources:
        return f'"{target}" names no file: include paths are rooted at src/'
    allowed, layer = ARROWS.get(source.layer, []), sources[target].layer
    if not (allowed is ANYTHING or layer == source.layer or layer in allowed or target in allowed):
        return (f'"{target}" is a forbidden arrow: {source.layer}/ may include '
                f'{", ".join(allowed) or "nothing"}')
    if target in heavy and sources[target].folder != source.folder:
        return f'"{target}" brings <{heavy[target]}>: only for files of its own folder'
    return None


def _check_library(source: Source, target: str, sources: dict[str, Source], _) -> str | None:
    if target in sources:
        return f"<{target}> is ours: include it in quotes"
    if INTRINSICS.match(target) and not source.name.startswith(INTRINSICS_HOME):
        return f"<{target}> outside {INTRINSICS_HOME}: the rest must run on any machine"
    return None
