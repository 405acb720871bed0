#ifndef CSPARSEFILES_H
#define CSPARSEFILES_H

#include <stdint.h>

// Functions that the C library provides only with _GNU_SOURCE, which Swift's own import of it lacks. All return 0 or
// the error number.

enum { SCRUB_UNLOCK = 0, SCRUB_LOCK_SHARED = 1, SCRUB_LOCK_EXCLUSIVE = 2 };

/// Locks bytes of an open file description (fcntl(2), F_OFD_SETLK), or releases them. Never waits: EAGAIN if another
/// description has them.
int scrub_lock_bytes(int file, int kind, int64_t start, int64_t count);

/// Reserves blocks for bytes without changing the file's size (fallocate(2)).
int scrub_reserve_bytes(int file, int64_t start, int64_t count);

/// Frees the blocks of bytes (fallocate(2)).
int scrub_release_bytes(int file, int64_t start, int64_t count);

/// Whether an open file or folder is on another machine's file system (statfs(2)); -1 if unknown.
int scrub_is_remote(int file);

/// Whether the kernel detects every change in an open folder (inotify(7)). It does not detect changes by other machines
/// or behind FUSE. -1 if unknown.
int scrub_hears_of_changes(int folder);

/// Whether another process has a file open for writing: -1 if unknown. The file must be open for reading only, and the
/// caller must be its owner or root (fcntl(2), F_SETLEASE). Writers that arrive at that moment wait for some
/// microseconds.
int scrub_has_writer(int file);

/// Exchanges two files or folders on one file system atomically (renameat2(2), RENAME_EXCHANGE). EINVAL if the file
/// system does not support this.
int scrub_exchange_names(const char *one, const char *other);

/// Gives a file or folder a name that is free (renameat2(2), RENAME_NOREPLACE): EEXIST if the name is taken, EINVAL if
/// the file system does not support this.
int scrub_rename_new(const char *one, const char *other);

/// Sets an extended attribute of a file (setxattr(2)). Fails with ENOTSUP if the file system does not support them.
int scrub_set_attribute(const char *path, const char *name, const void *value, int64_t count);

/// Reads an extended attribute of a file or link (lgetxattr(2)): the number of bytes, or -1 if there is none or it does
/// not fit.
int64_t scrub_attribute(const char *path, const char *name, void *value, int64_t capacity);

/// Waits until everything that was written to the file system of an open file or folder is on its disk (syncfs(2)).
int scrub_sync_file_system(int file);

#endif
