#!/usr/bin/env python3
"""Comments and documents within 120 columns.

`wrap.py` lists each line of a comment, or of a document's prose, that is longer, and ends with 1 when there are any; `wrap.py --write`
fills the paragraphs that hold one. Code is the formatter's; tables, fenced code, links and words without a space are left.
"""

import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
width = 120
markers = {".swift": ("///", "//"), ".c": ("///", "//"), ".h": ("///", "//"), ".js": ("//",), ".py": ("#",), ".sh": ("#",)}
# What begins a paragraph of its own, with the columns that its further lines are set in by.
item = re.compile(r"(?:[-*+] |\d+\. )")
# Lines that are never filled: tables, headings, code, and what is set in columns by spaces, as a usage is.
fixed = re.compile(r"\||#|<|```|    |!\[|\[[^\]]+\]: |  *\S+(?: \S+)*   +\S|  +\S")


def prefix(line: str, marks: tuple[str, ...]) -> str | None:
    """Indentation and comment mark of a line that is a comment alone."""
    body = line.lstrip()
    for mark in marks:
        if body.startswith(mark) and not body.startswith("#!"):
            return line[: len(line) - len(body)] + mark
    return None


def filled(words: list[str], first: str, rest: str) -> list[str]:
    lines, line = [], first
    empty = True
    for word in words:
        # A line must not begin with what would be read as a list or a heading.
        if not empty and len(line) + 1 + len(word) > width and not item.match(word + " ") and not fixed.match(word):
            lines.append(line)
            line, empty = rest, True
        line += word if empty else " " + word
        empty = False
    return [*lines, line]


def paragraphs(lines: list[str]):
    """Runs of lines of one paragraph: first index and end, with fenced code and other fixed lines one by one and marked."""
    index, fenced = 0, False
    while index < len(lines):
        body = lines[index]
        text = body.strip()
        if text.startswith("```"):
            fenced = not fenced
            yield index, index + 1, True
            index += 1
            continue
        if fenced or not text or fixed.match(body.removeprefix(" ")):
            yield index, index + 1, True
            index += 1
            continue
        end = index + 1
        while end < len(lines):
            following = lines[end].strip()
            if not following or item.match(following) or fixed.match(following) or fixed.match(lines[end].removeprefix(" ")):
                break
            end += 1
        yield index, end, False
        index = end


def wrapped(lines: list[str], head: str) -> list[str]:
    """The lines of one comment, or of a document (`head` empty), with long paragraphs filled."""
    bodies = [line[len(head):] for line in lines]
    made: list[str] = []
    for start, end, isFixed in paragraphs(bodies):
        part = lines[start:end]
        if isFixed or all(len(line) <= width for line in part):
            made += part
            continue
        first = bodies[start]
        space = first[: len(first) - len(first.lstrip())]
        marked = item.match(first.lstrip())
        rest = space + (" " * len(marked[0]) if marked else "")
        if end - start > 1:
            second = bodies[start + 1]
            rest = second[: len(second) - len(second.lstrip())] or rest
        words = [word for body in bodies[start:end] for word in body.split()]
        made += filled(words, head + space, head + rest)
    return made


def refilled(name: str, text: str) -> str:
    lines = text.split("\n")
    if name.endswith(".md"):
        return "\n".join(wrapped(lines, ""))
    marks = markers[Path(name).suffix]
    made: list[str] = []
    index = 0
    while index < len(lines):
        head = prefix(lines[index], marks)
        if head is None:
            made.append(lines[index])
            index += 1
            continue
        end = index + 1
        while end < len(lines) and prefix(lines[end], marks) == head:
            end += 1
        made += wrapped(lines[index:end], head)
        index = end
    return "\n".join(made)


def main() -> int:
    names = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    write = sys.argv[1:] == ["--write"]
    bad = 0
    for name in names:
        if Path(name).suffix not in {*markers, ".md"} or not (root / name).is_file():
            continue
        text = (root / name).read_text()
        new = refilled(name, text)
        if new == text:
            continue
        if write:
            (root / name).write_text(new)
            continue
        for number, (before, after) in enumerate(zip(text.split("\n"), new.split("\n")), 1):
            if before != after:
                bad += 1
                print(f"{name}:{number}: over {width} columns: {before.strip()[:60]}…", file=sys.stderr)
                break
    if bad:
        print("wrap.py --write fills them", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
