"""decord's VideoReader, indexed by the number of the frame."""

from __future__ import annotations

import decord

from comparison.picture import rgb_signature
from protocol import Answer, Seek, serve, threads


def open_file(path: str) -> tuple[int, Seek]:
    decord.logging.set_level(decord.logging.QUIET)
    reader = decord.VideoReader(path, ctx=decord.cpu(0), num_threads=threads() or 0)

    def seek(number: int) -> Answer:
        picture = reader[number].asnumpy()
        return Answer("-", lambda: rgb_signature(picture))

    return len(reader), seek


serve(open_file)
