"""The results as text for people."""

from __future__ import annotations

from comparison.ratios import COLUMNS, ratios
from comparison.results import Result, Run

NOTES = """Milliseconds. Phases: p50/p95; "a/b" requests where the time ran out. cpu: processor ms a random seek. MB: peak memory.
wrong: other frame + damaged picture + error, of all answers; a rival with any is marked * and is not exact on that clip."""


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def wrong_text(result: Result) -> str:
    if result.wrong == result.missing == 0:
        return f"0 of {result.asked}"
    phases = result.phases.values()
    kinds = (sum(len(getattr(phase, kind)) for phase in phases) for kind in ("other", "damaged", "errors"))
    return f"{'+'.join(map(str, kinds))} of {result.asked}"


def _cell(result: Result, column: str) -> str:
    middle = number(result.summary(column))
    if middle == "-" or column not in result.phases or column == "first":
        return middle
    phase = result.phases[column]
    few = f" {phase.asked}/{phase.planned}" if phase.asked < phase.planned else ""
    return f"{middle}/{number(result.summary(column, 0.95))}{few}"


def _row(result: Result) -> list[str]:
    if result.failed and not result.asked:
        return [result.rival, "failed: " + result.failed]
    phase = result.phases.get("random")
    cpu = number(phase.cpu_ms / phase.asked) if phase and phase.asked else "-"
    name = result.rival + ("" if result.exact else " *")
    cells = [_cell(result, column) for column in COLUMNS]
    note = [f"failed: {result.failed}"] if result.failed else []
    return [name, *cells, cpu, number(result.peak_mb), wrong_text(result), *note]


def lay_out(rows: list[list[str]]) -> str:
    """Columns as wide as their widest cell; the first to the left, the others to the right. The last cell of a row that
    is shorter or longer than the head is a remark and widens nothing."""
    full = len(rows[0])
    widths = [max(len(row[i]) for row in rows if len(row) >= full) for i in range(full)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        if len(row) >= full:
            cells += [cell.rjust(width) for cell, width in zip(row[1:full], widths[1:])]
            cells += row[full:]
        else:
            cells += row[1:]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _ratio_rows(results: list[Result]) -> list[list[str]]:
    rows = [["scrub / rival", *COLUMNS.values()]]
    for part in (0.5, 0.95):
        for opponent, row in ratios(results, part).items():
            cells = []
            for column in COLUMNS:
                ratio = row.get(column)
                named = f" {ratio.against}" if ratio and opponent != "mpv" else ""
                cells.append(f"{ratio}{named}" if ratio else "-")
            rows.append([f"{opponent}, p{round(part * 100)}", *cells])
    return rows


def text(run: Run) -> str:
    parts = [NOTES]
    head = ["", *COLUMNS.values(), "cpu", "MB", "wrong"]
    for clip in run.clips():
        results = run.of(clip)
        parts.append(f"{clip}, {results[0].true_frames} frames\n" + lay_out([head, *map(_row, results)]))
        rows = _ratio_rows(results)
        if len(rows) > 1:
            parts.append(lay_out(rows) + "\nBelow 1 scrub is faster; * the rival gave wrong pictures on this clip.")
    return "\n\n".join(parts)
