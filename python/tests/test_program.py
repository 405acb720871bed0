"""Which program is taken, and that no other program gets a file's name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

import scrub
from conftest import clip
from scrub import _library

Fake = Callable[[str, str], Path]
WIPER = "scrub version 2.6.1"


def words(program: Path) -> list[str]:
    """What a fake program was called with."""
    told = Path(f"{program}.words")
    return told.read_text().splitlines() if told.exists() else []


@pytest.fixture(autouse=True)
def transport(monkeypatch: pytest.MonkeyPatch) -> str:
    """These tests are about the program: no library is there."""
    monkeypatch.setattr(_library, "NAME", "libscrub-that-is-not-there.so.1")
    return "program"


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> str:
    real = os.environ["SCRUB_PROGRAM"]
    monkeypatch.delenv("SCRUB_PROGRAM")
    return real


def test_the_disk_wiper_gets_no_file(fake_program: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    wiper = fake_program("scrub", WIPER)
    monkeypatch.setenv("PATH", str(wiper.parent))
    with pytest.raises(scrub.ProgramNotFoundError) as caught:
        scrub.open(clip("h264-bf3.mp4"))
    assert words(wiper) == ["--version"]
    text = str(caught.value)
    assert str(wiper) in text and "overwrites files" in text and "2.6.1" in text and "scrub-video and scrub" in text
    assert caught.value.code == 69 and caught.value.advice
    # It is asked once, as long as it does not change.
    with pytest.raises(scrub.ProgramNotFoundError):
        scrub.open(clip("h264-bf3.mp4"))
    assert words(wiper) == ["--version"]


def test_the_wiper_hides_no_program_behind_it(fake_program: Fake, monkeypatch: pytest.MonkeyPatch, no_choice: str) -> None:
    wiper = fake_program("scrub", WIPER)
    folder = wiper.parent.parent / "ours"
    folder.mkdir()
    (folder / "scrub").symlink_to(no_choice)
    monkeypatch.setenv("PATH", f"{wiper.parent}{os.pathsep}{folder}")
    assert scrub.find_program() == str(folder / "scrub")
    (wiper.parent / "scrub-video").symlink_to(no_choice)
    assert scrub.find_program() == str(wiper.parent / "scrub-video")
    with scrub.open(clip("h264-bf3.mp4")) as video:
        assert video[0].number == 0
    assert set(words(wiper)) <= {"--version"}


@pytest.mark.parametrize("version, fault", [("scrub 0.0.9", "too old"), ("0.0.1", "another program"), ("hello", "another program")])
def test_old_and_other_programs(fake_program: Fake, monkeypatch: pytest.MonkeyPatch, version: str, fault: str) -> None:
    program = fake_program("scrub", version)
    monkeypatch.setenv("SCRUB_PROGRAM", str(program))
    with pytest.raises(scrub.ProgramNotFoundError, match=fault) as caught:
        scrub.open(clip("h264-bf3.mp4"))
    assert words(program) == ["--version"] and "SCRUB_PROGRAM" in str(caught.value)


def test_the_argument_comes_first(fake_program: Fake, monkeypatch: pytest.MonkeyPatch, no_choice: str) -> None:
    monkeypatch.setenv("SCRUB_PROGRAM", str(fake_program("scrub", WIPER)))
    with scrub.open(clip("h264-bf3.mp4"), program=no_choice) as video:
        assert len(video) == 100
    for missing in ("/nonexistent/scrub", "no-such-program"):
        with pytest.raises(scrub.ProgramNotFoundError, match="program="):
            scrub.open(clip("h264-bf3.mp4"), program=missing)


def test_a_program_that_changes_is_asked_again(fake_program: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_program("scrub", WIPER)
    with pytest.raises(scrub.ProgramNotFoundError):
        scrub.find_program(str(program))
    program.write_text("#!/bin/sh\necho scrub 99.0.0\n")
    assert scrub.find_program(str(program)) == str(program)


def test_importing_needs_no_program() -> None:
    script = "import scrub; print(scrub.__version__)"
    environment = {**os.environ, "PATH": "/nonexistent"}
    result = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert result.stdout.strip() == scrub.__version__, result.stderr


def test_missing_files(no_choice: str) -> None:
    with pytest.raises(OSError) as caught:
        scrub.open("nope.mp4", program=no_choice)
    error = caught.value
    assert isinstance(error, scrub.NoInputError) and error.code == 66
    assert error.file == os.path.abspath("nope.mp4") and error.advice and "nope.mp4" in str(error)
    with pytest.raises(scrub.UsageError):
        scrub.open(clip("h264-bf3.mp4"), program=no_choice, threads=-3)
    with pytest.raises(scrub.UsageError):
        scrub.open(clip("h264-bf3.mp4"), program=no_choice, ahead=-1)


def test_names_of_any_bytes(tmp_path: Path, no_choice: str) -> None:
    for name in (b"--help", b"a b\n.mp4", b"\xff\xfe.mp4"):
        path = os.path.join(os.fsencode(tmp_path), name)
        os.symlink(os.fsencode(clip("h264-bf3.mp4")), path)
        with scrub.open(os.fsdecode(path), program=no_choice) as video:
            assert video[1].number == 1 and video.codec == "h264"
    (tmp_path / "text --no-cache").write_text("text")
    with pytest.raises(scrub.DataError) as caught:
        scrub.open(tmp_path / "text --no-cache", program=no_choice)
    assert str(caught.value).startswith(f"{tmp_path}/text --no-cache: ") and caught.value.file == f"{tmp_path}/text --no-cache"
    # A relative name means the same file after a change of the folder.
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        with scrub.open("--help", program=no_choice) as video:
            os.chdir("/")
            assert video.codec == "h264"
    finally:
        os.chdir(here)
