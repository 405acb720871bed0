"""The lines of scripts that keep their own form, as series."""

from __future__ import annotations

from comparison import results
from comparison.series import Series

# As the other scripts write them.
NAMES = {"pyav": "PyAV", "ffms2": "FFMS2", "opencv": "OpenCV"}
MEANS = ("gesture-forward", "gesture-back", "steps-back", "steps-forward")


def compared(lines: list[dict]) -> list[Series]:
    """compare.py: all rivals on each clip."""
    found: dict[tuple[str, str], Series] = {}
    for result in (results.result(line) for line in lines if line.get("kind") == "result"):
        columns = {"open": result.open_ms, **{name: phase.ms for name, phase in result.phases.items() if name != "first"}}
        columns["memory"] = [result.peak_mb] if result.peak_mb else []
        for measure, values in columns.items():
            statistic = "mean" if measure in MEANS else "median"
            unit = "MB" if measure == "memory" else "ms"
            one = found.setdefault((result.clip, measure), Series(result.clip, measure, unit, {}, statistic=statistic))
            name = NAMES.get(result.rival, result.rival)
            if values:
                one.values[name] = values
            one.checked[name] = [result.wrong, result.missing, result.asked]
            if result.failed:
                one.remarks[name] = "failed"
    return list(found.values())


def batches(lines: list[dict]) -> list[Series]:
    """batch.py: a line for each run of each way."""
    ways = {
        "scrub-tiles": [("sheets", "scrub batch")], "scrub": [("web sets", "scrub batch")],
        "ffmpeg-key": [("sheets", "ffmpeg for each"), ("web sets", "ffmpeg, sheets alone")],
        "one": [("one picture", "scrub batch --count 1")], "ffmpegthumbnailer-320": [("one picture", "ffmpegthumbnailer for each")],
    }
    found: dict[str, Series] = {}
    for line in lines:
        for measure, name in ways.get(line.get("run"), []):
            one = found.setdefault(measure, Series(f"{line['files']} films", measure, "s", {}))
            one.values.setdefault(name, []).append(line["seconds"])
    return list(found.values())


def gestures(lines: list[dict]) -> list[Series]:
    """previews.py: a line for each gesture in each way."""
    ways = {"cold": "scrub, cold", "warm": "scrub, previews made", "kept": "scrub, previews kept", "mpv": "mpv"}
    found: dict[tuple[str, str], Series] = {}
    for line in lines:
        if line.get("way") not in ways or "error" in line:
            continue
        figures = {
            ("in time", "%", "more"): 100 * line["right"] / max(1, line["moves"]),
            ("gap", "ms", "less"): line["gapMs"],
            ("rest", "ms", "less"): line["restMs"],
        }
        for (measure, unit, better), value in figures.items():
            if value is not None:
                clip = f"{line['clip']}, {line['gesture']}"
                one = found.setdefault((clip, measure), Series(clip, measure, unit, {}, better))
                one.values.setdefault(ways[line["way"]], []).append(value)
    return list(found.values())
