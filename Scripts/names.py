#!/usr/bin/env python3
"""One name, one thing: no top-level type has the same name as one in another target."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

root = Path(__file__).resolve().parent.parent
declaration = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|final|indirect|open)\s+)*"
    r"(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.MULTILINE)
types: dict[str, set[str]] = defaultdict(set)
files = subprocess.run(["git", "ls-files", "Sources/*.swift"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
for name in filter(None, files):
    if not (root / name).exists():
        continue
    folders = name.split("/")
    for match in declaration.finditer((root / name).read_text()):
        types[match[1]].add("Scrub" if folders[1] == "Scrub" else folders[2])
status = 0
for name, targets in sorted(types.items()):
    if len(targets) > 1:
        print(f"names: {name} is a type in {' and in '.join(sorted(targets))}: use one name for one thing", file=sys.stderr)
        status = 1
sys.exit(status)
