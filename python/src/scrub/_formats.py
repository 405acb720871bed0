"""The formats of arrays, and their names in the library and the program."""

from __future__ import annotations

import operator
from typing import Any, Literal, NamedTuple, Optional, SupportsIndex, Tuple, Union

import numpy

from ._errors import UsageError

Format = Literal["rgb", "rgba", "bgra", "gray", "rgb48", "rgba64"]
"""The channels of an array. Formats with a number in their name have 16 bits per channel, with 65535 as white; the
others have 8 bits."""

Size = Union[Tuple[Optional[SupportsIndex], Optional[SupportsIndex]], None]
"""Width and height. If one of them is None, it is derived from the aspect ratio."""

_LARGEST = 16384


class Pixels(NamedTuple):
    """The pixel format of arrays."""

    name: str
    """The value of the option `scrub drive --format`."""
    layout: int
    """The number of the layout in `scrub.h`."""
    channels: int
    kind: numpy.dtype[Any]


NATIVE = Pixels("native", 0, 1, numpy.dtype(numpy.uint8))
FORMATS: dict[str, Pixels] = {
    "rgb": Pixels("rgb24", 1, 3, numpy.dtype(numpy.uint8)),
    "rgba": Pixels("rgba", 2, 4, numpy.dtype(numpy.uint8)),
    "bgra": Pixels("bgra", 3, 4, numpy.dtype(numpy.uint8)),
    "gray": Pixels("gray", 4, 1, numpy.dtype(numpy.uint8)),
    "rgb48": Pixels("rgb48", 5, 3, numpy.dtype(numpy.uint16)),
    "rgba64": Pixels("rgba64", 6, 4, numpy.dtype(numpy.uint16)),
}


def checked_format(name: str) -> str:
    """Checks that a format exists, and returns its name."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name!r}: use one of {', '.join(map(repr, FORMATS))}")
    return name


def checked_size(size: Size) -> tuple[int, int]:
    """Checks a size, and returns its width and height, with 0 for None."""
    if size is None:
        return 0, 0
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise TypeError(f"size must be (width, height), where either may be None, but it is {size!r}")
    sides = tuple(0 if side is None else operator.index(side) for side in size)
    for side, said in zip(sides, size):
        if said is not None and not 1 <= side <= _LARGEST:
            raise UsageError(f"size is {size!r}: use sides from 1 to {_LARGEST}, or None")
    return sides[0], sides[1]
