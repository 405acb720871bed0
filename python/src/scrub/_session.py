"""Requests from several threads over one transport."""

from __future__ import annotations

import collections
import json
import os
import threading
from typing import Any, Optional, Sequence

import numpy
from numpy.typing import NDArray

from ._errors import CancelledError, ClosedError, Error, ProgramEndedError, ProgramNotFoundError, UsageError, failure
from ._transport import ERROR, Answer, Item, Request, Transport


class Pending:
    """A request in progress. The memory for its pictures is retained until all answers have arrived."""

    __slots__ = ("number", "request", "answers", "left", "failure")

    def __init__(self, number: int, request: Request) -> None:
        self.number, self.request = number, request
        self.answers: list[Optional[Answer]] = [None] * request.count
        self.left = request.count
        self.failure: Optional[Error] = None


class Session:
    """A queue of requests.

    While a thread waits for its answers, it also receives earlier answers for other threads and passes them on. Waiting
    releases the interpreter's lock.
    """

    def __init__(self, transport: Transport, file: str) -> None:
        self.transport = transport
        self.file = file
        self.process = os.getpid()
        self._send, self._receive = threading.Lock(), threading.Lock()
        self._outstanding: collections.deque[Pending] = collections.deque()
        self._count = 0
        self._failure: Optional[Error] = None
        self._closed = False

    @property
    def hello(self) -> Answer:
        return self.transport.hello

    @property
    def is_usable(self) -> bool:
        return self._failure is None and not self._closed

    def get(self, items: Sequence[Item]) -> Pending:
        """Requests frames without waiting for them."""
        return self._ask(Request(items))

    def times(self, first: int, count: int) -> NDArray[numpy.int64]:
        """Returns a row for each of `count` consecutive frames.

        A row contains the presentation time in the container, the time after the first frame and the duration, in units
        of the time base, and 1 if the container marks the frame as a key frame.
        """
        answer = self._only(Request(row=(f"f{first}", count)))
        assert answer.data is not None
        return answer.data.view("<i8").reshape(-1, 4)

    def find(self, position: str) -> int:
        """Returns the number of the frame at a position."""
        pending = self._ask(Request(row=(position, 1)))
        self.wait(pending)
        answer = pending.answers[0]
        assert answer is not None
        return answer.frame

    def facts(self) -> dict[str, Any]:
        """Returns the object that `scrub info --json` prints."""
        facts = json.loads(self._only(Request()).text)
        assert isinstance(facts, dict)
        return facts

    def _only(self, request: Request) -> Answer:
        pending = self._ask(request)
        try:
            self.wait(pending)
        except UsageError as error:
            raise ProgramNotFoundError("the scrub program is too old for this package (update the program)", file=self.file) from error
        answer = pending.answers[0]
        assert answer is not None
        return answer

    def wait(self, pending: Pending) -> None:
        """Waits until all answers to a request have arrived."""
        while pending.left and pending.failure is None:
            with self._receive:
                if pending.left and pending.failure is None:
                    self._receive_one()
        if pending.failure is not None:
            raise pending.failure.with_traceback(None)

    def close(self) -> None:
        """Closes the session. Requests that are in progress fail."""
        self._closed = True
        # In the order in which a request acquires the locks.
        for lock in (self._send, self._receive):
            if not lock.acquire(timeout=0.02):
                self.transport.stop()
                lock.acquire()
        try:
            self._fail(ClosedError("the video was closed", file=self.file))
            self.transport.close()
        finally:
            self._receive.release()
            self._send.release()

    def abandon(self) -> None:
        """Drops the session in a forked child, because it belongs to the parent.

        Replaces the locks, because threads of the parent may hold them.
        """
        self._send, self._receive = threading.Lock(), threading.Lock()
        self._fail(ProgramEndedError("the video was opened in the parent process (repeat the request)", file=self.file))
        self.transport.abandon()

    def _ask(self, request: Request) -> Pending:
        with self._send:
            while self._outstanding and not self.transport.fits((p.request for p in list(self._outstanding)), request):
                with self._receive:
                    if self._outstanding:
                        self._receive_one()
            self._check()
            pending = Pending(self._count, request)
            self._count += 1
            self._outstanding.append(pending)
            try:
                self.transport.request(request)
            except BaseException as error:
                self._broken(error)
                raise
        return pending

    def _check(self) -> None:
        if self._closed:
            raise ClosedError("the video was closed", file=self.file)
        if self._failure is not None:
            raise self._failure.with_traceback(None)

    def _receive_one(self) -> None:
        """Receives the next answer, whichever request it is for."""
        if self._closed:
            raise CancelledError("the video was closed while it was being read", file=self.file)
        self._check()
        head = self._outstanding[0]
        try:
            answer = self.transport.receive(head.request)
            if answer.request != head.number:
                raise ProgramEndedError("the scrub program does not follow its protocol", file=self.file)
        except BaseException as error:
            self._broken(error)
            if self._closed and isinstance(error, Error):
                raise CancelledError("the video was closed while it was being read", file=self.file) from error
            raise
        if answer.item < 0:
            head.failure = failure(answer.status, answer.text, self.file, number=answer.number)
            head.left = 0
        else:
            head.answers[answer.item] = answer
            head.left -= 1
        if head.left == 0:
            self._outstanding.popleft()

    def _broken(self, error: BaseException) -> None:
        """Stops the engine after a failure or an interruption, because the rest of the stream cannot be read."""
        self.transport.stop()
        if self._closed:
            self._fail(ClosedError("the video was closed", file=self.file))
        elif isinstance(error, Error):
            self._fail(error)
        else:
            self._fail(ProgramEndedError("a request was interrupted (repeat the request)", file=self.file))

    def _fail(self, error: Error) -> None:
        self._failure = self._failure or error
        closed = CancelledError("the video was closed while it was being read", file=self.file)
        under_way = closed if self._closed else self._failure
        while self._outstanding:
            self._outstanding.popleft().failure = under_way


def error_of(answer: Answer, file: str) -> Optional[Error]:
    """Returns the error that an answer contains, or None."""
    if answer.kind != ERROR:
        return None
    frame = answer.frame if answer.frame >= 0 else None
    return failure(answer.status, answer.text, file, frame, answer.number)
