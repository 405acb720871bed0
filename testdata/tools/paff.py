#!/usr/bin/env python3
"""Writes an H.264 stream that switches between field and frame pictures: paff.py OUT.h264 OUT.mp4

No encoder at hand makes field pictures, so this is a small one: 192x224, CAVLC, Main profile, groups of sixteen
frames I P B B, pictures that a macroblock copy, an I_PCM macroblock or vertical prediction represent exactly.
The second field of an IDR is a P field of the first. Every third P is a frame picture. B pictures are
not references. The bottom field of the moving block is copied from the top field of the same frame.
"""
import struct
import sys

import annexb
import mp4

WIDTH, HEIGHT, FRAMES, GROUP, STEP = 192, 224, 32, 16, 3
COLUMNS, FIELD_ROWS = WIDTH // 16, HEIGHT // 32


class Bits:
    def __init__(self):
        self.bits = []

    def u(self, value, count):
        self.bits += [(value >> (count - 1 - i)) & 1 for i in range(count)]

    def ue(self, value):
        length = (value + 1).bit_length()
        self.u(0, length - 1)
        self.u(value + 1, length)

    def se(self, value):
        self.ue(2 * value - 1 if value > 0 else -2 * value)

    def align(self):
        self.u(0, -len(self.bits) % 8)

    def raw(self, data):
        for byte in data:
            self.u(byte, 8)

    def done(self):
        self.u(1, 1)
        self.align()
        return bytes(int("".join(map(str, self.bits[i:i + 8])), 2) for i in range(0, len(self.bits), 8))


def nal(ref, kind, payload):
    return bytes([ref << 5 | kind]) + annexb.escape(payload)


def picture(n):
    """The luma of frame n as a list of rows."""
    stripe = bytes(60 + (x * 7) % 97 for x in range(WIDTH))
    rows = []
    for y in range(HEIGHT):
        if y < 32:
            rows.append(bytes(235 if bool(n >> (x * 12 // WIDTH) & 1) != (y >= 16) else 16 for x in range(WIDTH)))
        else:
            rows.append(stripe)
    column, row = n % COLUMNS, 2 + n // STEP % (FIELD_ROWS - 3)
    for y in range(32):
        line = bytearray(rows[row * 32 + y])
        for x in range(16):
            line[column * 16 + x] = 40 + (x * 11 + (y // 2) * 5 + n * 3) % 170
        rows[row * 32 + y] = bytes(line)
    return rows


def block(rows, structure, column, row):
    """The luma of one macroblock; structure: 't', 'b' (fields) or 'f' (frame)."""
    if structure == "f":
        lines = rows[row * 16:row * 16 + 16]
    else:
        lines = rows[row * 32 + (structure == "b"):row * 32 + 32:2]
    return b"".join(line[column * 16:column * 16 + 16] for line in lines)


def parameter_sets():
    s = Bits()
    s.u(77, 8); s.u(0x40, 8); s.u(30, 8); s.ue(0)
    s.ue(4); s.ue(0); s.ue(4)                       # 8-bit frame_num, picture order count type 0 of 8 bits
    s.ue(2); s.u(0, 1)                              # two reference frames
    s.ue(COLUMNS - 1); s.ue(FIELD_ROWS - 1)
    s.u(0, 1); s.u(0, 1); s.u(1, 1); s.u(0, 1)      # fields allowed, no MBAFF, direct_8x8, no cropping
    s.u(1, 1)                                       # VUI
    s.u(0, 1); s.u(0, 1); s.u(0, 1); s.u(0, 1)
    s.u(1, 1); s.u(1, 32); s.u(50, 32); s.u(1, 1)   # 25 frames a second
    s.u(0, 1); s.u(0, 1); s.u(0, 1)
    s.u(1, 1); s.u(1, 1); s.ue(0); s.ue(0); s.ue(9); s.ue(9); s.ue(1); s.ue(2)
    p = Bits()
    p.ue(0); p.ue(0); p.u(0, 1); p.u(1, 1); p.ue(0); p.ue(0); p.ue(0); p.u(0, 1); p.u(0, 2)
    p.se(0); p.se(0); p.se(0); p.u(1, 1); p.u(0, 1); p.u(0, 1)
    return nal(3, 7, s.done()), nal(3, 8, p.done())


def coded(kind, structure, n, frame_num, order, past, future, is_reference, idr=None, own_top=False):
    """One picture. past and future: rows of the reference frames; own_top: the only reference is this frame's top field."""
    b = Bits()
    b.ue(0); b.ue({"P": 5, "B": 6, "I": 7}[kind]); b.ue(0); b.u(frame_num, 8)
    b.u(structure != "f", 1)
    if structure != "f":
        b.u(structure == "b", 1)
    if idr is not None:
        b.ue(idr)
    b.u(order, 8)
    if structure == "f":
        b.se(1)
    if kind == "B":
        b.u(1, 1)
    two = kind == "P" and structure == "b" and not own_top      # the own top field is the second reference
    if kind != "I":
        b.u(two, 1)
        if two:
            b.ue(1)
        b.u(0, 1)
    if kind == "B":
        b.u(0, 1)
    if is_reference:
        b.u(0, 2 if idr is not None else 1)
    b.se(0); b.ue(1)

    rows = picture(n)
    height = FIELD_ROWS * (2 if structure == "f" else 1)
    pcm, run = set(), 0
    for row in range(height):
        for column in range(COLUMNS):
            want = block(rows, structure, column, row)

            def raw(code):
                b.ue(code); b.align(); b.raw(want); b.raw(b"\x80" * 128)
                pcm.add((column, row))

            if kind == "I":
                above = block(rows, structure, column, row - 1) if row else b""
                if row and want == above[-16:] * 16:
                    b.ue(1); b.ue(2); b.se(0)      # Intra16x16 vertical, no residual
                    left, up = (column - 1, row) in pcm, (column, row - 1) in pcm
                    total = ((16 * left + 16 * up + 1) >> 1) if column else 16 * up
                    b.u(*((3, 6) if total >= 8 else (1, 1)))
                else:
                    raw(25)
            elif kind == "P":
                source = block(rows, "t", column, row) if own_top else block(past, structure, column, row)
                if want == source:
                    run += 1
                    continue
                b.ue(run)
                run = 0
                if two and want == block(rows, "t", column, row) and row > 1:
                    b.ue(0); b.u(0, 1); b.se(0); b.se(0); b.ue(0)
                else:
                    raw(30)
            else:
                b.ue(0)
                if want == block(past, structure, column, row):
                    b.ue(1); b.se(0); b.se(0); b.ue(0)
                elif want == block(future, structure, column, row):
                    b.ue(2); b.se(0); b.se(0); b.ue(0)
                else:
                    raw(48)
    if run:
        b.ue(run)
    return nal(2 if is_reference else 0, 5 if idr is not None else 1, b.done())


def main():
    sps, pps = parameter_sets()
    stream, samples, decoded, predicted = b"", [], 0, 0
    for start in range(0, FRAMES, GROUP):
        order, shown = [(start, "I", None, None)], start
        while shown + STEP < start + GROUP:
            order.append((shown + STEP, "P", shown, None))
            order += [(m, "B", shown, shown + STEP) for m in range(shown + 1, shown + STEP)]
            shown += STEP
        frame_num = 0
        for n, kind, past, future in order:
            past = picture(past) if past is not None else None
            future = picture(future) if future is not None else None
            poc, is_reference = 2 * (n - start), kind != "B"
            if kind == "I":
                nals = [coded("I", "t", n, 0, poc, None, None, True, idr=start // GROUP % 2),
                        coded("P", "b", n, 0, poc + 1, None, None, True, own_top=True)]
            else:
                predicted += kind == "P"
                if kind == "P" and predicted % 3 == 0:
                    nals = [coded("P", "f", n, frame_num, poc, past, None, True)]
                else:
                    nals = [coded(kind, s, n, frame_num, poc + (s == "b"), past, future, is_reference) for s in "tb"]
            if is_reference:
                frame_num += 1
            unit = []
            for i, item in enumerate(nals):
                unit.append(nal(0, 9, bytes([0xF0])))
                if kind == "I" and i == 0:
                    unit += [sps, pps]
                unit.append(item)
            stream += b"".join(b"\0\0\0\1" + x for x in unit)
            body = b"".join(struct.pack(">I", len(x)) + x for x in unit if x[0] & 31 not in (7, 8))
            samples.append((body, decoded, n + 1, kind == "I"))
            decoded += 1
    with open(sys.argv[1], "wb") as f:
        f.write(stream)
    config = bytes([1]) + sps[1:4] + b"\xff\xe1" + struct.pack(">H", len(sps)) + sps + b"\1" + struct.pack(">H", len(pps)) + pps
    entry = mp4.visual_entry(b"avc1", WIDTH, HEIGHT, mp4.Box(b"avcC", config).bytes())
    samples = [(d, a * 512, b * 512, k) for d, a, b, k in samples]
    mp4.build(sys.argv[2], samples, entry, 12800, WIDTH, HEIGHT)


if __name__ == "__main__":
    main()
