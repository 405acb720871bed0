#!/usr/bin/env python3
"""Compares the map of docs/architecture.md with the manifest, and both with the imports:

- each target is in the folder of its storey, and the map lists it there; a storey's targets depend only on it and on lower ones;
- target names begin with Scrub, and those of C targets with CScrub;
- a target depends only on what its files import;
- a product of a package that the programs alone use has a trait's condition, and each file of a target that reaches one lies in
  `#if` with the trait's name.
"""

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
manifest = json.loads(subprocess.run(["swift", "package", "--ignore-lock", "dump-package"], cwd=root, check=True, capture_output=True).stdout)
document = (root / "docs/architecture.md").read_text()
wrong: list[str] = []

# The map: a storey's line ends with a slash, its targets are indented. From above.
drawn: dict[str, str] = {}
storeys: list[str] = []
for line in document.split("```")[1].splitlines():
    if storey := re.match(r"(\w+)/(?: |$)", line):
        storeys.insert(0, storey[1])
    elif line.startswith("  "):
        names = re.findall(r"\bCScrub\w+", line) if storeys[0] == "C" else re.findall(r"^  ([\w-]+)", line)
        drawn |= {name: storeys[0] for name in names}

statement = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
    r"(?:(?:struct|class|enum|func|typealias|var|let|protocol)\s+)?(\w+)", re.MULTILINE)
targets = {target["name"]: target for target in manifest["targets"]}
# `import GRDB` is the product GRDB; products whose modules have other names are unknown here.
products = {"ArgumentParser", "SystemPackage", "GRDB", "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOHTTPTypes",
            "Logging", "ServiceLifecycle", "UnixSignals"}
# Packages that the library itself needs; every other one is a program's.
library = {"swift-system", "GRDB.swift"}


@functools.cache
def trait(name: str) -> str | None:
    """The trait without which a target is empty: that of a product or of a target that it depends on."""
    found = set()
    for dependency in targets[name]["dependencies"]:
        if product := dependency.get("product"):
            traits = (product[3] or {}).get("traits", [])
            found |= set(traits)
            if not traits and product[1] not in library:
                wrong.append(f"{name} depends on {product[0]} of {product[1]} without a trait condition")
        else:
            below = targets[next(iter(dependency.values()))[0]]
            # A program that tests run is built with them but not imported.
            if (targets[name]["type"], below["type"]) != ("test", "executable"):
                found.add(trait(below["name"]))
    # The viewer's trait enables the command line's.
    return next((one for one in ("Viewer", "CommandLine") if one in found), None)


for name, target in targets.items():
    folder = Path(target["path"])
    shown = folder.name if target["type"] == "executable" else name
    if not re.match("C?Scrub|scrub-", name):
        wrong.append(f"the target {name} does not begin with Scrub or CScrub")
    storey = folder.parts[1] if folder.parts[0] == "Sources" else None
    if storey:
        if drawn.pop(shown, None) != storey:
            wrong.append(f"docs/architecture.md does not show {shown} in {storey}/")
    depends = {next(iter(one.values()))[0] for one in target["dependencies"]}
    for below in depends & targets.keys() if storey in storeys else ():
        other = Path(targets[below]["path"]).parts
        if other[0] != "Sources":
            wrong.append(f"{name} depends on {below}, which is for tests")
        elif storeys.index(storey) < storeys.index(other[1]):
            wrong.append(f"{name} ({storey}/) depends on {below} ({other[1]}/), which is above it")
    # C targets state their needs in their headers.
    if name.startswith("C"):
        continue
    imports: set[str] = set()
    for file in (root / folder).rglob("*.swift"):
        text = file.read_text()
        imports |= set(statement.findall(text))
        if (needed := trait(name)) and not (text.startswith(f"#if {needed}\n") and text.endswith("#endif\n")):
            wrong.append(f"{file.relative_to(root)} is not inside '#if {needed}' from its first line to its last")
    known = targets.keys() | products
    imports = {one.replace("scrub_cli", "scrub-cli") for one in imports} & known
    for missing in sorted(imports - depends - {name}):
        wrong.append(f"{name} imports {missing}, which it does not depend on in Package.swift")
    for unused in sorted((depends & known) - imports):
        # Programs that tests run are built with them.
        if targets.get(unused, {}).get("type") == "executable":
            continue
        wrong.append(f"{name} depends on {unused}, which none of its files imports")
for name, storey in drawn.items():
    wrong.append(f"docs/architecture.md shows {name} in {storey}/, but there is no such target")

for what in wrong:
    print(f"map: {what}", file=sys.stderr)
sys.exit(1 if wrong else 0)
