"""Scrub's errors."""

from __future__ import annotations

import errno
import os
import re
from typing import Any, Callable, Optional

from ._words import divided


class Error(Exception):
    """The base class of Scrub's errors.

    `code` is the exit code of the program for this error, from `sysexits.h`. `file` is the video, and `advice` says
    what to do; both are None if unknown. If a single frame failed, `frame` is its number. If a verification failed,
    `report` contains the findings.
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
    """The request is invalid: for example, a string is not a position, or frames for one array have two sizes."""

    code = 64


class OutOfRangeError(UsageError, IndexError):
    """There is no frame with the requested number."""


class OutsideError(OutOfRangeError, RuntimeError):
    """No frame is on screen at the requested time.

    torchcodec raises an IndexError for a single time, a RuntimeError for several times and a ValueError for a range.
    Code that catches torchcodec's errors also catches this error, because it is a subclass of all three.
    """


class ClosedError(UsageError):
    """The video, the session or the update's picture is closed."""


class CancelledError(ClosedError):
    """Another thread closed the video or the session during the call. The call ended after the current packet."""


class DataError(Error):
    """The file's data cannot be decoded, or a verification found errors."""

    code = 65


class NoInputError(Error, OSError):
    """The file does not exist or cannot be read."""

    code = 66


class UnavailableError(Error):
    """Something that the request requires is missing, such as a decoder, or a rule or limit forbids the request."""

    code = 69


class ProgramNotFoundError(UnavailableError):
    """The scrub program was not found or is too old.

    The message lists the places that were searched, and says what to install.
    """


class LibraryNotFoundError(UnavailableError):
    """The C library is required, but cannot be loaded, is too old, or does not support an option."""


class InputOutputError(Error, OSError):
    """A read or write failed."""

    code = 74


class ProgramEndedError(InputOutputError):
    """The scrub program ended during a request. The next request for the same video restarts it."""


# Subclasses of these errors and of standard exceptions. Callers catch the standard exceptions.


class MissingFileError(NoInputError, FileNotFoundError):
    """There is no file with that name."""


class ForbiddenFileError(NoInputError, PermissionError):
    """This process is not permitted to read the file, or the server denies access."""


class DirectoryError(NoInputError, IsADirectoryError):
    """The path is a folder, not a file."""


class UnreachableError(NoInputError, ConnectionError):
    """A connection to the server cannot be established."""


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
# The path of bytes in memory, or of a file that the caller had opened.
_DESCRIPTOR = re.compile(r"/proc/self/fd/\d+")


def failure(code: int, sentence: str, file: Optional[str], frame: Optional[int] = None, number: int = 0) -> Error:
    """Returns the error for a `sysexits.h` code and a message from the program.

    sentence: the message, in the form `file: place: cause (advice)`.
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
    """Opens a file, and returns the `errno` of the failure, or 0."""
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
