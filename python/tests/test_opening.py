"""What can be opened: paths, bytes, file objects; and what is said when that fails."""

from __future__ import annotations

import errno
import gzip
import io
import os
import pickle
import socket
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, Callable, Optional

import numpy
import pytest

import scrub
from conftest import clip
from scrub import _errors

FILM = clip("h264-bf3.mp4")
CONTENT = Path(FILM).read_bytes()


def of_pipe(_: Path) -> BinaryIO:
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as file:
            file.write(CONTENT)

    threading.Thread(target=write).start()
    return open(reading, "rb")


def of_gzip(folder: Path) -> Any:
    with gzip.open(folder / "film.gz", "wb") as out:
        out.write(CONTENT)
    return gzip.open(folder / "film.gz", "rb")


def of_zip(folder: Path) -> Any:
    with zipfile.ZipFile(folder / "film.zip", "w") as archive:
        archive.writestr("inner.mp4", CONTENT)
    return zipfile.ZipFile(folder / "film.zip").open("inner.mp4")


def of_temporary(_: Path) -> Any:
    file = tempfile.NamedTemporaryFile()
    file.write(CONTENT)
    return file


def of_unlinked(folder: Path) -> Any:
    (folder / "gone.mp4").write_bytes(CONTENT)
    file = open(folder / "gone.mp4", "rb")
    os.unlink(folder / "gone.mp4")
    return file


def of_spool(_: Path) -> Any:
    file = tempfile.SpooledTemporaryFile(max_size=1 << 24)
    file.write(CONTENT)
    return file


def of_halfway(_: Path) -> Any:
    file = io.BytesIO(CONTENT)
    file.seek(1234)
    return file


class Turned(io.BufferedReader):
    """A file that reads something else than is in it."""

    def read(self, size: Optional[int] = -1, /) -> bytes:
        return bytes(byte ^ 255 for byte in super().read(size))


def of_wrapper(folder: Path) -> Any:
    (folder / "turned").write_bytes(bytes(byte ^ 255 for byte in CONTENT))
    return Turned(io.FileIO(folder / "turned"))


class Plain:
    """All that is asked for: something to read from."""

    def __init__(self) -> None:
        self.rest = io.BytesIO(CONTENT)

    def read(self, size: int = -1, /) -> bytes:
        return self.rest.read(min(size, 7777))


WAYS: dict[str, Callable[[Path], Any]] = {
    "bytes": lambda _: CONTENT,
    "bytearray": lambda _: bytearray(CONTENT),
    "memoryview": lambda _: memoryview(CONTENT),
    "a view of halves": lambda _: memoryview(bytearray(byte for byte in CONTENT for _ in "ab"))[::2].toreadonly(),
    "BytesIO": lambda _: io.BytesIO(CONTENT),
    "BytesIO, half way": of_halfway,
    "file": lambda _: open(FILM, "rb"),
    "raw file": lambda _: open(FILM, "rb", buffering=0),
    "unlinked file": of_unlinked,
    "pipe": of_pipe,
    "gzip": of_gzip,
    "zip": of_zip,
    "temporary file": of_temporary,
    "spooled file": of_spool,
    "anything that reads": lambda _: Plain(),
    "a file with its own read": of_wrapper,
    "Path": lambda _: Path(FILM),
    "text": lambda _: FILM,
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_open(way: str, tmp_path: Path, transport: str) -> None:
    if transport == "program" and way not in ("bytes", "file", "unlinked file", "pipe", "temporary file"):
        pytest.skip("the program gets one descriptor or another")
    said = WAYS[way](tmp_path)
    place = said.tell() if hasattr(said, "seekable") and said.seekable() else None
    with scrub.open(FILM) as usual, scrub.open(said) as video:
        if place is not None:
            assert said.tell() == place
        # The object is needed no more.
        if hasattr(said, "close"):
            said.close()
        assert len(video) == 100 and (video[88].array == usual[88].array).all() and video[88].verdict == "exact"
        assert (video.native(5).planes[0] == usual.native(5).planes[0]).all()
        assert video.metadata["file"] == video.path and "/proc/self" not in repr(video)
        # As other processes get it.
        again = pickle.loads(pickle.dumps(video))
        with again:
            assert (again[7].array == usual[7].array).all() and again.path == video.path


def test_bytes_are_no_name() -> None:
    """The film that was in the exception's text."""
    with pytest.raises(scrub.DataError) as caught:
        scrub.open(b"no film at all" * 10_000)
    assert len(str(caught.value)) < 300 and "video in memory" in str(caught.value)
    with pytest.raises(scrub.Error) as caught:
        scrub.open(b"")
    assert "video in memory" in str(caught.value)
    named = io.BytesIO(b"no film")
    named.name = "lecture.mp4"
    with pytest.raises(scrub.DataError, match="lecture.mp4"):
        scrub.open(named)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with open(__file__) as text, pytest.raises(TypeError, match="'rb'"):
        scrub.open(text)  # type: ignore[arg-type]
    for wrong in (5, None, object(), [FILM]):
        with pytest.raises(TypeError, match="not a video"):
            scrub.open(wrong)  # type: ignore[arg-type]

    class Text:
        def read(self, size: int = -1, /) -> str:
            return "text"

    with pytest.raises(TypeError, match="'rb'"):
        scrub.open(Text())  # type: ignore[arg-type]

    class Failing:
        def read(self, size: int = -1, /) -> bytes:
            raise ConnectionResetError("gone")

    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with pytest.raises(ConnectionResetError):
            scrub.open(Failing())
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_descriptors_are_given_back() -> None:
    with scrub.open(CONTENT) as video:
        assert video[3].number == 3
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with scrub.open(CONTENT) as video:
            frame = video[3]
        with pytest.raises(scrub.DataError):
            scrub.open(b"x" * 1000)
    assert frame.array.any() and len(os.listdir("/proc/self/fd")) <= before + 1


def test_the_standards_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        scrub.open(tmp_path / "no.mp4")
    error: Any = caught.value
    assert isinstance(error, scrub.NoInputError) and error.code == 66 and error.errno == errno.ENOENT
    assert error.filename == error.file == str(tmp_path / "no.mp4") and str(tmp_path) in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and copy.errno == error.errno and str(copy) == str(error)
    with pytest.raises(FileNotFoundError):
        scrub.open("")
    with pytest.raises(IsADirectoryError):
        scrub.open(tmp_path)
    (tmp_path / "text.mp4").write_text("text")
    with pytest.raises(scrub.DataError):
        scrub.open(tmp_path / "text.mp4")
    with pytest.raises(ValueError, match="zero byte"):
        scrub.open("a\0b")
    with scrub.open(FILM) as video:
        for wrong in (100, -101, numpy.int64(10**9)):
            with pytest.raises(IndexError):
                video[wrong]
        with pytest.raises(ValueError):
            video.at("nonsense")


@pytest.mark.parametrize(
    "code, number, kind, standard",
    [
        (66, errno.ENOENT, scrub.NoInputError, FileNotFoundError),
        (66, errno.EACCES, scrub.NoInputError, PermissionError),
        (66, errno.EISDIR, scrub.NoInputError, IsADirectoryError),
        (66, errno.ECONNREFUSED, scrub.NoInputError, ConnectionError),
        (69, errno.ENOMEM, scrub.UnavailableError, MemoryError),
        (74, errno.ETIMEDOUT, scrub.InputOutputError, TimeoutError),
        (74, errno.ECONNRESET, scrub.InputOutputError, ConnectionError),
        (74, errno.ENOSPC, scrub.InputOutputError, OSError),
        (64, 0, scrub.UsageError, ValueError),
    ],
)
def test_each_error_is_the_standards_too(code: int, number: int, kind: Any, standard: Any) -> None:
    error = _errors.failure(code, "film.mp4: it fails (try again)", "film.mp4", number=number)
    assert isinstance(error, kind) and isinstance(error, standard) and error.code == code
    assert str(error) == "film.mp4: it fails (try again)" and error.advice == "try again" and error.file == "film.mp4"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) and getattr(copy, "errno", 0) == getattr(error, "errno", 0)


@pytest.mark.skipif(os.geteuid() == 0, reason="who may read everything is refused nothing")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(CONTENT)
    secret.chmod(0)
    with pytest.raises(PermissionError):
        scrub.open(secret)


def test_the_networks_errors(transport: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/film.mp4"
        if transport == "program":
            with pytest.raises(TimeoutError):
                scrub.open(address, sandbox=False, cache=False, arguments=("--timeout", "0.3"))
    with pytest.raises(ConnectionError) as caught:
        scrub.open(address, sandbox=False, cache=False)
    assert isinstance(caught.value, scrub.NoInputError)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 0},
        {"threads": -1},
        {"threads": 2000},
        {"stream": -1},
        {"stream": 99},
        {"limits": {"nonsense": 1}},
        {"limits": {"pixels": 1000}},
        {"limits": {"pixels": "many"}},
        {"arguments": ("--nonsense",)},
        {"format": "yuv"},
        {"size": (0, 5)},
        {"size": (5, 20000)},
        {"ahead": -1},
    ],
)
def test_messages_have_no_options_of_a_command_line(options: dict[str, Any]) -> None:
    with pytest.raises(scrub.Error) as caught:
        scrub.open(FILM, **options)
    for text in (str(caught.value), caught.value.advice or "", repr(caught.value)):
        assert " --" not in text and "(--" not in text and "'--" not in text and "--help" not in text and "Usage:" not in text
    assert len(str(caught.value)) > 10
    if "threads" in options:
        assert isinstance(caught.value, ValueError) and str(options["threads"]) in str(caught.value)
    if options == {"limits": {"pixels": 1000}}:
        assert 'limits={"pixels": 21504}' in str(caught.value)


def test_what_is_no_number() -> None:
    for options in ({"threads": 1.5}, {"stream": "0"}, {"size": 5}, {"size": (1.5, 2)}, {"ahead": None}):
        with pytest.raises(TypeError):
            scrub.open(FILM, **options)  # type: ignore[arg-type]
    with scrub.open(FILM, threads=numpy.int64(1), stream=numpy.int8(0), ahead=numpy.int16(3)) as video:
        assert video[3].number == 3
