"""`scrub drive --binary` in a separate process (docs/drive.md describes the protocol)."""

from __future__ import annotations

import io
import os
import re
import signal
import struct
import subprocess
import time
from fractions import Fraction
from typing import Iterable, Literal, Optional, Sequence

import numpy
from numpy.typing import NDArray

from ._errors import Error, ProgramEndedError, failure
from ._formats import Pixels
from ._memory import Buffer, Pool
from ._options import Options
from ._program import find_program
from ._source import Source
from ._transport import ERROR, PICTURE, TIMES, Answer, Request

_RECORD = struct.Struct("<4sIqqqqqqIIII24s8Iqqqq")
# The program reads a request only after it has answered all earlier ones, and a pipe may hold no more than a page.
_AHEAD_BYTES = 4096


# The dashes of an option in a message.
_DASHES = re.compile(r"(?:(?<=[\s('])|^)--(?=[a-z])")


def start_program(source: Source, options: Options, pixels: Pixels, memory_limit: int) -> ProgramTransport:
    """Starts the program for a video.

    Raises ProgramNotFoundError, or the error that explains why the video cannot be opened.
    """
    is_named = source.is_named
    no_cache = [] if is_named or not options.cache else ["--no-cache"]
    words = [find_program(options.program), *options.drive_words(pixels), *no_cache, "--", source.path]
    inherited = [] if is_named or source.descriptor is None else [source.descriptor]
    return ProgramTransport(words, source.name, memory_limit, inherited)


class ProgramTransport:
    """`scrub drive --binary`, connected by two pipes, with pictures in shared memory."""

    def __init__(self, words: Sequence[str | bytes], file: str, memory_limit: int, inherited: Sequence[int] = ()) -> None:
        """Starts the program with these arguments and descriptors, and waits until the video is open."""
        self._file = file
        # Without a pool, all pictures are sent through the pipe.
        self._pool = Pool.of(memory_limit)
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._said = os.memfd_create("scrub-errors", os.MFD_CLOEXEC)
        memory = [self._pool.descriptor] if self._pool else []
        options = ["--memory", str(memory[0])] if memory else []
        try:
            # In a separate session, so that Ctrl-C in the terminal reaches only this process.
            self._process = subprocess.Popen(
                [words[0], "drive", "--binary", *options, *words[1:]],
                stdin=requests,
                stdout=answers,
                stderr=self._said,
                pass_fds=[*memory, *inherited],
                start_new_session=True,
            )
        except BaseException as error:
            self._close_descriptors()
            if isinstance(error, OSError):
                raise ProgramEndedError(f"{os.fsdecode(words[0])} cannot be started: {error.strerror}", file=file) from error
            raise
        finally:
            os.close(requests)
            os.close(answers)
        self._reader = io.BufferedReader(io.FileIO(self._answers, "rb", closefd=False), 1 << 16)
        try:
            self.hello = self.receive(None)
            if self.hello.kind == ERROR:
                raise failure(self.hello.status, self.hello.text, file, number=self.hello.number)
        except BaseException:
            self.stop()
            self.close()
            raise

    @property
    def name(self) -> Literal["library", "program"]:
        return "program"

    def buffer(self, size: int) -> Optional[Buffer]:
        return self._pool.take(size) if self._pool else None

    def fits(self, outstanding: Iterable[Request], request: Request) -> bool:
        waiting = sum(len(other.line) for other in outstanding)
        return waiting == 0 or waiting + len(request.line) <= _AHEAD_BYTES

    def request(self, request: Request) -> None:
        rest = memoryview(request.line)
        try:
            while rest:
                rest = rest[os.write(self._requests, rest) :]
        except OSError as error:
            raise self._ended() from error

    def receive(self, request: Optional[Request]) -> Answer:
        head = self._reader.read(_RECORD.size)
        if len(head) < _RECORD.size:
            raise self._ended()
        fields = _RECORD.unpack(head)
        if fields[0] != b"SCR1":
            raise ProgramEndedError("the scrub program does not follow its protocol (install the version that matches this package)", file=self._file)
        kind, item, planes, byte_count, place = fields[1], fields[3], fields[9], fields[22], fields[23]
        text = self._read(bytearray(fields[21])).decode("utf-8", "replace") if fields[21] else ""
        data: Optional[NDArray[numpy.uint8]] = None
        if kind in (PICTURE, TIMES):
            items = request.items if request and kind == PICTURE else ()
            buffer = items[item].buffer if 0 <= item < len(items) else None
            if place >= 0 and buffer is not None:
                data = buffer.array[:byte_count]
            else:
                fits = buffer is not None and buffer.place is None and buffer.array.nbytes == byte_count
                target = buffer.array if buffer is not None and fits else numpy.empty(byte_count, numpy.uint8)
                self._read(target.data)
                data = target
        return Answer(
            kind, fields[2], item, fields[4], fields[5], Fraction(fields[6], fields[7] or 1), fields[8], fields[10],
            fields[11], fields[12].rstrip(b"\0").decode(), tuple(zip(fields[13:21:2], fields[14:21:2]))[:planes], text,
            sum(width * rows for width, rows in zip(fields[13:21:2], fields[14:21:2])), data, fields[24],
        )  # fmt: skip

    def share(self) -> None:
        if self._pool:
            self._pool.share()

    def stop(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._close_descriptors()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:  # another process also holds the pipe, or a read does not return
            self._process.kill()
            self._process.wait()

    def abandon(self) -> None:
        if self._pool:
            self._pool.abandon()
        self._close_descriptors()
        # The program is not a child of this process, so do not wait for it.
        self._process.returncode = 0

    def _close_descriptors(self) -> None:
        for descriptor in (self._requests, self._answers, self._said):
            if descriptor >= 0:
                os.close(descriptor)
        self._requests = self._answers = self._said = -1
        if self._pool:
            self._pool.close()

    def _read(self, target: bytearray | memoryview) -> bytearray:
        rest = memoryview(target)
        while rest:
            count = self._reader.readinto(rest)
            if not count:
                raise self._ended()
            rest = rest[count:]
        return target if isinstance(target, bytearray) else bytearray()

    def _ended(self) -> Error:
        """Returns an error that says why the program ended, with its message or the signal."""
        deadline = time.monotonic() + 5
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        status = self._process.returncode
        size = os.fstat(self._said).st_size
        said = os.pread(self._said, 1 << 16, max(0, size - (1 << 16))).decode("utf-8", "replace").strip()
        lines = said.splitlines()
        # A hint about the command line's help may follow the message.
        sentence = next((line for line in reversed(lines) if line.startswith("scrub: ")), "")
        if status is not None and status > 0 and sentence:
            # The program rejected its arguments, for example those that the caller passed as `arguments`.
            return failure(status, _DASHES.sub("", sentence.removeprefix("scrub: ")), self._file)
        if status is not None and status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = "unknown"
            how = f"was killed by signal {-status} ({name})"
        else:
            how = "ended" if status is None else f"ended with status {status}"
        more = f": {lines[-1]}" if lines else ""
        advice = "the next request starts it again"
        return ProgramEndedError(f"{self._file}: the scrub program {how}{more} ({advice})", file=self._file, advice=advice)
