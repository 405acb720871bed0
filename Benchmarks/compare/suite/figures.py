"""What the page is made of: the middle and the spread of every series, in one small file that is committed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from comparison.series import Series, is_ours
from suite.cases import CASES, Case


def rounded(value: float) -> float:
    """Four digits: more than any of these figures is good for."""
    return float(f"{value:.4g}")


def summary(one: Series) -> dict[str, Any]:
    """A series in short. A ratio is made of all values, because those of a rival whose time ran out are fewer; with it are the pairs
    of values that belong together, in how many of them ours is ahead, and the two middles over these pairs."""
    ways = {}
    for name, values in one.values.items():
        middle = one.middle(name)
        if middle is not None:
            ways[name] = [len(values), *map(rounded, (middle, min(values), max(values)))]
    ratios: dict[str, dict[str, list[float]]] = {}
    for ours in filter(is_ours, ways):
        for theirs in ways:
            ratio = None if is_ours(theirs) else one.times_as_fast(ours, theirs)
            if ratio is not None:
                ratios.setdefault(ours, {})[theirs] = [rounded(ratio), *one.pairs(ours, theirs), *(rounded(value or 0) for value in one.common(ours, theirs))]
    made = {"clip": one.clip, "measure": one.measure, "unit": one.unit, "better": one.better, "ways": ways, "ratios": ratios}
    more = {"statistic": one.statistic, "checked": one.checked, "remarks": one.remarks}
    return made | {key: value for key, value in more.items() if value and value != "median"}


def _series(case: Case, files: list[list[dict]]) -> list[Series]:
    found: dict[tuple[str, str], Series] = {}
    for lines in files:
        for one in case.read(lines[1:]):
            key = (one.clip, one.measure)
            if key in found:
                found[key].extend(one)
            else:
                found[key] = one
    return list(found.values())


def collect(folder: Path) -> dict[str, Any]:
    """The figures of all raw results in a folder. Those of two machines or of two versions do not go together."""
    cases: dict[str, Any] = {}
    heads: list[dict] = []
    left_out: dict[str, str] = {}
    for case in CASES:
        place = folder / case.name
        parts = [[json.loads(line) for line in file.read_text().splitlines()] for file in sorted(place.glob("*/*.jsonl"))]
        lacking = json.loads((place / "lacking").read_text()) if (place / "lacking").exists() else None
        failed = {file.parent.name: json.loads(file.read_text())["reason"] for file in sorted(place.glob("*/*.error"))}
        if parts:
            first = parts[0][0]
            kinds = {lines[0]["quick"] for lines in parts}
            cases[case.name] = {
                "command": first["command"], "runs": len(parts), "kind": {(True,): "quick", (False,): "full"}.get(tuple(kinds), "both"),
                "left_out": {name: why for lines in parts for name, why in lines[0]["left_out"].items()},
                "failed": failed, "series": [summary(one) for one in _series(case, parts)],
            }
            heads += [lines[0] for lines in parts]
        else:
            left_out[case.name] = f"it failed: {next(iter(failed.values()))}" if failed else lacking or "it was not asked for"
    if not heads:
        sys.exit(f"report: there are no results in {folder}")
    for key in ("processor", "cores", "memory_gib", "kernel", "versions"):
        said = {json.dumps(head[key], sort_keys=True) for head in heads}
        if len(said) > 1:
            sys.exit(f"report: results of two machines or versions ({key}) in {folder}: {' and '.join(sorted(said))}")
    clips = {clip["name"]: clip for head in heads for clip in head["clips"]}
    loads = [head["load"][0] for head in heads]
    return {
        "machine": {key: heads[0][key] for key in ("processor", "cores", "memory_gib", "kernel")},
        "dates": [min(head["date"] for head in heads)[:10], max(head["date"] for head in heads)[:10]],
        "load": [min(loads), max(loads)],
        "minutes": round(sum(head["seconds"] for head in heads) / 60),
        "versions": heads[0]["versions"],
        "clips": [clips[name] for name in sorted(clips)],
        "left_out": left_out,
        "cases": cases,
    }


def text(figures: dict[str, Any]) -> str:
    """JSON with a line for each series, so that a new measurement is a difference that can be read."""
    lines = ["{"]
    for key, value in figures.items():
        if key != "cases":
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False)},')
    lines.append('"cases": {')
    names = list(figures["cases"])
    for name in names:
        case = figures["cases"][name]
        facts = {key: value for key, value in case.items() if key != "series"}
        rows = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in case["series"])
        lines.append(f'"{name}": {json.dumps(facts, ensure_ascii=False)[:-1]}, "series": [\n{rows}]}}' + ("," if name != names[-1] else ""))
    return "\n".join([*lines, "}}"]) + "\n"
