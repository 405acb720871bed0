"""What can go wrong, by kind."""

from __future__ import annotations

import errno
import os
import re
from typing import Any, Callable, Optional

from ._words import divided


class Error(Exception):
    """Something that scrub could not do.

    `code` is the program's exit code for it, from `sysexits.h`, `file` the video, and `advice` what to do, if that is
    known. `frame` is the number of the frame that failed, if only one did. The message contains all of these.
    `report` is what a failed proof found.
    """

    code = 70
    report: Optional[dict[str, Any]] = None

    def __init__(
        self,
        message: str,
        *,
        file: Optional[str] = None,
        advice: Optional[str] = None,
        frame: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.advice = advice
        self.frame = frame

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...], dict[str, Any]]:
        return _rebuilt, (type(self), self.message, self.file, self.advice, self.frame, getattr(self, "errno", None)), {"report": self.report}


class UsageError(Error, ValueError):
    """The request itself is wrong: a string that is not a position, pictures of two sizes for one array."""

    code = 64


class OutOfRangeError(UsageError, IndexError):
    """There is no frame with that number."""


class OutsideError(OutOfRangeError, RuntimeError):
    """No frame is on screen at that time. Methods with names from torchcodec raise it. torchcodec itself raises an
    IndexError for a single time, a RuntimeError for several times and a ValueError for a range; this error is all
    three.
    """


class ClosedError(UsageError):
    """The video was closed before."""


class CancelledError(ClosedError):
    """Another thread closed the video during the call, which ended after the current packet."""


class DataError(Error):
    """The file's data cannot be decoded as asked."""

    code = 65


class NoInputError(Error, OSError):
    """The file is missing, or it cannot be read."""

    code = 66


class UnavailableError(Error):
    """A needed part is missing, such as a decoder, or a rule or limit forbids the request."""

    code = 69


class ProgramNotFoundError(UnavailableError):
    """There is no scrub program, or it is too old. The message lists the searched places and what to install."""


class LibraryNotFoundError(UnavailableError):
    """The C library was requested but cannot be loaded or is too old."""


class InputOutputError(Error, OSError):
    """A read or write failed."""

    code = 74


class ProgramEndedError(InputOutputError):
    """The scrub program ended while it was needed. The next request of the same video starts it again."""


# The same errors as subclasses of the standard exceptions. Callers catch the standard exceptions.


class MissingFileError(NoInputError, FileNotFoundError):
    """There is no file with that name."""


class ForbiddenFileError(NoInputError, PermissionError):
    """The file may not be read, or the server refuses access."""


class DirectoryError(NoInputError, IsADirectoryError):
    """The path is a folder and not a file."""


class UnreachableError(NoInputError, ConnectionError):
    """There is no connection to the server."""


class ConnectionLostError(InputOutputError, ConnectionError):
    """The connection to the server was lost."""


class TimedOutError(InputOutputError, TimeoutError):
    """The server did not answer in time."""


class OutOfMemoryError(UnavailableError, MemoryError):
    """There is not enough memory for the request."""


_KINDS = {kind.code: kind for kind in (UsageError, DataError, NoInputError, UnavailableError, InputOutputError)}
_STANDARD: dict[tuple[type[Error], int], type[Error]] = {
    (NoInputError, errno.ENOENT): MissingFileError,
    (NoInputError, errno.EACCES): ForbiddenFileError,
    (NoInputError, errno.EPERM): ForbiddenFileError,
    (NoInputError, errno.EISDIR): DirectoryError,
    (NoInputError, errno.ECONNREFUSED): UnreachableError,
    (NoInputError, errno.EHOSTUNREACH): UnreachableError,
    (InputOutputError, errno.ECONNRESET): ConnectionLostError,
    (InputOutputError, errno.ETIMEDOUT): TimedOutError,
    (UnavailableError, errno.ENOMEM): OutOfMemoryError,
}
# Paths of bytes that are not in a file, or in a file that was opened earlier.
_DESCRIPTOR = re.compile(r"/proc/self/fd/\d+")


def failure(code: int, sentence: str, file: Optional[str], frame: Optional[int] = None, number: int = 0) -> Error:
    """Returns the error for a `sysexits.h` code and a message from the program: `file: place: cause (advice)`.

    number: the system's `errno`, if it is known.
    """
    kind = _KINDS.get(code, Error)
    if file is not None and not file.startswith("/proc/"):
        sentence = _DESCRIPTOR.sub(lambda _: file, sentence)
    about = sentence.removeprefix(f"{file}: ")
    if kind is UsageError and re.match(r"there is no frame -?\d", about):
        kind = OutOfRangeError
    if kind is UsageError and " is outside the video: " in about:
        kind = OutsideError
    if kind is NoInputError and not number:
        number = _refusal(file)
    kind = _STANDARD.get((kind, number), kind)
    return _rebuilt(kind, sentence, file, divided(sentence)[1] or None, frame, number)


def _refusal(file: Optional[str]) -> int:
    """Returns the `errno` from opening a file."""
    if file and "://" in file:
        return 0
    try:
        # Without O_NONBLOCK, opening a pipe without a writer would block.
        descriptor = os.open(file or "", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return error.errno or 0
    try:
        return errno.EISDIR if os.path.isdir(descriptor) else 0
    finally:
        os.close(descriptor)


def _rebuilt(
    kind: type[Error], message: str, file: Optional[str], advice: Optional[str], frame: Optional[int], number: Optional[int]
) -> Error:
    made = kind(message, file=file, advice=advice, frame=frame)
    if number and isinstance(made, OSError):
        made.errno, made.strerror, made.filename = number, os.strerror(number), file
    return made
