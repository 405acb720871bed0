"""The C library in this process. A separate thread makes the calls, so that waiting threads can be interrupted."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Iterable, Literal, Optional, Union

from ._engine import Engine
from ._errors import ProgramEndedError
from ._formats import Pixels
from ._library import Library
from ._memory import Buffer, Pool
from ._options import Options
from ._source import Source
from ._transport import Answer, Request

_Jobs = SimpleQueue[Optional[Request]]
_Answers = SimpleQueue[Union[Answer, BaseException]]


class LibraryTransport:
    """A connection to a video that is open in the C library."""

    def __init__(self, library: Library, source: Source, options: Options, pixels: Pixels) -> None:
        """Starts the thread and waits until the video is open.

        Raises ForkedError in a child of a process that has used the library.
        """
        self._file = source.name
        self._pool = Pool.of(options.shared_memory)
        self._engine = Engine(library, source, options, pixels)
        self._jobs: _Jobs = SimpleQueue()
        self._answers: _Answers = SimpleQueue()
        self._has_stopped = False
        self._thread = threading.Thread(
            target=_work, args=(self._engine, self._jobs, self._answers), name="scrub", daemon=True
        )
        self._thread.start()
        try:
            self.hello = self.receive(None)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> Literal["library", "program"]:
        return self._engine.name

    def buffer(self, size: int) -> Optional[Buffer]:
        return self._pool.take(size) if self._pool else None

    def fits(self, outstanding: Iterable[Request], request: Request) -> bool:
        return True

    def request(self, request: Request) -> None:
        self._jobs.put(request)

    def receive(self, request: Optional[Request]) -> Answer:
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def share(self) -> None:
        if self._pool:
            self._pool.share()

    def stop(self) -> None:
        if self._has_stopped:
            return
        self._has_stopped = True
        self._engine.close()
        self._jobs.put(None)
        self._answers.put(ProgramEndedError(f"{self._file}: the video was closed while it was being read", file=self._file))

    def close(self) -> None:
        self.stop()
        self._end()

    def abandon(self) -> None:
        # The thread does not exist in this process.
        self._has_stopped = True
        self._engine.abandon()
        if self._pool:
            self._pool.abandon()

    def _end(self) -> None:
        if self._pool:
            self._pool.close()
        # The thread itself may drop the last reference.
        if threading.current_thread() is not self._thread:
            self._thread.join(5)


def _work(engine: Engine, jobs: _Jobs, answers: _Answers) -> None:
    """Answers requests until it receives None. Does not keep an answered request, because its memory is reused."""
    try:
        answers.put(engine.open())
        number = 0
        while (request := jobs.get()) is not None:
            made = engine.answers(request, number)
            request = None
            number += 1
            while made:
                answers.put(made.popleft())
    except BaseException as error:
        answers.put(error)
    finally:
        engine.end()
