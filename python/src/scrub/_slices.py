"""A slice of a video's frames, decoded on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional, SupportsIndex, Union, overload

import numpy
from numpy.typing import NDArray

from ._frames import Frame
from ._positions import frame_number

if TYPE_CHECKING:
    from ._video import Video


class Frames:
    """The result of `video[start:stop:step]`. It selects frames as a list's slice does, and decodes them on demand.

    It supports `len`, indexes and slices, as a list does. A loop keeps only a few frames in memory, even if the slice
    is long. `list(…)` keeps all frames, and `numpy.asarray(…)` returns them in one array. The operator `in` is not
    supported, because it would decode all the frames.
    """

    __slots__ = ("_video", "numbers")

    def __init__(self, video: Video, numbers: range) -> None:
        self._video = video
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> Frames: ...
    def __getitem__(self, place: Union[SupportsIndex, slice]) -> Union[Frame, Frames]:
        if isinstance(place, slice):
            return Frames(self._video, self.numbers[place])
        return self._video[self.numbers[frame_number(place, len(self.numbers))]]

    def __iter__(self) -> Iterator[Frame]:
        return self._video.read_numbers(self.numbers)

    def __reversed__(self) -> Iterator[Frame]:
        return self._video.read_numbers(self.numbers[::-1])

    __contains__ = None

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the frames are not in one array yet, so a copy is required")
        array = self._video.batch(self.numbers)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        numbers = self.numbers
        return f"<scrub.Frames {numbers.start}:{numbers.stop}:{numbers.step}, {len(self)} of {self._video.path!r}>"
