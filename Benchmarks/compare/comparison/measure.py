"""Measures all rivals on one clip, in turns: a block of requests each, then the next one's, in changing order. What slows
the machine down for a while then slows all of them down. Only the one whose turn it is runs; the others are stopped."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from comparison.driver import Driver, DriverError
from comparison.places import SAVED_INDEXES
from comparison.results import Phase, Result
from comparison.rivals import Rival
from comparison.targets import Amounts, Request, targets
from comparison.truth import OTHER, RIGHT, Truth, load

BLOCK = 10
Report = Callable[[str], None]


class Contender:
    """A rival on this clip, with what is known of it so far."""

    def __init__(self, rival: Rival, clip: Path, truth: Truth, threads: str) -> None:
        self.rival, self.clip, self.truth, self.threads = rival, clip, truth, threads
        self.result = Result(clip.name, rival.name, rival.pictures, truth.count)
        self.driver: Driver | None = None
        self.spent = 0.0

    def open(self, frame: int) -> None:
        """A new process; the first picture of it is measured and checked like any other."""
        if self.result.failed is not None:
            return
        self.close()
        try:
            self.driver = Driver(self.rival, self.clip, self.threads, self.truth.cells)
            self.result.frames = self.driver.frames
            self.result.ready_ms.append(self.driver.ready_ms)
            self.result.open_ms.append(self.driver.open_ms or self.driver.ready_ms)
            first = self.result.phases.setdefault("first", Phase())
            first.planned += 1
            before = len(first.ms)
            self._ask(Request(frame), first)
            self.result.first_ms += first.ms[before:]
            self.driver.pause()
        except DriverError as error:
            self._fail(error)

    def turn(self, requests: list[Request], phase: Phase, amounts: Amounts) -> None:
        if self.driver is None:
            return
        try:
            self.driver.resume()
            used = self.driver.processor_ms()
            checking = 0.0
            for request in requests:
                if amounts.used_up(self.spent, len(phase.ms)):
                    break
                start = time.monotonic()
                checking += self._ask(request, phase)
                self.spent += time.monotonic() - start
            phase.cpu_ms += max(0.0, self.driver.processor_ms() - used - checking)
            self.driver.pause()
        except DriverError as error:
            self._fail(error)

    def close(self) -> None:
        if self.driver is not None:
            if self.rival.memory_seen:
                self.result.peak_mb = max(self.result.peak_mb or 0, self.driver.peak_mb())
            self.driver.close()
            self.driver = None

    def _ask(self, request: Request, phase: Phase) -> float:
        assert self.driver is not None
        phase.asked += 1
        reply = self.driver.seek(request.frame)
        if isinstance(reply, str):
            phase.errors.append([request.frame, reply])
            return 0
        if request.timed:
            phase.ms.append(round(reply.ms, 4))
            phase.round_trip_ms.append(round(reply.round_trip_ms, 4))
        verdict = self.truth.judge(request.frame, reply.pts, reply.signature)
        if verdict.kind == OTHER:
            phase.other.append([request.frame, verdict.off])
        elif verdict.kind != RIGHT:
            phase.damaged.append(request.frame)
        return reply.checking_ms

    def _fail(self, error: DriverError) -> None:
        self.result.failed = str(error)
        self.close()


def _blocks(requests: list[Request]) -> Iterator[list[Request]]:
    """Cut every `BLOCK` requests, but never between a jump and what follows it."""
    block: list[Request] = []
    for request in requests:
        if len(block) >= BLOCK or (block and not request.timed):
            yield block
            block = []
        block.append(request)
    if block:
        yield block


def _in_turns(contenders: list[Contender], round_number: int) -> list[Contender]:
    """Everyone begins once in as many rounds as there are rivals."""
    shift = round_number % len(contenders)
    return contenders[shift:] + contenders[:shift]


def measure(
    clip: Path, rivals: list[Rival], threads: str, amounts: Amounts, seed: int, phases: list[str], report: Report
) -> list[Result]:
    truth = load(clip)
    asked = targets(truth.count, amounts, seed)
    contenders = [Contender(rival, clip, truth, threads) for rival in rivals]
    in_order = list(contenders)
    random.Random(f"{seed} {clip.name}").shuffle(contenders)
    with clip.open("rb") as file:  # everyone finds the file in the page cache
        while file.read(1 << 24):
            pass
    try:
        for contender in contenders:
            if contender.rival.needs_saved_index:
                SAVED_INDEXES.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(DriverError):  # said when it is opened below
                    Driver(contender.rival, clip, threads, truth.cells).close()
        for again in range(amounts.opens):
            for contender in _in_turns(contenders, again):
                contender.open(asked["first"][again].frame)
        for name in phases:
            report(f"{clip.name}: {name}")
            for contender in contenders:
                contender.spent = 0.0
                contender.result.phases[name] = Phase(planned=len(asked[name]))
            for number, block in enumerate(_blocks(asked[name])):
                for contender in _in_turns(contenders, number):
                    contender.turn(block, contender.result.phases[name], amounts)
    finally:
        for contender in contenders:
            contender.close()
    return [contender.result for contender in in_order]
