"""The connections of one video, and what happens to them in a forked process."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from typing import Callable

from ._errors import ClosedError
from ._formats import Pixels
from ._session import Session

_all: dict[int, weakref.ref[Sessions]] = {}
_numbers = itertools.count()


class Sessions:
    """A session for each kind of picture: opened on first use, and again in a new process or after a failure."""

    def __init__(self, file: str, start: Callable[[Pixels], Session]) -> None:
        self._file = file
        self._start = start
        self._lock = threading.Lock()
        self._open: dict[Pixels, Session] = {}
        self._process = os.getpid()
        self._closed = False
        self._number = next(_numbers)
        number = self._number
        _all[number] = weakref.ref(self, lambda _: _all.pop(number, None) and None)

    @property
    def is_closed(self) -> bool:
        return self._closed

    def get(self, pixels: Pixels) -> Session:
        """Returns a session that can be used."""
        if self._process != os.getpid():
            self.abandon()
        with self._lock:
            if self._closed:
                raise ClosedError("the video was closed", file=self._file)
            session = self._open.get(pixels)
            if session is not None and session.is_usable:
                return session
            if session is not None:
                del self._open[pixels]
                session.close()
            made = self._start(pixels)
            self._open[pixels] = made
            return made

    def close(self) -> None:
        if self._process != os.getpid():
            self.abandon()
        self._closed = True
        with self._lock:
            sessions, self._open = list(self._open.values()), {}
        for session in sessions:
            session.close()

    def abandon(self) -> None:
        """In a forked child: closes what was inherited. Threads that are not in this process may hold the locks."""
        self._lock = threading.Lock()
        self._process = os.getpid()
        sessions, self._open = list(self._open.values()), {}
        for session in sessions:
            session.abandon()

    def share(self) -> None:
        for session in list(self._open.values()):
            session.transport.share()


def _in_child() -> None:
    for reference in list(_all.values()):
        sessions = reference()
        if sessions is not None:
            sessions.abandon()


def _in_parent() -> None:
    for reference in list(_all.values()):
        sessions = reference()
        if sessions is not None:
            sessions.share()


# At once, not on first use: the parent's program would not see the end of a pipe that a child keeps open.
os.register_at_fork(after_in_child=_in_child, after_in_parent=_in_parent)
