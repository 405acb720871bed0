"""Which frames are asked for, in which order: the same for every rival."""

from __future__ import annotations

import random
from dataclasses import dataclass

PHASES = {
    "random": "random seeks",
    "gesture-forward": "gesture forward",
    "gesture-back": "gesture back",
    "steps-back": "steps back",
    "steps-forward": "steps forward",
}


@dataclass
class Request:
    frame: int
    timed: bool = True
    """Not for the jump to where a gesture or a row of steps begins: that is a random seek."""


@dataclass
class Amounts:
    random: int
    moves: int
    steps: int
    opens: int
    budget: float
    """Seconds for one rival and one phase; after that, and `least` requests, the rest is left out."""
    least: int

    def used_up(self, spent: float, measured: int) -> bool:
        return spent > self.budget and (measured >= self.least or spent > 4 * self.budget)


FULL = Amounts(random=60, moves=48, steps=16, opens=5, budget=12, least=12)
QUICK = Amounts(random=8, moves=8, steps=2, opens=1, budget=1.5, least=4)


def _drag(count: int, begin: float, end: float, moves: int) -> list[Request]:
    """A finger's way over a scrubber: slow, fast, slow. A position that names the frame shown already asks nothing."""
    frames: list[int] = []
    for move in range(moves + 1):
        part = move / moves
        eased = part * part * (3 - 2 * part)
        frame = round((begin + (end - begin) * eased) * (count - 1))
        if not frames or frame != frames[-1]:
            frames.append(frame)
    return [Request(frame, timed=index > 0) for index, frame in enumerate(frames)]


def _steps(count: int, starts: list[float], steps: int, direction: int) -> list[Request]:
    """Single steps from several places, because what a step costs depends on where in its group it is."""
    requests = []
    for start in starts:
        first = min(max(int(start * count), steps), count - 1 - steps)
        requests += [Request(first + direction * step, timed=step > 0) for step in range(steps + 1)]
    return requests


def targets(count: int, amounts: Amounts, seed: int) -> dict[str, list[Request]]:
    """Requests by phase, and under "first" one for each opening. No frame is asked for twice where it can be avoided,
    so that nobody is measured answering from memory what another phase has asked."""
    generator = random.Random(f"{seed} {count}")
    places = generator.sample(range(count), min(count, amounts.random + amounts.opens))
    back, forward = ([(part + generator.random()) / 4 for part in range(4)] for _ in range(2))
    return {
        "first": [Request(place) for place in places[: amounts.opens]],
        "random": [Request(place) for place in places[amounts.opens :]],
        "gesture-forward": _drag(count, 0.31, 0.37, amounts.moves),
        "gesture-back": _drag(count, 0.64, 0.57, amounts.moves),
        "steps-back": _steps(count, back, amounts.steps, -1),
        "steps-forward": _steps(count, forward, amounts.steps, 1),
    }
