"""Memory, threads, processes and ends."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

import numpy
import pytest

import scrub
from conftest import clip
from scrub import _memory


def digest(array: Any) -> bytes:
    import hashlib

    return hashlib.md5(array.tobytes()).digest()


def opened_again(one: scrub.Video, other: scrub.Video) -> bool:
    return one._sessions.get(one._pixels) is not other._sessions.get(other._pixels)


def until(condition: Callable[[], bool]) -> None:
    """Waits for what happens soon, in a thread or process that is on its way out."""
    while not condition():
        os.sched_yield()


def child_of(video: scrub.Video) -> int:
    return int(video._sessions.get(video._pixels).transport._process.pid)  # type: ignore[attr-defined]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_views_keep_their_picture(video: scrub.Video) -> None:
    part = video[9].array[10:20, 3:5]
    whole = video[9].array.copy()
    for _ in video.read(20, 90):
        pass
    video.batch(range(50))
    assert (part == whole[10:20, 3:5]).all()
    flat = video[9].array.reshape(-1)[::7]
    video.close()
    gc.collect()
    assert (part == whole[10:20, 3:5]).all() and (flat == whole.reshape(-1)[::7]).all()


def test_memory_is_used_again() -> None:
    with scrub.open(clip("h264-bf3.mp4"), ahead=3) as video:
        places = {frame.array.ctypes.data for frame in video}
        assert len(places) <= 6
        first = video.batch([1, 2, 3])
        place = first.ctypes.data
        del first
        assert video.batch([4, 5, 6]).ctypes.data == place


def test_pool_gives_back_what_it_does_not_need() -> None:
    pool = _memory.Pool(1 << 24, 1 << 20)
    try:
        held = [pool.take(1 << 20) for _ in range(16)]
        assert all(held) and pool.take(1) is None
        for number, buffer in enumerate(held):
            assert buffer is not None
            buffer.array[:] = number
        assert all(b is not None and (b.array == n).all() for n, b in enumerate(held))
        del held, buffer
        again = pool.take(4096)
        assert again is not None and os.fstat(pool.descriptor).st_blocks * 512 <= 2 << 20
        # Places are used again: the file does not grow without end.
        for size in range(1, 200):
            assert pool.take(size * 8192) is not None
        assert os.fstat(pool.descriptor).st_size <= 64 << 20
    finally:
        pool.close()


def test_pools_keep_what_one_may_keep() -> None:
    """Of many videos with a batch each, what no array refers to is kept for one."""

    def kept(pool: _memory.Pool) -> int:
        return os.fstat(pool.descriptor).st_blocks * 512

    pools = [_memory.Pool(1 << 26, 4 << 20) for _ in range(5)]
    try:
        for pool in pools * 2:
            buffer = pool.take(3 << 20)
            assert buffer is not None
            buffer.array[:] = 1
            del buffer
        assert sum(map(kept, pools)) <= 7 << 20
        # What an array refers to stays.
        held = pools[0].take(3 << 20)
        assert held is not None
        held.array[:] = 7
        for pool in pools[1:]:
            assert pool.take(3 << 20) is not None
        assert (held.array == 7).all() and kept(pools[0]) >= 3 << 20
        # Small ones stay in every pool.
        for pool in pools[1:] * 2:
            small = pool.take(1 << 18)
            assert small is not None
            small.array[:] = 1
            del small
        assert all(len(pool._idle) + len(pool._returned) > 0 for pool in pools[1:])
    finally:
        for pool in pools:
            pool.close()


def test_a_fork_while_another_thread_takes_memory() -> None:
    """The lock that such a thread holds is not waited for in the child, where the thread is not."""
    pool = _memory.Pool(1 << 20, 1 << 20)
    held = pool._lock
    with held:
        pool.abandon()
        assert pool.descriptor == -1 and pool._lock is not held


def test_memory_stays_flat() -> None:
    """20,000 frames of a small clip, of which none is kept, then the same in batches."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with scrub.open(clip("vp9-odd.webm"), threads=1) as video:
        count = 0
        first = 0
        while count < 20_000:
            for _ in video:
                count += 1
            if not first and count > 1000:
                gc.collect()
                first = resident()
        for _ in range(20):
            video.batch(range(len(video)))
        gc.collect()
        assert resident() - first < 16 << 20


def test_threads(video: scrub.Video) -> None:
    """Threads that ask for single frames, rows and batches of one video at once get their own."""
    truth = [digest(frame.array) for frame in video]
    faults: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            numbers = numpy.random.default_rng(seed).integers(0, 100, 40).tolist()
            for number in numbers[:20]:
                assert digest(video[number].array) == truth[number]
            for frame in video.read(seed * 5, seed * 5 + 20):
                assert digest(frame.array) == truth[frame.number]
            for array, number in zip(video.batch(numbers), numbers):
                assert digest(array) == truth[number]
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


@pytest.mark.usefixtures("program_only")
def test_waiting_leaves_other_threads_alone(video: scrub.Video) -> None:
    """While the program is stopped, a thread waits for it and another one goes on."""
    child = child_of(video)
    os.kill(child, signal.SIGSTOP)
    try:
        thread = threading.Thread(target=lambda: video[77])
        thread.start()
        assert sum(range(200_000)) and thread.is_alive()
    finally:
        os.kill(child, signal.SIGCONT)
    thread.join()


@pytest.mark.usefixtures("program_only")
def test_close_ends_a_thread_that_waits(video: scrub.Video) -> None:
    os.kill(child_of(video), signal.SIGSTOP)
    seen: list[BaseException] = []

    def ask() -> None:
        try:
            video[77]
        except scrub.Error as error:
            seen.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not video._sessions.get(video._pixels)._outstanding:  # until the request is sent
        pass
    video.close()
    thread.join()
    assert isinstance(seen[0], scrub.CancelledError)


def test_two_videos() -> None:
    with scrub.open(clip("h264-bf3.mp4")) as one, scrub.open(clip("vfr.mp4")) as two:
        pairs = [(digest(a.array), digest(b.array)) for a, b in zip(one, two)]
        assert pairs == [(digest(one[i].array), digest(two[i].array)) for i in range(len(pairs))]


def test_closed(video: scrub.Video) -> None:
    rows = video.read()
    assert next(rows).number == 0
    frame, facts = video[4], len(video)
    before = digest(frame.array)
    video.close()
    video.close()
    for ask in (lambda: video[0], lambda: video.batch([1]), lambda: next(rows), lambda: video.native(0), lambda: video.at(1)):
        with pytest.raises(scrub.ClosedError):
            ask()
    with pytest.raises(scrub.ClosedError):
        pickle.dumps(video)
    assert len(video) == facts and digest(frame.array) == before and "closed" in repr(video)
    with pytest.raises(scrub.ClosedError):
        with video:
            video[0]


def test_descriptors_do_not_leak(transport: str) -> None:
    with scrub.open(clip("h264-single.mp4")) as video:
        video[0]
    before = descriptors()
    kept = []
    for _ in range(100):
        video = scrub.open(clip("h264-single.mp4"))
        kept.append(video[0].array[:2])
        video.close()
    until(lambda: descriptors() <= before)
    with pytest.raises(scrub.NoInputError):
        scrub.open("/nonexistent.mp4")
    until(lambda: descriptors() <= before)
    video = scrub.open(clip("h264-single.mp4"))
    child = child_of(video) if transport == "program" else None
    del video
    gc.collect()
    until(lambda: descriptors() <= before)
    if child:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


@pytest.mark.usefixtures("program_only")
def test_a_killed_program_is_told_and_started_again(video: scrub.Video) -> None:
    truth = digest(video[50].array)
    held = video[51]
    os.kill(child_of(video), signal.SIGKILL)
    with pytest.raises(scrub.ProgramEndedError, match="signal 9.*SIGKILL") as caught:
        while True:
            video[50]
    assert caught.value.code == 74 and caught.value.file == video.path
    assert digest(video[50].array) == truth and digest(held.array) == digest(video[51].array)
    rows = video.read()
    next(rows)
    os.kill(child_of(video), signal.SIGKILL)
    with pytest.raises(scrub.ProgramEndedError):
        for _ in range(200):
            next(rows)
    assert [frame.number for frame in video.read(0, 3)] == [0, 1, 2]


@pytest.mark.usefixtures("program_only")
def test_an_interrupted_request(video: scrub.Video) -> None:
    """Ctrl-C while a frame is waited for: the next request works."""
    truth = digest(video[60].array)
    child = child_of(video)
    os.kill(child, signal.SIGSTOP)
    session = video._sessions.get(video._pixels)

    def interrupt() -> None:
        while not session._outstanding:
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        video[60]
    thread.join()
    # The interruption may come before the wait: then the same program goes on, and only this test has stopped it.
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGCONT)
    assert digest(video[60].array) == truth


def test_pickle(video: scrub.Video) -> None:
    other = pickle.loads(pickle.dumps(video))
    with other:
        assert digest(other[33].array) == digest(video[33].array) and opened_again(other, video)
    for error in (scrub.DataError("a", file="b", frame=3), scrub.NoInputError("x", advice="y"), scrub.OutOfRangeError("o")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error) and str(copy) == str(error)
        assert (copy.file, copy.frame, copy.advice, copy.code) == (error.file, error.frame, error.advice, error.code)


def test_a_fork_opens_again(video: scrub.Video) -> None:
    truth = [digest(frame.array) for frame in video.read(0, 20)]
    rows = video.read(0, 20)
    next(rows)
    held = video[5]
    reader, writer = os.pipe()
    begin, go = os.pipe()
    before = descriptors()
    child = os.fork()
    if child == 0:
        try:
            good = descriptors() < before
            os.read(begin, 1)
            # The parent has dropped its own and read a hundred more.
            good &= digest(held.array) == truth[5]
            good &= all(digest(frame.array) == truth[frame.number] for frame in video.read(0, 20))
            good &= [frame.number for frame in rows] == list(range(1, 20))
            os.write(writer, b"good" if good else b"bad!")
            video.close()
        finally:
            os._exit(0)
    del held
    kept = list(video[:])
    assert [digest(frame.array) for frame in kept[:20]] == truth
    os.write(go, b"x")
    assert os.read(reader, 4) == b"good"
    os.waitpid(child, 0)
    for descriptor in (reader, writer, begin, go):
        os.close(descriptor)
    assert [frame.number for frame in rows] == list(range(1, 20))


@pytest.mark.usefixtures("program_only")
def test_closing_is_quick_while_a_fork_lives(video: scrub.Video) -> None:
    """The child does not hold the program's pipe."""
    video[0]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reader, 1)
        os._exit(0)
    process = video._sessions.get(video._pixels).transport._process  # type: ignore[attr-defined]
    video.close()
    assert process.returncode == 0, "it ended by itself"
    os.write(writer, b"x")
    os.waitpid(child, 0)
    os.close(reader)
    os.close(writer)


class Frames:
    """What a data loader's workers get."""

    def __init__(self, path: str) -> None:
        self.video = scrub.open(path, threads=1)

    def digest(self, number: int) -> bytes:
        return digest(self.video[number].array)


def _serve(frames: Frames, numbers: list[int], answers: Any) -> None:
    answers.put([frames.digest(number) for number in numbers])
    frames.video.close()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
def test_workers(method: str) -> None:
    context = multiprocessing.get_context(method)
    frames = Frames(clip("h264-bf3.mp4"))
    truth = [frames.digest(number) for number in range(40)]
    answers = context.SimpleQueue()
    workers = [
        context.Process(target=_serve, args=(frames, list(range(20 * i, 20 * i + 20)), answers)) for i in range(2)
    ]
    for worker in workers:
        worker.start()
    got = [answers.get(), answers.get()]
    for worker in workers:
        worker.join()
        worker.close()
    assert sorted(map(tuple, got)) == sorted([tuple(truth[:20]), tuple(truth[20:])])
    assert [frames.digest(number) for number in range(40)] == truth
    frames.video.close()


def test_no_warning_and_no_leftover_at_the_end(tmp_path: Path, transport: str) -> None:
    """A script that forgets to close, with warnings as errors."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, os, scrub\n"
        "v = scrub.open(sys.argv[1])\n"
        "kept = [v[0], v.batch([1, 2])]\n"
        "rows = v.read()\n"
        "next(rows)\n"
        "t = v._sessions.get(v._pixels).transport\n"
        "print(t._process.pid if t.name == 'program' else 'library')\n"
    )
    words = [sys.executable, "-W", "error", "-X", "dev", str(script), clip("h264-bf3.mp4")]
    result = subprocess.run(words, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    if transport == "library":
        assert result.stdout == "library\n"
        return
    with pytest.raises(ProcessLookupError):
        os.kill(int(result.stdout), 0)
