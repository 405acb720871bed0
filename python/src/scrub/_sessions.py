"""The connections of one video, and how they are handled after a fork."""

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
    """The sessions of a video, one for each pixel format.

    A session is opened on first use, and is opened again after a fork or a failure.
    """

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
        """Returns a usable session, which is opened if necessary."""
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
        """Closes inherited sessions in a forked child. Replaces the lock because a thread of the parent may hold it."""
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


# Immediately, not on first use: as long as a child keeps the pipe open, the parent's program does not detect its end.
os.register_at_fork(after_in_child=_in_child, after_in_parent=_in_parent)
