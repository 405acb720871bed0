#!/usr/bin/env python3
"""Bit surgery on raw MPEG-2 video.

    mpeg2.py pulldown IN OUT     3:2 pulldown flags: repeat_first_field and top_field_first in the usual pattern
    mpeg2.py start IN OUT N      drops everything before the N-th (from 0) group, keeps the sequence header in front
    mpeg2.py broken IN OUT N     the same and sets broken_link in the first group
"""
import sys


def codes(data):
    found, at = [], data.find(b"\0\0\1")
    while at >= 0:
        found.append(at)
        at = data.find(b"\0\0\1", at + 3)
    return found


def pulldown(data):
    """The pattern is by picture in output order: 3 fields, 2 fields, 3, 2..."""
    data = bytearray(data)
    group, order = 0, 0
    counted = 0
    for at in codes(bytes(data)):
        code = data[at + 3]
        if code == 0xB8:
            group += counted
            counted = 0
        elif code == 0x00:
            order = data[at + 4] << 2 | data[at + 5] >> 6
            counted += 1
        elif code == 0xB5 and data[at + 4] >> 4 == 1:          # sequence extension
            data[at + 5] &= ~0x08                              # not a progressive sequence
        elif code == 0xB5 and data[at + 4] >> 4 == 8:          # picture coding extension
            phase = (group + order) % 4
            repeat, top = phase in (0, 2), phase in (0, 3)
            data[at + 7] = data[at + 7] & ~0x82 | (top << 7) | (repeat << 1)
            data[at + 8] |= 0x80                               # progressive frame
    return bytes(data)


def start(data, n, broken):
    at = codes(data)
    groups = [i for i in at if data[i + 3] == 0xB8]
    head = data[:groups[0]]
    begin = groups[n]
    rest = bytearray(data[begin:])
    rest[7] = rest[7] & ~0x60 | (0x20 if broken else 0)
    # A sequence header may precede every group: the first one is ours already.
    return head + bytes(rest)


with open(sys.argv[2], "rb") as f:
    source = f.read()
result = pulldown(source) if sys.argv[1] == "pulldown" else start(source, int(sys.argv[4]), sys.argv[1] == "broken")
with open(sys.argv[3], "wb") as f:
    f.write(result)
