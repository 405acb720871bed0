"""Sessions: the frames that a finger finds, their pixels against those of a video, and what ends them."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import select
import threading
from fractions import Fraction
from typing import Iterator

import numpy
import pytest

import scrub
from conftest import LIBRARY, clip, need_library
from scrub import _library

FILM = clip("demo.mp4")


@pytest.fixture(autouse=True)
def transport(monkeypatch: pytest.MonkeyPatch) -> str:
    """Sessions are the library's."""
    need_library()
    monkeypatch.setenv("SCRUB_LIBRARY", LIBRARY)
    return "library"


@pytest.fixture
def film() -> Iterator[scrub.Video]:
    with scrub.open(FILM, threads=2) as opened:
        yield opened


def exact(session: scrub.Session, request: int) -> scrub.Update:
    """The exact picture of a request."""
    for update in session.updates():
        if update.request == request and update.stage == "exact":
            return update
    raise AssertionError("the session ended")


def test_structures_are_the_headers() -> None:
    sizes = {"CSessionOptions": 48, "CUpdate": 352, "CPlanes": 144, "CImage": 24, "CMemory": 64}
    assert {name: ctypes.sizeof(getattr(_library, name)) for name in sizes} == sizes


def test_every_way_to_say_where(film: scrub.Video) -> None:
    with scrub.session(film) as s:
        for place in (88, "f88", "0.42", 0.42, "2.933s"):
            assert exact(s, s.request(place, resting=True)).number == 88
        assert exact(s, s.request(fraction=0.42, resting=True)).number == 88
        assert exact(s, s.request(seconds=88 / 30, resting=True)).number == 88
        assert exact(s, s.request(seconds=Fraction(2933, 1000), resting=True)).number == film.at(Fraction(2933, 1000)).number == 87
        assert exact(s, s.request(-1, resting=True)).number == 209
        assert exact(s, s.request(fraction=7, resting=True)).number == 209
        with pytest.raises(scrub.OutOfRangeError):
            s.request(210)
        for wrong in ({}, {"position": 1, "seconds": 1.0}, {"fraction": float("nan")}, {"position": "never"}):
            with pytest.raises(scrub.UsageError):
                s.request(**wrong)  # type: ignore[arg-type]


def test_pictures_are_those_of_a_video(film: scrub.Video) -> None:
    with film.session() as s:
        for number in (150, 3, 77, 209):
            frame = film[number]
            with exact(s, s.request(number, resting=True)) as update:
                assert numpy.array_equal(update.array, frame.array)
                assert update.verdict == "exact" and update.time == frame.time and update.pts == frame.pts
                native = film.native(number)
                planes = update.planes
                assert planes.pixel_format == native.pixel_format
                assert all(numpy.array_equal(a, b) for a, b in zip(planes.arrays, native.planes))
                room = numpy.zeros((360, 700, 4), numpy.uint8)
                assert update.array_as("bgra", out=room[:, :640]) is not None
                assert numpy.array_equal(room[:, :640, 2::-1], frame.array) and not room[:, 640:].any()
                assert update.array_as("gray", size=(64, None)).shape == (36, 64)
                assert update.encode("png").startswith(b"\x89PNG") and update.encode("jpeg", width=32).startswith(b"\xff\xd8")
            assert not update.has_picture
            with pytest.raises(scrub.ClosedError):
                update.array
            # Views keep the memory.
            assert not planes.arrays[0].flags.writeable and numpy.array_equal(planes.arrays[0], native.planes[0])
            with pytest.raises(scrub.UsageError):
                exact(s, s.request(number, resting=True)).array_as(out=numpy.zeros((3, 3), numpy.uint8))


def test_a_gesture(film: scrub.Video) -> None:
    with film.session() as s:
        assert s.moved(10, width=100) is None
        assert s.began("0.5") == 1
        assert s.moved(10, width=100) == 126 and s.moved(1e9, width=100) == 209
        assert s.moved(-25, width=100) == 52
        s.ended()
        for update in s.updates():
            if update.stage == "exact" and update.number == 52:
                break
        s.began()
        assert s.moved(50, width=100) == 157
        assert exact(s, s.ended(returns=True)).requested == 52


def test_previews_and_memory(film: scrub.Video) -> None:
    with film.session(memory=64 << 20, preview_side=160) as s:
        assert s.prepare_previews(100) and s.memory.previews == 210
        s.request(10)
        update = s.take(0)
        assert update is not None and update.stage == "preview" and update.is_reduced and update.array.shape == (90, 160, 3)
        assert s.memory.peak <= s.memory.limit == 64 << 20 and s.memory.held > 0
        del update
        gc.collect()
        while s.memory.held:
            pass
    with pytest.raises(scrub.UnavailableError):
        film.session(memory=1 << 20)
    shared = scrub.Resources(64 << 20, 2)
    with film.session(resources=shared) as a, film.session(resources=shared) as b:
        for number in (5, 100):
            assert exact(a, a.request(number, resting=True)).number == number
            assert exact(b, b.request(number + 1, resting=True)).number == number + 1
        assert shared.memory.peak <= shared.memory.limit == 64 << 20
    shared.close()


def test_a_descriptor(film: scrub.Video) -> None:
    with film.session() as s:
        number = s.fileno()
        assert not select.select([number], [], [], 0)[0]
        s.request(40, resting=True)
        while True:
            assert select.select([s], [], [], 60)[0]
            with s.take(0) as update:  # type: ignore[union-attr]
                if update.stage == "exact":
                    break
        assert not select.select([number], [], [], 0)[0] and s.take(0) is None


def test_asyncio(film: scrub.Video) -> None:
    async def drag() -> list[int]:
        found: list[int] = []
        with film.session() as s:
            s.request(0, resting=True)
            async for update in s:
                if update.stage == "exact":
                    found.append(update.number)
                    if update.number == 60:
                        break
                    s.request(update.number + 20, resting=True)
        return found

    assert asyncio.run(drag()) == [0, 20, 40, 60]

    async def cancelled() -> None:
        # What comes after an iteration was given up is for the next one. Closing ends one that waits.
        with film.session() as s:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(s.__aiter__().__anext__(), 0.01)
            s.request(30, resting=True)
            async for update in s:
                if update.is_final:
                    assert update.number == 30
                    break
            asyncio.get_running_loop().call_later(0.02, s.close)
            async for update in s:
                pass

    asyncio.run(cancelled())


def test_an_interrupted_call_leaks_nothing(film: scrub.Video, monkeypatch: pytest.MonkeyPatch) -> None:
    call, names = _library.Library.call, {"scrub_session_take", "scrub_session_open", "scrub_open"}
    s = film.session()

    def interrupted(library: _library.Library, file: str, name: str, *words: object) -> None:
        call(library, file, name, *words)
        if name in names:
            names.discard(name)
            raise KeyboardInterrupt

    s.request(30, resting=True)
    assert select.select([s], [], [], 60)[0]
    monkeypatch.setattr(_library.Library, "call", interrupted)
    for action in (s.take, film.session, film.session):
        with pytest.raises(KeyboardInterrupt):
            action()
    monkeypatch.undo()
    while (update := s.take(1)) is not None:
        update.close()
    while s.memory.held:
        pass
    s.close()


def test_numbers_out_of_range(film: scrub.Video) -> None:
    with film.session() as s:
        for wrong in (lambda: s.cancel(1 << 64), lambda: s.cancel(-1), lambda: s.prepare_previews(1 << 70), lambda: s.prepare_previews(210)):
            with pytest.raises(scrub.UsageError):
                wrong()
        assert s.take(0) is None
    for wrong_options in ({"memory": 0}, {"memory": 1 << 64}, {"decoders": 1 << 33}, {"preview_side": -1}):
        with pytest.raises(scrub.UsageError):
            film.session(**wrong_options)
    with pytest.raises(scrub.UsageError):
        scrub.Resources(1 << 64)
    with scrub.open(FILM, library=False) as video, pytest.raises(scrub.LibraryNotFoundError):
        video.session()


def test_raw_geometry() -> None:
    path = clip("rotate-90.mp4") if os.path.exists(clip("rotate-90.mp4")) else FILM
    with scrub.open(path, raw_geometry=True) as video, video.session() as s:
        update = exact(s, s.request(3, resting=True))
        assert numpy.array_equal(update.array, video[3].array)


def test_closing_ends_what_waits(film: scrub.Video) -> None:
    for i in range(20):
        s = film.session()
        ended: list[str] = []

        def wait() -> None:
            try:
                while True:
                    s.take()
            except scrub.ClosedError:
                ended.append("closed")

        threads = [threading.Thread(target=wait) for _ in range(2)]
        for thread in threads:
            thread.start()
        for k in range(i % 5):
            s.request((k * 67 + i) % 210)
        s.close()
        s.close()
        for thread in threads:
            thread.join(60)
        assert ended == ["closed"] * 2
        with pytest.raises(scrub.ClosedError):
            s.request(1)
    film.close()
    with pytest.raises(scrub.ClosedError):
        film.session()


def test_what_only_the_program_can_do() -> None:
    with scrub.open(FILM, limits={"pixels": "1G"}) as video:
        with pytest.raises(scrub.LibraryNotFoundError, match="limits"):
            video.session()


def test_a_fork(film: scrub.Video) -> None:
    with film.session() as s:
        update = exact(s, s.request(20, resting=True))
        child = os.fork()
        if child == 0:
            try:
                s.request(1)
            except scrub.Error:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert update.array.any() and exact(s, s.request(30, resting=True)).number == 30


@pytest.mark.parametrize(
    "name",
    [
        "hevc-main10.mp4", "hevc-open-gop.mkv", "vp9-alpha.webm", "vp9-odd.webm", "av1-svt.mkv", "av1-grain.mp4", "mpeg2-interlaced.vob",
        "film-mpeg2.ts", "film-prores.mov", "prores-4444.mov", "ffv1-yuva.mkv", "qtrle-alpha.mov", "colour-pq.mp4", "colour-hlg.mp4",
        "rotate-90.mp4", "h264-sar-4-3.mp4", "h264-444.mp4", "h264-rgb.mp4", "size-change.mkv", "anim.gif", "still.png", "film-vp8.webm",
        "mjpeg.avi", "two-videos.mp4", "h264-paff.ts", "vfr.mkv",
    ],
)  # fmt: skip
def test_pictures_are_the_videos(name: str) -> None:
    with scrub.open(clip(name), threads=2) as film, film.session() as s:
        for number in sorted({0, len(film) // 2, len(film) - 1}):
            update = exact(s, s.request(number, resting=True))
            frame = film[number]
            assert (update.number, update.verdict) == (number, frame.verdict)
            assert numpy.array_equal(update.array, frame.array)
            assert numpy.array_equal(update.array_as("rgb48"), scrub_as(name, number))


def scrub_as(name: str, number: int) -> object:
    """The frame in 16 bits, by another video."""
    with scrub.open(clip(name), format="rgb48") as film:
        return film[number].array
