#!/usr/bin/env python3
"""Holds what the C library makes of films against what the program makes: verbs.py VERBS PROGRAM FILM…

Every file has the same bytes, and every call describes its work with the same JSON.
"""

import filecmp
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

COMMANDS: dict[str, list[str]] = {
    "plan.json": ["plan", "FILM", "f1"],
    "strip.json": ["strip", "FILM", "-o", "strip"],
    "strips.json": ["strip", "FILM", "-o", "strips", "--every", "0.5", "--width", "64,96", "--columns", "5", "--rows", "2",
                    "--format", "webp", "--quality", "60", "--ground", "#336699", "--threads", "1", "--base-url",
                    "https://example.org/t/", "--blur-hash", "--deinterlace", "--tolerance", "keyframe"],
    "strip-plan.json": ["strip", "FILM", "--every", "0.5", "--width", "64x48,96", "--tolerance", "keyframe", "--plan"],
    "boxes.json": ["strip", "FILM", "-o", "boxes", "--every", "0.5", "--width", "64x48,96", "--columns", "5", "--rows", "2",
                   "--format", "webp", "--quality", "60", "--ground", "#336699", "--threads", "1", "--base-url",
                   "https://example.org/t/", "--blur-hash", "--deinterlace", "--tolerance", "keyframe"],
    "at.json": ["strip", "FILM", "-o", "at", "--at", "10%,1s,f-1,99:00:00", "--clamp", "--height", "40"],
    "scenes-plan.json": ["strip", "FILM", "--scenes", "--count", "3", "--min-scene", "0.25", "--plan"],
    "scenes-strip.json": ["strip", "FILM", "-o", "scenes", "--scenes", "--count", "3", "--min-scene", "0.25", "--width", "64x48"],
    "sheet.json": ["sheet", "FILM", "-o", "sheet.jpg"],
    "sheet-svg.json": ["sheet", "FILM", "-o", "sheet.svg", "--columns", "3", "--rows", "2", "--width", "640", "--no-times",
                       "--tolerance", "0.25"],
    "": ["sheet", "FILM", "-o", "sheet.png", "--columns", "3", "--rows", "2", "--width", "640", "--no-times", "--tolerance", "0.25"],
    "sets.json": ["thumbs", "FILM", "-o", "sets", "--profile", "all", "--every", "1"],
    "web.json": ["thumbs", "FILM", "-o", "web", "--profile", "web,hls", "--every", "1", "--tolerance", "exact", "--width", "200",
                 "--skip-current"],
    "web-plan.json": ["thumbs", "FILM", "--profile", "web,hls", "--every", "1", "--tolerance", "exact", "--plan"],
    "json.json": ["convert", "strip", "--to", "json", "-o", "converted"],
    "vtt.json": ["convert", "strip", "--to", "vtt", "-o", "converted", "--copy-only", "--base-url", "https://example.org/"],
    "bif.json": ["convert", "sets/web", "--to", "bif", "-o", "bif", "--quality", "70"],
    "verify-set.json": ["verify-set", "sets", "--against", "FILM", "--sample", "5"],
    "poster.json": ["poster", "FILM", "-o", "poster.png"],
    "posters.json": ["poster", "FILM", "-o", "posters/", "--count", "2", "--candidates", "9", "--size", "100", "--explain"],
    "cover.json": ["poster", "FILM", "-o", "cover", "--cover"],
    "other.json": ["poster", "FILM", "-o", "other", "--cover"],
    "map.csv": ["frames", "FILM", "--as", "csv"],
    "map.json": ["frames", "FILM", "--as", "json"],
    "map.timecodes": ["frames", "FILM", "--as", "timecodes"],
    "map.torchcodec": ["frames", "FILM", "--as", "torchcodec"],
    "map.cvat": ["frames", "FILM", "--as", "cvat"],
    "verify.json": ["verify", "FILM", "--orders", "backward,random", "--sample", "20"],
    "determinism.json": ["verify", "FILM", "--orders", "backward", "--sample", "5", "--determinism"],
    "previews.json": ["previews", "FILM"],
}
# What some films do not have.
OPTIONAL = ("map.", "cover.", "other.")
DETERMINISM = re.compile(rb'"determinism":(\{.*?\})')
# Twice: the second run finds what the first one made.
TWICE = {"web.json"}
# What differs from run to run, and what the command says on standard error.
VARYING = re.compile(r'"milliseconds":[0-9.e-]+,?|,"warnings":\[[^]]*\]|"warnings":\[[^]]*\],')


def by_program(program: str, film: str, folder: Path) -> None:
    for name, words in COMMANDS.items():
        is_map = name.startswith("map.")
        command = [program, *(film if word == "FILM" else word for word in words)]
        command += ["--json"] if not is_map and name else []
        for _ in range(2 if name in TWICE else 1):
            run = subprocess.run(command, cwd=folder, capture_output=True, check=not name.startswith(OPTIONAL))
        if is_map:
            path = f"map-file{name.removeprefix('map')}"
            again = subprocess.run([*command, "-o", path], cwd=folder, capture_output=True, check=False)
            assert again.returncode == run.returncode, again.stderr
        assert run.returncode in (0, 65), run.stderr
        if name and run.returncode == 0:
            made = run.stdout if is_map else run.stdout.removesuffix(b"\n")
            # The library makes this part of the object alone.
            made = DETERMINISM.findall(made)[0] if name == "determinism.json" else made
            (folder / name).write_bytes(made)
    scenes = subprocess.run([program, "scenes", film, "--json"], capture_output=True, check=True).stdout
    with open(folder / "scenes.txt", "w", encoding="ascii") as file:
        for line in scenes.splitlines():
            row: dict[str, Any] = json.loads(line)
            file.write(f"{row['firstFrame']} {row['lastFrame']} {row['frame']} {row['start']:.3f} {row['end']:.3f}\n")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def differences(one: Path, other: Path) -> list[str]:
    found = [f"only one side has {name}" for name in sorted(files(one) ^ files(other))]
    for name in sorted(files(one) & files(other)):
        if filecmp.cmp(one / name, other / name, shallow=False):
            continue
        texts = [VARYING.sub("", (side / name).read_text(errors="replace")) for side in (one, other)]
        if texts[0] != texts[1]:
            found.append(f"{name} differs:\n    {texts[0][:300]}\n    {texts[1][:300]}")
    return found


def main() -> int:
    verbs, program, *films = map(os.path.abspath, sys.argv[1:])
    bad = 0
    for film in films:
        with tempfile.TemporaryDirectory() as place:
            library, command = Path(place, "library"), Path(place, "program")
            library.mkdir()
            command.mkdir()
            # Each finds the film for the first time.
            os.environ["SCRUB_CACHE_DIR"] = str(Path(place, "cache"))
            subprocess.run([verbs, film], cwd=library, check=True)
            os.environ["SCRUB_CACHE_DIR"] = str(Path(place, "cache-of-program"))
            by_program(program, film, command)
            found = differences(library, command)
            print(f"{os.path.basename(film)}: {len(files(library))} files, {len(found)} differences")
            for line in found:
                print(f"  {line}")
            bad += len(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
