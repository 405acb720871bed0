"""Where the clips, the truth, the program and the library are. Tests run over both unless they say otherwise."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import scrub

ROOT = Path(__file__).resolve().parent.parent.parent
CLIPS = ROOT / "testdata" / "clips"
# Scripts/library.sh makes it.
LIBRARY = os.environ.get("SCRUB_LIBRARY") or str(ROOT / ".build" / "library" / "libscrub.so.1")
MANIFEST: list[dict[str, Any]] = json.loads((ROOT / "testdata" / "manifest.json").read_text())


def expected(entry: dict[str, Any]) -> list[tuple[int, str]]:
    """Presentation times and MD5s of ffmpeg's linear decode."""
    lines = (ROOT / "testdata" / entry["expected"]).read_text().splitlines()
    rows = [line.split(",") for line in lines if line and not line.startswith("#")]
    return [(int(row[2]), row[5].strip()) for row in rows]


def clip(name: str) -> str:
    return str(CLIPS / name)


@pytest.fixture(autouse=True, scope="session")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The program of this repository, and a cache of its own."""
    os.environ.setdefault("SCRUB_PROGRAM", str(ROOT / ".build" / "release" / "scrub"))
    os.environ["SCRUB_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    os.environ.pop("SCRUB_LIBRARY", None)
    yield


@pytest.fixture(autouse=True, params=["program", "library"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What does the work for the videos that a test opens."""
    if request.param == "library":
        need_library()
        monkeypatch.setenv("SCRUB_LIBRARY", LIBRARY)
    return str(request.param)


@pytest.fixture
def program_only(transport: str) -> None:
    """For tests of the program's process, and those whose other side alone is what takes time."""
    if transport != "program":
        pytest.skip("once is enough, with the program")


def need_library() -> None:
    if not os.path.exists(LIBRARY):
        pytest.skip("the C library is not built (Scripts/library.sh)")


@pytest.fixture
def video() -> Iterator[scrub.Video]:
    with scrub.open(clip("h264-bf3.mp4"), threads=2) as opened:
        yield opened


@pytest.fixture
def fake_program(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes a program that says a version, and tells in a file beside it which words it got."""

    def make(name: str, version: str) -> Path:
        folder = tmp_path / f"{name}-{abs(hash(version))}"
        folder.mkdir()
        program = folder / name
        program.write_text(f'#!/bin/sh\necho "$@" >> "$0.words"\necho "{version}"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    return make
