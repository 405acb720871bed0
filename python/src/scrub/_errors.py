"""What can go wrong, by kind."""

from __future__ import annotations

from typing import Any, Callable, Optional


class Error(Exception):
    """Anything that scrub could not do.

    `code` is the number of `sysexits.h` that the program gives for it, `file` the video, and `advice` what to do, where
    it is known. `frame` is the number of the frame that failed, if it was a single one. The text has all of them.
    """

    code = 70

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

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...]]:
        return _rebuilt, (type(self), self.message, self.file, self.advice, self.frame)


class UsageError(Error, ValueError):
    """The request itself is wrong: a text that is not a position, pictures of two sizes for one array."""

    code = 64


class OutOfRangeError(UsageError, IndexError):
    """There is no frame with that number."""


class ClosedError(UsageError):
    """The video was closed before."""


class DataError(Error):
    """The file's data cannot be decoded as asked."""

    code = 65


class NoInputError(Error, OSError):
    """The file is missing, or it cannot be read."""

    code = 66


class UnavailableError(Error):
    """A needed part is missing, such as a decoder, or a rule or limit forbids what was asked."""

    code = 69


class ProgramNotFoundError(UnavailableError):
    """There is no scrub program, or it is too old. The text has the places that were looked at, and what to install."""


class LibraryNotFoundError(UnavailableError):
    """The C library was asked for, and cannot be loaded or is too old."""


class InputOutputError(Error, OSError):
    """A read or write failed."""

    code = 74


class ProgramEndedError(InputOutputError):
    """The scrub program ended while it was needed. The next request of the same video starts it again."""


_KINDS = {kind.code: kind for kind in (UsageError, DataError, NoInputError, UnavailableError, InputOutputError)}


def failure(code: int, sentence: str, file: Optional[str], frame: Optional[int] = None) -> Error:
    """Returns the error for a code of `sysexits.h` and a sentence of the program's: `file: place: cause (advice)`."""
    kind = _KINDS.get(code, Error)
    about = sentence.removeprefix(f"{file}: ")
    if kind is UsageError and about.startswith("there is no frame "):
        kind = OutOfRangeError
    return kind(sentence, file=file, advice=_advice(sentence), frame=frame)


def _advice(sentence: str) -> Optional[str]:
    if not sentence.endswith(")"):
        return None
    depth = 0
    for place in range(len(sentence) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(sentence[place], 0)
        if depth == 0:
            return sentence[place + 1 : -1]
    return None


def _rebuilt(kind: type[Error], message: str, file: Optional[str], advice: Optional[str], frame: Optional[int]) -> Error:
    return kind(message, file=file, advice=advice, frame=frame)
