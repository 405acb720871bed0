"""Ten lines: one frame, some frames, all frames.

    python3 first.py film.mp4
"""

import sys

import scrub

with scrub.open(sys.argv[1]) as video:
    print(len(video), "frames,", video.width, "x", video.height, video.codec, video.fps)
    frame = video.at(0.5)
    print(frame.number, frame.seconds, frame.array.shape, frame.verdict)
    some = video.batch([0, "50%", "last"])
    print(some.shape, some.mean(axis=(1, 2, 3)))
    brightest = max(video, key=lambda frame: frame.array.mean())
    print("the brightest frame is", brightest.number)
