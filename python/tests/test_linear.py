"""Every frame is the one of ffmpeg's linear decode, however it is asked for."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest

import scrub
from conftest import CLIPS, MANIFEST, clip, expected

av = pytest.importorskip("av")

GOOD = [entry for entry in MANIFEST if entry["kind"] != "refused"]
REFUSED = [entry for entry in MANIFEST if entry["kind"] == "refused"]


def name(entry: dict[str, Any]) -> str:
    return f"{entry['file']}-{entry['stream']}"


@pytest.mark.parametrize("entry", GOOD, ids=name)
def test_frames_are_those_of_the_linear_decode(entry: dict[str, Any], tmp_path: Path) -> None:
    """The decoder's samples have the hashes of ffmpeg's linear decode, and pictures are those of `scrub seek`."""
    truth = expected(entry)
    path = clip(entry["file"])
    is_good = entry["kind"] == "good"
    with scrub.open(path, stream=entry["stream"], cache=False) as video:
        assert not is_good or len(video) == len(truth)
        some = random.Random(entry["file"]).sample(range(len(video)), min(6, len(video)))
        for number in [*some, len(video) - 1]:
            try:
                frame = video.native(number)
            except scrub.DataError:
                assert not is_good
                continue
            assert frame.number == number
            hash = hashlib.md5(frame.tobytes()).hexdigest()
            if is_good:
                assert frame.verdict == "exact" and frame.reason == "" and hash == truth[number][1]
            elif frame.verdict == "exact":
                # What ffmpeg leaves out has a number here, too.
                assert hash in {md5 for _, md5 in truth}
            else:
                assert frame.reason
        wanted = sorted({0, len(video) // 2, len(video) - 1})
        frames = {frame.number: frame for frame in video.frames(wanted, errors="none") if frame is not None}
        for frame in video.read(errors="none"):
            if frame is not None and frame.number in frames:
                assert (frame.array == frames[frame.number].array).all() and frame.pts == frames[frame.number].pts
    words = [os.environ["SCRUB_PROGRAM"], "seek", path, *(f"f{number}" for number in frames)]
    words += ["--stream", str(entry["stream"]), "--no-cache", "--keep-hdr", "-o", str(tmp_path / "%d.png")]
    if frames:
        subprocess.run(words, capture_output=True, check=True)
    for number, frame in frames.items():
        assert (frame.array == rgb((tmp_path / f"{number}.png").read_bytes())).all()


def rgb(png: bytes) -> numpy.ndarray[Any, Any]:
    """A PNG's pixels as the package has them: gray repeated, 16 bits rounded to 8, transparent ones on black."""
    import io

    with av.open(io.BytesIO(png)) as container:
        frame = next(container.decode(video=0))
        samples = frame.to_ndarray()
        kind = frame.format.name
    if samples.dtype == numpy.uint16:
        deep = samples.astype(numpy.int64)
    else:
        deep = samples.astype(numpy.int64) * 257
    if deep.ndim == 2:
        deep = deep[:, :, None]
    if kind.startswith(("ya", "rgba")):
        # The program lays deep samples on black first and rounds once.
        maximum = 65535 if samples.dtype == numpy.uint16 else 255
        plain = samples.astype(numpy.int64)
        alpha = plain[:, :, -1:]
        flat = (plain[:, :, :-1] * alpha * 2 + maximum) // (2 * maximum)
        deep = flat if maximum == 65535 else flat * 257
    eight = (deep * 255 * 2 + 65535) // (2 * 65535)
    return numpy.broadcast_to(eight.astype(numpy.uint8), (*eight.shape[:2], 3))


@pytest.mark.usefixtures("program_only")
@pytest.mark.parametrize("entry", [e for e in GOOD if e["kind"] == "good" and e["frames"] <= 60], ids=name)
def test_pyav_decodes_the_same_luma(entry: dict[str, Any]) -> None:
    """PyAV's linear decode, with another version of FFmpeg: where it has as many frames, the n-th is frame n."""
    path = clip(entry["file"])
    try:
        with av.open(path) as container:
            theirs = [(f.format.name, f.width, f.height, f.planes[0]) for f in container.decode(container.streams[entry["stream"]])]
    except av.FFmpegError as error:
        pytest.skip(f"PyAV cannot read it: {error}")
    if "null-chunks" in entry["traps"]:
        pytest.skip("its FFmpeg repeats other frames at the end")
    with scrub.open(path, stream=entry["stream"], cache=False) as video:
        if len(theirs) != len(video) or not theirs[0][0].startswith("yuv") or theirs[0][0].endswith(("le", "be")):
            pytest.skip("other frames, or not planar luma of 8 bits")
        for number in {0, 1, len(video) // 2, len(video) - 1} & set(range(len(video))):
            ours = video.native(number)
            kind, width, height, plane = theirs[number]
            if plane.line_size > 0 and ours.pixel_format == kind and (ours.width, ours.height) == (width, height):
                rows = numpy.frombuffer(plane, numpy.uint8)[: plane.line_size * height].reshape(height, plane.line_size)
                assert (rows[:, :width] == ours.planes[0]).all(), number


@pytest.mark.parametrize("entry", REFUSED, ids=name)
def test_what_cannot_be_opened_says_why(entry: dict[str, Any]) -> None:
    with pytest.raises(scrub.Error) as caught:
        scrub.open(clip(entry["file"]), cache=False)
    assert caught.value.code == entry["expectExit"]
    assert caught.value.file == clip(entry["file"]) and entry["file"] in str(caught.value)
    assert caught.value.advice


def test_every_frame_in_every_way() -> None:
    """All frames in a row, backwards, shuffled and in batches."""
    for file in ("h264-open-gop.mp4", "vp9-altref.webm", "vfr.mp4"):
        entry = next(e for e in MANIFEST if e["file"] == file)
        truth = expected(entry)
        with scrub.open(str(CLIPS / file), threads=2) as video:
            row = list(video)
            assert [frame.number for frame in row] == list(range(len(truth)))
            # ffmpeg moves a frame that shares its time with the one before.
            assert file == "vfr.mp4" or [frame.pts for frame in row] == [pts for pts, _ in truth]
            assert all(frame.verdict == "exact" and frame.reason == "" for frame in row)
            for number in reversed(range(len(truth))):
                assert (video[number].array == row[number].array).all()
            numbers = list(range(len(truth)))
            random.Random(file).shuffle(numbers)
            for frame, number in zip(video.frames(numbers), numbers):
                assert frame.number == number and (frame.array == row[number].array).all()
            batch = video.batch(numbers)
            assert all((batch[i] == row[number].array).all() for i, number in enumerate(numbers))
