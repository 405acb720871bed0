"""One running driver: speaks the protocol, stands still while others are measured, and reads what it costs."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from comparison.rivals import Rival

OPEN_TIMEOUT = 120.0
ANSWER_TIMEOUT = 60.0
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


class DriverError(Exception):
    """The driver ended, fell silent or broke the protocol: it cannot be asked any more."""


@dataclass
class Reply:
    pts: str
    signature: str
    ms: float
    """The driver's own measure, from the request read to the whole picture in memory."""
    round_trip_ms: float
    """From the request written to the answer read: with the signature, so an upper bound for the measure above."""
    checking_ms: float
    """Processor time of the signature, as far as the driver says it."""


class Driver:
    def __init__(self, rival: Rival, file: Path, threads: str, cells: int) -> None:
        self.rival = rival
        self.scratch = tempfile.mkdtemp(prefix="compare-")
        self._unread = b""
        self.log = Path(self.scratch) / "stderr"
        start = time.perf_counter()
        try:
            with self.log.open("wb") as log:
                self._process = subprocess.Popen(
                    rival.arguments(file, threads, self.scratch),
                    env={**rival.variables(threads, self.scratch), "COMPARE_CELLS": str(cells)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    bufsize=0,
                    start_new_session=True,  # one process group with what it starts, to stop and to end together
                )
        except OSError as error:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise DriverError(str(error)) from error
        try:
            words = self._line(OPEN_TIMEOUT).split()
            self.ready_ms = (time.perf_counter() - start) * 1000
            if len(words) < 2 or words[0] != "READY":
                raise DriverError(f"said {' '.join(words)!r} instead of READY")
        except DriverError:
            self.close()
            raise
        self.frames = int(words[1])
        self.open_ms = int(words[2]) / 1e6 if len(words) > 2 else None

    def seek(self, frame: int) -> Reply | str:
        """The answer, or the text of the driver's ERROR."""
        start = time.perf_counter()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(b"SEEK %d\n" % frame)
        except OSError as error:
            raise DriverError(self._ending()) from error
        words = self._line(ANSWER_TIMEOUT).split(" ")
        round_trip = (time.perf_counter() - start) * 1000
        if words[0] == "ERROR":
            return " ".join(words[2:])
        if len(words) < 5 or words[:2] != ["FRAME", str(frame)]:
            raise DriverError(f"answered {' '.join(words)[:80]!r} to SEEK {frame}")
        checking = int(words[5]) / 1e6 if len(words) > 5 else 0.0
        return Reply(words[2], words[3], int(words[4]) / 1e6, round_trip, checking)

    def pause(self) -> None:
        """Stops all its threads and children: nothing is done ahead while others have their turn."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def processor_ms(self) -> float:
        """Processor time so far, of it, its children and the children that have ended."""
        total = 0
        for process in self._processes():
            with contextlib.suppress(OSError):
                after_name = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
                total += sum(int(field) for field in after_name[11:15])
        return total * TICK_MS

    def peak_mb(self) -> float:
        total = 0
        for process in self._processes():
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{process}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1])
        return total / 1024

    def close(self) -> None:
        self.resume()
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.write(b"QUIT\n")
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        self._signal(signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def _processes(self) -> list[int]:
        found = [self._process.pid]
        for process in found:
            with contextlib.suppress(OSError):
                for children in Path(f"/proc/{process}/task").glob("*/children"):
                    found += map(int, children.read_text().split())
        return found

    def _line(self, timeout: float) -> str:
        assert self._process.stdout is not None
        end = time.monotonic() + timeout
        while b"\n" not in self._unread:
            if not select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                raise DriverError(f"no answer in {timeout:.0f} s")
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise DriverError(self._ending())
            self._unread += data
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode(errors="replace")

    def _ending(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        last = self.log.read_text(errors="replace").strip().splitlines()[-1:]
        return f"ended with {self._process.returncode}: {' '.join(last)[:120]}"
