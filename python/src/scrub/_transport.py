"""The way to the engine: a request goes out, answers come back in the order of the requests.

`Transport` is all that the rest of the package knows of it. There are two: the C library in this process, and the program
in one of its own.
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
    """A frame that is asked for, and the memory for its picture; without memory it gets some of its own."""

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
        """How many answers there are."""
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

    Requests and answers may be in different threads, but each in one at a time. `close` and `abandon` are called when no
    other call runs; `stop` may be called at any time, and ends a `receive` that waits.
    """

    hello: Answer

    @property
    def name(self) -> Literal["library", "program"]:
        """What does the work: `"library"` or `"program"`."""
        ...

    def buffer(self, size: int) -> Optional[Buffer]:
        """Returns memory that pictures are put into without a copy, or None if there is none now."""
        ...

    def fits(self, outstanding: Iterable[Request], request: Request) -> bool:
        """Whether a request can be sent while others are not answered."""
        ...

    def request(self, request: Request) -> None:
        """Sends a request."""
        ...

    def receive(self, request: Optional[Request]) -> Answer:
        """Waits for the next answer, which is for the oldest request without all of its answers."""
        ...

    def share(self) -> None:
        """This process was forked: what the child may look at is left alone."""
        ...

    def stop(self) -> None:
        """Makes the engine end."""
        ...

    def close(self) -> None:
        """Ends the engine and returns what it uses."""
        ...

    def abandon(self) -> None:
        """Closes what a forked child inherited; the engine, which is the parent's, goes on."""
        ...
