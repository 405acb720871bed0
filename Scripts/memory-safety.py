#!/usr/bin/env python3
"""Compares the table of docs/memory-safety.md with the marks `unsafe` and `@safe` in Sources; `--write` updates the numbers.

A target that is not in the table, or whose numbers differ, is an error: a change that adds unchecked memory must say why.
"""

import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
document = root / "docs/memory-safety.md"
row = re.compile(r"^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \|", re.MULTILINE)


def without_words(text: str) -> str:
    """Removes comments and strings, in which the words have no meaning."""
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', "", text)


def counts() -> dict[str, tuple[int, int, int]]:
    names = subprocess.run(["git", "ls-files", "Sources/*.swift"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
    found: dict[str, tuple[int, int, int]] = {}
    for name in filter(None, names):
        if not (root / name).exists():
            continue
        text = without_words((root / name).read_text())
        uses = len(re.findall(r"(?<![@\w])unsafe(?=\s)", text))
        owners = len(re.findall(r"@safe\b", text)) + len(re.findall(r"@unchecked Sendable|nonisolated\(unsafe\)", text))
        if uses + owners:
            # Sources/STOREY/TARGET/…, and the module that people import is its own storey.
            folders = name.split("/")
            target = "Scrub" if folders[1] == "Scrub" else folders[2]
            files, before, kept = found.get(target, (0, 0, 0))
            found[target] = (files + 1, before + uses, kept + owners)
    return found


text = document.read_text()
found = counts()
said = {match[1]: tuple(map(int, match.group(2, 3, 4))) for match in row.finditer(text)}
if sys.argv[1:] == ["--write"]:
    text = row.sub(lambda m: "| `%s` | %d | %d | %d |" % (m[1], *found.get(m[1], (0, 0, 0))), text)
    document.write_text(text)
    said = {match[1]: tuple(map(int, match.group(2, 3, 4))) for match in row.finditer(text)}
wrong = sorted(name for name in found.keys() | said.keys() if found.get(name) != said.get(name))
for name in wrong:
    print(f"{name}: files, unsafe, promises are {found.get(name)}, but docs/memory-safety.md says {said.get(name)}", file=sys.stderr)
if wrong:
    print("memory-safety: explain why in the table, then run Scripts/memory-safety.py --write", file=sys.stderr)
sys.exit(1 if wrong else 0)
