"""The results as one HTML page that needs nothing else: a panel for each clip and column, every request a dot."""

from __future__ import annotations

import math
from html import escape

from comparison.ratios import COLUMNS, REFERENCE, ratios
from comparison.results import Result, Run
from comparison.table import number, wrong_text

WIDTH, NAME, ROW, TOP, BOTTOM = 560, 150, 22, 8, 24
VALUE = 66  # room for the number to the right of the bars

STYLE = """
:root { --ink: #1d2327; --soft: #68737b; --line: #dde2e6; --back: #ffffff; --rival: #9db2c4; --wrong: #e3b7a6;
    --scrub: #1f7a5c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaed; --soft: #94a0a8; --line: #343c42; --back: #15191c;
    --rival: #4c6478; --wrong: #7c4a38; --scrub: #39b48a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 2rem auto;
    max-width: 1180px; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-top: 1px solid var(--line);
    padding-top: 1rem; } h3 { font-size: .95rem; margin: .4rem 0; font-weight: 600; }
p, li { max-width: 75ch; } .soft { color: var(--soft); }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); gap: 1rem 2rem; }
svg { width: 100%; height: auto; } text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.axis { stroke: var(--line); } .tick { fill: var(--soft); font-size: 11px; }
.rival { fill: var(--rival); } .wrong { fill: var(--wrong); } .scrub { fill: var(--scrub); }
.dot { fill: var(--ink); opacity: .28; } .late { stroke: var(--ink); stroke-width: 1.5; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
"""

LEGEND = """<p>Each bar ends at the median, the upright mark is the 95th percentile, each dot one request. The scale is
logarithmic: a bar half as long is not half the time, read the numbers. <b style="color:var(--scrub)">Scrub</b>;
<span style="background:var(--rival)">&nbsp;rival&nbsp;</span>;
<span style="background:var(--wrong)">&nbsp;rival that gave wrong pictures on this clip, marked *&nbsp;</span>.</p>"""


class Scale:
    """Milliseconds to pixels, logarithmic, between whole powers of ten."""

    def __init__(self, values: list[float]) -> None:
        self.low = math.floor(math.log10(max(min(values), 0.001)))
        self.high = max(math.ceil(math.log10(max(max(values), 0.001))), self.low + 1)

    def __call__(self, value: float) -> float:
        part = (math.log10(max(value, 10.0**self.low)) - self.low) / (self.high - self.low)
        return NAME + part * (WIDTH - NAME - VALUE)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def _kind(result: Result) -> str:
    if result.rival.startswith(REFERENCE):
        return "scrub"
    return "rival" if result.exact else "wrong"


def _name(result: Result) -> str:
    return escape(result.rival) + ("" if result.exact else " *")


def _time(value: float) -> str:
    return f"{value / 1000:g} s" if value >= 1000 else f"{value:g} ms"


def _row(result: Result, column: str, scale: Scale, top: float) -> str:
    values = result.values(column)
    middle, late = result.summary(column), result.summary(column, 0.95)
    assert middle is not None and late is not None
    start, end, centre = scale(0), scale(middle), top + ROW / 2
    parts = [
        f'<text x="{NAME - 8}" y="{centre + 4}" text-anchor="end">{_name(result)}</text>',
        f'<rect class="{_kind(result)}" x="{start:.1f}" y="{top + 4}" width="{max(end - start, 1):.1f}" height="{ROW - 8}"/>',
    ]
    if len(values) > 1:
        for place, value in enumerate(values):
            wobble = (place * 0.618 % 1 - 0.5) * (ROW - 10)
            parts.append(f'<circle class="dot" cx="{scale(value):.1f}" cy="{centre + wobble:.1f}" r="1.6"/>')
        x = scale(late)
        parts.append(f'<line class="late" x1="{x:.1f}" x2="{x:.1f}" y1="{top + 3}" y2="{top + ROW - 3}"/>')
    title = f"{escape(result.rival)}: median {number(middle)} ms, p95 {number(late)} ms, {len(values)} measured"
    parts.append(f'<text x="{WIDTH - 4}" y="{centre + 4}" text-anchor="end">{number(middle)}</text>')
    return f"<g><title>{title}</title>{''.join(parts)}</g>"


def _panel(results: list[Result], column: str) -> str:
    shown = [result for result in results if result.values(column)]
    if not shown:
        return ""
    shown.sort(key=lambda result: result.summary(column) or 0)
    scale = Scale([value for result in shown for value in result.values(column)])
    bottom = TOP + ROW * len(shown)
    parts = []
    for tick in scale.ticks():
        x = scale(tick)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{_time(tick)}</text>')
    parts += [_row(result, column, scale, TOP + ROW * place) for place, result in enumerate(shown)]
    picture = f'<svg viewBox="0 0 {WIDTH} {bottom + BOTTOM}" role="img" aria-label="{COLUMNS[column]}">{"".join(parts)}</svg>'
    return f"<div><h3>{COLUMNS[column]}, ms</h3>{picture}</div>"


def _table(head: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f'<div class="wide"><table>{line(head, "th")}{"".join(line(row, "td") for row in rows)}</table></div>'


def _costs(results: list[Result]) -> str:
    rows = []
    for result in results:
        phase = result.phases.get("random")
        cpu = number(phase.cpu_ms / phase.asked) if phase and phase.asked else "-"
        frames = f"{result.frames}" + ("" if result.frames == result.true_frames else f" of {result.true_frames}")
        rows.append([result.rival, result.pictures, frames, cpu, number(result.peak_mb), wrong_text(result), result.failed or ""])
    head = ["", "pictures", "frames it counts", "cpu ms a random seek", "peak MB", "wrong (other + damaged + error)", ""]
    return _table(head, rows)


def _ratios(results: list[Result]) -> str:
    rows = []
    for part in (0.5, 0.95):
        for opponent, found in ratios(results, part).items():
            if found:
                cells = [str(found[column]) if column in found else "-" for column in COLUMNS]
                rows.append([f"{opponent}, p{round(part * 100)}", *cells])
    if not rows:
        return ""
    explained = '<p class="soft">Scrub’s time divided by the other’s: below 1 Scrub is faster.</p>'
    return _table(["scrub / rival", *COLUMNS.values()], rows) + explained


def _facts(run: Run) -> str:
    facts = run.facts
    if not facts:
        return ""
    versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items())
    place = f"{facts['processor']}, {facts['cores']} cores, Linux {facts['kernel']}; load at the start {facts['load'][0]}"
    return f'<p class="soft">{escape(facts["date"])}. {escape(place)}. Decoder threads: {escape(facts["threads"])}. {escape(versions)}.</p>'


def html(run: Run) -> str:
    parts = ["<h1>Exact frames: scrub and other programs</h1>", _facts(run), LEGEND]
    for clip in run.clips():
        results = run.of(clip)
        parts.append(f"<h2>{escape(clip)}, {results[0].true_frames} frames</h2>")
        parts.append(_ratios(results))
        parts.append('<div class="panels">' + "".join(_panel(results, column) for column in COLUMNS) + "</div>")
        parts.append(_costs(results))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Exact frames compared</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>{"".join(parts)}</body></html>\n'
