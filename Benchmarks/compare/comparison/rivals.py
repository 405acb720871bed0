"""Who takes part: the command of each driver, its environment, and whether it is there at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from comparison.places import DRIVERS, FFMS2_DRIVER, HERE, SAVED_INDEXES, python, scrub


@dataclass
class Rival:
    name: str
    command: list[str]
    """`{file}`, `{threads}`, `{clip}` (its name) and `{scratch}` (an empty folder of this process) are filled in."""
    environment: dict[str, str] = field(default_factory=dict)
    module: str | None = None
    """The Python package that the driver needs."""
    programs: list[str] = field(default_factory=list)
    pictures: str = "native"
    """What it puts into memory: the decoder's own planes, or RGB."""
    memory_seen: bool = True
    """Whether the peak memory can be read from the process and its living children."""
    needs_saved_index: bool = False

    @property
    def is_scrub(self) -> bool:
        return self.name.startswith("scrub")

    def arguments(self, file: Path, threads: str, scratch: str) -> list[str]:
        words = self.command
        if threads == "default" and "--threads" in words:
            words = [word for word in words if word not in ("--threads", "{threads}")]
        known = {"file": file, "clip": file.name, "threads": "0" if threads == "default" else threads}
        return [word.format(**known, scratch=scratch) for word in words]

    def variables(self, threads: str, scratch: str) -> dict[str, str]:
        own = {name: value.replace("{scratch}", scratch) for name, value in self.environment.items()}
        common = {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": scratch}
        return {**os.environ, **common, "COMPARE_THREADS": threads, **own}

    def missing(self) -> str | None:
        """What is not there, or nothing when the rival can run."""
        for program in self.programs:
            if shutil.which(program) is None:
                return f"{program} is not installed"
        if self.module is not None:
            check = [python(), "-c", f"import {self.module}"]
            environment = {**os.environ, **self.environment}
            if subprocess.run(check, capture_output=True, env=environment, check=False).returncode:
                return f"{self.module} cannot be imported"
        return None


def _in_python(driver: str) -> list[str]:
    return [python(), str(DRIVERS / f"{driver}_driver.py"), "{file}"]


def _wheel_libraries(folder: str) -> str:
    """Where a wheel keeps its shared libraries; video_reader-rs does not find all of its own by itself."""
    code = "import sysconfig; print(sysconfig.get_path('platlib'))"
    found = subprocess.run([python(), "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    return str(Path(found) / folder)


def _scrub(name: str, cache: str) -> Rival:
    command = [scrub(), "drive", "{file}", "--threads", "{threads}"]
    return Rival(name, command, {"SCRUB_CACHE_DIR": cache}, programs=[scrub()])


def _mpv(name: str, options: str = "") -> Rival:
    environment = {"COMPARE_OPTIONS": options}
    return Rival(name, _in_python("mpv"), environment, "numpy", ["mpv", "ffprobe"], pictures="native")


def _all() -> list[Rival]:
    saved = str(SAVED_INDEXES)
    ffms2 = [str(FFMS2_DRIVER), "{file}", "{threads}"]
    wheel = {"LD_LIBRARY_PATH": _wheel_libraries("video_reader_rs.libs")}
    codec = _in_python("torchcodec")
    return [
        _scrub("scrub", "{scratch}"),
        Rival("pyav", _in_python("pyav"), {}, "av"),
        Rival("ffms2", ffms2, {}, programs=[str(FFMS2_DRIVER)]),
        _mpv("mpv"),
        Rival("torchcodec-exact", codec, {"COMPARE_MODE": "exact"}, "torchcodec.decoders", pictures="RGB"),
        Rival("torchcodec-approx", codec, {"COMPARE_MODE": "approximate"}, "torchcodec.decoders", pictures="RGB"),
        Rival("opencv", _in_python("opencv"), {}, "cv2", pictures="RGB"),
        Rival("decord", _in_python("decord"), {}, "decord", pictures="RGB"),
        Rival("video-reader-rs", _in_python("video_reader"), wheel, "video_reader", pictures="RGB"),
        Rival("ffmpeg", _in_python("ffmpeg"), {}, "numpy", ["ffmpeg", "ffprobe"], memory_seen=False),
        Rival("scrub-saved", _scrub("", saved).command, {"SCRUB_CACHE_DIR": saved}, needs_saved_index=True),
        Rival("ffms2-saved", [*ffms2, saved + "/{clip}.ffindex"], programs=[str(FFMS2_DRIVER)], needs_saved_index=True),
        _mpv("mpv-offset", "--hr-seek-demuxer-offset=10"),
    ]


OPTIONAL = ["scrub-saved", "ffms2-saved", "mpv-offset"]
Report = Callable[[str], None]


def choose(names: list[str] | None, report: Report) -> list[Rival]:
    """The rivals asked for, or all but the optional ones; who is missing is reported and left out."""
    known = {rival.name: rival for rival in _all()}
    if names is None:
        names = [name for name in known if name not in OPTIONAL]
    chosen = []
    for name in names:
        if name not in known:
            raise SystemExit(f"no rival is called {name}; there are {', '.join(known)}")
        if (lack := known[name].missing()) is None:
            chosen.append(known[name])
        else:
            report(f"{name} is left out: {lack}")
    return chosen
