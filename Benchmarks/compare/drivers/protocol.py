"""The line protocol that every driver speaks; README.md describes it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

Signature = Callable[[], str]


@dataclass
class Answer:
    """A whole picture in memory: its time as the rival says it, and how to compute its signature (not timed)."""

    pts: str
    signature: Signature


Seek = Callable[[int], Answer]
_closing: list[Callable[[], None]] = []


def at_end(action: Callable[[], None]) -> None:
    """Done before the driver ends, the latest first."""
    _closing.append(action)


def threads() -> int | None:
    """The number of decoder threads asked for, or nothing for the library's own choice."""
    chosen = os.environ.get("COMPARE_THREADS", "default")
    return None if chosen == "default" else int(chosen)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def serve(open_file: Callable[[str], tuple[int, Seek]]) -> None:
    """Opens the file of the command line, then answers until QUIT or the end of input."""
    start = time.perf_counter_ns()
    count, seek = open_file(sys.argv[1])
    say(f"READY {count} {time.perf_counter_ns() - start}")
    for line in sys.stdin:
        words = line.split()
        if len(words) != 2 or words[0] != "SEEK":
            break
        frame = int(words[1])
        try:
            start = time.perf_counter_ns()
            answer = seek(frame)
            taken = time.perf_counter_ns() - start
            start = time.process_time_ns()
            signature = answer.signature()
            checking = time.process_time_ns() - start
            say(f"FRAME {frame} {answer.pts} {signature} {taken} {checking}")
        except Exception as error:
            text = " ".join(str(error).split())[:160]
            say(f"ERROR {frame} {type(error).__name__}: {text}")
    while _closing:
        _closing.pop()()
    os._exit(0)  # some libraries hang in their destructors
