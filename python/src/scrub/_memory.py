"""Memory for pictures that can be shared with the scrub program. A picture is used where the engine wrote it."""

from __future__ import annotations

import bisect
import collections
import contextlib
import ctypes
import fcntl
import mmap
import os
import threading
import weakref
from typing import Any, ClassVar, NamedTuple, Optional

import numpy
from numpy.typing import NDArray

_F_ADD_SEALS, _F_SEAL_SHRINK = 1033, 2
_MADV_REMOVE = 9
# The maximum number of mappings of one pool. By default, a process may have 65,530.
_MAPPINGS = 4096
# The maximum number of idle bytes. It is less than a batch of large pictures.
_IDLE = 32 << 20


class Buffer(NamedTuple):
    """Bytes for a picture. `place` is their offset in the shared memory, or None if the memory is private."""

    array: NDArray[numpy.uint8]
    place: Optional[int]


class Region:
    """A mapped part of the shared memory. It is unmapped when it is no longer referenced."""

    __slots__ = ("offset", "size", "address", "generation", "munmap")

    def __init__(self, descriptor: int, offset: int, size: int) -> None:
        self.offset, self.size, self.generation = offset, size, 0
        # Stored here because the module's names may already be gone when the interpreter exits.
        self.munmap = _calls.munmap
        self.address: Optional[int] = None
        address = _calls.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, descriptor, offset)
        if address in (None, ctypes.c_void_p(-1).value):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        self.address = address

    def forget_pages(self) -> bool:
        """Releases the pages to the system, after which the bytes are zero. Returns whether this succeeded."""
        return bool(_calls.madvise(self.address, self.size, _MADV_REMOVE) == 0)

    def __del__(self) -> None:
        if self.address is not None:
            self.munmap(self.address, self.size)


class _Owner:
    """The object that a region's arrays reference. When the last view is released, the region returns to its pool."""

    __slots__ = ("region", "returned", "__array_interface__", "__weakref__")

    def __init__(self, region: Region, size: int, returned: collections.deque[Region]) -> None:
        self.region, self.returned = region, returned
        self.__array_interface__ = {"data": (region.address, False), "shape": (size,), "typestr": "|u1", "version": 3}

    def __del__(self) -> None:
        # This may run at any point, even within the pool's code; a deque needs no lock.
        self.returned.append(self.region)


class Pool:
    """Reusable regions of one shared memory. Thread-safe.

    At most `limit` bytes are mapped. All pools of the process together keep at most `idle` bytes that no array
    references. A single idle region is kept even if it is larger, until another pool is used.
    """

    # Even in free-threaded Python, copying a deque without a lock either works or raises RuntimeError.
    _pools: ClassVar[collections.deque[weakref.ref[Pool]]] = collections.deque()

    def __init__(self, limit: int, idle: int) -> None:
        self.descriptor = os.memfd_create("scrub-frames", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        # The program rejects memory that could shrink while it is mapped.
        fcntl.fcntl(self.descriptor, _F_ADD_SEALS, _F_SEAL_SHRINK)
        self._limit, self._idle_limit = limit, idle
        self._lock = threading.Lock()
        self._returned: collections.deque[Region] = collections.deque()
        self._idle: list[Region] = []
        self._live: int = 0
        self._live_count = 0
        self._generation = 0
        # The file's size, and how much of it has ever been used.
        self._size, self._end = 0, 0
        self._holes: list[tuple[int, int]] = []
        Pool._pools.append(weakref.ref(self))

    @classmethod
    def of(cls, limit: int) -> Optional[Pool]:
        """Returns a pool that maps at most `limit` bytes, or None if `limit` is 0 or the system cannot provide one."""
        try:
            return cls(limit, min(limit // 8, _IDLE)) if limit > 0 else None
        except OSError:
            return None

    def take(self, size: int) -> Optional[Buffer]:
        """Returns a buffer of `size` bytes, or None if a limit is reached or the system has no memory."""
        whole = -(-max(1, size) // mmap.PAGESIZE) * mmap.PAGESIZE
        self._trim_others()
        with self._lock:
            self._collect()
            region = next((r for r in reversed(self._idle) if r.size == whole), None)
            if region is not None:
                self._idle.remove(region)
            else:
                while self._idle and self._live + self._idle_bytes() + whole > self._limit:
                    self._drop(self._idle.pop(0))
                if self._live + whole > self._limit or self._live_count + len(self._idle) >= _MAPPINGS:
                    return None
                try:
                    region = Region(self.descriptor, self._space(whole), whole)
                except OSError:
                    return None
            self._live += whole
            self._live_count += 1
            region.generation = self._generation
        return Buffer(numpy.asarray(_Owner(region, size, self._returned)), region.offset)

    def share(self) -> None:
        """Called in the parent after a fork. Memory that is in use now is never reused: the child may read it."""
        self._generation += 1

    def close(self) -> None:
        """Closes the descriptor. Arrays remain valid."""
        with self._lock:
            self._idle.clear()
            self._limit = -1
            descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def abandon(self) -> None:
        """Closes the descriptor in a forked child. Replaces the lock, because a thread of the parent may hold it."""
        self._lock = threading.Lock()
        self.close()

    def _trim_others(self) -> None:
        """Releases idle memory of other pools that exceeds the common limit."""
        try:
            known = list(Pool._pools)
        except RuntimeError:
            return
        left = self._idle_limit - self._idle_bytes()
        for reference in known:
            pool = reference()
            if pool is None:
                with contextlib.suppress(ValueError):
                    Pool._pools.remove(reference)
            elif pool is not self and pool._lock.acquire(blocking=False):
                try:
                    pool._collect()
                    while pool._idle and pool._idle_bytes() > max(0, left):
                        pool._drop(pool._idle.pop(0))
                    left -= pool._idle_bytes()
                finally:
                    pool._lock.release()

    def _idle_bytes(self) -> int:
        return sum(region.size for region in self._idle)

    def _collect(self) -> None:
        while self._returned:
            region = self._returned.popleft()
            self._live -= region.size
            self._live_count -= 1
            if region.generation == self._generation:
                self._idle.append(region)
        while len(self._idle) > 1 and self._idle_bytes() > self._idle_limit:
            self._drop(self._idle.pop(0))

    def _drop(self, region: Region) -> None:
        if region.forget_pages():
            self._holes.append((region.offset, region.size))
            self._holes.sort()
            joined: list[tuple[int, int]] = []
            for offset, size in self._holes:
                if joined and sum(joined[-1]) == offset:
                    joined[-1] = (joined[-1][0], joined[-1][1] + size)
                else:
                    joined.append((offset, size))
            self._holes = joined

    def _space(self, size: int) -> int:
        for number, (offset, room) in enumerate(self._holes):
            if room >= size:
                self._holes[number : number + 1] = [(offset + size, room - size)] if room > size else []
                return offset
        offset = self._end
        if offset + size > self._size:
            # The program maps the whole file again after the file has grown. Pages that were never written occupy no
            # memory.
            self._size = max(offset + size, 2 * self._size, min(self._limit, 64 << 20))
            os.ftruncate(self.descriptor, self._size)
        self._end = offset + size
        return offset


class _Calls(NamedTuple):
    mmap: Any
    munmap: Any
    madvise: Any


def _load() -> _Calls:
    # Python's mmap module keeps a descriptor for each mapping.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return _Calls(libc.mmap, libc.munmap, libc.madvise)


_calls = _load()
