#!/usr/bin/env python3
"""What the last version promised is still there: the lists in docs/api/VERSION against the present. docs/stability.md says what is promised.

    compatibility.py                                    the Swift API and the environment variables; needs no build
    compatibility.py --program SCRUB [--viewer VIEW]    also JSON keys and types, exit codes and options, from running the programs
    compatibility.py --write [--fresh] --program SCRUB --viewer VIEW
                                                        writes the lists of the version that the code names
    compatibility.py --self-test                        plants a break in each list, and must find it

Ends with 1 and a line for each break; what is new passes. The lists are the newest version's of the same major number: a new major
version may break, and CHANGELOG.md says what. Types of JSON that were seen before are kept by --write, unless --fresh is said: what a
run shows depends on its film.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

import interface

root = Path(__file__).resolve().parents[2]
folder = root / "docs/api"
modules = ["Scrub", "ScrubThumbnails", "ScrubPlayers"]
Lists = dict[str, dict[str, str]]


def version() -> str:
    found = re.search(r'version = "(\d+\.\d+\.\d+)"', (root / "Sources/Base/ScrubBase/Values/Release.swift").read_text())
    return found[1]


def numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))


def newest() -> Path | None:
    """The lists of the last version with this one's major number."""
    now = numbers(version())
    found = [one for one in folder.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", one.name) and now[0] == numbers(one.name)[0]
             and numbers(one.name) <= now]
    return max(found, key=lambda one: numbers(one.name), default=None)


def split(head: str) -> tuple[str, list[str]]:
    """A declaration's heading: what it declares, and what that conforms to. Colons in brackets are of something else."""
    depth = 0
    for place, letter in enumerate(head):
        depth += (letter in "<([") - (letter in ">)]" and head[place - 1] != "-")
        if letter == ":" and depth == 0:
            return head[:place].strip(), [name.strip() for name in head[place + 1 :].split(",")]
    return head, []


def swift(text: str) -> Lists:
    """The declarations of a listing by docs/tools/api.py."""
    lists: Lists = {}
    for chapter in text.rstrip("\n").split("\n\n"):
        head, *lines = chapter.split("\n")
        name, conformances = split(head)
        # An extension for some element types is another one than that for all.
        members = lists.setdefault(name, {})
        members |= {f": {one}": "" for one in conformances}
        for line in lines:
            declared, *remarks = line.strip().split("  // ")
            members[declared] = ", ".join(remarks)
    return lists


def parse(text: str) -> Lists:
    lists: Lists = {}
    for chapter in text.rstrip("\n").split("\n\n"):
        head, *lines = chapter.split("\n")
        lists[head] = dict(line.strip().rsplit(": ", 1) for line in lines)
    return lists


def written(lists: Lists) -> str:
    return "\n\n".join("\n".join([head, *(f"    {key}: {value}" for key, value in sorted(keys.items()))])
                       for head, keys in sorted(lists.items()) if keys) + "\n"


PROPERTY = re.compile(r"(?P<before>.*\b)?(?:let|var) (?P<name>`?\w+`?): (?P<type>.*?)(?P<get> \{ get \})?$")


def property_(line: str) -> tuple[str, bool] | None:
    """A property as its readers see it, and whether it can be set; `{ get throws }` is none of these."""
    found = PROPERTY.fullmatch(line)
    if not found or found["type"].endswith("}") and not found["get"]:
        return None
    sets = re.search(r"\bvar ", line) is not None and not found["get"]
    return f"{found['before'] or ''}{found['name']}: {found['type']}", sets


ALIAS = re.compile(r"typealias (\w+) = (\w+)")
LABELLED = re.compile(r"(?<=[(, ])(\w+) \w+(?=: )")


def renamed(before: Lists, now: Lists) -> tuple[Lists, Lists]:
    """Both as a caller sees them: a renamed type whose old name is an alias is the same type, and the internal names of
    parameters do not matter."""
    names = {found[1]: found[2] for head in now if (found := ALIAS.fullmatch(head))}

    def line(text: str) -> str:
        text = re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)
        head, bracket, rest = text.partition("(")
        return head + bracket + LABELLED.sub(r"\1", rest) if "func " in head or head.endswith("init") else text

    def lists(all_: Lists) -> Lists:
        return {line(head): {line(member): remark for member, remark in members.items()} for head, members in all_.items()}

    return lists(before), lists({head: members for head, members in now.items() if not ALIAS.fullmatch(head) or head in before})


def breaks_swift(before: Lists, now: Lists) -> list[str]:
    found = []
    before, now = renamed(before, now)
    for head, members in before.items():
        present = now.get(head)
        if present is None:
            found.append(f"{head}: is gone, or is declared otherwise")
            continue
        readable: dict[str, bool] = {}
        for line in present:
            if known := property_(line):
                readable[known[0]] = readable.get(known[0], False) or known[1]
        for line, remark in members.items():
            if line in present:
                if "not from asynchronous code" in present[line] and "not from asynchronous code" not in remark:
                    found.append(f"{head}: asynchronous code can no longer call '{line}'")
                continue
            known = property_(line)
            if known and known[0] in readable and (readable[known[0]] or not known[1]):
                continue
            found.append(f"{head}: '{line}' is gone or changed" if not line.startswith(": ") else
                         f"{head}: no longer conforms to {line[2:]}")
        if head.startswith("protocol ") or " protocol " in head:
            found += [f"{head}: types that conform to it lack the new requirement '{line}'"
                      for line, remark in present.items() if "required" in remark and line not in members]
    return found


def breaks(name: str, before: Lists, now: Lists) -> list[str]:
    """What a list of programs has lost. Of JSON a type may become a part of what it was."""
    found = []
    for head, keys in before.items():
        for key, value in keys.items():
            present = now.get(head, {}).get(key)
            if present == value:
                continue
            if present is None:
                found.append(f"{head}: '{key}' is gone")
                continue
            if name == "json":
                known, seen = (set(text.split(" or ")) for text in (value, present))
                if known == {"null"} or seen <= known | ({"integer"} if "number" in known else set()):
                    continue
            found.append(f"{head}: '{key}' was {value} and is {present}")
    return found


def compare(before: dict[str, Lists], now: dict[str, Lists]) -> list[str]:
    """A line for each break of the lists that both have."""
    return [f"{name}.txt: {line}" for name in before if name in now
            for line in (breaks_swift if name in modules else breaks)(*(() if name in modules else (name,)), before[name], now[name])]


def kept(place: Path) -> dict[str, Lists]:
    return {file.stem: (swift if file.stem in modules else parse)(file.read_text(encoding="utf-8")) for file in sorted(place.glob("*.txt"))}


def present() -> dict[str, Lists]:
    """What needs no build: docs/tools/docs.sh holds docs/api to the code."""
    lists = {name: swift((folder / f"{name}.txt").read_text(encoding="utf-8")) for name in modules}
    return lists | {"environment": interface.variables()}


def write(place: Path, lists: dict[str, Lists], is_fresh: bool) -> None:
    earlier = {} if is_fresh or not (place / "json.txt").exists() else parse((place / "json.txt").read_text(encoding="utf-8"))
    for head, keys in lists["json"].items():
        for key, value in keys.items():
            if key in earlier.get(head, {}):
                keys[key] = interface.joined(set(value.split(" or ")) | set(earlier[head][key].split(" or ")))
    place.mkdir(exist_ok=True)
    for name in modules:
        shutil.copyfile(folder / f"{name}.txt", place / f"{name}.txt")
    for name in sorted(lists.keys() - set(modules)):
        (place / f"{name}.txt").write_text(written(lists[name]), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program")
    parser.add_argument("--viewer")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        import compatibility_test
        return compatibility_test.run()
    lists = present()
    if options.program:
        lists |= interface.collect(options.program, options.viewer)
    if options.write:
        if not (options.program and options.viewer):
            sys.exit("compatibility: --write takes both programs, or the lists would lack something")
        write(folder / version(), lists, options.fresh)
        return 0
    place = newest()
    if place is None:
        print(f"compatibility: no lists of a version before {version()} with its major number: nothing is promised yet")
        return 0
    before = kept(place)
    if options.program and not options.viewer:
        before["json"] = {head: keys for head, keys in before["json"].items() if not head.startswith("scrub view")}
    found = compare(before, lists)
    for line in found:
        print(f"compatibility: {place.name}/{line}", file=sys.stderr)
    if found:
        print(f"compatibility: {len(found)} breaks of what {place.name} promised (docs/stability.md): keep the old beside the new, "
              "or it is the next major version", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
