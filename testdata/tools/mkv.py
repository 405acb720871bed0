#!/usr/bin/env python3
"""Writes the packets of an AVI into a Matroska file as old muxers did: V_MS/VFW/FOURCC, whose times are those of
decoding. mkv.py IN.avi OUT.mkv
"""
import struct
import sys


def element(name, data):
    return bytes.fromhex(name) + struct.pack(">Q", len(data) | 1 << 56) + data


def number(name, value):
    return element(name, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def chunks(data, start, end):
    while start + 8 <= end:
        name, size = data[start:start + 4], struct.unpack_from("<I", data, start + 4)[0]
        yield name, start + 8, size
        start += 8 + size + size % 2


def main(source, target):
    with open(source, "rb") as f:
        data = f.read()
    form, packets, keys, width, height = b"", [], [], 0, 0
    for name, at, size in chunks(data, 12, len(data)):
        if name == b"LIST" and data[at:at + 4] == b"hdrl":
            begin = data.index(b"strf", at) + 4
            form = data[begin + 4:begin + 4 + struct.unpack_from("<I", data, begin)[0]]
            width, height = struct.unpack_from("<ii", form, 4)
        elif name == b"LIST" and data[at:at + 4] == b"movi":
            packets = [data[a:a + n] for kind, a, n in chunks(data, at + 4, at + size) if kind == b"00dc"]
        elif name == b"idx1":
            keys = [bool(struct.unpack_from("<I", data, i + 4)[0] & 0x10) for i in range(at, at + size, 16)]
    head = b"".join([number("4286", 1), number("42F7", 1), number("42F2", 4), number("42F3", 8),
                     element("4282", b"matroska"), number("4287", 2), number("4285", 2)])
    info = number("2AD7B1", 1000000) + element("4489", struct.pack(">d", len(packets) * 40.0)) \
        + element("4D80", b"scrub") + element("5741", b"scrub")
    video = number("B0", width) + number("BA", height)
    track = number("D7", 1) + number("73C5", 1) + number("83", 1) + number("9C", 0) + number("23E383", 40000000) \
        + element("86", b"V_MS/VFW/FOURCC") + element("63A2", form) + element("E0", video)
    clusters, start = [], 0
    for i, packet in enumerate(packets):
        if i == 0 or i * 40 - start > 2000:
            start = i * 40
            clusters.append(number("E7", start))
        block = b"\x81" + struct.pack(">hB", i * 40 - start, 0x80 if keys[i] else 0) + packet
        clusters[-1] += element("A3", block)
    body = element("1549A966", info) + element("1654AE6B", element("AE", track))
    body += b"".join(element("1F43B675", c) for c in clusters)
    with open(target, "wb") as f:
        f.write(element("1A45DFA3", head) + element("18538067", body))


if __name__ == "__main__":
    main(*sys.argv[1:3])
