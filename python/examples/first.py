"""Ten lines: one frame, some frames, all frames.

    python3 first.py film.mp4
"""

import sys

import scrub

with scrub.open(sys.argv[1]) as video:
    print(len(video), "frames,", video.width, "x", video.height, video.codec, video.fps)
    frame = video.at(0.5)
    print(frame.number, frame.seconds, frame.array.shape, frame.verdict)
    print(len(video.keyframes), "key frames, the last frame at", video.times[-1])
    some = video.batch([0, "50%", "last"])
    print(some.shape, some.mean(axis=(1, 2, 3)))
    # One after the other, each tenth; nothing but a few of them is in memory.
    brightest = max(video[::10], key=lambda frame: frame.array.mean())
    print("the brightest frame is", brightest.number)
