"""How a video is opened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional, Union

from ._errors import UsageError


@dataclass(frozen=True)
class Options:
    """What `open` takes. It can be pickled, and says all that another process needs to open the video in the same way."""

    program: Optional[str]
    library: Union[None, bool, str]
    stream: Optional[int]
    threads: Optional[int]
    raw_geometry: bool
    limits: tuple[tuple[str, Union[int, str]], ...]
    sandbox: Optional[bool]
    cache: bool
    copy: bool
    ahead: int
    shared_memory: int
    arguments: tuple[str, ...]

    def drive_words(self, pixels: str) -> list[str]:
        """Returns the words of `scrub drive` after its name."""
        words = ["--format", pixels]
        if self.raw_geometry and pixels == "rgb24":
            words.append("--raw-geometry")
        if self.threads is not None:
            words += ["--threads", str(self.threads)]
        return words + self.common_words()

    def common_words(self) -> list[str]:
        """Returns the words that all commands share."""
        words = [] if self.stream is None else ["--stream", str(self.stream)]
        words += [] if self.cache else ["--no-cache"]
        for name, value in self.limits:
            words += ["--limit", f"{name}={value}"]
        if self.sandbox is not None:
            words.append("--sandbox" if self.sandbox else "--no-sandbox")
        return words + list(self.arguments)


def place_of(path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]) -> str:
    """Returns an address as it is, and a file's absolute path: another process may work in another folder."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise UsageError(f"{name!r} is not a file's name: it has a zero byte", file=name)
    return name if name.lower().startswith(("http://", "https://")) else os.path.abspath(name)
