#define _GNU_SOURCE
#include "CScrubSparseFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int scrub_lock_bytes(int file, int kind, int64_t start, int64_t count) {
    struct flock lock = {0};
    lock.l_type = kind == SCRUB_UNLOCK ? F_UNLCK : kind == SCRUB_LOCK_SHARED ? F_RDLCK : F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = count;
    while (fcntl(file, F_OFD_SETLK, &lock) != 0) {
        if (errno == EACCES) return EAGAIN;
        if (errno != EINTR) return errno;
    }
    return 0;
}

static int change_blocks(int file, int mode, int64_t start, int64_t count) {
    while (fallocate(file, mode, start, count) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int scrub_reserve_bytes(int file, int64_t start, int64_t count) {
    return change_blocks(file, FALLOC_FL_KEEP_SIZE, start, count);
}

int scrub_release_bytes(int file, int64_t start, int64_t count) {
    return change_blocks(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, count);
}

int scrub_is_remote(int file) {
    struct statfs facts;
    if (fstatfs(file, &facts) != 0) return -1;
    // statfs(2) and linux/magic.h: NFS, SMB, CIFS, SMB2, AFS (two), Coda, Ceph, NCP, 9P.
    switch ((uint32_t)facts.f_type) {
    case 0x6969: case 0x517B: case 0xFF534D42: case 0xFE534D42: case 0x5346414F: case 0x6B414653: case 0x73757245:
    case 0x00C36400: case 0x564C: case 0x01021997:
        return 1;
    default: return 0;
    }
}

int scrub_hears_of_changes(int folder) {
    struct statfs facts;
    if (fstatfs(folder, &facts) != 0) return -1;
    // FUSE: others may change the files behind it.
    return (uint32_t)facts.f_type != 0x65735546 && scrub_is_remote(folder) == 0;
}

int scrub_has_writer(int file) {
    // A process that opens the file for writing now would cause a SIGIO, which ends a process by default; SIGURG is
    // harmless.
    if (fcntl(file, F_SETSIG, SIGURG) != 0) return -1;
    int status = fcntl(file, F_SETLEASE, F_RDLCK);
    if (status != 0) return errno == EAGAIN ? 1 : -1;
    fcntl(file, F_SETLEASE, F_UNLCK);
    return 0;
}

int scrub_exchange_names(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

int scrub_rename_new(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int scrub_set_attribute(const char *path, const char *name, const void *value, int64_t count) {
    return setxattr(path, name, value, (size_t)count, 0) == 0 ? 0 : errno;
}

int64_t scrub_attribute(const char *path, const char *name, void *value, int64_t capacity) {
    return lgetxattr(path, name, value, (size_t)capacity);
}

int scrub_sync_file_system(int file) {
    while (syncfs(file) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}
