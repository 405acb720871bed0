"""The connection to the engine. Answers arrive in the order of the requests.

The rest of the package uses only `Transport`. There are two transports: the C library in this process, and the program
in a separate process.
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
    """A requested frame, and the memory for its picture. If `buffer` is None, memory is allocated for the picture."""

    position: str
    buffer: Optional[Buffer] = None


class Request:
    """A request for frames (`items`) or for the times of consecutive frames (`row`: the position of the first frame,
    and the number of frames). If neither is given, it is a request for the facts about the video.
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
    """An answer. `data` is the picture or the table of times, without padding, or None if the answer has neither.
    `number` is the system's `errno` that caused an error, or 0.
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
    """A connection to an engine that has opened a video.

    One thread may send requests while another receives answers, but only one thread at a time may do either. `close`
    and `abandon` are called when no other call is running. `stop` may be called at any time, and ends a waiting
    `receive`.
    """

    hello: Answer

    @property
    def name(self) -> Literal["library", "program"]:
        """Which engine does the work: `"library"` or `"program"`."""
        ...

    def buffer(self, size: int) -> Optional[Buffer]:
        """Returns memory into which the engine writes a picture without a copy, or None if none is available now."""
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
        """Called in the parent after a fork. Memory that the child may read is not written again."""
        ...

    def stop(self) -> None:
        """Stops the engine."""
        ...

    def close(self) -> None:
        """Closes the engine and releases its resources."""
        ...

    def abandon(self) -> None:
        """Called in a forked child. Closes what the child inherited; the parent's engine keeps running."""
        ...
