"""The connection to the engine: requests go out, and answers come back in the same order.

The rest of the package uses only `Transport`. There are two: the C library in this process, and the program in another.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Iterable, Literal, NamedTuple, Optional, Protocol, Sequence

import numpy
from numpy.typing import NDArray

from ._memory import Buffer

HELLO, PICTURE, ERROR, TIMES, FACTS = range(5)


class Item(NamedTuple):
    """A requested frame and the memory for its picture; without it, the picture gets its own."""

    position: str
    buffer: Optional[Buffer] = None


class Request:
    """One request: frames (`items`), the times of consecutive frames (`row`: the position of the first and their
    number), or, without both, the facts of the video.
    """

    def __init__(self, items: Sequence[Item] = (), row: Optional[tuple[str, int]] = None) -> None:
        self.items, self.row = items, row

    @property
    def count(self) -> int:
        """The number of answers."""
        return len(self.items) or 1

    @functools.cached_property
    def line(self) -> bytes:
        """The request in the program's protocol (docs/drive.md)."""
        if self.row is not None:
            return f"TIMES {self.row[0]} {self.row[1]}\n".encode()
        if not self.items:
            return b"INFO\n"
        words = (f"{i.position}@{i.buffer.place}" if i.buffer and i.buffer.place is not None else i.position for i in self.items)
        return f"GET {' '.join(words)}\n".encode()


class Answer(NamedTuple):
    """One answer. `data` is the picture or the table, without padding; None for an error and for facts. `number` is the
    system's `errno` behind an error, if there is one.
    """

    kind: int
    request: int
    item: int
    frame: int
    pts: int
    time_base: Fraction
    status: int
    width: int
    height: int
    format: str
    planes: tuple[tuple[int, int], ...]
    text: str
    byte_count: int
    data: Optional[NDArray[numpy.uint8]]
    number: int = 0


class Transport(Protocol):
    """A connection with an open video.

    One thread may send requests while another receives answers, but only one thread at a time may do either. `close`
    and `abandon` are called when no other call runs; `stop` may be called at any time and ends a waiting `receive`.
    """

    hello: Answer

    @property
    def name(self) -> Literal["library", "program"]:
        """Which engine does the work: `"library"` or `"program"`."""
        ...

    def buffer(self, size: int) -> Optional[Buffer]:
        """Returns memory that pictures are written to without a copy, or None if none is available now."""
        ...

    def fits(self, outstanding: Iterable[Request], request: Request) -> bool:
        """Whether a request can be sent while others are unanswered."""
        ...

    def request(self, request: Request) -> None:
        """Sends a request."""
        ...

    def receive(self, request: Optional[Request]) -> Answer:
        """Waits for the next answer, which is for the oldest incomplete request."""
        ...

    def share(self) -> None:
        """Called after a fork: memory that the child may read is not written again."""
        ...

    def stop(self) -> None:
        """Stops the engine."""
        ...

    def close(self) -> None:
        """Closes the engine and releases its resources."""
        ...

    def abandon(self) -> None:
        """Closes what a forked child inherited; the parent's engine keeps running."""
        ...
