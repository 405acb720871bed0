#!/usr/bin/env python3
"""Holds the public API against its listing in docs/api.

    docs/tools/api.py                    compares, and ends with 1 and a difference when the API is another one
    docs/tools/api.py --write            writes docs/api/Scrub.txt, ScrubThumbnails.txt, ScrubPlayers.txt and README.md
    docs/tools/api.py --graphs FOLDER    the same, from symbol graphs that are there; else docs/tools/symbol-graphs.sh makes them
    docs/tools/api.py --modules          prints the modules that programs see, those of all products

A public declaration without a documentation comment is a failure in any case.
"""

import argparse
import collections
import difflib
import functools
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from urllib.parse import unquote, urlparse

root = Path(__file__).resolve().parents[2]
folder = root / "docs/api"
# From below: a product lists what it shows beyond those before it.
products = ["Scrub", "ScrubThumbnails", "ScrubPlayers"]
# What the compiler adds to every type by itself, and what Hashable says already.
implicit = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
types = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor"}
remedy = "if this change is meant: docs/tools/api.py --write, and a line in CHANGELOG.md"


def exported() -> dict[str, set[str]]:
    """What a module shows of others."""
    shown: dict[str, set[str]] = {}
    for file in (root / "Sources").rglob("*.swift"):
        if names := re.findall(r"^@_exported public import (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            parts = file.relative_to(root).parts
            shown.setdefault("Scrub" if parts[1] == "Scrub" else parts[2], set()).update(names)
    return shown


def modules_of(product: str) -> set[str]:
    """The modules that `import PRODUCT` shows."""
    shown, found, left = exported(), set(), [product]
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += shown.get(name, ())
    return found


@functools.cache
def lines_of(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")
    except OSError:
        return []


def blocks(symbol) -> bool:
    """Whether asynchronous code may not call it, which symbol graphs leave out."""
    if "location" not in symbol:
        return False
    lines = lines_of(unquote(urlparse(symbol["location"]["uri"]).path))
    number = symbol["location"]["position"]["line"]
    first = number
    while first > 0 and lines[first - 1 : first] and lines[first - 1].lstrip().startswith("@"):
        first -= 1
    return any("noasync" in line for line in lines[first : number + 1])


class Listing:
    """The declarations of a product, by type."""

    def __init__(self, graphs: list[dict]):
        self.undocumented: set[str] = set()
        self.declarations = 0
        self.top: dict[str, list[str]] = collections.defaultdict(list)
        self.types = 0
        # A type's heading, or an extension's, with what stands below it.
        heads: dict[str, str] = {}
        members: dict[str, set[str]] = collections.defaultdict(set)
        conformances: dict[str, set[str]] = collections.defaultdict(set)
        paths: dict[str, str] = {}
        # What types that conform to a protocol have to have: what it asks for and has no default of.
        required, defaulted = set(), set()
        for graph in graphs:
            for symbol in graph["symbols"]:
                paths[symbol["identifier"]["precise"]] = ".".join(symbol["pathComponents"])
            for edge in graph["relationships"]:
                if edge["kind"] == "requirementOf":
                    required.add(edge["source"])
                elif edge["kind"] == "defaultImplementationOf":
                    defaulted.add(edge["target"])
        for graph in graphs:
            for symbol in graph["symbols"]:
                kind = symbol["kind"]["identifier"]
                # Extensions of other modules' types are blocks of their own; what they add is listed by itself.
                if kind == "swift.extension":
                    continue
                path = ".".join(symbol["pathComponents"])
                line = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
                if blocks(symbol):
                    line += "  // not from asynchronous code"
                if symbol["identifier"]["precise"] in required - defaulted and not (
                        kind == "swift.associatedtype" and " = " in line):
                    line += "  // required"
                if not symbol.get("docComment", {}).get("lines"):
                    self.undocumented.add(f"{path}: {line}")
                self.declarations += 1
                parent = ".".join(symbol["pathComponents"][:-1])
                if not parent:
                    self.top[symbol["kind"]["displayName"]].append(path)
                if kind in types:
                    self.types += 1
                    heads[path] = re.sub(rf"\b{re.escape(symbol['pathComponents'][-1])}\b", path, line, count=1)
                elif parent:
                    members[parent].add(line)
                else:
                    heads[path] = line
        for graph in graphs:
            for edge in graph["relationships"]:
                if edge["kind"] != "conformsTo":
                    continue
                target = (paths.get(edge["target"]) or edge.get("targetFallback", "")).rpartition(".")[2]
                if (source := paths.get(edge["source"])) and target and target not in implicit:
                    conformances[source].add(target)
        chapters = []
        for path in sorted(set(heads) | set(members) | set(conformances)):
            head = heads.get(path, f"extension {path}")
            # Declarations of classes and protocols name some of theirs already.
            named = set(re.findall(r"\w+", head.partition(":")[2]))
            more = conformances[path] - named
            if "Hashable" in more:
                more -= {"Equatable"}
            if more:
                head += (", " if ":" in head.partition("<")[0] else ": ") + ", ".join(sorted(more))
            chapters.append("\n".join([head] + ["    " + line for line in sorted(members[path])]))
        self.text = "\n\n".join(chapters) + "\n"


def read(graphs: Path) -> dict[str, Listing]:
    listings: dict[str, Listing] = {}
    before: set[str] = set()
    for product in products:
        names = modules_of(product) - before
        before |= names
        files = sorted(file for file in graphs.glob("*.symbols.json") if re.split("[@.]", file.name)[0] in names)
        missing = names - {re.split("[@.]", file.name)[0] for file in files}
        if missing:
            sys.exit(f"api: no symbol graph of {', '.join(sorted(missing))} in {graphs}: docs/tools/symbol-graphs.sh makes them")
        listings[product] = Listing([json.loads(file.read_text(encoding="utf-8")) for file in files])
    return listings


def overview(listings: dict[str, Listing]) -> str:
    rows = ["| `import` | names at the top | types, with those inside of others | declarations |", "|---|---|---|---|"]
    sections = []
    for product, listing in listings.items():
        top = sum(len(names) for names in listing.top.values())
        adds = "" if product == products[0] else ", beyond `Scrub`"
        rows.append(f"| [{product}]({product}.txt){adds} | {top} | {listing.types} | {listing.declarations} |")
        lines = [f"## Names at the top of `{product}`{adds}", ""]
        for kind, names in sorted(listing.top.items()):
            listed = f"- {kind}, {len(names)}: {', '.join(f'`{name}`' for name in sorted(names))}"
            lines += textwrap.wrap(listed, 120, subsequent_indent="  ", break_on_hyphens=False)
        sections.append("\n".join(lines))
    return "\n\n".join([
        "# The public API",
        "For people who use the library and want to know what changed, and for those who change it. Generated by\n"
        "`docs/tools/api.py --write` from the compiler's symbol graphs.",
        "`docs/tools/docs.sh`, and so CI, fails when the API is not the one listed here, or a declaration has no documentation.\n"
        "History is git's: `git log -p docs/api`. What each version promised is in its folder ([what stays](../stability.md)).",
        "\n".join(rows), *sections]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--modules", action="store_true")
    parser.add_argument("--graphs", type=Path)
    options = parser.parse_args()
    if options.modules:
        print(" ".join(sorted(set().union(*map(modules_of, products)))))
        return 0
    graphs = options.graphs or root / ".build/api"
    if options.graphs is None:
        subprocess.run(["bash", "docs/tools/symbol-graphs.sh", os.path.relpath(graphs, root)], cwd=root, check=True)
    listings = read(graphs)
    status = 0
    for listing in listings.values():
        for line in sorted(listing.undocumented):
            print(f"api: no documentation: {line}", file=sys.stderr)
            status = 1
    files = {folder / f"{product}.txt": listing.text for product, listing in listings.items()}
    files[folder / "README.md"] = overview(listings)
    if options.write:
        folder.mkdir(exist_ok=True)
        for file, text in files.items():
            file.write_text(text, encoding="utf-8")
        return status
    for file, text in files.items():
        listed = file.read_text(encoding="utf-8") if file.exists() else ""
        if listed != text:
            name = str(file.relative_to(root))
            sys.stderr.writelines(
                line + "\n" for line in difflib.unified_diff(
                    listed.splitlines(), text.splitlines(), f"{name} (as listed)", f"{name} (as built)", lineterm="", n=1))
            print(f"api: the public API is not the one in {name}: {remedy}", file=sys.stderr)
            status = 1
    return status


sys.exit(main())
