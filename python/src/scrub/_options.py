"""The options for opening a video."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from ._formats import FORMATS, Pixels


@dataclass(frozen=True)
class Options:
    """The options of `open`. They can be pickled, so that another process can open the video in the same way."""

    program: Optional[str] = None
    library: Union[None, bool, str] = None
    stream: Optional[int] = None
    threads: Optional[int] = None
    raw_geometry: bool = False
    format: str = "rgb"
    size: tuple[int, int] = (0, 0)
    limits: tuple[tuple[str, Union[int, str]], ...] = ()
    sandbox: Optional[bool] = None
    cache: bool = True
    copy: bool = False
    ahead: int = 2
    shared_memory: int = 1 << 30
    arguments: tuple[str, ...] = ()

    @property
    def pixels(self) -> Pixels:
        """The pixel format of arrays."""
        return FORMATS[self.format]

    def drive_words(self, pixels: Pixels) -> list[str]:
        """Returns these options as arguments of `scrub drive`."""
        words = ["--format", pixels.name, "--words", "python"]
        if self.raw_geometry and pixels.layout:
            words.append("--raw-geometry")
        if pixels.layout:
            for name, side in zip(("--width", "--height"), self.size):
                words += [name, str(side)] if side else []
        if self.threads is not None:
            # The program's maximum, which is more threads than any decoder uses.
            words += ["--threads", str(min(self.threads, 256))]
        return words + self.common_words()

    def common_words(self) -> list[str]:
        """Returns the options that all commands accept, as arguments."""
        words = [] if self.stream is None else ["--stream", str(self.stream)]
        words += [] if self.cache else ["--no-cache"]
        for name, value in self.limits:
            words += ["--limit", f"{name}={value}"]
        if self.sandbox is not None:
            words.append("--sandbox" if self.sandbox else "--no-sandbox")
        return words + list(self.arguments)

