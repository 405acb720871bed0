#ifndef CSPARSEFILES_H
#define CSPARSEFILES_H

#include <stdint.h>

// What the C library has only with _GNU_SOURCE, which Swift's own import of it lacks. All give 0, or the number of the error.

enum { SCRUB_UNLOCK = 0, SCRUB_LOCK_SHARED = 1, SCRUB_LOCK_EXCLUSIVE = 2 };

/// Locks bytes of an open file description (fcntl(2), F_OFD_SETLK), or lets go of them; never waits: EAGAIN when another has them.
int scrub_lock_bytes(int file, int kind, int64_t start, int64_t count);

/// Reserves blocks for bytes and leaves the file's size alone (fallocate(2)).
int scrub_reserve_bytes(int file, int64_t start, int64_t count);

/// Gives the blocks of bytes back (fallocate(2)).
int scrub_release_bytes(int file, int64_t start, int64_t count);

/// Whether an open file or folder lies on a file system of another machine (statfs(2)): -1 when that cannot be told.
int scrub_is_remote(int file);

#endif
