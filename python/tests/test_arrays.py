"""Slices, formats, sizes, and the times of all frames."""

from __future__ import annotations

import json
import os
import subprocess
from fractions import Fraction
from typing import Any, Iterator

import numpy
import pytest

import scrub
from conftest import clip

FILM = clip("h264-bf3.mp4")


class Index:
    """A number as other packages have theirs: a scalar of torch, a NumPy integer."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


SLICES = [
    slice(None), slice(10, 20, 2), slice(-3, None), slice(5, 2, -1), slice(200, 300), slice(7, 7), slice(87, 1000),
    slice(-1000, 4), slice(None, None, -7), slice(1000, 90, -3), slice(3, -3, 40), slice(numpy.int64(4), Index(9), numpy.int8(2)),
]  # fmt: skip


@pytest.mark.parametrize("part", SLICES, ids=str)
def test_slices_are_those_of_a_list(video: scrub.Video, part: slice) -> None:
    truth = list(range(100))[part]
    frames = video[part]
    assert len(frames) == len(truth) and list(frames.numbers) == truth and bool(frames) == bool(truth)
    assert [frame.number for frame in frames] == truth
    assert [frame.number for frame in reversed(frames)] == truth[::-1]
    for place in range(-len(truth), len(truth)):
        assert frames[place].number == truth[place]
    for again in (slice(None, None, 2), slice(-2, None), slice(None, None, -1), slice(1, 100)):
        assert [frame.number for frame in frames[again]] == truth[again]
    for outside in (len(truth), -len(truth) - 1):
        with pytest.raises(IndexError):
            frames[outside]


def test_a_slice_decodes_nothing_before_it_is_asked(video: scrub.Video, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = video[::3]
    assert "34 of" in repr(frames) and frames[33].number == 99
    array = numpy.asarray(video[10:14])
    assert array.shape == (4, 112, 192, 3) and (array == video.batch(range(10, 14))).all()
    assert numpy.asarray(video[10:14], dtype=numpy.float32).dtype == numpy.float32
    with pytest.raises(TypeError):
        5 in frames
    with pytest.raises(TypeError):
        frames[1.5]  # type: ignore[index]
    with pytest.raises(ValueError):
        video[::0]


@pytest.mark.parametrize("step", [1, 3, 10, -1, -4])
def test_a_loop_keeps_few_frames(step: int) -> None:
    """However many there are: of hours, too."""
    with scrub.open(FILM, ahead=2) as video:
        places = set()
        for frame in video[::step]:
            places.add(frame.array.ctypes.data)
            assert (frame.array == video[frame.number].array).all()
            del frame
        assert len(places) <= 8


def test_a_loop_that_is_left(video: scrub.Video) -> None:
    for frame in video[::-2]:
        if frame.number < 90:
            break
    assert [frame.number for frame in video[::50]] == [0, 50]
    assert [frame.number for frame in reversed(video)][:3] == [99, 98, 97]


FORMATS: list[tuple[scrub.Format, int, Any]] = [
    ("rgb", 3, numpy.uint8), ("rgba", 4, numpy.uint8), ("bgra", 4, numpy.uint8), ("gray", 1, numpy.uint8),
    ("rgb48", 3, numpy.uint16), ("rgba64", 4, numpy.uint16),
]  # fmt: skip


@pytest.mark.parametrize("format, channels, kind", FORMATS)
@pytest.mark.parametrize("file", ["h264-bf3.mp4", "h264-422-10.mp4", "qtrle-alpha.mov", "rotate-90.mp4", "vp9-odd.webm"])
def test_formats(file: str, format: scrub.Format, channels: int, kind: Any, transport: str) -> None:
    if transport == "program" and file not in ("h264-bf3.mp4", "vp9-odd.webm"):
        pytest.skip("the library's are those of the program: test_both_transports_give_the_same")
    with scrub.open(clip(file), format=format) as video, scrub.open(clip(file)) as usual:
        frame, plain = video[3], usual[3]
        assert frame.array.shape == (usual.height, usual.width, channels) and frame.array.dtype == kind
        assert (video.width, video.height) == (usual.width, usual.height) and frame.verdict == plain.verdict
        batch = video.batch([3, 0, 3])
        assert batch.dtype == kind and (batch[0] == frame.array).all() and (batch[2] == batch[0]).all()
        planar = video.batch([3, 0, 3], dimension_order="NCHW")
        assert planar.shape == (3, channels, video.height, video.width) and (planar.transpose(0, 2, 3, 1) == batch).all()
        out = numpy.zeros_like(batch)
        assert video.batch([3, 0, 3], out=out) is out and (out == batch).all()
        assert [(f.array == batch[0]).all() for f in video.frames([3])] == [True]
        assert (next(video.read(3)).array == frame.array).all()
        assert video.native(3).pixel_format == usual.native(3).pixel_format
        if kind == numpy.uint8:
            wrong = numpy.zeros((3, video.height, video.width, channels), numpy.uint16)
            with pytest.raises(scrub.UsageError):
                video.batch([3, 0, 3], out=wrong)
        if format in ("rgb", "rgba", "bgra") and file != "qtrle-alpha.mov":
            colors = frame.array[..., [2, 1, 0]] if format == "bgra" else frame.array[..., :3]
            assert (colors == plain.array).all() and (channels == 3 or (frame.array[..., 3] == 255).all())
        if kind == numpy.uint16 and file != "qtrle-alpha.mov":
            assert abs(frame.array[..., :3].astype(int) - plain.array.astype(int) * 257).max() <= 514
        if format == "gray" and file != "qtrle-alpha.mov":
            weighed = plain.array @ numpy.array([0.2126, 0.7152, 0.0722])
            assert abs(frame.array[..., 0] - weighed).max() <= 3


def test_alpha_is_straight() -> None:
    with scrub.open(clip("qtrle-alpha.mov"), format="rgba") as video, scrub.open(clip("qtrle-alpha.mov")) as black:
        frame = video[0].array.astype(float)
        assert frame[..., 3].min() < 255
        laid = frame[..., :3] * frame[..., 3:] / 255
        assert abs(laid - black[0].array).max() <= 1


@pytest.mark.parametrize("size, shape", [((96, 56), (56, 96)), ((96, None), (56, 96)), ((None, 28), (28, 48)), ((50, 7), (7, 50)), ((384, 224), (224, 384))])
@pytest.mark.parametrize("format", ["rgb", "gray", "rgb48"])
def test_sizes(size: scrub.Size, shape: tuple[int, int], format: scrub.Format, transport: str) -> None:
    if transport == "program" and format != "rgb":
        pytest.skip("the library's are those of the program: test_both_transports_give_the_same")
    with scrub.open(FILM, size=size, format=format) as video, scrub.open(FILM, format=format) as usual:
        assert (video.height, video.width) == shape
        frame = video[30]
        assert frame.array.shape[:2] == shape and frame.verdict == "exact" and frame.number == 30
        assert video.batch([1, 30]).shape[1:3] == shape and (video.batch([1, 30])[1] == frame.array).all()
        assert [f.array.shape[:2] for f in video[::40]] == [shape] * 3
        # The same picture: its mean is near.
        assert abs(frame.array.mean() - usual[30].array.mean()) < (3 if format != "rgb48" else 3 * 257)
        assert video.native(30).width == 192


def test_one_size_for_a_stream_that_changes_its_own() -> None:
    with scrub.open(clip("avc3-size-change.mp4"), size=(64, 48)) as video:
        assert {frame.array.shape for frame in video} == {(48, 64, 3)}
        assert video.batch(range(len(video))).shape == (len(video), 48, 64, 3)


def test_both_transports_give_the_same(transport: str) -> None:
    """Each against the other: the program's pixels are the library's."""
    if transport != "library":
        pytest.skip("once is enough")
    for format, _, _ in FORMATS:
        for size in (None, (80, None)):
            with scrub.open(FILM, format=format, size=size) as one, scrub.open(FILM, format=format, size=size, library=False) as other:
                assert one.transport == "library" and other.transport == "program"
                assert (one.batch([0, 41]) == other.batch([0, 41])).all()


@pytest.mark.parametrize("file", ["ntsc.mp4", "vfr.mp4", "nonzero.ts", "elst-two.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"])
def test_times_of_all_frames(file: str) -> None:
    with scrub.open(clip(file)) as video:
        frames = list(video)
        for array, kind in ((video.pts, numpy.int64), (video.offsets, numpy.int64), (video.times, numpy.float64), (video.durations, numpy.float64)):
            assert array.shape == (len(video),) and array.dtype == kind
        assert [f.pts for f in frames] == video.pts.tolist()
        assert [f.seconds for f in frames] == video.times.tolist()
        assert [f.duration_seconds for f in frames] == video.durations.tolist()
        assert [f.time for f in frames] == [int(offset) * video.time_base for offset in video.offsets]
        assert all(isinstance(int(offset) * video.time_base, Fraction) for offset in video.offsets[:1])
        with pytest.raises(ValueError):
            video.pts[0] = 1
        words = [os.environ["SCRUB_PROGRAM"], "frames", clip(file), "--json", "--no-cache"]
        rows = [json.loads(line) for line in subprocess.run(words, capture_output=True, check=True).stdout.splitlines()]
        assert video.keyframes.tolist() == [row["frame"] for row in rows if row["keyframe"]] and video.keyframes.dtype == numpy.int64
        assert [video.pts[row["frame"]] for row in rows] == [row["pts"] for row in rows]


def test_indices_of_other_packages(video: scrub.Video) -> None:
    for index in (numpy.int8(5), numpy.uint64(5), numpy.array(5), Index(5)):
        assert video[index].number == 5 and video.get_frame_at(index).number == 5 and video.native(index).number == 5
        assert [f.number for f in video.frames([index, 7])] == [5, 7] and video.batch([index]).shape[0] == 1
        assert [f.number for f in video.read(index, Index(8))] == [5, 6, 7]
        assert list(video.get_frames_in_range(index, Index(11), Index(2)).numbers) == [5, 7, 9]
        assert video[:][index].number == 5 and video.get_frames_at([1, 2, 3, 4, 5, 6])[index].number == 6
    with pytest.raises(TypeError):
        video[numpy.bool_(True)]  # type: ignore[index]


@pytest.fixture
def torch() -> Iterator[Any]:
    yield pytest.importorskip("torch")


def test_scalars_of_torch(video: scrub.Video, torch: Any) -> None:
    assert video[torch.tensor(5)].number == 5 and [f.number for f in video[torch.tensor(97) :]] == [97, 98, 99]
