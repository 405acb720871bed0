"""Exact frames of a video as numpy arrays, from `scrub drive --binary` (docs/drive.md). Needs Linux, Python 3.8 and numpy.

    with Video("film.mp4") as video:
        first = video[0]                                   # (height, width, 3), uint8, red first
        for frame in video.read(100, 200): ...             # in a row, decoded ahead
        some = video.batch([7, "12.5s", "42%", "last"])    # anywhere, each group of pictures decoded once

Arrays lie in memory that is shared with scrub, so nothing is copied; it is used again when nothing refers to an array any more.
"""

import collections
import ctypes
import fcntl
import mmap
import os
import struct
import subprocess
import weakref

import numpy

RECORD = struct.Struct("<4sIqqqqqqIIII24s8Iqqqq")
HELLO, PICTURE, ERROR = 0, 1, 2
Answer = collections.namedtuple("Answer", "kind item frame pts status width height text place data")


class ScrubError(Exception):
    """What scrub could not do; `args` are the sentence and the code of sysexits.h."""


class Video:
    def __init__(self, path, threads=None, scrub="scrub", ahead=6):
        self._memory = os.memfd_create("scrub", os.MFD_ALLOW_SEALING)
        fcntl.fcntl(self._memory, 1033, 2)  # F_ADD_SEALS, F_SEAL_SHRINK
        words = [scrub, "drive", "--binary", "--memory", str(self._memory)]
        words += ["--threads", str(threads)] if threads else []
        self._process = subprocess.Popen(
            words + ["--", path], bufsize=1 << 16, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[self._memory])
        self._ahead, self._asked, self._free, self._size = ahead, 0, [], 0
        hello = self._answer()
        self.frame_count, self.shape = hello.frame, (hello.height, hello.width, 3)
        self._slot = -(-max(1, self.shape[0] * self.shape[1] * 3) // mmap.PAGESIZE) * mmap.PAGESIZE
        self._bytes = type("Bytes", (ctypes.c_uint8 * self._slot,), {})  # a class of Python's own can be watched

    def __len__(self):
        return self.frame_count

    def __getitem__(self, frame):
        return self.batch([frame])[0]

    def read(self, start=0, stop=None):
        """Yields the frames from `start` to before `stop`, asked for a few ahead."""
        stop, waiting = self.frame_count if stop is None else stop, collections.deque()
        for frame in range(start, stop + self._ahead):
            if frame < stop:
                waiting.append(self._request([frame]))
            if waiting and (frame >= stop or len(waiting) > self._ahead):
                yield self._arrays(waiting.popleft())[0]

    def batch(self, positions):
        """A list of arrays: frame numbers or texts such as "12.5s", in any order, repeats too."""
        parts = [list(positions[i : i + 1000]) for i in range(0, len(positions), 1000)]
        return [array for part in parts for array in self._arrays(self._request(part))]

    def close(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _request(self, positions):
        slots = [self._free.pop() if self._free else self._new_slot() for _ in positions]
        names = (f"f{p}" if isinstance(p, (int, numpy.integer)) else p for p in positions)
        line = " ".join(f"{name}@{place}" for name, (place, _) in zip(names, slots))
        self._process.stdin.write(f"GET {line}\n".encode())
        self._process.stdin.flush()
        return slots

    def _new_slot(self):
        place, self._size = self._size, self._size + self._slot
        os.ftruncate(self._memory, self._size)
        return place, mmap.mmap(self._memory, self._slot, offset=place)

    def _arrays(self, slots):
        arrays, failed = [None] * len(slots), None
        for _ in slots:
            answer = self._answer()
            if answer.item < 0:  # the request as a whole
                raise ScrubError(answer.text, answer.status)
            slot = slots[answer.item]
            if answer.place >= 0:
                data = self._bytes.from_buffer(slot[1])
                weakref.finalize(data, self._free.append, slot).atexit = False
            else:
                data = answer.data  # the stream has changed its size
                self._free.append(slot)
            if answer.kind == ERROR:
                failed = failed or ScrubError(answer.text, answer.status)
            else:
                shape = (answer.height, answer.width, 3)
                arrays[answer.item] = numpy.frombuffer(data, numpy.uint8, answer.height * answer.width * 3).reshape(shape)
        if failed:
            raise failed
        return arrays

    def _answer(self):
        out = self._process.stdout
        head = out.read(RECORD.size)
        if len(head) < RECORD.size:
            raise ScrubError("scrub ended", self._process.wait())
        fields = RECORD.unpack(head)
        text = out.read(fields[21]).decode()
        data = out.read(fields[22]) if fields[23] < 0 else b""
        return Answer(fields[1], *fields[3:6], fields[8], *fields[10:12], text, fields[23], data)
