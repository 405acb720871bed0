#!/usr/bin/env python3
"""Playing as fast as it can: `scrub play FILE --null --rate max` and `ffmpeg -i FILE -f null -`, in turns. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from comparison import places, series


@dataclass
class Side:
    """One of the two, on one clip."""

    words: list[str]
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_mb: float = 0
    summary: dict[str, object] = field(default_factory=dict)

    def run(self) -> None:
        start = time.perf_counter()
        process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        out = process.stdout.read() if process.stdout else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(self.words)}: ended with {process.returncode}")
        self.seconds.append(time.perf_counter() - start)
        self.cpu.append(used.ru_utime + used.ru_stime)
        self.peak_mb = max(self.peak_mb, used.ru_maxrss / 1024)
        lines = out.decode().strip().splitlines()
        if lines and lines[-1].startswith("{"):
            self.summary = json.loads(lines[-1])


def scrub_words(path: str, threads: int, backward: bool) -> list[str]:
    words = [places.scrub(), "play", path, "--null", "--json", "--threads", str(threads)]
    return words + (["--rate", "-1", "--clock", "real"] if backward else ["--rate", "max"])


def forward(arguments: argparse.Namespace) -> None:
    print(f"{'clip':28}{'frames':>7}{'scrub fps':>11}{'ffmpeg fps':>11}{'ratio':>8}{'best':>8}{'cpu ratio':>10}{'scrub MB':>10}{'ffmpeg MB':>10}")
    worst = float("inf")
    for path in arguments.clips:
        threads = arguments.threads
        ours = Side(scrub_words(path, threads, backward=False))
        theirs = Side(
            ["ffmpeg", "-nostdin", "-v", "error", "-threads", str(threads), "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "null", "-"]
        )
        # The first one reads the file from the disk and saves the index.
        ours.run()
        ours.seconds.clear()
        ours.cpu.clear()
        for turn in range(arguments.pairs):
            # Who begins changes, so that a machine that slows down slows both.
            for side in (ours, theirs) if turn % 2 == 0 else (theirs, ours):
                side.run()
        frames = int(str(ours.summary["presented"]))
        ratio = statistics.median(b / a for a, b in zip(ours.seconds, theirs.seconds, strict=True))
        best = min(theirs.seconds) / min(ours.seconds)
        cpu = statistics.median(ours.cpu) / statistics.median(theirs.cpu)
        worst = min(worst, ratio)
        sides = {"scrub": ours, "ffmpeg": theirs}
        figures = {
            ("speed", "frames/s", "more"): {name: [frames / value for value in side.seconds] for name, side in sides.items()},
            ("processor time", "s", "less"): {name: side.cpu for name, side in sides.items()},
            ("memory", "MB", "less"): {name: [side.peak_mb] for name, side in sides.items()},
        }
        for (measure, unit, better), values in figures.items():
            series.append(arguments.json, series.Series(os.path.basename(path), measure, unit, values, better))
        print(
            f"{os.path.basename(path):28}{frames:7}{frames / statistics.median(ours.seconds):11.1f}{frames / statistics.median(theirs.seconds):11.1f}"
            f"{ratio:8.3f}{best:8.3f}{cpu:10.3f}{ours.peak_mb:10.0f}{theirs.peak_mb:10.0f}",
            flush=True,
        )
    print(f"worst ratio {worst:.3f}")
    if worst < arguments.least:
        sys.exit(f"below {arguments.least}")


def backward(arguments: argparse.Namespace) -> None:
    """Real time, backward: what each shows in the clip's own time."""
    for path in arguments.clips:
        ours = Side(scrub_words(path, arguments.threads, backward=True))
        ours.run()
        print(os.path.basename(path), "scrub", json.dumps(ours.summary))
        if subprocess.run(["which", "mpv"], capture_output=True, check=False).returncode:
            continue
        mpv = Side(
            ["mpv", "--no-config", "--really-quiet", "--no-audio", "--vo=null", "--play-dir=-", "--start=100%", f"--vd-lavc-threads={arguments.threads}", path]
        )
        mpv.run()
        print(os.path.basename(path), f"mpv {mpv.seconds[0]:.1f} s, {mpv.peak_mb:.0f} MB, scrub {ours.seconds[0]:.1f} s, {ours.peak_mb:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="+", help="video files")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--least", type=float, default=0, help="fail below this ratio")
    parser.add_argument("--json", type=Path, help="also append every figure to this file, as JSON lines")
    parser.add_argument("--backward", action="store_true", help="play at rate -1 on the real clock, beside mpv")
    arguments = parser.parse_args()
    backward(arguments) if arguments.backward else forward(arguments)


if __name__ == "__main__":
    main()
