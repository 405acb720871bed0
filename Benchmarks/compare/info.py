#!/usr/bin/env python3
"""Whole processes: `scrub info` and `ffprobe` on a film of two hours, in turns. See README.md."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from comparison import places, series
from comparison.results import percentile
from comparison.table import lay_out, number

MINUTES = 120


def make_films(folder: Path) -> list[Path]:
    """Two hours of one minute, as MP4 and as Matroska."""
    films = [folder / "film.mp4", folder / "film.mkv"]
    if all(film.exists() for film in films):
        return films
    minute = folder / "minute.mp4"
    quiet = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=60"]
    sound = ["-f", "lavfi", "-i", "sine=440:r=44100:d=60"]
    coding = ["-c:v", "libx264", "-preset", "veryfast", "-g", "250", "-c:a", "aac", "-b:a", "96k", "-ac", "2"]
    subprocess.run([*quiet, *picture, *sound, *coding, str(minute)], check=True)
    parts = folder / "minutes.txt"
    parts.write_text(f"file {minute.name}\n" * MINUTES)
    for film in films:
        subprocess.run([*quiet, "-f", "concat", "-i", str(parts), "-c", "copy", str(film)], check=True)
    return films


def make_scanned_films(folder: Path) -> list[Path]:
    """The same as a transport stream, and MPEG-4 with MP3 in AVI: with its sound beside the pictures, and ahead of them."""
    films = [folder / "film.ts", folder / "film.avi", folder / "film-ahead.avi"]
    if all(film.exists() for film in films):
        return films
    make_films(folder)
    stream, beside, ahead = films
    quiet = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    subprocess.run([*quiet, "-i", str(folder / "film.mkv"), "-c", "copy", str(stream)], check=True)
    minute = folder / "minute.avi"
    picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=60"]
    sound = ["-f", "lavfi", "-i", "sine=440:r=44100:d=60"]
    coding = ["-c:v", "mpeg4", "-b:v", "1600k", "-bf", "2", "-g", "250", "-c:a", "libmp3lame", "-b:a", "96k", "-ac", "2"]
    subprocess.run([*quiet, *picture, *sound, *coding, str(minute)], check=True)
    parts = folder / "minutes-avi.txt"
    parts.write_text(f"file {minute.name}\n" * MINUTES)
    # Each minute's sound is some milliseconds longer than its pictures: at the end they are seconds apart.
    subprocess.run([*quiet, "-f", "concat", "-i", str(parts), "-c", "copy", str(ahead)], check=True)
    subprocess.run([*quiet, "-i", str(ahead), "-c", "copy", str(beside)], check=True)
    return films


def milliseconds(words: list[str], cache: Path | None = None) -> float:
    environment = {**os.environ, **({"SCRUB_CACHE_DIR": str(cache)} if cache else {})}
    quiet = subprocess.DEVNULL
    start = time.perf_counter()
    subprocess.run(words, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, check=True)
    return (time.perf_counter() - start) * 1000


def compare(film: Path, repeats: int, folder: Path) -> dict[str, list[float]]:
    # Where no table or header says it, both go through the packets.
    counting = film.suffix in [".ts", ".avi"]
    what = ["-count_packets", "-select_streams", "v"] if counting else ["-show_format"]
    probe = ["ffprobe", "-v", "error", *what, "-show_streams", str(film)]
    info = [str(places.scrub()), "info", str(film), "--json"]
    saved, fresh = folder / "saved", folder / "fresh"
    found: dict[str, list[float]] = {"ffprobe": [], "scrub info, saved index": [], "scrub info, cold": []}
    milliseconds(probe)
    milliseconds(info, saved)
    for _ in range(repeats):
        found["ffprobe"].append(milliseconds(probe))
        found["scrub info, saved index"].append(milliseconds(info, saved))
        shutil.rmtree(fresh, ignore_errors=True)
        found["scrub info, cold"].append(milliseconds(info, fresh))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("films", nargs="*", type=Path, help="default: two films that are made")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--scanned", action="store_true", help="make a transport stream and AVI too (4 GB)")
    parser.add_argument("--keep", type=Path, help="make the films in this folder and leave them there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compare-info-") as work:
        folder = options.keep or Path(work)
        folder.mkdir(parents=True, exist_ok=True)
        films = options.films or make_films(folder) + (make_scanned_films(folder) if options.scanned else [])
        for film in films:
            try:
                found = compare(film, options.repeats, Path(work))
            except (OSError, subprocess.CalledProcessError) as error:
                sys.exit(f"info: {error}; build scrub, or name it with SCRUB")
            base = percentile(found["ffprobe"], 0.5)
            rows = [[film.name, "median ms", "min", "max", "ratio to ffprobe"]]
            for name, times in found.items():
                middle = percentile(times, 0.5)
                rows.append([name, *map(number, [middle, min(times), max(times)]), f"{middle / base:.2f}"])
            print(lay_out(rows) + "\n", flush=True)
            series.append(options.json, series.Series(film.name, "time", "ms", found))


if __name__ == "__main__":
    main()
