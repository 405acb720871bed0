#!/usr/bin/env python3
"""Compares Scripts/README.md with the files, and each script path in any text with what exists.

- every file of Scripts has a line in the first table, every line has a file, and there are at most 25;
- every other script is in or below a folder of the second table, and each of these folders has scripts;
- a path such as Tests/Library/library-tests.sh, in any text, names a file in the repository;
- a name that a Python script imports from a neighboring one is declared there.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
most = 25
files = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
files = [name for name in files if (root / name).is_file()]
scripts = [name for name in files if name.endswith((".sh", ".py"))]
wrong: list[str] = []

tables: list[list[str]] = []
for line in (root / "Scripts/README.md").read_text().splitlines():
    if line.startswith("|---"):
        tables.append([])
    elif tables and (row := re.match(r"\| `([^`]+)` \| \S", line)):
        tables[-1].append(row[1])
listed, folders = tables


def declared(path: Path) -> set[str]:
    """The names that a module declares at its top level, also in conditions and loops."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name.split(".")[0] for alias in aliases}
    return names


for name in files:
    if not name.endswith(".py"):
        continue
    for node in ast.walk(ast.parse((root / name).read_text())):
        match node:
            case ast.ImportFrom(module=str(module), level=0, names=aliases):
                other = (root / name).parent / (module.replace(".", "/") + ".py")
                # A package with that name may take precedence.
                if other.is_file() and not any(f"/{module}/" in f"/{file}" for file in files):
                    lacking = {alias.name for alias in aliases} - declared(other) - {"*"}
                    wrong += [f"{name} imports {one} from {module}, which does not have it" for one in sorted(lacking)]

here = {name.removeprefix("Scripts/") for name in files if name.startswith("Scripts/")}
wrong += [f"Scripts/{name} is not listed in Scripts/README.md" for name in sorted(here - {*listed, "README.md"})]
wrong += [f"Scripts/README.md lists {name}, but there is no such file" for name in listed if name not in here]
if len(here) > most:
    wrong.append(f"Scripts has {len(here)} files, more than {most}: move scripts for a single folder there")
for name in scripts:
    if not name.startswith(("Scripts/", *(folder + "/" for folder in folders))):
        wrong.append(f"{name}: its folder is not listed in Scripts/README.md")
for folder in folders:
    if not any(name.startswith(folder + "/") for name in scripts):
        wrong.append(f"Scripts/README.md lists the folder {folder}, which has no scripts")

tops = sorted({name.split("/")[0] for name in files if "/" in name})
path = re.compile(r"(?<![\w.-])((?:" + "|".join(map(re.escape, tops)) + r")/[\w./+-]*\.(?:sh|py|supp))(?!\w)")
known = set(files)
for name in files:
    try:
        text = (root / name).read_text()
    except UnicodeDecodeError:
        continue
    for match in path.finditer(text):
        if match[1] not in known:
            wrong.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]} does not exist")

for what in wrong:
    print(f"index: {what}", file=sys.stderr)
sys.exit(1 if wrong else 0)
