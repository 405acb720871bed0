"""torchcodec; COMPARE_MODE is its seek mode, `exact` (scans the file when opening) or `approximate`."""

from __future__ import annotations

import os

import numpy as np
import torch
from torchcodec.decoders import VideoDecoder

from comparison.picture import rgb_signature
from protocol import Answer, Seek, serve, threads


def open_file(path: str) -> tuple[int, Seek]:
    options = {}
    if (count := threads()) is not None:
        torch.set_num_threads(count)
        options["num_ffmpeg_threads"] = count
    decoder = VideoDecoder(path, seek_mode=os.environ["COMPARE_MODE"], dimension_order="NHWC", **options)

    def seek(number: int) -> Answer:
        frame = decoder.get_frame_at(number)
        picture = frame.data.numpy()
        return Answer(f"{frame.pts_seconds:.6f}", lambda: rgb_signature(np.ascontiguousarray(picture)))

    return len(decoder), seek


serve(open_file)
