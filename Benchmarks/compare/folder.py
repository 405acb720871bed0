#!/usr/bin/env python3
"""What is in a folder of films: `scrub info` on all at once, ffprobe for each by xargs, MediaInfo both ways. See README.md."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from comparison import machine, places, series
from comparison.results import percentile
from comparison.table import lay_out, number

Codings = dict[str, list[str]]

VIDEO: Codings = {
    "h264": ["-c:v", "libx264", "-preset", "veryfast", "-g", "50"],
    "hevc": ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
    "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
    "mpeg4": ["-c:v", "mpeg4", "-vtag", "XVID", "-bf", "0"],
    "mpeg2": ["-c:v", "mpeg2video", "-b:v", "2M", "-g", "15", "-bf", "2"],
}
SOUND: Codings = {
    "aac": ["-c:a", "aac", "-b:a", "96k"],
    "mp3": ["-c:a", "libmp3lame", "-b:a", "96k"],
    "opus": ["-c:a", "libopus", "-b:a", "64k"],
    "mp2": ["-c:a", "mp2"],
}
SHORT = [
    ("h264", "aac", "mp4"), ("h264", "aac", "mkv"), ("hevc", "aac", "mp4"), ("hevc", "aac", "mkv"), ("vp9", "opus", "webm"),
    ("mpeg4", "mp3", "avi"), ("h264", "aac", "ts"), ("mpeg2", "mp2", "ts"), ("h264", "aac", "mov"), ("mpeg2", "mp2", "mpg"),
]
LONG = [("h264", "aac", "mp4"), ("h264", "aac", "mkv"), ("hevc", "aac", "mkv"), ("mpeg4", "mp3", "avi"), ("h264", "aac", "ts")]
# One film of twenty is long.
EVERY = 20
SECONDS, PART, PARTS = 4, 20, 60

QUIET = ["ffmpeg", "-nostdin", "-v", "error", "-y"]


def encode(file: Path, seconds: int, video: str, sound: str) -> Path:
    picture = ["-f", "lavfi", "-i", f"testsrc2=s=320x180:r=25:d={seconds}"]
    tone = ["-f", "lavfi", "-i", f"sine=440:r=48000:d={seconds}"]
    subprocess.run([*QUIET, *picture, *tone, *VIDEO[video], *SOUND[sound], str(file)], check=True)
    return file


def make_films(folder: Path, count: int) -> None:
    """Films of four seconds, and one of twenty that lasts twenty minutes: five containers, five codecs, copies of fifteen."""
    if folder.is_dir() and len(list(folder.iterdir())) == count:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="compare-folder-", dir=folder.parent) as work:
        made = Path(work)
        short = [encode(made / f"short-{video}.{end}", SECONDS, video, sound) for video, sound, end in SHORT]
        long = []
        for video, sound, end in LONG:
            part = encode(made / f"part-{video}.{end}", PART, video, sound)
            parts = made / "parts.txt"
            parts.write_text(f"file {part.name}\n" * PARTS)
            long.append(made / f"long-{video}.{end}")
            subprocess.run([*QUIET, "-f", "concat", "-i", str(parts), "-c", "copy", str(long[-1])], check=True)
        for film in range(count):
            # Every twentieth would always be the same kind of the ten.
            place = film // EVERY
            source = long[place % len(long)] if film % EVERY == 0 else short[film % len(short)]
            shutil.copyfile(source, folder / f"{film:04d}-{source.name}")


def ways(folder: Path, threads: int) -> dict[str, tuple[str, str]]:
    """Commands by name, each with a text that stands once in its answer about every film."""
    films, scrub = shlex.quote(str(folder)), shlex.quote(str(places.scrub()))
    each = f"find {films} -type f -print0 | xargs -0 -n1 -P{threads}"
    found = {
        "scrub info, cold": (f"{scrub} info --json {films}/*", '"frameCount":'),
        "scrub info, saved indexes": (f"{scrub} info --json {films}/*", '"frameCount":'),
        "ffprobe, one for each": (f"{each} ffprobe -v error -show_streams -show_format -of json", '"format_name":'),
    }
    if shutil.which("mediainfo"):
        found["mediainfo, all at once"] = (f"mediainfo --Output=JSON {films}/*", '"@type": "General"')
        found["mediainfo, one for each"] = (f"{each} mediainfo --Output=JSON", '"@type": "General"')
    return found


def run(command: str, cache: Path, answers: Path) -> float:
    environment = {**os.environ, "SCRUB_CACHE_DIR": str(cache)}
    with answers.open("wb") as out:
        start = time.perf_counter()
        subprocess.run(command, shell=True, env=environment, stdin=subprocess.DEVNULL, stdout=out, check=True)
        return time.perf_counter() - start


def compare(folder: Path, count: int, repeats: int, work: Path) -> dict[str, list[float]]:
    commands = ways(folder, os.cpu_count() or 1)
    saved, answers = work / "saved", work / "answers"
    found: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(repeats + 1):
        for name, (command, sign) in commands.items():
            cache = saved if "saved" in name else work / "fresh"
            shutil.rmtree(work / "fresh", ignore_errors=True)
            seconds = run(command, cache, answers)
            told = answers.read_text(errors="replace").count(sign)
            if told != count:
                sys.exit(f"folder: {name} describes {told} of {count} films")
            # The first turn fills the system's memory, and the saved indexes.
            if turn > 0:
                found[name].append(seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--films", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--keep", type=Path, help="make the films in this folder and leave them there")
    options = parser.parse_args()
    print(
        f"scrub {machine.version(str(places.scrub()), '--version')}, ffprobe {machine.version('ffprobe', '-version')}, "
        f"MediaInfo {media_info()}")
    with tempfile.TemporaryDirectory(prefix="compare-folder-") as work:
        folder = (options.keep or Path(work)) / f"films-{options.films}"
        make_films(folder, options.films)
        try:
            found = compare(folder, options.films, options.repeats, Path(work))
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"folder: {error}; build scrub, or name it with SCRUB")
    base = percentile(found["ffprobe, one for each"], 0.5)
    rows = [[f"{options.films} films", "median s", "min", "max", "ratio to ffprobe"]]
    for name, times in found.items():
        middle = percentile(times, 0.5)
        rows.append([name, *map(number, [middle, min(times), max(times)]), f"{middle / base:.2f}"])
    print(lay_out(rows), flush=True)
    series.append(options.json, series.Series(f"{options.films} films", "time", "s", found))


def media_info() -> str:
    """The second line of what it says, `MediaInfoLib - v23.04`."""
    if not shutil.which("mediainfo"):
        return "is not installed"
    words = subprocess.run(["mediainfo", "--Version"], capture_output=True, text=True, check=False).stdout.split()
    return next((word for word in words if word[:1] == "v" and word[1:2].isdigit()), "-")


if __name__ == "__main__":
    main()
