"""docs/benchmarks.md, its plots, and the table of README.md: text and pictures made of the figures, and of nothing else."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from suite import chart, outcome
from suite.cases import CASES, Case, Measure
from suite.outcome import Row, number, times

PICTURES = "images/benchmarks"
NAMES = {"av": "PyAV", "opencv-python-headless": "OpenCV", "pillow": "Pillow", "ffms2": "FFMS2"}


def prose(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 120, break_on_hyphens=False, break_long_words=False))


def item(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 120, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False, break_long_words=False))


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def spread(way: list[float], least: float | None = None) -> str:
    count, *values = way
    middle, low, high = (outcome.figure(value, least) for value in values)
    return middle if count == 1 else f"{middle} ({low}–{high})"


def _anchor(title: str) -> str:
    """As GitHub names a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def heading(case: Case, measure: Measure) -> str:
    return f"{case.title}: {measure.title[0].lower()}{measure.title[1:]}"


def picture(case: Case, name: str) -> str:
    return f"{case.name}-{name.replace(' ', '-')}.svg"


def pictures(figures: dict[str, Any]) -> dict[str, str]:
    """The plots, by their file's name."""
    found = {}
    for case in CASES:
        for name, measure, series in outcome.measured(case, figures):
            rows = outcome.rows(series, measure)
            title, named = heading(case, measure), outcome.names_ours(rows)
            if measure.share:
                found[picture(case, name)] = chart.shares(title, rows, named)
            elif measure.shown and any(row.ratio is not None for row in rows):
                found[picture(case, name)] = chart.ratios(title, rows, named)
    return found


def _row(row: Row, named: bool, measure: Measure) -> list[str]:
    rival = f"{row.rival} {spread(row.other)}" if row.rival and row.other else "–"
    ratio = "–" if row.ratio is None else ("over " if row.least is not None and row.ratio < 1000 else "") + times(row.ratio) + ("" if row.is_sure else " ~") + (" †" if row.is_cut else "")
    goals = [number(row.goal) if row.goal is not None else ""] if measure.goals else []
    ours = [row.ours.removeprefix("scrub, ")] if named else []
    return [row.clip, *ours, spread(row.own, measure.least), rival, *([] if measure.share else [ratio]), *goals, "behind" if row.ahead is False else ""]


def _medians(series: list[dict[str, Any]], measure: Measure) -> str | None:
    """All programs beside each other, where there are more than the two of the first table."""
    names = list(dict.fromkeys(name for one in series for name in one["ways"]))
    if len([name for name in names if not outcome.is_ours(name)]) < 2:
        return None

    def cell(one: dict[str, Any], name: str) -> str:
        if name not in one["ways"]:
            return one.get("remarks", {}).get(name, "–")
        return outcome.figure(one["ways"][name][1], measure.least if outcome.is_ours(name) else None) + ("" if outcome.is_right(one, name) else " \\*")

    return table(["", *names], [[one["clip"], *(cell(one, name) for name in names)] for one in series])


def _measure(case: Case, name: str, measure: Measure, series: list[dict[str, Any]], drawn: set[str]) -> list[str]:
    rows = outcome.rows(series, measure)
    named = outcome.names_ours(rows)
    middle = "mean" if series[0].get("statistic") == "mean" else "median"
    head = ["", *(["Scrub's way"] if named else []), f"Scrub, {rows[0].unit}", f"{'best rival' if measure.share or rows[0].unit in outcome.SPACE else 'fastest rival'}, {rows[0].unit}",
            *([] if measure.share else ["ratio"]), *(["goal"] if measure.goals else []), ""]
    parts = [f"### {heading(case, measure)}", prose(outcome.said(rows))]
    if (file := picture(case, name)) in drawn:
        shorter = len(rows) > chart.MOST
        parts.append(f"![{outcome.said(rows)}]({PICTURES}/{file})")
        parts += [prose("The plot has the worst row of each clip, the table all.")] if shorter else []
    parts.append(table(head, [_row(row, named, measure) for row in rows]))
    if any(row.least is not None and row.ratio is not None for row in rows):
        least = number(measure.least or 0)
        parts.append(prose(f"Under {least} {rows[0].unit}: the picture was there, and nothing had to be waited for. The factor is then that of "
                           f"{least} {rows[0].unit}, and the true one is above it."))
    if more := _medians(series, measure):
        parts += [f"All programs, {middle}s; with \\* another picture came at least once, or it is not the same work:", more]
    return parts


def _wrong(case: Case, figures: dict[str, Any]) -> list[str]:
    series = figures["cases"][case.name]["series"]
    found, totals = outcome.wrong(series), outcome.totals(series)
    if not found:
        return []
    def on(name: str, place: int) -> str:
        return ", ".join(clip for clip, counts in found.items() if counts.get(name, [0, 0])[place])

    rows = [[name, f"{wrong:,}", on(name, 0), f"{missing:,}", on(name, 1), f"{asked:,}"] for name, (wrong, missing, asked) in totals.items()]
    said = "Wrong: another frame than the one asked for, or a damaged picture. No picture: the program answered with an error."
    return [f"### {case.title}: wrong and missing pictures", prose(said), table(["", "wrong", "on", "no picture", "on", "asked for"], rows)]


def _case(case: Case, figures: dict[str, Any], drawn: set[str]) -> list[str]:
    parts = [f"## {case.title}", prose(case.about)]
    if case.name in figures["left_out"]:
        return [*parts, prose(f"Not measured: {figures['left_out'][case.name]}.")]
    facts = figures["cases"][case.name]
    amount = f"{facts['runs']} run{'s' if facts['runs'] > 1 else ''}" + {"quick": ", quick", "both": ", quick and full"}.get(facts["kind"], "")
    parts.append(prose(f"Repeat it: `python3 Benchmarks/report.py --only {case.name}`. Each run is `{facts['command']}` ({amount})."))
    for name, why in facts["left_out"].items():
        parts.append(prose(f"Left out: {name}, {why}."))
    for clip, why in facts["failed"].items():
        parts.append(prose(f"Failed on {clip}: {why}."))
    for name, measure, series in outcome.measured(case, figures):
        parts += _measure(case, name, measure, series, drawn)
    return parts + _wrong(case, figures)


def _results(figures: dict[str, Any]) -> tuple[list[list[str]], list[str]]:
    """The table at the head, and the misses."""
    rows, misses = [], []
    for case in CASES:
        for _, measure, series in outcome.measured(case, figures):
            found = outcome.rows(series, measure)
            judged = [row for row in found if row.ahead is not None]
            if not judged:
                continue
            ahead = sum(row.ahead is True for row in judged)
            ratios = [row.ratio for row in judged if row.ratio is not None and row.goal is None]
            link = f"[{heading(case, measure)}](#{_anchor(heading(case, measure))})"
            span = outcome.span(ratios) if ratios else f"goal: {', '.join(sorted({number(row.goal) for row in judged if row.goal is not None}))} {judged[0].unit}"
            rows.append([link, span, str(ahead), str(len(judged) - ahead)])
            named = outcome.names_ours(found)
            missed = [f"{chart.label(row, named)}: {outcome.behind(row)}" for row in judged if row.ahead is False]
            if missed:
                misses.append(f"**{heading(case, measure)}**, {len(missed)} of {len(judged)}. {'; '.join(missed)}.")
    return rows, misses


def _clip(clip: dict[str, Any]) -> list[str]:
    return [clip["name"], clip["codec"], f"{clip['width']} x {clip['height']}", f"{clip['frames']:,}", number(clip["seconds"]), number(clip["mb"])]


def page(figures: dict[str, Any]) -> str:
    machine, drawn = figures["machine"], set(pictures(figures))
    dates = figures["dates"][0] if figures["dates"][0] == figures["dates"][1] else " to ".join(figures["dates"])
    load = " to ".join(map(number, dict.fromkeys(figures["load"])))
    versions = ", ".join(f"{NAMES.get(name, name)} {value}" for name, value in figures["versions"].items())
    kinds = {case["kind"] for case in figures["cases"].values()}
    quick = "" if kinds == {"full"} else " of quick runs, with few rounds and few clips" if kinds == {"quick"} else ", some of them quick runs"
    rows, misses = _results(figures)
    parts = [
        "# Benchmarks",
        "For people who want to know how fast Scrub is beside other programs, and where it is slower.",
        prose("`Benchmarks/report.py` measures and writes this page, its plots and the figures behind them "
              "([benchmarks.json](benchmarks.json)); nothing here is written by hand. [Performance](performance.md) says why, "
              "[Benchmarks/compare](../Benchmarks/compare/README.md) how rivals are used, and what is fair."),
        prose(f"Measured {dates}, in {figures['minutes']} minutes{quick}: {machine['processor']}, {machine['cores']} cores, "
              f"{machine['memory_gib']:g} GiB, Linux {machine['kernel']}; load at the start of each run {load}. Versions: {versions}."),
        prose("Programs take turns in each run. A figure is a median, with the least and the greatest in brackets. A ratio says how many "
              "times as fast Scrub is as the fastest rival that is right: below 1 Scrub is slower. `~`: chance may decide, because there are fewer "
              "than three pairs of figures, or not four in five of them say what the ratio says. `†`: the time of one ran out, and the ratio is over the requests that both "
              "answered. `behind`: a rival is faster, or a goal is not reached."),
        "## In short",
        table(["", "ratio to the fastest rival", "ahead", "behind"], rows),
        "## Where Scrub is behind",
        "\n".join(item(miss) for miss in misses) if misses else "In none of these.",
    ]
    for case in CASES:
        parts += _case(case, figures, drawn)
    parts += [
        "## The clips",
        table(["", "codec", "size", "frames", "seconds", "MB"], [_clip(clip) for clip in figures["clips"]]),
        "## Repeat it",
        prose("`bash Benchmarks/compare/setup.sh` installs the rivals and makes clips. `python3 Benchmarks/report.py --quick` measures for about "
              "ten minutes on two cores, without `--quick` for hours; `--clips FOLDER` takes other films whose pictures carry their number. "
              "What is measured is kept, so a run may be stopped and gone on with. `python3 Benchmarks/report.py --write` makes this page of it."),
    ]
    return "\n\n".join(parts) + "\n"


BEGIN, END = "<!-- made by Benchmarks/report.py -->", "<!-- until here -->"


def _headline(case: Case, measure: Measure, series: list[dict[str, Any]]) -> list[str] | None:
    """The cells of a measure in README.md, or nothing where no rival gave figures."""
    found = outcome.rows(series, measure)
    link = f"[{heading(case, measure)}](docs/benchmarks.md#{_anchor(heading(case, measure))})"
    if measure.share:
        ways = list(dict.fromkeys(way for one in series for way in one["ways"]))
        middles = {way: sorted(one["ways"][way][1] for one in series if way in one["ways"]) for way in ways}
        return [link, "", "; ".join(f"{way} {'–'.join(dict.fromkeys(map(number, (all_of[0], all_of[-1]))))} %" for way, all_of in middles.items()), ""]
    compared = sorted((row for row in found if row.ratio is not None and row.goal is None), key=lambda row: row.ratio or 0)
    if not compared:
        return None
    row = compared[(len(compared) - 1) // 2]
    slower = sorted({other.rival or "" for other in compared if other.ahead is False})
    example = f"{row.clip}: {number(row.common[0])} {row.unit}, {row.rival} {number(row.common[1])}"
    return [link, outcome.span([one.ratio for one in compared if one.ratio]), example, ", ".join(slower)]


def _faults(wrong: int, missing: int) -> str:
    """Both counts in words, as far as there are some."""
    return " and ".join([f"{wrong} wrong"] * (wrong > 0) + [f"{missing} missing"] * (missing > 0)) or "0"


def readme_table(figures: dict[str, Any]) -> str:
    """For README.md: a row for each measure that is a headline, and one for wrong pictures."""
    rows = []
    for case in CASES:
        rows += filter(None, (_headline(case, measure, series) for _, measure, series in outcome.measured(case, figures) if measure.headline))
        if case.name in figures["cases"] and (totals := outcome.totals(figures["cases"][case.name]["series"])):
            others = ", ".join(f"{name} {_faults(wrong, missing)}" for name, (wrong, missing, _) in totals.items()
                               if wrong + missing and not outcome.is_ours(name))
            wrong, missing, asked = (sum(counts[place] for name, counts in totals.items() if outcome.is_ours(name)) for place in range(3))
            # Where no rival is wrong, it says nothing between them.
            if not others and wrong + missing == 0:
                continue
            rows.append([f"[{case.title}: wrong or missing pictures](docs/benchmarks.md#{_anchor(case.title)}-wrong-and-missing-pictures)", "",
                         f"Scrub {_faults(wrong, missing)} of {asked:,}" + (f"; {others}" if others else ""), ""])
    return table(["", "times as fast as the fastest rival", "for example, the middle one", "rivals that were faster"], rows)
