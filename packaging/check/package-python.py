#!/usr/bin/env python3
"""Asks the installed Python package for frames of testdata's demo.mp4.

    package-python.py FILM HASH [TRANSPORT]      HASH is what `scrub seek FILM f88 --hash` says; TRANSPORT is what must have read it
"""

import hashlib
import sys

import scrub


def main() -> None:
    film, wanted, *transport = sys.argv[1:]
    wanted = wanted.split(":")[-1]
    with scrub.open(film) as video:
        if transport and video.transport != transport[0]:
            sys.exit(f"package-python: frames come through {video.transport}, not {transport[0]}")
        found = hashlib.md5(video.native(88).tobytes()).hexdigest()
        if found != wanted:
            sys.exit(f"package-python: frame 88 has the hash {found} there, {wanted} here")
        frames = [video[88], *video.frames([0, "42%", "last"]), *video[10:20:2]]
        if any(frame.verdict != "exact" or frame.array.shape != (video.height, video.width, 3) for frame in frames):
            sys.exit("package-python: a frame is not exact, or its size differs from the video's")
        print(f"{scrub.__file__}: {len(frames)} frames of {len(video)}, frame 88: {found}" + "".join(f", through {name}" for name in transport))


main()
