"""docs/growth.md and its plots, made of the figures and of nothing else; and the figures, made of what was measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from growth import plot
from growth.curve import Curve, curves, least
from growth.media import CONTAINERS
from growth.steps import STEPS, Step
from suite.markdown import item, prose, table
from suite.outcome import number

PICTURES = "images/growth"
GROUPS = {name: title for name, (title, _, _) in CONTAINERS.items()} | {"own": "films of their own", "same": "names of one film"}
THINGS = {"film": "frames", "library": "films"}
UNITS = {"seconds": "seconds", "cpu": "processor seconds", "mib": "MiB at the peak", "bytes": "bytes"}
SHORT = {"seconds": "time", "cpu": "processor time", "mib": "memory", "bytes": "size"}


def collect(folder: Path) -> dict[str, Any]:
    """The figures of all raw results in a folder. Those of two machines or of two builds do not go together."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    if not found:
        sys.exit(f"growth: there are no results in {folder}")
    for key in ("processor", "cores", "memory_gib", "kernel", "versions", "build"):
        said = {json.dumps(one["head"][key], sort_keys=True) for one in found}
        if len(said) > 1:
            sys.exit(f"growth: results of two machines or versions ({key}) in {folder}: {' and '.join(sorted(said))}")
    series: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for one in sorted(found, key=lambda one: one["n"]):
        for step, figures in one["steps"].items():
            series.setdefault((one["kind"], step, one["group"]), []).append({"n": one["n"], **figures})
    order = {(kind, step.name): place for kind, steps in STEPS.items() for place, step in enumerate(steps)}
    groups = list(GROUPS)
    keys = sorted(series, key=lambda key: (key[0], order[key[:2]], groups.index(key[2])))
    head = found[0]["head"]
    dates = sorted(one["head"]["date"][:10] for one in found)
    return {
        "machine": {key: head[key] for key in ("processor", "cores", "memory_gib", "kernel")},
        "dates": [dates[0], dates[-1]], "versions": head["versions"],
        "series": [{"kind": kind, "step": step, "group": group, "points": series[kind, step, group]} for kind, step, group in keys],
    }


def text(figures: dict[str, Any]) -> str:
    """JSON with a line for each series."""
    lines = [f'"{key}": {json.dumps(value, ensure_ascii=False)},' for key, value in figures.items() if key != "series"]
    rows = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in figures["series"])
    return "\n".join(["{", *lines, '"series": [', rows, "]}"]) + "\n"


def _found(figures: dict[str, Any], kind: str, step: Step) -> dict[str, dict[str, Curve]]:
    """The curves of a step: by group, then by quantity."""
    return {one["group"]: curves(one, step.most) for one in figures["series"] if (one["kind"], one["step"]) == (kind, step.name)}


def _picture(kind: str, step: Step, quantity: str) -> str:
    return f"{kind}-{step.name}-{SHORT[quantity].replace(' ', '-')}.svg"


def _drawn(step: Step) -> list[str]:
    """The quantities that have a plot: processor time is beside time in the table."""
    return [quantity for quantity in step.most if quantity != "cpu"]


def pictures(figures: dict[str, Any]) -> dict[str, str]:
    """The plots, by their file's name."""
    made = {}
    for kind, steps in STEPS.items():
        for step in steps:
            found = _found(figures, kind, step)
            for quantity in _drawn(step) if found else []:
                title = step.title.split(" (`")[0].replace("`", "")
                lines = {GROUPS[group]: parts[quantity].points for group, parts in found.items() if quantity in parts}
                made[_picture(kind, step, quantity)] = plot.growth(f"{title}: {SHORT[quantity]}", UNITS[quantity], THINGS[kind], lines)
    return made


def amount(value: float, quantity: str) -> str:
    """A value with a unit that suits it."""
    if quantity == "mib":
        return f"{number(value)} MiB"
    names, steps = (("B", "KB", "MB", "GB"), (1, 1e3, 1e6, 1e9)) if quantity == "bytes" else (("ns", "µs", "ms", "s"), (1e-9, 1e-6, 1e-3, 1))
    name, step = next(((name, step) for name, step in reversed(list(zip(names, steps))) if value >= step), (names[0], steps[0]))
    return f"{number(value / step)} {name}"


def one_more(curve: Curve, quantity: str) -> str:
    """What one more frame or film adds."""
    if curve.each is None:
        return "–"
    return amount(curve.each * (1 << 20), "bytes") if quantity == "mib" else amount(curve.each, quantity)


def slope(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def verdict(curve: Curve) -> str:
    return "" if curve.is_within is not False else "faster"


def _rows(found: dict[str, dict[str, Curve]], step: Step) -> list[list[str]]:
    sizes = sorted({n for parts in found.values() for curve in parts.values() for n, _ in curve.points})
    rows = []
    for group, parts in found.items():
        for quantity, curve in parts.items():
            values = dict(curve.points)
            cells = [amount(values[n], quantity) if n in values else "–" for n in sizes]
            rows.append([GROUPS[group], SHORT[quantity], *cells, slope(curve.last), f"{curve.most:g}", one_more(curve, quantity), verdict(curve)])
    return rows


def _section(figures: dict[str, Any], kind: str, step: Step) -> list[str]:
    found = _found(figures, kind, step)
    if not found:
        return []
    sizes = sorted({n for parts in found.values() for curve in parts.values() for n, _ in curve.points})
    images = [f"![{step.title.replace('`', '')}: {SHORT[quantity]} over {THINGS[kind]}]({PICTURES}/{_picture(kind, step, quantity)})" for quantity in _drawn(step)]
    head = ["", "", *(f"{n:,}" for n in sizes), "slope at the end", "at most", f"one more {THINGS[kind][:-1]}", ""]
    return [f"### {step.title}", prose(f"{step.why[0].upper()}{step.why[1:]}."), "\n".join(images), table(head, _rows(found, step))]


def faster(figures: dict[str, Any]) -> list[str]:
    """What grows faster than it must: a line for each step, with the steepest of its curves; processor time where time alone does not say it."""
    lines = []
    for kind, steps in STEPS.items():
        for step in steps:
            worst: dict[str, Curve] = {}
            for parts in _found(figures, kind, step).values():
                for quantity, curve in parts.items():
                    if curve.is_within is False and (quantity not in worst or (curve.last or 0) > (worst[quantity].last or 0)):
                        worst[quantity] = curve
            if "seconds" in worst:
                worst.pop("cpu", None)
            if worst:
                said = "; ".join(f"{SHORT[quantity]}, slope {slope(curve.last)} instead of {curve.most:g}, {one_more(curve, quantity)} for one more "
                                 f"{THINGS[kind][:-1]}" for quantity, curve in worst.items())
                lines.append(f"{step.title}: {said}." + (f" The cause: {step.known}." if step.known else ""))
    return lines


def page(figures: dict[str, Any]) -> str:
    machine = figures["machine"]
    dates = " to ".join(dict.fromkeys(figures["dates"]))
    versions = ", ".join(f"{name} {value}" for name, value in figures["versions"].items())
    most = {kind: max(point["n"] for one in figures["series"] if one["kind"] == kind for point in one["points"]) for kind in STEPS
            if any(one["kind"] == kind for one in figures["series"])}
    found = faster(figures)
    parts = [
        "# Growth",
        "For people who have very long films or very many, and want to know what that costs.",
        prose("`Benchmarks/growth.py` measures and writes this page, its plots and the figures behind them ([growth.json](growth.json)); nothing "
              "here is written by hand. How fast Scrub is beside other programs is in [benchmarks](benchmarks.md), and why in "
              "[performance](performance.md)."),
        prose(f"Measured {dates}: {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']:g} GiB, Linux {machine['kernel']}. "
              f"Versions: {versions}. Up to " + " and ".join(f"{n:,} {THINGS[kind]}" for kind, n in most.items()) + "."),
        prose("Each value is a process of its own, from its start to its end, with its processor time and its memory at the peak; the least of some "
              "rounds, the file in the page cache. The slope is that between the last two sizes where both axes are logarithmic: 0 is constant, 1 is "
              "ten times as much for ten times as many, 2 is a hundred times. A process takes some milliseconds and mebibytes before its first "
              "frame, which hides the slope of what is small. `faster`: the slope is above what it must be."),
        "## What grows faster than it must",
        "\n".join(map(item, found)) if found else "Nothing of these.",
    ]
    titles = {"film": "## Long films", "library": "## Libraries of many films"}
    words = {
        "film": "Films of 64 x 64 pixels in H.264 with B pictures, 50 frames a second, a group of 250 frames at most, and quiet sound: a short one "
                "many times over, so that the tables are those of a long film without its bytes. A real film's bytes matter where the file itself "
                "is read for the index: all of an MPEG-TS, the block headers of Matroska. An index of more than 512 MiB is not kept, "
                "so an MPEG-TS of more than nine million frames is read at each opening.",
        "library": "Films of two seconds, a hundred in a folder. Those with contents of their own are all worked on; those that are names of one film "
                   "(hard links) find its saved index. The mean of thirty is given for a new film, because about one in a hundred stores looks at the whole "
                   "cache. A first run that takes long is stopped and gone on with, and its parts are added up.",
    }
    for kind, steps in STEPS.items():
        sections = [part for step in steps for part in _section(figures, kind, step)]
        parts += [titles[kind], prose(words[kind]), *sections] if sections else []
    parts += [
        "## Repeat it",
        prose("`python3 Benchmarks/growth.py FOLDER` makes films and libraries in FOLDER (about 15 GB) and measures, in an hour or so. What is measured is "
              "kept there, so it may be stopped and gone on with; `--frames`, `--films` and `--only` choose less. `python3 Benchmarks/growth.py FOLDER "
              "--write` makes this page of it."),
    ]
    return "\n\n".join(parts) + "\n"


def lines(figures: dict[str, Any]) -> str:
    """The same as text for people at a terminal: a line for each curve."""
    rows = []
    for kind, steps in STEPS.items():
        for step in steps:
            for group, parts in _found(figures, kind, step).items():
                for quantity, curve in parts.items():
                    values = "  ".join(f"{n:,}: {amount(value, quantity)}" for n, value in curve.points)
                    rows.append(f"{step.name:12} {group:10} {SHORT[quantity]:14} slope {slope(curve.last):>5} (most {curve.most:g}) {verdict(curve):6} {values}; "
                                f"one more {one_more(curve, quantity)}")
    return "\n".join(rows)


__all__ = ["collect", "faster", "least", "lines", "page", "pictures", "text"]
