#!/usr/bin/env python3
"""How time and memory grow with a film's frames and with a library's films; makes docs/growth.md.

    growth.py FOLDER [--frames 1000,10000,...] [--films 100,1000,...] [--only NAME,NAME] [--rounds N] [--seconds S] [--part S]
                                        makes what is missing in FOLDER, measures, and prints a line for each curve
    growth.py FOLDER --make [...]       only makes films and libraries
    growth.py FOLDER --write            makes docs/growth.json of what was measured, and the page and its plots of that
    growth.py --write [--check]         makes them of docs/growth.json alone; with --check says whether they are those that it makes

What was measured is kept in FOLDER/results and is not measured again: a run may be stopped and gone on with.

SCRUB names another program than .build/release/scrub.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "compare"))
sys.dont_write_bytecode = True

from comparison import machine, places  # noqa: E402
from growth import media, page, steps  # noqa: E402
from suite import pages  # noqa: E402

DOCS = HERE.parent / "docs"
FIGURES = DOCS / "growth.json"
FRAMES, FILMS = "1000,10000,100000,1000000,10000000", "100,1000,10000,100000"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where films, libraries and results are kept")
    parser.add_argument("--frames", default=FRAMES, help="the films' frames, with commas")
    parser.add_argument("--films", default=FILMS, help="the libraries' films, with commas")
    parser.add_argument("--only", default="", help="only these, with commas: " + ", ".join([*media.CONTAINERS, *media.LIBRARIES]))
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each value; fewer where they take more than ten seconds")
    parser.add_argument("--seconds", type=int, default=0, help="begin with nothing else after so many seconds")
    parser.add_argument("--part", type=int, default=0, help="stop a library's first run after so many seconds, and go on with it the next time")
    parser.add_argument("--make", action="store_true", help="only make films and libraries")
    parser.add_argument("--write", action="store_true", help="measure nothing; make the page")
    parser.add_argument("--check", action="store_true", help="with --write: change nothing, and end with 1 when a page is another one")
    options = parser.parse_args()
    known = [*media.CONTAINERS, *media.LIBRARIES]
    options.only = [name for name in options.only.split(",") if name] or known
    if unknown := set(options.only) - set(known):
        parser.error(f"nothing is called {', '.join(sorted(unknown))}")
    options.frames, options.films = ([int(count) for count in text.split(",") if count] for text in (options.frames, options.films))
    if options.check and not options.write:
        parser.error("--check goes with --write")
    if options.folder is None and not options.write:
        parser.error("name a folder")
    return options


def note(text: str) -> None:
    print(f"growth: {text}", file=sys.stderr, flush=True)


def wanted(options: argparse.Namespace) -> list[tuple[str, str, int]]:
    """What is to be there: kind, group and size; small ones first."""
    films = [("film", container, frames) for frames in sorted(options.frames) for container in media.CONTAINERS if container in options.only]
    libraries = [("library", kind, count) for count in sorted(options.films) for kind in media.LIBRARIES if kind in options.only]
    return films + libraries


def made(options: argparse.Namespace, kind: str, group: str, size: int) -> Path:
    place = options.folder / "media"
    return media.film(place, group, size) if kind == "film" else media.library(place, group, size)


def head() -> dict:
    """The machine, the versions and this build of scrub, whose version alone does not tell it from the next one."""
    facts = machine.facts()
    versions = {name: value for name, value in machine.versions().items() if name in ("scrub", "ffmpeg") or name.startswith("libav")}
    return facts | {"versions": versions, "build": hashlib.sha256(Path(places.scrub()).resolve().read_bytes()).hexdigest()}


def measure(options: argparse.Namespace) -> None:
    begun, facts = time.monotonic(), head()
    kept = options.folder / "results"
    kept.mkdir(parents=True, exist_ok=True)
    bench = steps.Bench(str(Path(places.scrub()).resolve()), options.folder / "work", options.folder / "parts", options.part, note)
    for kind, group, size in wanted(options):
        file = kept / f"{kind}-{group}-{size}.json"
        if file.exists():
            continue
        if options.seconds and time.monotonic() - begun > options.seconds:
            note("the time is up; the same command goes on")
            return
        path = made(options, kind, group, size)
        count, found = steps.film(bench, path, options.rounds) if kind == "film" else (size, steps.library(bench, path, size, options.rounds))
        if found is None:
            return
        file.write_text(json.dumps({"head": facts, "kind": kind, "group": group, "n": count, "steps": found}) + "\n", encoding="utf-8")
        note(f"{kind} {group} {size}: measured")


def files(figures: dict) -> dict[Path, str]:
    pictures = {DOCS / page.PICTURES / name: text for name, text in page.pictures(figures).items()}
    return {FIGURES: page.text(figures), DOCS / "growth.md": page.page(figures), **pictures}


def write(options: argparse.Namespace) -> int:
    if options.folder is not None and not options.check:
        figures = page.collect(options.folder / "results")
    elif FIGURES.exists():
        figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    else:
        sys.exit(f"growth: there is no {FIGURES}: measure first")
    return pages.finish("growth", FIGURES, files(figures), DOCS / page.PICTURES, options.check)


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("growth: told to end"))
    options = arguments()
    if options.write:
        return write(options)
    options.folder = options.folder.resolve()
    if options.make:
        for one in wanted(options):
            note(f"{made(options, *one).name} is there")
        return 0
    if not os.access(places.scrub(), os.X_OK):
        sys.exit(f"growth: {places.scrub()} cannot be run; build scrub, or name it with SCRUB")
    measure(options)
    print(page.lines(page.collect(options.folder / "results")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
