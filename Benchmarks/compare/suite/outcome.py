"""Who is ahead, by the figures alone: a row for each of ours on each clip, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from comparison.series import is_ours
from suite.cases import Case, Measure


SPACE = ("MB", "MiB", "B")


@dataclass
class Row:
    clip: str
    ours: str
    unit: str
    own: list[float]
    """How many values, their middle, the least and the greatest."""
    rival: str | None
    """The fastest one that is right on this clip."""
    other: list[float] | None
    ratio: float | None
    """How many times as good ours is: above 1 it is ahead."""
    pairs: int
    """How many values of both belong together."""
    won: int
    """In how many of these ours is ahead."""
    common: tuple[float, float]
    """The middles of both over these, which the ratio is made of."""
    goal: float | None
    better: str
    least: float | None = None
    """Ours is below this: the ratio is the one of this, and the true one is above it."""

    @property
    def is_sure(self) -> bool:
        """Whether at least three pairs were measured, and four in five of them say what the ratio says."""
        if self.ratio is None:
            return True
        agree = self.won if self.ratio >= 1 else self.pairs - self.won
        return self.pairs >= 3 and 5 * agree >= 4 * self.pairs

    @property
    def is_cut(self) -> bool:
        """Whether the time of one ran out, so that the ratio is over fewer requests than the figures beside it."""
        return self.other is not None and self.ratio is not None and self.own[0] != self.other[0]

    @property
    def ahead(self) -> bool | None:
        """Whether the goal is reached; without one, whether no rival is faster. Without both there is nothing to say."""
        if self.goal is not None:
            return self.own[1] >= self.goal if self.better == "more" else self.own[1] <= self.goal
        return None if self.ratio is None else self.ratio >= 1


def number(value: float) -> str:
    """Three digits, as people write them."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.1g}"


def figure(value: float, least: float | None) -> str:
    """A figure of a measure in which less is better."""
    return f"under {number(least)}" if least is not None and value < least else number(value)


def times(ratio: float) -> str:
    if ratio >= 1000:
        return "more than 1,000"
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def is_right(one: dict[str, Any], name: str) -> bool:
    return name not in one.get("remarks", {}) and not any(one.get("checked", {}).get(name, [])[:2])


def rows(series: list[dict[str, Any]], measure: Measure) -> list[Row]:
    """Rows of one measure, in the order of the clips."""
    found = []
    for one in series:
        for ours in filter(is_ours, one["ways"]):
            right = [name for name in one["ways"] if not is_ours(name) and is_right(one, name)]
            ratios = {name: ratio for name, ratio in one["ratios"].get(ours, {}).items() if name in right and not measure.share}
            best = min if one["better"] == "less" else max
            # Without a ratio, as against a time of 0, the best figure is shown.
            rival = min(ratios, key=lambda name: ratios[name][0]) if ratios else best(right, key=lambda name: one["ways"][name][1], default=None)
            ratio, pairs, won, own, other = ratios.get(rival or "", [None, 0, 0, 0, 0])
            mine, theirs = one["ways"][ours], one["ways"][rival] if rival else None
            least = measure.least if measure.least is not None and mine[1] < measure.least else None
            if least is not None and theirs is not None:
                if ratio is None:
                    pairs = won = min(mine[0], theirs[0])
                ratio, own, other = theirs[1] / least, least, theirs[1]
            found.append(Row(one["clip"], ours, one["unit"], mine, rival, theirs, ratio, pairs, won,
                             (own, other), measure.goals.get(ours), one["better"], least))
    return found


def names_ours(found: list[Row]) -> bool:
    """Whether rows have to say which of ours they are."""
    return len({row.ours for row in found}) > 1


def behind(row: Row) -> str:
    """A miss in words: of a goal, or against a rival."""
    if row.goal is not None:
        bound = "at least" if row.better == "more" else "at most"
        return f"{number(row.own[1])} {row.unit} (goal: {bound} {number(row.goal)})"
    assert row.ratio is not None and row.rival is not None
    chance = "" if row.is_sure else " ~"
    if row.better == "more":
        return f"{times(row.ratio)} of {row.rival}'s speed{chance}"
    return f"takes {times(1 / row.ratio)} times as {'much' if row.unit in SPACE else 'long'} as {row.rival}{chance}"


def said(found: list[Row]) -> str:
    """One sentence over a measure."""
    judged = [row for row in found if row.ahead is not None]
    if not judged:
        return "No rival gave figures to compare with."
    won = [row for row in judged if row.ahead]
    ratios = [row.ratio for row in judged if row.ratio is not None and row.goal is None]
    goals = [row for row in judged if row.goal is not None]
    parts = []
    if ratios:
        ahead = sum(ratio >= 1 for ratio in ratios)
        unsure = sum(not row.is_sure for row in judged if row.goal is None)
        space = judged[0].unit in SPACE
        words = "the least that a rival takes is {} times Scrub's" if space else "{} times as fast as the fastest rival that is right"
        parts.append(f"Ahead in {ahead} of {len(ratios)}: {words.format(span(ratios))}"
                     + (f"; in {unsure} chance may decide" if unsure else "") + ".")
    if goals:
        parts.append(f"The goal is reached in {sum(row in won for row in goals)} of {len(goals)}.")
    return " ".join(parts)


def span(ratios: list[float]) -> str:
    low, high = times(min(ratios)), times(max(ratios))
    return low if low == high else f"{low} to {high} (median {times(median(ratios))})"


def wrong(series: list[dict[str, Any]]) -> dict[str, dict[str, list[int]]]:
    """Wrong pictures, those that did not come, and how many were asked for: by clip and by name. All measures of a clip share them."""
    found: dict[str, dict[str, list[int]]] = {}
    for one in series:
        if one.get("checked"):
            found[one["clip"]] = one["checked"]
    return found


def totals(series: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Wrong pictures, those that did not come, and all that were asked for, by name, over all clips."""
    found: dict[str, list[int]] = {}
    for by_name in wrong(series).values():
        for name, counts in by_name.items():
            found[name] = [sum(pair) for pair in zip(found.get(name, [0, 0, 0]), counts)]
    return found


def measured(case: Case, figures: dict[str, Any]) -> list[tuple[str, Measure, list[dict[str, Any]]]]:
    """The measures of a case that have figures, with these."""
    there = figures["cases"][case.name]["series"] if case.name in figures["cases"] else []
    found = []
    for name, measure in case.measures.items():
        if series := [one for one in there if one["measure"] == name]:
            found.append((name, measure, series))
    return found
