"""Scrub against the best exact rival and against mpv."""

from __future__ import annotations

from dataclasses import dataclass

from comparison.results import Result, percentile
from comparison.targets import PHASES

COLUMNS = {"ready": "start to ready", "open": "open", "first": "first frame", **PHASES}
REFERENCE = "scrub"
SAVED = "-saved"


@dataclass
class Ratio:
    column: str
    against: str
    value: float
    """Scrub's time divided by the other's: below 1 scrub is faster."""
    exact: bool
    """Whether the other gave no wrong picture on this clip."""

    def __str__(self) -> str:
        text = f"{self.value:.2f}" if self.value >= 0.1 else f"{self.value:.2g}"
        return text + ("" if self.exact else "*")


def _ratio(ours: Result, column: str, others: list[Result], part: float) -> Ratio | None:
    """Against the fastest of the others. Everyone is asked the same in the same order, but whose time runs out answers
    the first requests only: each pair is compared over the requests that both have answered."""
    own = ours.values(column)
    found = []
    for other in others:
        theirs = other.values(column)
        common = min(len(own), len(theirs))
        if common and (value := percentile(theirs[:common], part)) > 0:
            found.append(Ratio(column, other.rival, percentile(own[:common], part) / value, other.exact))
    return max(found, key=lambda ratio: ratio.value, default=None)


def ratios(results: list[Result], part: float) -> dict[str, dict[str, Ratio]]:
    """By opponent ("best exact", "mpv") and column; for the results of one clip."""
    ours = next((result for result in results if result.rival == REFERENCE), None)
    if ours is None or ours.failed:
        return {}
    others = [result for result in results if not result.rival.startswith(REFERENCE) and not result.rival.endswith(SAVED)]
    opponents = {
        "best exact": [other for other in others if other.exact],
        "mpv": [other for other in others if other.rival == "mpv" and not other.failed],
    }
    found: dict[str, dict[str, Ratio]] = {}
    for name, against in opponents.items():
        row = {column: _ratio(ours, column, against, part) for column in COLUMNS}
        found[name] = {column: ratio for column, ratio in row.items() if ratio is not None}
    return found
