#!/usr/bin/env python3
"""Damages files, the same way every time.

    damage.py truncate IN OUT BYTES               keeps the first BYTES (negative: drops so many at the end)
    damage.py truncate-at IN OUT TEXT BYTES       keeps up to BYTES after the first TEXT
    damage.py flip IN OUT COUNT FROM TO [SEED]    flips COUNT bits between two fractions of the file
    damage.py set IN OUT OFFSET VALUE ...         sets single bytes
    damage.py packets IN OUT SKIP [SIZE]          drops the first SKIP transport packets of SIZE bytes
    damage.py lose IN OUT FIRST COUNT [SIZE]      drops COUNT transport packets from FIRST on
"""
import sys

mode, source, target = sys.argv[1:4]
rest = sys.argv[4:]
with open(source, "rb") as f:
    data = bytearray(f.read())
if mode == "truncate":
    data = data[:int(rest[0])]
elif mode == "truncate-at":
    data = data[:data.index(rest[0].encode()) + int(rest[1])]
elif mode == "flip":
    state = int(rest[3]) if len(rest) > 3 else 1
    low, high = int(len(data) * float(rest[1])), int(len(data) * float(rest[2]))
    for _ in range(int(rest[0])):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        at = low + (state >> 20) % (high - low)
        data[at] ^= 1 << (state >> 61)
elif mode == "set":
    for at, value in zip(rest[::2], rest[1::2]):
        data[int(at, 0)] = int(value, 0)
elif mode == "packets":
    data = data[int(rest[0]) * int(rest[1] if len(rest) > 1 else 188):]
elif mode == "lose":
    size = int(rest[2]) if len(rest) > 2 else 188
    data = data[:int(rest[0]) * size] + data[(int(rest[0]) + int(rest[1])) * size:]
with open(target, "wb") as f:
    f.write(data)
