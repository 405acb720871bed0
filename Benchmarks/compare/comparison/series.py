"""What one run measured of one thing on one clip, in one form for all scripts: their `--json` writes it, report.py reads it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, median


@dataclass
class Series:
    clip: str
    measure: str
    """A name of the thing measured; `suite/cases.py` has what it means."""
    unit: str
    values: dict[str, list[float]]
    """By the name of who was measured, in the order of the turns. Names that begin with `scrub` are ours."""
    better: str = "less"
    """`less` for what is spent, `more` for what is reached."""
    statistic: str = "median"
    """`mean` where one request works for the next ones, and only their sum means something."""
    checked: dict[str, list[int]] = field(default_factory=dict)
    """By name: how many pictures were wrong, how many did not come at all, and how many were asked for."""
    remarks: dict[str, str] = field(default_factory=dict)
    """By name: why it has no figure, or why its figure is not to be compared with."""

    def middle(self, name: str, first: int | None = None) -> float | None:
        """The statistic, of the first so many values."""
        values = self.values.get(name, [])[:first]
        if not values:
            return None
        return fmean(values) if self.statistic == "mean" else median(values)

    def is_right(self, name: str) -> bool:
        wrong, missing, _ = self.checked.get(name, [0, 0, 0])
        return wrong == missing == 0 and name not in self.remarks

    def common(self, ours: str, theirs: str) -> tuple[float | None, float | None]:
        """The middles of both over what both answered: one whose time ran out has answered the first requests only."""
        count = min(len(self.values.get(ours, [])), len(self.values.get(theirs, [])))
        return (self.middle(ours, count), self.middle(theirs, count)) if count else (None, None)

    def times_as_fast(self, ours: str, theirs: str) -> float | None:
        """How many times as good `ours` is, over what both answered: above 1 it is ahead."""
        own, other = self.common(ours, theirs)
        if not own or not other:
            return None
        return other / own if self.better == "less" else own / other

    def pairs(self, ours: str, theirs: str) -> tuple[int, int]:
        """How many values of both belong together, by their turns, and in how many of these ours is at least as good."""
        both = list(zip(self.values.get(ours, []), self.values.get(theirs, [])))
        return len(both), sum(own <= other if self.better == "less" else own >= other for own, other in both)

    def extend(self, more: Series) -> None:
        """Adds a later run of the same."""
        for name, values in more.values.items():
            self.values.setdefault(name, []).extend(values)
        for name, counts in more.checked.items():
            self.checked[name] = [sum(pair) for pair in zip(self.checked.get(name, [0, 0, 0]), counts)]
        self.remarks |= more.remarks


def is_ours(name: str) -> bool:
    return name.split(",")[0].split()[0].startswith("scrub")


def append(file: Path | None, *series: Series) -> None:
    """Writes lines of JSON, when a file was named."""
    if file is not None:
        with file.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps({"kind": "series", **asdict(one)}) + "\n" for one in series)


def read(lines: list[dict]) -> list[Series]:
    found = [Series(**{key: value for key, value in line.items() if key != "kind"}) for line in lines if line.get("kind") == "series"]
    for one in found:
        # Lines of before have two numbers: a run of theirs ended with the first picture that did not come.
        one.checked = {name: counts if len(counts) == 3 else [counts[0], 0, counts[1]] for name, counts in one.checked.items()}
    return found
