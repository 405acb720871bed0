"""Plots as SVG: a bar for each row, readable on a telephone and on dark pages. Text is text."""

from __future__ import annotations

import math
from html import escape

from suite.outcome import Row, number, times

WIDTH, SIDE, ROW, BAR = 460, 12, 38, 11
HEAD, FOOT = 62, 46
MOST = 20
"""With more rows only the worst of each clip is drawn."""

STYLE = """svg{color-scheme:light dark}.back{fill:#fff;stroke:#d8dce0}.ink{fill:#1b1e22}.soft{fill:#59626b}
.grid{stroke:#d8dce0}.one{stroke:#59626b}.ahead{fill:#1f7a5c}.behind{fill:#b4501e}.other{fill:#8a97a3}
text{font:13px system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif}.title{font-size:15px;font-weight:600}.small{font-size:12px}
@media(prefers-color-scheme:dark){.back{fill:#15181c;stroke:#3a4047}.ink{fill:#e6e8eb}.soft{fill:#a3adb6}.grid{stroke:#343a41}
.one{stroke:#a3adb6}.ahead{fill:#3dba8c}.behind{fill:#ee8a52}.other{fill:#6d7985}}"""


def text(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(kind: str, x: float, top: float, bottom: float) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{bottom:g}"/>'


def _bar(kind: str, left: float, right: float, top: float, is_pale: bool) -> str:
    pale = ' opacity="0.5"' if is_pale else ""
    return f'<rect class="{kind}" x="{left:.1f}" y="{top:g}" width="{max(right - left, 1.5):.1f}" height="{BAR}" rx="2"{pale}/>'


def drawing(title: str, axis: str, description: str, height: float, parts: list[str], legend: str, style: str = STYLE) -> str:
    """The whole picture: its frame, what it is called, what the axis says, a line below, and what is given."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-labelledby="t d"><title id="t">{escape(title)}</title><desc id="d">{escape(description)}</desc><style>{style}</style>')
    frame = f'<rect class="back" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>'
    words = [text(SIDE, 24, title, "ink title"), text(SIDE, 43, axis, "soft small"), text(SIDE, height - 10, legend, "soft small")]
    return "\n".join([head + frame, *words, *parts, "</svg>"]) + "\n"


def worst(rows: list[Row]) -> list[Row]:
    """At most `MOST` rows: where there are more, the worst of those whose clip has the same name up to a comma."""
    if len(rows) <= MOST:
        return rows
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = (row.clip.split(",")[0], row.ours)
        value = row.own[1] if row.ratio is None else row.ratio
        if key not in found or value < (found[key].own[1] if found[key].ratio is None else found[key].ratio):
            found[key] = row
    return list(found.values())


def label(row: Row, named: bool) -> str:
    return f"{row.clip}, {row.ours.removeprefix('scrub, ')}" if named else row.clip


def _grid(ticks: dict[float, str], one: float | None, count: int) -> list[str]:
    """Lines behind the bars, not behind the text between them, and what they mean below."""
    parts = []
    for x, words in ticks.items():
        kind = "one" if x == one else "grid"
        parts += [_line(kind, x, HEAD + ROW * row + 16, HEAD + ROW * row + 32) for row in range(count)]
        parts.append(text(x, HEAD + ROW * count + 14, words, "soft small", "end" if x > WIDTH - 30 else "middle"))
    return parts


def ratios(title: str, rows: list[Row], named: bool) -> str:
    """How many times as fast as the fastest rival, on a logarithmic axis that begins at 1 to both sides."""
    shown = [row for row in worst(rows) if row.ratio is not None]
    values = [math.log2(row.ratio) for row in shown]
    low, high = min(-1, math.floor(min(values))), max(1, math.ceil(max(values)))
    left, right = SIDE + 8, WIDTH - SIDE - 8
    step = max(1, math.ceil((high - low) / 8))

    def place(power: float) -> float:
        return left + (power - low) / (high - low) * (right - left)

    powers = [power for power in range(low, high + 1) if power % step == 0]
    parts = _grid({place(power): f"{2**power:,}" if power >= 0 else f"1/{2**-power:,}" for power in powers}, place(0), len(shown))
    for number_of, (row, value) in enumerate(zip(shown, values)):
        top = HEAD + ROW * number_of
        ends = sorted((place(0), place(value)))
        parts.append(text(SIDE, top + 12, label(row, named)))
        parts.append(text(WIDTH - SIDE, top + 12, f"{times(row.ratio or 0)} × {row.rival}", "ink", "end"))
        parts.append(_bar("ahead" if row.ratio and row.ratio >= 1 else "behind", *ends, top + 18, not row.is_sure))
    said = "; ".join(f"{label(row, named)}: {times(row.ratio or 0)} times {row.rival}" for row in shown)
    axis = "times as fast as the fastest rival that is right (logarithmic)"
    legend = "right of 1: Scrub is ahead; pale: chance may decide"
    return drawing(title, axis, said, HEAD + ROW * len(shown) + FOOT, parts, legend)


def shares(title: str, rows: list[Row], named: bool) -> str:
    """Parts of 100, ours and the rival's, with a mark at the goal."""
    shown: list[tuple[Row, str, float, str]] = []
    drawn = worst(rows)
    for place_of, row in enumerate(drawn):
        shown.append((row, label(row, named), row.own[1], "behind" if row.ahead is False else "ahead"))
        last = place_of + 1 == len(drawn) or drawn[place_of + 1].clip != row.clip
        if last and row.rival and row.other:
            shown.append((row, f"{row.clip}, {row.rival}", row.other[1], "other"))
    left, right = SIDE + 8, WIDTH - SIDE - 8

    def place(share: float) -> float:
        return left + share / 100 * (right - left)

    parts = _grid({place(share): f"{share} %" for share in range(0, 101, 20)}, None, len(shown))
    for number_of, (row, name, value, kind) in enumerate(shown):
        top = HEAD + ROW * number_of
        parts += [text(SIDE, top + 12, name), text(WIDTH - SIDE, top + 12, f"{number(value)} %", "ink", "end")]
        parts.append(_bar(kind, place(0), place(value), top + 18, False))
        if row.goal is not None and kind != "other":
            parts.append(_line("one", place(row.goal), top + 15, top + 32))
    said = "; ".join(f"{name}: {number(value)} %" for _, name, value, _ in shown)
    return drawing(title, "per cent of the moves", said, HEAD + ROW * len(shown) + FOOT, parts, "mark: the goal; gray: the rival")
