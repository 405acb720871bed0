#!/usr/bin/env python3
"""Reads the frame number drawn into the test pictures.

The top seventh of a picture holds two rows of twelve equal cells. In the upper row cell b (counted from
the left, so the least significant bit is the leftmost) is light when bit b of the number is set; the lower
row shows the same bits inverted. A picture whose rows do not agree has no readable number.

    read_number.py FILE [--stream 0:v:0]     the numbers in the order of ffmpeg's linear decode
    read_number.py --raw WIDTHxHEIGHT        8-bit gray pictures from standard input
"""
import argparse
import subprocess
import sys

CELLS = 12


def number(gray, width, height):
    """The number in one 8-bit gray picture, or None."""
    def lightness(cell, row):
        x0 = cell * width // CELLS
        x1 = (cell + 1) * width // CELLS
        y0 = row * height // 14
        y1 = (row + 1) * height // 14
        xs = range(x0 + (x1 - x0) // 3, max(x0 + (x1 - x0) // 3 + 1, x1 - (x1 - x0) // 3))
        ys = range(y0 + (y1 - y0) // 3, max(y0 + (y1 - y0) // 3 + 1, y1 - (y1 - y0) // 3))
        total = sum(gray[y * width + x] for y in ys for x in xs)
        return total / (len(xs) * len(ys))

    value = 0
    for cell in range(CELLS):
        plain, inverted = lightness(cell, 0), lightness(cell, 1)
        if abs(plain - inverted) < 96:
            return None
        if plain > inverted:
            value |= 1 << cell
    return value


def split(data, width, height):
    size = width * height
    return [number(data[i:i + size], width, height) for i in range(0, len(data) - size + 1, size)]


def size_of(path, stream):
    out = subprocess.run(
        ["ffprobe", "-v", "quiet", "-select_streams", stream, "-show_entries", "stream=width,height",
         "-of", "csv=p=0", path], capture_output=True, text=True).stdout.split("\n")[0]
    width, height = out.strip(",").split(",")[:2]
    return int(width), int(height)


def read(path, stream="0"):
    """The numbers ffmpeg's linear decode of one stream shows; None where there is none."""
    width, height = size_of(path, stream)
    data = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "quiet", "-noautorotate", "-threads", "1", "-i", path,
         "-map", "0:" + stream, "-fps_mode", "passthrough", "-copyts",
         "-vf", f"scale={width}:{height}:flags=neighbor,format=gray", "-f", "rawvideo", "-"],
        capture_output=True).stdout
    return split(data, width, height)


def ranges(numbers):
    """A short text for a list of numbers: `0-24,30,29`; `?` stands for a picture without one."""
    parts = []
    index = 0
    while index < len(numbers):
        first = numbers[index]
        end = index
        while (first is not None and end + 1 < len(numbers) and numbers[end + 1] is not None
               and numbers[end + 1] == numbers[end] + 1):
            end += 1
        if first is None:
            while end + 1 < len(numbers) and numbers[end + 1] is None:
                end += 1
            parts.append("?" if end == index else f"?*{end - index + 1}")
        else:
            parts.append(str(first) if end == index else f"{first}-{numbers[end]}")
        index = end + 1
    return ",".join(parts)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("file", nargs="?")
    arguments.add_argument("--stream", default="v:0")
    arguments.add_argument("--raw")
    options = arguments.parse_args()
    if options.raw:
        width, height = (int(x) for x in options.raw.split("x"))
        numbers = split(sys.stdin.buffer.read(), width, height)
    else:
        numbers = read(options.file, options.stream)
    print(ranges(numbers))


if __name__ == "__main__":
    main()
