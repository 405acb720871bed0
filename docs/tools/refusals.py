#!/usr/bin/env python3
"""What must not compile: refusals.py COMPILER ARGUMENT..., as docs/tools/refusals.sh calls it.

Where a player is meant, an optional one must be an error and not something that compiles and does nothing. Each case is
one line of a program, compiled twice: with the value it is meant for, which must compile, and with an optional one,
which the compiler must refuse for that.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The type that may not be optional, the declaration's other parameters, and what is done with the value.
CASES = [
    ("Player", "tracker: ProgressTracker", "try tracker.bind(to: value)"),
    ("any ProgressTracker.Source", "tracker: ProgressTracker", "tracker.bind(to: value)"),
    ("Player", "tracker: VisibilityTracker", "try tracker.bind(to: value)"),
    ("Player", "sink: NullSink", "_ = try SinkOutput(sink, of: value)"),
    ("Player", "other: Player", "_ = PlayerGroup([other, value])"),
    ("Presenter", "player: Player", "player.attach(value)"),
    ("PlayerItem", "other: PlayerItem", "_ = try Player([other, value])"),
    ("PlayerItem", "player: Player", "player.append(value)"),
    ("PlayerMedia", "count: Int", "_ = PlayerItem(value, playCount: count)"),
    ("PlayerMedia", "manager: PlayerControllerManager", "_ = try manager.controller(for: value)"),
    ("DecodingResources", "item: PlayerItem", "_ = try Player([item], resources: value)"),
    ("DecodingResources", "video: VideoAsset", "_ = try ScrubSession(video, resources: value)"),
    ("VideoAsset", "resources: DecodingResources", "_ = try ScrubSession(value, resources: resources)"),
    ("VideoAsset", "options: FrameReader.Options", "_ = try FrameGenerator(value, options: options)"),
]
# Where there are overloads, none of them takes it.
IS_OPTIONAL = re.compile("optional|expected (argument|element) type|no exact matches")


def errors(optional: bool, compiler: list[str]) -> dict[int, list[str]]:
    """The compiler's errors by the number of their case."""
    lines = ["import ScrubPlayers"]
    for number, (kind, others, use) in enumerate(CASES):
        kind = (f"({kind})?" if " " in kind else f"{kind}?") if optional else kind
        lines.append(f"func case{number}(_ value: {kind}, {others}) throws {{ {use} }}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "refusals.swift"
        file.write_text("\n".join(lines) + "\n")
        said = subprocess.run([*compiler, str(file)], capture_output=True, text=True).stderr
    found: dict[int, list[str]] = {}
    for line, text in re.findall(r"^.*refusals\.swift:(\d+):\d+: error: (.*)$", said, re.MULTILINE):
        found.setdefault(int(line) - 2, []).append(text)
    if not found and "error:" in said:
        sys.exit(f"refusals: the compiler could not begin:\n{said}")
    return found


def main(compiler: list[str]) -> int:
    status = 0
    for number, texts in sorted(errors(False, compiler).items()):
        print(f"refusals: '{CASES[number][2]}' must compile for {CASES[number][0]}: {texts[0]}", file=sys.stderr)
        status = 1
    refused = errors(True, compiler)
    for number, (kind, _, use) in enumerate(CASES):
        texts = refused.get(number, [])
        if not any(IS_OPTIONAL.search(text) for text in texts):
            why = f"it says '{texts[0]}'" if texts else "it compiles"
            print(f"refusals: '{use}' must be an error for an optional {kind}: {why}", file=sys.stderr)
            status = 1
    if status == 0:
        print(f"{len(CASES)} uses of an optional value are errors, as they must be")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
