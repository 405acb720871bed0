"""What the machine is, and which versions take part."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from comparison import places

PACKAGES = ["av", "torchcodec", "torch", "opencv-python-headless", "decord", "video-reader-rs", "vcsi", "pillow", "numpy"]


def _line(file: str, start: str) -> str | None:
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(start)), None)


def version(*command: str) -> str:
    """The number in the first line of what a program says about itself, or `-`."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    except OSError:
        return "-"
    return next((word for word in lines[0].split() if word[0].isdigit()), "-") if lines else "-"


def packages() -> dict[str, str]:
    code = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    found = subprocess.run([places.python(), "-c", code], capture_output=True, text=True, check=False).stdout
    try:
        installed = json.loads(found)
    except ValueError:
        installed = {d.name: d.version for d in metadata.distributions()}
    known = {name.lower().replace("_", "-"): value for name, value in installed.items()}
    return {name: known[name] for name in PACKAGES if name in known}


def libraries() -> dict[str, str]:
    """What scrub says it runs with."""
    try:
        said = subprocess.run([places.scrub(), "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return {}
    return dict(re.findall(r"^(libav(?:codec|format|util)) ([\d.]+)", said, re.MULTILINE))


def versions() -> dict[str, str]:
    """By program or package; what is not installed has no entry."""
    said = {
        "scrub": version(places.scrub(), "--version"),
        "ffmpeg": version("ffmpeg", "-version"),
        "mpv": version("mpv", "--version"),
        "ffmpegthumbnailer": version("ffmpegthumbnailer", "-v"),
        "ffms2": version("pkg-config", "--modversion", "ffms2"),
        "nginx": _nginx(),
        **libraries(),
        **packages(),
    }
    return {name: value for name, value in said.items() if value != "-"}


def _nginx() -> str:
    if shutil.which("nginx") is None:
        return "-"
    return subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=False).stderr.strip().rpartition("/")[2] or "-"


def facts() -> dict[str, Any]:
    """The machine as /proc says, without its name, and how busy it is now."""
    memory = _line("/proc/meminfo", "MemTotal")
    try:
        kernel = Path("/proc/sys/kernel/osrelease").read_text()
    except OSError:
        kernel = platform.release()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": _line("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory.split()[0]) / (1 << 20), 1) if memory else 0,
        # What follows the version is the name of a build.
        "kernel": re.match(r"[\d.]*", kernel)[0].strip("."),
        "load": [round(value, 2) for value in os.getloadavg()],
    }
