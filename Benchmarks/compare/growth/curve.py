"""How values grow with a number of things: the slopes in a plot of both logarithms, and what a single thing adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

CONSTANT, LINEAR = 0, 1
ROOM = 0.12
"""A slope is above what it may be if it is so by more than this: a tenth of the value, one decade further."""


@dataclass
class Curve:
    """The values of one measure over numbers of frames or films, in ascending order."""

    points: list[tuple[int, float]]
    most: float
    """The slope that it must have at most: 0 for what is to be constant, 1 for what has to look at each thing once."""

    def slopes(self) -> list[float | None]:
        """Between each point and the one before it; none where one of the two is nothing."""
        return [
            math.log(high / low) / math.log(more / few) if low > 0 and high > 0 and more > few else None
            for (few, low), (more, high) in zip(self.points, self.points[1:])
        ]

    @property
    def last(self) -> float | None:
        """The slope at the end, where what a start costs hides the least of it."""
        return self.slopes()[-1] if len(self.points) > 1 else None

    @property
    def each(self) -> float | None:
        """What one more thing adds, between the last two points; never below nothing."""
        if len(self.points) < 2:
            return None
        (few, low), (more, high) = self.points[-2:]
        return max(0.0, (high - low) / (more - few))

    @property
    def is_within(self) -> bool | None:
        """Whether it grows no faster than it must, over the last step; nothing is said of a single point."""
        return None if self.last is None else self.last <= self.most + ROOM


def least(values: list[float]) -> float:
    """The least of some rounds: what a process takes; anything above it is the machine's."""
    return min(values)


def curves(series: dict[str, Any], most: dict[str, float]) -> dict[str, Curve]:
    """The curves of a series, by quantity; of those that have an expectation."""
    found = {}
    for quantity, slope in most.items():
        points = [(point["n"], least(point[quantity])) for point in series["points"] if point.get(quantity)]
        if points:
            found[quantity] = Curve(sorted(points), slope)
    return found
