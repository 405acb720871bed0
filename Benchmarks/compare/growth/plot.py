"""Plots of both logarithms: a line for each container or library, and a dotted one for what grows as the number does."""

from __future__ import annotations

import math

from suite import chart
from suite.outcome import number

LINES = ("#1f7a5c", "#b4501e", "#3a6fb0", "#8a5aa8")
DARK = ("#3dba8c", "#ee8a52", "#79a9e6", "#c79ae0")
STYLE = chart.STYLE + "\n.curve{fill:none;stroke-width:2}.guide{stroke:#8a97a3;stroke-dasharray:2 4;fill:none}" + "".join(
    f".l{place}{{stroke:{color}}}.f{place}{{fill:{color}}}" for place, color in enumerate(LINES)
) + "@media(prefers-color-scheme:dark){" + "".join(f".l{place}{{stroke:{color}}}.f{place}{{fill:{color}}}" for place, color in enumerate(DARK)) + "}"
LEFT, TOP, HEIGHT = 62, 62, 240


def _bounds(values: list[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def power(exponent: int) -> str:
    """A power of ten as people write it: 0.01, 1,000, 10 to the 6th."""
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{10**exponent:,}" if 0 <= exponent <= 3 else f"{10.0**exponent:g}" if -4 < exponent < 0 else f"10{raised}"


def growth(title: str, unit: str, things: str, curves: dict[str, list[tuple[int, float]]]) -> str:
    """The values of each curve over how many there are."""
    points = [point for curve in curves.values() for point in curve]
    (left, right), (low, high) = _bounds([n for n, _ in points]), _bounds([value for _, value in points])
    width, bottom = chart.WIDTH - LEFT - chart.SIDE - 14, TOP + HEIGHT

    def place(n: float, value: float) -> tuple[float, float]:
        return LEFT + (math.log10(n) - left) / (right - left) * width, bottom - (math.log10(value) - low) / (high - low) * HEIGHT

    parts = []
    for exponent in range(left, right + 1):
        x, _ = place(10**exponent, 10**low)
        parts += [f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>', chart.text(x, bottom + 15, power(exponent), "soft small", "middle")]
    for exponent in range(low, high + 1):
        _, y = place(10**left, 10**exponent)
        parts += [f'<line class="grid" x1="{LEFT}" x2="{LEFT + width}" y1="{y:.1f}" y2="{y:.1f}"/>', chart.text(LEFT - 6, y + 4, power(exponent), "soft small", "end")]
    # As the number does: ten times as much for ten times as many, as far as it is inside.
    steps = min(right - left, high - low)
    begin, end = place(10**right / 10**steps, 10**high / 10**steps), place(10**right, 10**high)
    parts.append(f'<line class="guide" x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>')
    for order, (name, curve) in enumerate(curves.items()):
        where = [place(*point) for point in curve]
        parts.append(f'<polyline class="curve l{order}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}"/>')
        parts += [f'<circle class="f{order}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in where]
        parts.append(chart.text(LEFT, bottom + 36 + 17 * order, f"● {name}", f"f{order} small"))
    said = "; ".join(f"{name}: " + ", ".join(f"{number(value)} at {n:,}" for n, value in curve) for name, curve in curves.items())
    legend = "dotted: ten times as much for ten times as many"
    return chart.drawing(title, f"{unit}, over {things} (both logarithmic)", said, bottom + 62 + 17 * (len(curves) - 1), parts, legend, STYLE)
