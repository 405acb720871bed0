"""Reads symbol graphs: public-api.py [--undocumented] FOLDER

Prints each public declaration as `Path.of.it: declaration`, and each conformance as `Path.of.it: conforms to Protocol`,
sorted. With --undocumented it prints only those without a documentation comment, and fails when there are any.
"""

import json
import pathlib
import sys

# What the compiler adds to every type by itself.
IMPLICIT = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


def main(arguments):
    wants_undocumented = "--undocumented" in arguments
    folder = pathlib.Path([a for a in arguments if not a.startswith("--")][0])
    lines, undocumented, paths, conformances = set(), set(), {}, []
    for file in sorted(folder.glob("*.symbols.json")):
        graph = json.loads(file.read_text(encoding="utf-8"))
        for symbol in graph["symbols"]:
            path = ".".join(symbol["pathComponents"])
            text = "".join(part["spelling"] for part in symbol["declarationFragments"])
            line = f"{path}: {' '.join(text.split())}"
            paths[symbol["identifier"]["precise"]] = path
            # Extensions of other modules' types are blocks of their own; what they add is listed by itself.
            if symbol["kind"]["identifier"] == "swift.extension":
                continue
            lines.add(line)
            if not symbol.get("docComment", {}).get("lines"):
                undocumented.add(line)
        conformances += [edge for edge in graph["relationships"] if edge["kind"] == "conformsTo"]
    for edge in conformances:
        source, target = paths.get(edge["source"]), paths.get(edge["target"]) or edge.get("targetFallback")
        if source and target and target not in IMPLICIT:
            lines.add(f"{source}: conforms to {target}")
    if wants_undocumented:
        for line in sorted(undocumented):
            print(f"no documentation: {line}", file=sys.stderr)
        return 1 if undocumented else 0
    print("\n".join(sorted(lines)))
    return 0


sys.exit(main(sys.argv[1:]))
