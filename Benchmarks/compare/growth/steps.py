"""What is measured of a film and of a library, one process for each value, and how fast each may grow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from growth import media, process
from growth.curve import CONSTANT, LINEAR

TIME = {"seconds": "s", "cpu": "s", "mib": "MiB"}


@dataclass(frozen=True)
class Step:
    """One thing that is measured."""

    name: str
    title: str
    why: str
    """Why it must not grow faster than it may."""
    most: dict[str, float]
    """The slope that each quantity must have at most."""
    known: str = ""
    """The cause where it grows faster all the same."""
    limit: int = 1 << 62
    """It is measured up to so many."""


WHOLE = "the saved index is read and checked as a whole, so that nothing damaged is used: a few nanoseconds and its own bytes for each frame"
WORDS = "swift-argument-parser takes the square of the number of words; a system's limit of a command's length bounds that"


def _all(slope: float) -> dict[str, float]:
    return {"seconds": slope, "cpu": slope, "mib": slope}


FILM = [
    Step("info-cold", "Opening without a saved index (`scrub info`)", "every frame's place and time is read from the file's tables, or from the file itself", _all(LINEAR)),
    Step("index-bytes", "The saved index", "it has a row for each frame", {"bytes": LINEAR}),
    Step("info", "Opening with the saved index (`scrub info`)", "it says what is true of all frames, so it looks at each", _all(LINEAR)),
    Step("seek-cold", "The frame in the middle, nothing saved (`scrub seek 50% --no-cache`)", "as opening", _all(LINEAR)),
    Step("seek", "The frame in the middle, with the saved index (`scrub seek 50%`)", "one group of pictures is decoded, whatever the film's length", _all(CONSTANT), WHOLE),
    Step("seek-last", "The last frame, with the saved index (`scrub seek last`)", "as in the middle", _all(CONSTANT), WHOLE),
    Step("row", "Sixteen frames one after the other, from the middle on", "as one frame, and fifteen more decoded", _all(CONSTANT), WHOLE),
    Step("strip", "A hundred thumbnails of key pictures (`scrub strip --count 100 --tolerance keyframe`)", "a hundred pictures are decoded", _all(CONSTANT), WHOLE),
]

LIBRARY = [
    Step("first", "The first run (`scrub batch --info`)", "each film is opened once", {"seconds": LINEAR, "cpu": LINEAR, "mib": LINEAR}),
    Step("again", "The second run, which finds nothing to do", "each film is looked at", _all(LINEAR)),
    Step("status", "`scrub batch status`", "the state has a row for each film", {"seconds": LINEAR, "cpu": LINEAR, "mib": CONSTANT}),
    Step("info-all", "`scrub info` with all films named", "each film is opened, and the next one has its memory", {"seconds": LINEAR, "cpu": LINEAR, "mib": CONSTANT}, WORDS, 10_000),
    Step("one-new", "Opening one new film, in a cache that has all the others' indexes (`scrub info`)", "nothing of the others is of use", _all(CONSTANT)),
    Step("cache-stats", "`scrub cache stats`", "each saved file is looked at", _all(LINEAR)),
    Step("state-bytes", "The batch's state", "it has a row for each film", {"bytes": LINEAR}),
    Step("cache-bytes", "Saved indexes and facts", "a few files for each film", {"bytes": LINEAR}),
]
STEPS = {"film": FILM, "library": LIBRARY}


class Failed(Exception):
    """A process did not do what was asked."""


@dataclass
class Bench:
    scrub: str
    work: Path
    """A folder for cache, state and outputs, which is emptied."""
    parts: Path
    """Where what is known of a run that goes on later is kept."""
    part: int
    """Seconds after which a batch's first run is stopped, and gone on with by the same command; 0 for never."""
    said: Callable[[str], None]
    made: list[dict[str, Any]] = field(default_factory=list)

    def empty(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def run(self, *words: str | Path, folder: Path | None = None, rounds: int = 1, before: Callable[[], object] = lambda: None) -> dict[str, list[float]]:
        """The figures of a command, for each round; fewer rounds of what takes long."""
        figures: dict[str, list[float]] = {quantity: [] for quantity in TIME}
        for _ in range(rounds):
            before()
            done = process.run([self.scrub, *map(str, words)], self.work, folder=folder)
            if done.code != 0:
                raise Failed(f"{' '.join(map(str, words[:3]))}: {done.code}: {done.errors.strip()[:300]}")
            for quantity in TIME:
                figures[quantity].append(round(getattr(done, quantity), 6))
            if sum(figures["seconds"]) > 10:
                break
        return figures

    @property
    def output(self) -> str:
        return (self.work / "output").read_text(encoding="utf-8")

    def clear(self, *names: str) -> None:
        for name in names:
            shutil.rmtree(self.work / name, ignore_errors=True)


def film(bench: Bench, path: Path, rounds: int) -> tuple[int, dict[str, dict[str, list[float]]]]:
    """All figures of a film, and how many frames it has by scrub's count."""
    bench.empty()
    path.stat()
    with path.open("rb") as file:  # From the page cache: what is compared is not the disk.
        while file.read(1 << 24):
            pass
    found = {"info-cold": bench.run("info", path, "--json", rounds=rounds, before=lambda: bench.clear("cache"))}
    frames = json.loads(bench.output)["frameCount"]
    found["index-bytes"] = {"bytes": [process.byte_count(bench.work / "cache", ".scrubindex")]}
    found["info"] = bench.run("info", path, "--json", rounds=rounds)
    found["seek-cold"] = bench.run("seek", path, "50%", "--hash", "--no-cache", rounds=rounds)
    found["seek"] = bench.run("seek", path, "50%", "--hash", rounds=rounds)
    found["seek-last"] = bench.run("seek", path, "last", "--hash", rounds=rounds)
    found["row"] = bench.run("seek", path, f"f{frames // 2}..f{frames // 2 + 15}", "--hash", rounds=rounds)
    found["strip"] = bench.run("strip", path, "--count", "100", "--tolerance", "keyframe", "-o", bench.work / "strip", rounds=rounds,
                               before=lambda: bench.clear("strip"))
    return frames, found


def _first(bench: Bench, words: list[str | Path], key: str) -> dict[str, list[float]] | None:
    """A library's first run, in parts if it takes long; nothing while it is not at its end."""
    kept = bench.parts / f"{key}.json"
    parts = json.loads(kept.read_text()) if kept.exists() else []
    if not parts:
        bench.empty()
    done = process.run([bench.scrub, *map(str, words)], bench.work, limit=bench.part)
    # 75: asked to end, with work left.
    if done.code not in (0, 75):
        raise Failed(f"batch: {done.code}: {done.errors.strip()[:300]}")
    parts.append([done.seconds, done.cpu, done.mib])
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(parts))
    if done.code == 75:
        bench.said(f"{key}: {len(parts)} parts of the first run, {sum(part[0] for part in parts):.0f} s")
        return None
    kept.unlink()
    summary = json.loads(done.text.splitlines()[-1])["summary"]
    if summary["failed"] or summary["done"] + summary["kept"] != summary["files"]:
        raise Failed(f"batch: not all films were done: {summary}")
    return {"seconds": [round(sum(part[0] for part in parts), 6)], "cpu": [round(sum(part[1] for part in parts), 6)],
            "mib": [max(part[2] for part in parts)], "parts": [len(parts)]}


def library(bench: Bench, root: Path, count: int, rounds: int) -> dict[str, dict[str, list[float]]] | None:
    """All figures of a library; nothing while its first run is not at its end."""
    words: list[str | Path] = ["batch", "run", root, "--info", "--to", bench.work / "results", "--json"]
    first = _first(bench, words, root.name)
    if first is None:
        return None
    found = {"first": first, "again": bench.run(*words, rounds=rounds)}
    if json.loads(bench.output.splitlines()[-1])["summary"]["kept"] != count:
        raise Failed("batch: the second run did something")
    found["status"] = bench.run("batch", "status", "--to", bench.work / "results", rounds=rounds)
    found["state-bytes"] = {"bytes": [process.byte_count(bench.work / "state")]}
    found["cache-bytes"] = {"bytes": [process.byte_count(bench.work / "cache")]}
    found["cache-stats"] = bench.run("cache", "stats", rounds=rounds)
    new, number = bench.work / "new.mp4", iter(range(10**9, 2 * 10**9))
    contents = (root / media.name(0)).read_bytes()
    # As many rounds as there may be stores between two looks at the whole cache would be too many: the mean of some
    # counts.
    ones = bench.run("info", new, "--json", rounds=10 * rounds, before=lambda: new.write_bytes(media.other(contents, next(number))))
    found["one-new"] = {quantity: [round(sum(values) / len(values), 6)] for quantity, values in ones.items()}
    if count <= next(step.limit for step in LIBRARY if step.name == "info-all"):
        found["info-all"] = bench.run("info", "--json", *(media.name(number) for number in range(count)), folder=root, rounds=rounds)
    return found
