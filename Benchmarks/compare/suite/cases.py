"""The comparisons: what each measures and why, and the command that does it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from comparison import series
from comparison.places import HERE, scrub
from comparison.series import Series
from suite import adapters
from suite.clips import Clip


@dataclass(frozen=True)
class Plan:
    """What one run of report.py was asked for."""

    quick: bool
    clips: list[Clip]
    work: Path
    parts: int = 99
    """How often at most it goes through all comparisons."""

    def amount(self, quick: int, full: int) -> str:
        return str(quick if self.quick else full)


@dataclass(frozen=True)
class Measure:
    title: str
    goals: dict[str, float] = field(default_factory=dict)
    """By the name of ours: the figure that it has to reach or to stay within. Without one the fastest rival is the goal."""
    share: bool = False
    """A part of 100, drawn as such and not as a ratio."""
    shown: bool = True
    """Whether there is a plot of it."""
    headline: bool = False
    """Whether README.md has a row of it."""
    least: float | None = None
    """A time of ours below this is said to be under it, and its factor is the one of this: it says that nothing was waited for."""


Words = Callable[[Plan, list[Clip], Path], list[str]]


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    about: str
    script: str
    words: Words
    """The arguments, for the plan, the clips of this run, and the file that takes the JSON lines."""
    measures: dict[str, Measure]
    read: Callable[[list[dict]], list[Series]] = series.read
    choose: Callable[[list[Clip], bool], list[Clip]] = lambda clips, quick: clips
    together: bool = False
    """One run for all clips, and not one for each."""
    parts: int = 3
    """How often a full run comes back to it; a quick one does once."""
    needs: tuple[str, ...] = ()
    codes: tuple[int, ...] = (0,)
    """The exit codes of a script that has measured."""

    def groups(self, plan: Plan) -> list[list[Clip]]:
        chosen = self.choose(plan.clips, plan.quick)
        return [chosen] if self.together else [[clip] for clip in chosen]

    def lacking(self) -> str | None:
        script = HERE / self.script
        if not script.exists():
            return f"{self.script} is not there"
        if "--json" not in (text := script.read_text(encoding="utf-8")) and "--out" not in text:
            return f"{self.script} does not write its figures as JSON lines"
        missing = [program for program in self.needs if shutil.which(program) is None]
        return f"{missing[0]} is not installed" if missing else None


def _short(clips: list[Clip], quick: bool) -> list[Clip]:
    """Without films of hours; quickly, only one for each codec."""
    short = [clip for clip in clips if not clip.is_long]
    return list({clip.codec: clip for clip in reversed(short)}.values())[::-1] if quick else short


def _few(codecs: str, long: bool = False) -> Callable[[list[Clip], bool], list[Clip]]:
    """Quickly, only those of these codecs, one each, and a film of hours if there is one."""

    def choose(clips: list[Clip], quick: bool) -> list[Clip]:
        wanted = [clip for clip in _short(clips, quick) if not quick or clip.codec in codecs.split(",")]
        return wanted + [clip for clip in clips if long and clip.is_long]

    return choose


def _paths(clips: list[Clip]) -> list[str]:
    return [str(clip.path) for clip in clips]


def _frame(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    return ["--folder", str(clips[0].path.parent), clips[0].name, "--repeats", plan.amount(3, 5), "--json", str(out)]


def _random(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    phases = "random,gesture-back,steps-back" if plan.quick else "random,gesture-forward,gesture-back,steps-back"
    words = ["--folder", str(clips[0].path.parent), "--clips", clips[0].name, "--phases", phases]
    return words + (["--quick"] if plan.quick else []) + ["--out", str(out)]


def _arrays(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    words = ["--pairs", plan.amount(3, 5), "--frames", plan.amount(300, 600), "--batches", plan.amount(1, 3)]
    return [*_paths(clips), *words, "--json", str(out)]


def _open(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    return ["--keep", str(plan.work / "films"), "--repeats", plan.amount(7, 11), "--json", str(out)]


def _batch(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    words = [scrub(), str(plan.work / "library"), "--files", plan.amount(60, 600), "--rounds", plan.amount(1, 2)]
    words += ["--bases", "h264-360,hevc-360,mpeg4-288,mpeg2-576"] if plan.quick else []
    return words + ["--only", "scrub,scrub-tiles,ffmpeg-key,one,ffmpegthumbnailer-320", "--out", str(out)]


def _gestures(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    made = "drag,back" if plan.quick else "drag,back,turning,jitter"
    return [*_paths(clips), "--ways", "cold,warm,mpv", "--speeds", "usual", "--gestures", made, "--rounds", "1", "--json", str(out)]


def _network(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    return [*_paths(clips), "--only", "seeks", "--nets", "delay", "--rounds", plan.amount(1, 3), "--json", str(out)]


def _loaders(plan: Plan, clips: list[Clip], out: Path) -> list[str]:
    return [*_paths(clips), "--frames", plan.amount(96, 500), "--rounds", plan.amount(1, 3), "--json", str(out)]


def _films_over_http(clips: list[Clip], quick: bool) -> list[Clip]:
    """The longest H.264 film in an MP4, whose index is measured first and last."""
    wanted = [clip for clip in clips if clip.codec == "h264" and clip.path.suffix == ".mp4"]
    return sorted(wanted, key=lambda clip: -clip.frames)[:1]


CASES = [
    Case(
        "frame", "One frame to a file",
        "A whole process from its start to a PNG of the frame at 0.42 of the film: `scrub seek`, with a saved index and without any "
        "(`--no-cache`), and `ffmpeg -ss` half a frame early. It is what a script does that wants one picture. The number in each "
        "picture is read; one that shows another frame does not count.",
        "cli.py", _frame,
        {"time": Measure("Time", headline=True), "processor time": Measure("Processor time", shown=False), "memory": Measure("Memory at the peak", shown=False)},
        choose=_few("h264,hevc,vp9,av1", long=True),
    ),
    Case(
        "random", "Frames in any order",
        "A film is open, and frames are asked for one by one: random ones, then the moves of a finger forward and back, and single "
        "steps back. The time runs from the request to the whole picture in memory, as planes or as RGB, whichever the program "
        "hands out. All decode with two threads and are stopped while others have their turn. Moves and steps are means, because "
        "one of them works for the next ones. Every picture is checked against ffmpeg's linear decode; a program with one wrong "
        "picture on a clip is not a rival there. Opening is timed in the same processes, without a saved index.",
        "compare.py", _random,
        {
            "random": Measure("Random frames", headline=True), "gesture-forward": Measure("A finger's moves forward"),
            "gesture-back": Measure("A finger's moves back", headline=True), "steps-back": Measure("Steps back"), "open": Measure("Opening"),
            "memory": Measure("Memory at the peak", shown=False),
        },
        read=adapters.compared, choose=_few("h264,av1"), parts=1,
    ),
    Case(
        "arrays", "Frames as arrays in Python",
        "uint8 arrays of height x width x 3: the first frames of a film in a row, and batches of 16 random ones, by the Python package "
        "over the C library and by torchcodec in both of its seek modes, two threads each. Opening is not timed.",
        "frames.py", _arrays, {"in a row": Measure("In a row", headline=True), "batches of 16": Measure("Batches of 16", headline=True)},
        choose=_few("h264,hevc,vp9"),
    ),
    Case(
        "loaders", "Four workers",
        "Random frames of four films, asked for by four processes at once, as the loaders of a training run do.",
        "loaders.py", _loaders,
        {"speed": Measure("Speed", headline=True), "memory": Measure("Memory", shown=False), "open": Measure("Opening", shown=False)}, parts=1,
        choose=lambda clips, quick: _short(clips, True)[:4], together=True, codes=(0, 1),
    ),
    Case(
        "open", "Opening a film of two hours",
        "A whole process that says what is in a film: `scrub info`, with and without a saved index, and `ffprobe -show_format "
        "-show_streams`. A cold run of `scrub info` also makes the index of all frames, which ffprobe does not do.",
        "info.py", _open, {"time": Measure("Time", headline=True)}, choose=lambda clips, quick: [], together=True,
    ),
    Case(
        "keys", "A hundred thumbnails of key pictures",
        "A whole process that makes a sheet of a hundred thumbnails of 160 pixels, of whichever key pictures are nearest, without a "
        "saved index.",
        "thumbs.py", lambda plan, clips, out: [*_paths(clips), "--rounds", plan.amount(1, 3), "--json", str(out)],
        {"time": Measure("Time", headline=True)},
        choose=_few("h264,hevc", long=True),
    ),
    Case(
        "thumbnails", "A hundred exact thumbnails",
        "The same sheet of the very frames at a hundred times. ffmpeg's `fps` filter is right within a frame.",
        "thumbs.py", lambda plan, clips, out: [*_paths(clips), "--exact", "--rounds", "1", "--json", str(out)], {"time": Measure("Time")},
        choose=_few("av1"), parts=2,
    ),
    Case(
        "batch", "A whole library",
        "Thumbnail sets of a library of films, a tenth of them damaged: `scrub batch`, and one process for each film as many at once as "
        "there are processors (`xargs -P`): tiles by `ffmpeg -skip_frame nokey`, or one picture by ffmpegthumbnailer. Sets for web players have more than tiles: a "
        "moving preview, a placeholder for each picture, WebVTT, a page.",
        "../batch.py", _batch, {
            "sheets": Measure("A sheet of each film", headline=True), "web sets": Measure("A set for web players of each film"),
            "one picture": Measure("One picture of each film"),
        },
        read=adapters.batches, choose=lambda clips, quick: [], together=True, parts=2,
    ),
    Case(
        "gestures", "A finger on the screen",
        "120 moves in two seconds over 60 of 1,000 points of the film, by the clock, with 256 MiB. A move is in time when its very frame "
        "is on the screen within 16.7 ms. `cold` begins with nothing, `previews made` after they were made. mpv gets `seek T "
        "absolute+exact` at every move, as a slider sends it.",
        "previews.py", _gestures,
        {
            "in time": Measure("Moves in time", goals={"scrub, previews made": 99}, share=True, headline=True),
            "gap": Measure("The longest gap between two new pictures", goals={"scrub, previews made": 34, "scrub, cold": 100}, shown=False, least=1),
            "rest": Measure("From the last move to the exact picture", shown=False, least=1),
        },
        read=adapters.gestures, choose=_few("h264"),
    ),
    Case(
        "play", "Decoding from end to end",
        "Whole clips as fast as they decode, two threads each: `scrub play --null --rate max` and `ffmpeg -f null -`. Both do the same "
        "work, so this shows what Scrub adds to libavcodec.",
        "play.py", lambda plan, clips, out: [*_paths(clips), "--pairs", plan.amount(1, 3), "--json", str(out)],
        {"speed": Measure("Speed"), "processor time": Measure("Processor time", shown=False), "memory": Measure("Memory at the peak", shown=False)},
        choose=_few("h264,hevc,vp9,av1"),
    ),
    Case(
        "network", "A film behind a network",
        "The frame at 0.42 of a film on a web server, 50 ms there and back: `scrub seek URL`, with nothing known and with the index known, "
        "and `ffmpeg -ss T -i URL`.",
        "network.py", _network, {"time": Measure("Time", headline=True), "bytes": Measure("Bytes from the server", shown=False)},
        choose=_films_over_http, parts=1, together=True, needs=("nginx", "ip", "cc"), codes=(0, 1),
    ),
]
