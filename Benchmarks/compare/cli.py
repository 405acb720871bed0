#!/usr/bin/env python3
"""Whole processes: `scrub seek` and `ffmpeg -ss` write the same frame as a PNG, in turns. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from comparison import places

places.use_python_with_numpy()

import numpy as np  # noqa: E402

from comparison import series  # noqa: E402
from comparison.picture import CELLS, read_number  # noqa: E402
from comparison.results import percentile  # noqa: E402
from comparison.series import Series  # noqa: E402
from comparison.table import lay_out, number  # noqa: E402
from comparison.truth import load, truth_file  # noqa: E402


@dataclass
class Command:
    name: str
    words: list[str]
    picture: Path
    environment: dict[str, str] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    peak_mb: float = 0
    wrong: str | None = None
    cells: int = CELLS

    def run(self) -> None:
        self.picture.unlink(missing_ok=True)
        start = time.perf_counter()
        quiet = subprocess.DEVNULL
        environment = {**os.environ, **self.environment}
        process = subprocess.Popen(self.words, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
        _, status, used = os.wait4(process.pid, 0)
        self.ms.append((time.perf_counter() - start) * 1000)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_ms.append((used.ru_utime + used.ru_stime) * 1000)
        self.peak_mb = max(self.peak_mb, used.ru_maxrss / 1024)
        if process.returncode:
            self.wrong = f"ended with {process.returncode}"

    def check(self, frame: int, shape: tuple[int, int]) -> None:
        if self.wrong is None:
            height, width = shape
            command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(self.picture), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
            data = subprocess.run(command, capture_output=True, check=False).stdout
            if len(data) != width * height:
                self.wrong = "no picture of the video's size"
            elif (shown := read_number(np.frombuffer(data, np.uint8).reshape(height, width), self.cells)) != frame:
                self.wrong = f"shows {shown} instead of {frame}"


def probe(clip: Path) -> tuple[Fraction, tuple[int, int]]:
    entries = ["-select_streams", "v:0", "-show_entries", "stream=avg_frame_rate,width,height", "-of", "json"]
    found = subprocess.run(["ffprobe", "-v", "error", *entries, str(clip)], capture_output=True, check=True).stdout
    stream = json.loads(found)["streams"][0]
    return Fraction(stream["avg_frame_rate"]), (stream["height"], stream["width"])


def commands(clip: Path, position: str, moment: Fraction, folder: Path, threads: str) -> list[Command]:
    few = [] if threads == "default" else ["-threads", threads]
    ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y", *few, "-ss", f"{float(moment):.6f}", "-i", str(clip)]
    ffmpeg += ["-frames:v", "1", str(folder / "ffmpeg.png")]

    def scrub(name: str, options: list[str]) -> Command:
        picture = folder / f"{name.replace(' ', '-')}.png"
        words = [places.scrub(), "seek", str(clip), position, "--output", str(picture), *options]
        return Command(name, words, picture, {"SCRUB_CACHE_DIR": str(folder / "indexes")})

    return [
        Command("ffmpeg -ss", ffmpeg, folder / "ffmpeg.png"),
        scrub("scrub --no-cache", ["--no-cache"]),
        scrub("scrub, saved index", []),
    ]


def compare(clip: Path, position: str, repeats: int, threads: str, note: Callable[[str], None]) -> list[Command]:
    rate, shape = probe(clip)
    truth = load(clip)
    frame = min(int(Fraction(position) * truth.count), truth.count - 1)
    note(f"{clip.name}: {position} is frame {frame} of {truth.count}")
    # Half a frame early: the first picture from there on is the one wanted, however the time is rounded.
    moment = max(Fraction(0), (frame - Fraction(1, 2)) / rate)
    with tempfile.TemporaryDirectory(prefix="compare-cli-") as folder:
        taking_part = commands(clip, position, moment, Path(folder), threads)
        for command in taking_part:  # not counted: warms the page cache, and saves the index
            command.cells = truth.cells
            command.run()
            command.check(frame % truth.period, shape)
            command.ms.clear()
            command.cpu_ms.clear()
        for repeat in range(repeats):
            shift = repeat % len(taking_part)
            for command in taking_part[shift:] + taking_part[:shift]:
                command.run()
                command.check(frame % truth.period, shape)
    return taking_part


def report(clip: str, taking_part: list[Command], file: Path | None) -> None:
    base = percentile(taking_part[0].ms, 0.5)
    rows = [[clip, "median", "min", "max", "cpu", "MB", "ratio to ffmpeg", "picture"]]
    for command in taking_part:
        middle = percentile(command.ms, 0.5)
        figures = [middle, min(command.ms), max(command.ms), percentile(command.cpu_ms, 0.5), command.peak_mb]
        ratio = f"{middle / base:.2f}" + ("" if taking_part[0].wrong is None else "*")
        rows.append([command.name, *map(number, figures), "-" if command.wrong else ratio, command.wrong or "right"])
    print(lay_out(rows) + "\n", flush=True)
    wrong = {command.name: command.wrong for command in taking_part if command.wrong}
    figures = {
        ("time", "ms"): {command.name: command.ms for command in taking_part},
        ("processor time", "ms"): {command.name: command.cpu_ms for command in taking_part},
        ("memory", "MB"): {command.name: [command.peak_mb] for command in taking_part},
    }
    series.append(file, *(Series(clip, measure, unit, values, remarks=wrong) for (measure, unit), values in figures.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="*", help="names in the clips' folder; default: all of it")
    parser.add_argument("--folder", type=Path, help="where the clips and their truth are")
    parser.add_argument("--position", default="0.42", help="a fraction of the video")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--threads", default="default", help="ffmpeg's decoder threads; scrub chooses its own")
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    options = parser.parse_args()
    folder: Path = options.folder or places.clip_folder(quick=False)
    there = sorted(file.stem for file in (folder / "truth").glob("*.npz") if "-loop." not in file.name)
    for name in options.clips or there:
        clip = folder / name
        if not truth_file(clip).exists():
            raise SystemExit(f"cli: there is no {name} with its truth in {folder}; run setup.sh")
        try:
            done = compare(clip, options.position, options.repeats, options.threads, lambda text: print(text, file=sys.stderr))
        except OSError as error:
            raise SystemExit(f"cli: {error}; build scrub, or name it with SCRUB") from error
        report(name, done, options.json)


if __name__ == "__main__":
    main()
