#!/usr/bin/env python3
"""How long work goes on after it was cancelled, at random moments: commands by Ctrl-C, C by scrub_cancel, Python by close.

    cancellation.py SCRUB LIBSCRUB FILM [--times 10] [--seed 1]

FILM is long, and one in a container without tables (MPEG-TS) shows openings too. A line for each kind of work: the moments that
met it at work, and the median and the most milliseconds from the cancellation to its end. Ends with 1 if any took longer than
--limit, left a file under its final name, or said something else than that it was cancelled.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent
CANCELLED = 1
# A batch may finish the film in hand for so many seconds (docs/batch.md), and leaves it where it belongs.
FINISHING = {"batch": 20.5}
# Work, which gives its status, what cancels it, and what prepares it.
Call = tuple[Callable[[], int], Callable[[], None], Callable[[], None]]


class Error(ctypes.Structure):
    """scrub_error."""

    _fields_ = [("size", ctypes.c_uint32), ("status", ctypes.c_int32), ("system", ctypes.c_int32), ("message", ctypes.c_char * 1012)]


def commands(scrub: str, film: str, folder: str) -> dict[str, list[str]]:
    out = ["-o", folder + "/out"]
    last = json.loads(subprocess.run([scrub, "info", "--json", film], capture_output=True, check=True).stdout)["frameCount"] - 1
    return {
        "info": ["info", "--cost", film], "verify": ["verify", film], "scenes": ["scenes", film],
        "previews": ["previews", film], "strip": ["strip", film, "--count", "500", *out],
        "thumbs": ["thumbs", film, "--profile", "web", "--every", "1", *out], "sheet": ["sheet", film, "-o", folder + "/out.jpg"],
        "poster": ["poster", film, "-o", folder + "/out.jpg"], "seek": ["seek", film, f"f0..f{last}", "--hash", "--no-cache"],
        "batch": ["batch", "run", film, "--profile", "web", "--to", folder + "/out"],
    }


def run(scrub: str, words: list[str], after: float | None, folder: str) -> tuple[float, int, list[str]]:
    """Seconds of the whole run, or from the signal to its end; its status; what it left."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    environment = {**os.environ, "SCRUB_CACHE_DIR": folder + "/cache"}
    process = subprocess.Popen([scrub, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    start = time.monotonic()
    if after is not None:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
    status = process.wait()
    seconds = time.monotonic() - start
    left = [str(path.relative_to(folder)) for path in Path(folder).rglob("*")
            if path.is_file() and "/." not in "/" + str(path.relative_to(folder)) and not str(path.relative_to(folder)).startswith("cache/")]
    return seconds, status, left


class Library:
    """What is called of libscrub, by address."""

    def __init__(self, path: str, film: str) -> None:
        self.functions, self.film = ctypes.CDLL(path), os.fsencode(film)
        self.video = ctypes.c_void_p()
        self.functions.scrub_close.argtypes = self.functions.scrub_cancel.argtypes = [ctypes.c_void_p]

    def error(self) -> Error:
        return Error(ctypes.sizeof(Error))

    def open(self) -> None:
        self.functions.scrub_close(self.video)
        self.video, error = ctypes.c_void_p(), self.error()
        if self.functions.scrub_open(self.film, None, ctypes.byref(self.video), ctypes.byref(error)) != 0:
            sys.exit(error.message.decode())

    def cancel(self) -> None:
        self.functions.scrub_cancel(self.video)

    def calls(self) -> dict[str, Call]:
        return {"C: scrub_find_posters": (self.find_posters, self.cancel, self.open),
                "C: scrub_describe": (self.describe, self.cancel, self.open)}

    def find_posters(self) -> int:
        posters, count = ctypes.create_string_buffer(232 * 200), ctypes.c_size_t()
        # scrub_poster_options: its size, flags, count, candidates, and zeros.
        options = (ctypes.c_uint32 * 10)(40, 0, 200, 400)
        return int(self.functions.scrub_find_posters(
            self.video, options, posters, ctypes.c_size_t(200), ctypes.byref(count), ctypes.byref(self.error())))

    def describe(self) -> int:
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        return int(self.functions.scrub_describe(self.video, ctypes.byref(text), ctypes.byref(size), ctypes.byref(self.error())))


def cancelled(work: Callable[[], int], cancel: Callable[[], None], after: float) -> tuple[float, int] | None:
    """Seconds from the cancellation to the end, and the result; nothing if the work was over before."""
    found: list[tuple[int, float]] = []
    thread = threading.Thread(target=lambda: found.append((work(), time.monotonic())))
    thread.start()
    time.sleep(after)
    if found:
        thread.join()
        return None
    start = time.monotonic()
    cancel()
    thread.join()
    return found[0][1] - start, found[0][0]


def python_calls(film: str, library: str) -> dict[str, Call]:
    sys.path.insert(0, str(ROOT / "python/src"))
    os.environ["SCRUB_LIBRARY"] = library
    import scrub  # noqa: PLC0415

    held: list[scrub.Video] = []

    def prepare() -> None:
        while held:
            held.pop().close()
        held.append(scrub.open(film))

    def work(body: Callable[[scrub.Video], object]) -> Callable[[], int]:
        def call() -> int:
            try:
                body(held[0])
            except scrub.ClosedError:
                return CANCELLED
            return 0
        return call

    def far(video: scrub.Video) -> object:
        return [video[place] for place in range(len(video) - 1, 0, -97)]

    def close() -> None:
        held[0].close()

    return {
        "python: frames backward": (work(far), close, prepare),
        "python: a batch": (work(lambda video: video.batch(range(0, len(video), 50))), close, prepare),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrub")
    parser.add_argument("library")
    parser.add_argument("film")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=50, help="milliseconds")
    options = parser.parse_args()
    chance, slow = random.Random(options.seed), False

    def tell(name: str, spans: list[float], odd: list[str]) -> None:
        nonlocal slow
        most = max(spans, default=0) * 1000
        middle = statistics.median(spans) * 1000 if spans else 0
        slow = slow or most > FINISHING.get(name, 0) * 1000 + options.limit or bool(odd)
        print(f"{name:26} {len(spans):3} {middle:8.1f} {most:8.1f} {'; '.join(sorted(set(odd)))}", flush=True)

    print(f"{'work':26} met   median     most ms")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in commands(options.scrub, options.film, folder).items():
            whole, _, _ = run(options.scrub, words, 20, folder)
            spans, odd = [], []
            for _ in range(options.times):
                seconds, status, left = run(options.scrub, words, chance.uniform(0.02, max(0.03, 0.9 * min(whole, 5))), folder)
                if status == 0:
                    continue
                spans.append(seconds)
                if status != -signal.SIGINT and status != 130:
                    odd.append(f"status {status}")
                odd += [f"left {path}" for path in left if name not in FINISHING]
            tell(name, spans, odd)
        os.environ["SCRUB_CACHE_DIR"] = folder + "/cache"
        calls = Library(options.library, options.film).calls() | python_calls(options.film, options.library)
        for name, (work, cancel, prepare) in calls.items():
            spans, odd = [], []
            for _ in range(options.times):
                prepare()
                found = cancelled(work, cancel, chance.uniform(0.001, 1))
                if found:
                    spans.append(found[0])
                    if found[1] != CANCELLED:
                        odd.append(f"status {found[1]}")
            tell(name, spans, odd)
    return 1 if slow else 0


sys.exit(main())
