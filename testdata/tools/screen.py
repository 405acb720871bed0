#!/usr/bin/env python3
"""Writes a screen recording as TechSmith's codec makes them: an AVI whose packets are zlib streams of run lengths, and
two bytes where nothing changed. screen.py OUT FRAMES EVERY: of every EVERY packets only the first makes a picture.
"""
import struct
import sys
import zlib

import avi

WIDTH, HEIGHT = avi.WIDTH, avi.HEIGHT


def row(number, y):
    """A row of grays as runs (length, gray): the burned-in number on top, a moving bar below."""
    cell = WIDTH // 12
    if y < HEIGHT // 7:
        lit = [(number >> b & 1) == (1 if y < HEIGHT // 14 else 0) for b in range(12)]
        return [(cell, 235 if on else 16) for on in lit]
    edge = 1 + number * 7 % (WIDTH - 2)
    return [(edge, 60), (WIDTH - edge, 180)]


def key(number):
    """A whole picture in 24-bit run lengths (Microsoft RLE), from the last row up."""
    out = bytearray()
    for y in reversed(range(HEIGHT)):
        for length, gray in row(number, y):
            out += bytes([length, gray, gray, gray])
        out += b"\0\0"
    return bytes(out + b"\0\1")


def main(path, frames, every):
    samples = []
    for i in range(frames):
        packet = zlib.compress(key(i // every), 9) if i % every == 0 else b"\0\0"
        samples.append((packet, i % every == 0))
    avi.write(path, samples, b"tscc")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
