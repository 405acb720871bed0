"""OpenCV's FFmpeg backend: CAP_PROP_POS_FRAMES, and no seek where the next picture is the one wanted."""

from __future__ import annotations

import cv2

from comparison.picture import rgb_signature
from protocol import Answer, Seek, serve, threads


def open_file(path: str) -> tuple[int, Seek]:
    options: list[int] = []
    if (count := threads()) is not None:
        cv2.setNumThreads(count)
        options = [cv2.CAP_PROP_N_THREADS, count]
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG, options)
    if not capture.isOpened():
        raise SystemExit("OpenCV does not open the file")
    following: int | None = None

    def seek(number: int) -> Answer:
        nonlocal following
        if number != following:
            capture.set(cv2.CAP_PROP_POS_FRAMES, number)
        following = None
        success, picture = capture.read()
        if not success:
            raise RuntimeError("no picture")
        following = number + 1
        seconds = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        return Answer(f"{seconds:.6f}", lambda: rgb_signature(picture[..., ::-1]))

    return int(capture.get(cv2.CAP_PROP_FRAME_COUNT)), seek


serve(open_file)
