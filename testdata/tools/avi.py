#!/usr/bin/env python3
"""Writes MPEG-4 Part 2 pictures into an AVI of its own making.

    avi.py packed IN.m4v OUT.avi      packed bitstream: a P shares its chunk with the B after it, an N-VOP follows later
    avi.py plain IN.m4v OUT.avi       one picture a chunk
    avi.py nulls IN.m4v OUT.avi N     one picture a chunk and a chunk without bytes before every N-th: picture repeats
    avi.py insert IN.avi OUT.avi N HEX  the chunks of another AVI, and one of these bytes before every N-th
"""
import struct
import sys

WIDTH, HEIGHT, RATE = 192, 112, 25


def split(data):
    """(headers, [(type, bytes)]): the stream's head and its pictures."""
    starts, at = [], data.find(b"\0\0\1")
    while at >= 0:
        starts.append(at)
        at = data.find(b"\0\0\1", at + 3)
    pieces = [data[a:b] for a, b in zip(starts, starts[1:] + [len(data)])]
    head, pictures, pending = b"", [], b""
    for piece in pieces:
        if piece[3] == 0xB6:
            pictures.append(("IPBS"[piece[4] >> 6], pending + piece))
            pending = b""
        elif not pictures and piece[3] < 0xB3 and piece[3] != 0xB6:
            head += piece
        elif piece[3] in (0xB3, 0xB5) or piece[3] >= 0x20:
            pending += piece if pictures or piece[3] == 0xB3 else b""
            if piece[3] == 0xB5 and not pictures:
                head += piece
    return head, pictures


def increment_bits(head):
    """How many bits a VOP's time increment takes."""
    at = head.find(b"\0\0\1\x20")
    bits = "".join(f"{b:08b}" for b in head[at + 4:at + 40])
    p = 1 + 8
    if bits[p] == "1":
        p += 8
    else:
        p += 1
    aspect = int(bits[p:p + 4], 2)
    p += 4 + (16 if aspect == 15 else 0)
    if bits[p] == "1":
        p += 1 + 2 + 1
        p += 1 + (79 if bits[p] == "1" else 0)
    else:
        p += 1
    p += 2 + 1
    return max(1, (int(bits[p:p + 16], 2) - 1).bit_length())


def not_coded(picture, width):
    """An N-VOP with the time of the picture before."""
    at = picture.find(b"\0\0\1\xb6")
    bits = "".join(f"{b:08b}" for b in picture[at + 4:at + 14])
    p = 2
    while bits[p] == "1":
        p += 1
    p += 2                                     # the closing zero and a marker
    text = "01" + bits[2:p] + bits[p:p + width] + "1" + "0"
    text += "0" + "1" * (-(len(text) + 1) % 8)
    return b"\0\0\1\xb6" + bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def write(path, chunks, fourcc=b"XVID"):
    """Writes an AVI of one video stream. chunks: (bytes, key)."""
    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)

    def group(name, data):
        return b"LIST" + struct.pack("<I", len(data) + 4) + name + data

    biggest = max(len(c) for c, _ in chunks)
    avih = struct.pack("<14I", 1000000 // RATE, 0, 0, 0x10, len(chunks), 0, 1, biggest, WIDTH, HEIGHT, 0, 0, 0, 0)
    strh = b"vids" + fourcc + struct.pack("<IHHIIIIIIII4H", 0, 0, 0, 0, 1, RATE, 0, len(chunks), biggest, 0xFFFFFFFF, 0,
                                     0, 0, WIDTH, HEIGHT)
    strf = struct.pack("<IiiHH4sIiiII", 40, WIDTH, HEIGHT, 1, 24, fourcc, WIDTH * HEIGHT * 3, 0, 0, 0, 0)
    header = group(b"hdrl", chunk(b"avih", avih) + group(b"strl", chunk(b"strh", strh) + chunk(b"strf", strf)))
    movi, index = b"", b""
    for data, key in chunks:
        index += b"00dc" + struct.pack("<III", 0x10 if key else 0, len(movi) + 4, len(data))
        movi += chunk(b"00dc", data)
    body = header + group(b"movi", movi) + chunk(b"idx1", index)
    with open(path, "wb") as f:
        f.write(b"RIFF" + struct.pack("<I", len(body) + 4) + b"AVI " + body)


def insert(data, every, extra):
    """The same AVI with a chunk more before every N-th."""
    at, parts = 12, []
    while at + 8 <= len(data):
        size = struct.unpack_from("<I", data, at + 4)[0]
        parts.append((data[at:at + 4], data[at + 8:at + 8 + size]))
        at += 8 + size + size % 2
    movi = next(body for name, body in parts if name == b"LIST" and body[:4] == b"movi")
    old = next(body for name, body in parts if name == b"idx1")
    chunks = []
    for i in range(0, len(old), 16):
        flags, place, size = struct.unpack_from("<III", old, i + 4)
        if i and (i // 16) % every == 0:
            chunks.append((extra, 0))
        chunks.append((movi[place + 4 + 4:place + 4 + 4 + size], flags))
    body, index = b"movi", b""
    for chunk, flags in chunks:
        index += b"00dc" + struct.pack("<III", flags, len(body), len(chunk))
        body += b"00dc" + struct.pack("<I", len(chunk)) + chunk + b"\0" * (len(chunk) & 1)
    out = b"AVI "
    for name, part in parts:
        if name == b"LIST" and part[:4] == b"movi":
            part = body
        elif name == b"idx1":
            part = index
        out += name + struct.pack("<I", len(part)) + part + b"\0" * (len(part) & 1)
    return b"RIFF" + struct.pack("<I", len(out)) + out


def main():
    mode, source, target = sys.argv[1:4]
    if mode == "insert":
        with open(source, "rb") as f:
            data = insert(f.read(), int(sys.argv[4]), bytes.fromhex(sys.argv[5]))
        with open(target, "wb") as f:
            f.write(data)
        return
    with open(source, "rb") as f:
        head, pictures = split(f.read())
    if mode == "packed":
        head += b"\0\0\1\xb2DivX503b1393p"
        width, chunks, i, owed = increment_bits(head), [], 0, 0
        while i < len(pictures):
            kind, data = pictures[i]
            if kind != "B" and i + 1 < len(pictures) and pictures[i + 1][0] == "B":
                chunks.append((data + pictures[i + 1][1], kind == "I"))
                last = pictures[i + 1][1]
                i += 2
                while i < len(pictures) and pictures[i][0] == "B":
                    chunks.append((pictures[i][1], False))
                    last = pictures[i][1]
                    i += 1
                chunks.append((not_coded(data, width), False))
            else:
                chunks.append((data, kind == "I"))
                i += 1
    else:
        chunks = []
        for i, (kind, data) in enumerate(pictures):
            if mode == "nulls" and i and i % int(sys.argv[4]) == 0:
                chunks.append((b"", False))
            chunks.append((data, kind == "I"))
    chunks[0] = (head + chunks[0][0], True)
    write(target, chunks)


if __name__ == "__main__":
    main()
