"""What a picture is recognised by: the MD5 of its luma, or its number and a thumbnail where only RGB can be had."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]

CELLS = 16  # of the number in the top left corner with the inverse under it, see clips.sh
ALONE = 12  # of a number without an inverse, in clips of others
UNREADABLE = -1
THUMB_WIDTH, THUMB_HEIGHT = 64, 36  # divides every size that clips.sh makes


def luma_digest(luma: Plane) -> str:
    """The MD5 of the visible rows, without padding."""
    return hashlib.md5(np.ascontiguousarray(luma)).hexdigest()


def read_number(plane: Plane, cells: int = CELLS) -> int:
    """The number in the picture, or `UNREADABLE` when a cell and the inverse below it do not differ clearly. A number of `ALONE` cells
    has no inverse: there each cell is compared with the middle of black and white."""
    cell = plane.shape[0] // 45
    margin = max(1, cell // 4)
    if cells == ALONE:
        means = plane[margin : cell - margin, : ALONE * cell].reshape(-1, ALONE, cell)[..., margin:-margin].mean(axis=(0, 2))
        return sum(1 << bit for bit in range(ALONE) if means[bit] > 128) if np.abs(means - 128).min() > 32 else UNREADABLE
    grid = plane[: 2 * cell, : CELLS * cell].reshape(2, cell, CELLS, cell)
    means = grid[:, margin:-margin, :, margin:-margin].mean(axis=(1, 3))
    contrast = means[0] - means[1]
    if np.abs(contrast).min() < 64:
        return UNREADABLE
    return sum(1 << bit for bit in range(CELLS) if contrast[bit] > 0)


def thumbnail(picture: Plane) -> Plane:
    """Area means, for a plane (height, width) or for RGB (height, width, 3)."""
    height, width = picture.shape[:2]
    down, across = height // THUMB_HEIGHT, width // THUMB_WIDTH
    used = np.ascontiguousarray(picture[: down * THUMB_HEIGHT, : across * THUMB_WIDTH])
    rows = np.add.reduce(used.reshape(THUMB_HEIGHT, down, -1), axis=1, dtype=np.uint32)
    cells = rows.reshape(THUMB_HEIGHT, THUMB_WIDTH, across, -1).sum(axis=2)
    means = (cells + down * across // 2) // (down * across)
    return means.astype(np.uint8).reshape(THUMB_HEIGHT, THUMB_WIDTH, *picture.shape[2:])


def rgb_signature(rgb: Plane) -> str:
    """`rgb:NUMBER:THUMBNAIL` for the protocol; COMPARE_CELLS says how the clip's pictures carry their number."""
    number = read_number(rgb[..., 1], int(os.environ.get("COMPARE_CELLS", CELLS)))
    return f"rgb:{number}:{thumbnail(rgb).tobytes().hex()}"


def luma_distance(signature_thumb: str, luma: Plane) -> float:
    """The mean difference of an RGB thumbnail from the true luma, by the better of the two usual matrices."""
    rgb = np.frombuffer(bytes.fromhex(signature_thumb), np.uint8).reshape(THUMB_HEIGHT, THUMB_WIDTH, 3)
    best = float("inf")
    for red, blue in ((0.299, 0.114), (0.2126, 0.0722)):  # BT.601, BT.709
        weights = np.array([red, 1 - red - blue, blue]) * 219 / 255
        best = min(best, float(np.abs(rgb @ weights + 16 - luma).mean()))
    return best
