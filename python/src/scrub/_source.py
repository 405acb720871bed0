"""The source of a video: a named file, an address, or bytes in this process."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import Any, Optional, Protocol, Union, cast

from ._errors import UsageError, failure

_PIECE = 1 << 20


class Readable(Protocol):
    """An object that is open for reading bytes, such as `open(path, "rb")`, `io.BytesIO` or a member of an archive."""

    def read(self, size: int = -1, /) -> bytes:
        """Returns at most `size` bytes, or no bytes at the end."""
        ...


Bytes = Union[bytes, bytearray, memoryview]
Openable = Union[str, "os.PathLike[str]", "os.PathLike[bytes]", Bytes, Readable]


class Source:
    """The source of a video. `name` is its name in messages; `path` is the path or address that is opened."""

    __slots__ = ("name", "descriptor")

    def __init__(self, name: str, descriptor: Optional[int] = None) -> None:
        """Takes the name of a file, or an address.

        If `descriptor` is given, this object owns it, and the file may be renamed later.
        """
        self.name = name
        self.descriptor = descriptor

    @property
    def path(self) -> str:
        """The name, or the path of the descriptor. A process that inherits the descriptor can use the same path."""
        return self.name if self.is_named else f"/proc/self/fd/{self.descriptor}"

    @property
    def is_named(self) -> bool:
        """Whether other processes can open the source by its name."""
        return self.descriptor is None or _is_at(self.name, self.descriptor)

    def close(self) -> None:
        """Closes the descriptor. Do not read from the source afterwards."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.descriptor is None or self.is_named:
            return Source, (self.name,)
        size = os.fstat(self.descriptor).st_size
        parts: list[bytes] = []
        while size > sum(map(len, parts)):
            parts.append(os.pread(self.descriptor, size, sum(map(len, parts))))
            if not parts[-1]:
                break
        return _of_bytes, (b"".join(parts), self.name)


def source_of(said: Openable) -> Source:
    """Returns the source for the argument of `scrub.open`."""
    if isinstance(said, (str, os.PathLike)):
        return Source(_place_of(said))
    if isinstance(said, (bytes, bytearray, memoryview)):
        return _of_bytes(said, "video in memory")
    if isinstance(said, io.TextIOBase):
        raise TypeError(f"{said!r} reads text: open the file with mode 'rb'")
    if not callable(getattr(said, "read", None)):
        raise TypeError(f"{said!r} is not a video: pass a path, an address, bytes, or a file that is open for reading")
    name = getattr(said, "name", None)
    name = name if isinstance(name, str) and name else "video of a file object"
    descriptor = _descriptor(said)
    if descriptor is not None:
        return _of_descriptor(descriptor, name)
    return _of_reader(said, name)


def _place_of(path: Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]) -> str:
    """Returns an address unchanged, or the absolute path of a file.

    The path is absolute because another process may have a different working directory.
    """
    name = os.fsdecode(path)
    if not name:
        raise failure(66, "the file name is empty (specify a video file)", "", number=errno.ENOENT)
    if "\0" in name:
        raise UsageError(f"{name!r} is not a file name: it contains a zero byte", file=name)
    return name if name.lower().startswith(("http://", "https://")) else os.path.abspath(name)


def _descriptor(file: Any) -> Optional[int]:
    """Returns the descriptor of an operating system file.

    Returns None if `read` does not return the bytes of such a file, for example for a compressed file.
    """
    if type(file).__module__ == "tempfile":
        # The object is a wrapper around the file.
        file = getattr(file, "file", file)
    # Exactly these types: a subclass may read something else.
    raw = file.raw if type(file) in (io.BufferedReader, io.BufferedRandom) else file
    if type(raw) is not io.FileIO:
        return None
    if type(file) is io.BufferedRandom:
        file.flush()
    return raw.fileno()


def _of_descriptor(descriptor: int, name: str) -> Source:
    path = os.readlink(f"/proc/self/fd/{descriptor}")
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return Source(path if _is_at(path, descriptor) else name, os.dup(descriptor))
    # A pipe or a socket can be read only once, so its data is kept in memory.
    with io.FileIO(os.dup(descriptor), "rb") as file:
        return _of_reader(file, name)


def _is_at(path: str, descriptor: int) -> bool:
    try:
        there, here = os.stat(path), os.fstat(descriptor)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _of_reader(file: Readable, name: str) -> Source:
    """Reads a file object to its end. If the object is seekable, reads from its start and restores its position."""
    place: Optional[int] = None
    seekable = getattr(file, "seekable", None)
    if callable(seekable) and seekable():
        seeking = cast("io.BufferedIOBase", file)
        place = seeking.tell()
        seeking.seek(0)
    memory = _memory()
    try:
        while piece := file.read(_PIECE):
            if not isinstance(piece, (bytes, bytearray, memoryview)):
                raise TypeError(f"{file!r} returns {type(piece).__name__} instead of bytes: open the file with mode 'rb'")
            _write(memory, piece)
        if place is not None:
            cast("io.BufferedIOBase", file).seek(place)
    except BaseException:
        os.close(memory)
        raise
    return Source(name, memory)


def _of_bytes(said: Bytes, name: str) -> Source:
    memory = _memory()
    try:
        _write(memory, said)
    except BaseException:
        os.close(memory)
        raise
    return Source(name, memory)


def _memory() -> int:
    return os.memfd_create("scrub-video", os.MFD_CLOEXEC)


def _write(memory: int, piece: Bytes) -> None:
    whole = memoryview(piece)
    rest = whole.cast("B") if whole.c_contiguous else memoryview(whole.tobytes())
    while rest:
        rest = rest[os.write(memory, rest[: 1 << 30]) :]
