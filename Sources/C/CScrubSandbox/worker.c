#define _GNU_SOURCE
#include "CScrubSandbox.h"
#include "descriptor_message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { LINK = 3, MOST_WORDS = 8 };

/// The loader's variables, without which a program may not start. The worker must not get any others, especially not
/// secrets.
static size_t loader_variables(char **out, size_t room) {
    static const char *const kept[] = {"LD_LIBRARY_PATH=", "LD_PRELOAD=", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="};
    size_t count = 0;
    for (char **entry = environ; *entry && count + 1 < room; entry++)
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (strncmp(*entry, kept[i], strlen(kept[i])) == 0 && count + 1 < room)
                out[count++] = *entry;
    out[count] = NULL;
    return count;
}

int scrub_worker_start(const char *path, char *const words[], int *link, pid_t *child) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    // dup2 to the same number would keep the close-on-exec flag.
    if (pair[1] == LINK) {
        int other = fcntl(pair[1], F_DUPFD_CLOEXEC, LINK + 1);
        if (other < 0) {
            int error = errno;
            close(pair[0]), close(pair[1]);
            return -error;
        }
        close(pair[1]);
        pair[1] = other;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *variables[MOST_WORDS];
    loader_variables(variables, MOST_WORDS);
    int status = posix_spawn_file_actions_init(&actions);
    if (status == 0 && (status = posix_spawnattr_init(&attributes)) == 0) {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        status = posix_spawnattr_setsigmask(&attributes, &none);
        if (!status) status = posix_spawnattr_setsigdefault(&attributes, &all);
        // A separate process group, because Ctrl-C is handled by the parent.
        if (!status) status = posix_spawnattr_setpgroup(&attributes, 0);
        if (!status)
            status = posix_spawnattr_setflags(
                &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        for (int i = 0; i < LINK && !status; i++)
            if (pair[1] != i) status = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
        if (!status) status = posix_spawn_file_actions_adddup2(&actions, pair[1], LINK);
        if (!status) status = posix_spawn_file_actions_addclosefrom_np(&actions, LINK + 1);
        if (!status) status = posix_spawn(child, path, &actions, &attributes, words, variables);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(pair[1]);
    if (status != 0) {
        close(pair[0]);
        return -status;
    }
    *link = pair[0];
    return 0;
}

int scrub_worker_wait(pid_t child, int *how) {
    while (waitpid(child, how, 0) < 0)
        if (errno != EINTR) return -errno;
    return 0;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Waits for events on the socket until a deadline; -ETIMEDOUT if the deadline passes first.
static int wait_for(int link, short what, int64_t end) {
    for (;;) {
        struct pollfd wait = {link, what, 0};
        int64_t left = end - now();
        int ready = poll(&wait, 1, left < 0 ? 0 : (int)left);
        if (ready > 0) return 0;
        if (ready == 0) return -ETIMEDOUT;
        if (errno != EINTR) return -errno;
    }
}

int scrub_link_send(int link, const void *bytes, size_t count, int descriptor, int milliseconds) {
    const char *next = bytes;
    // With no wait allowed, poll is not trusted either, because a socket that accepts bytes may accept fewer than
    // these.
    int64_t end = milliseconds < 0 ? -1 : now() + milliseconds;
    int flags = MSG_NOSIGNAL | (end < 0 ? 0 : MSG_DONTWAIT);
    while (count > 0) {
        ssize_t sent = send_with_descriptor(link, next, count, descriptor, flags);
        if (sent < 0) {
            if (errno == EINTR) continue;
            if (end < 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return -errno;
            int status = wait_for(link, POLLOUT, end);
            if (status != 0) return status;
            continue;
        }
        descriptor = -1;
        next += sent;
        count -= (size_t)sent;
    }
    return 0;
}

ssize_t scrub_link_receive(int link, void *bytes, size_t count, int *descriptor, int milliseconds) {
    if (descriptor) *descriptor = -1;
    int64_t end = milliseconds < 0 ? -1 : now() + milliseconds;
    int flags = MSG_CMSG_CLOEXEC | (end < 0 ? 0 : MSG_DONTWAIT);
    for (;;) {
        if (end >= 0) {
            int status = wait_for(link, POLLIN, end);
            if (status != 0) return status;
        }
        struct iovec part = {bytes, count};
        union {
            struct cmsghdr header;
            char room[CMSG_SPACE(sizeof(int) * 4)];
        } control;
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (descriptor) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
        }
        ssize_t got = recvmsg(link, &message, flags);
        if (got < 0) {
            if (errno == EINTR) continue;
            // The socket was ready but had no bytes: out-of-band data (MSG_OOB) makes poll report readiness although
            // nothing can be received.
            if (errno == EAGAIN || errno == EWOULDBLOCK) return -EPROTO;
            // The other end was closed with unread bytes from this process.
            return errno == ECONNRESET ? 0 : -errno;
        }
        // If there was no room for them, the kernel has closed the descriptors that arrived.
        if (!descriptor) return message.msg_flags & MSG_CTRUNC ? -EPROTO : got;
        for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
            size_t numbers = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < numbers; i++) {
                int one;
                memcpy(&one, CMSG_DATA(header) + i * sizeof one, sizeof one);
                if (*descriptor < 0) *descriptor = one;
                else close(one);
            }
        }
        return got;
    }
}

int scrub_memory_make(size_t count) {
    int made = memfd_create("scrub-pictures", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made < 0) return -errno;
    // Preallocates the pages, because a page that cannot be provided on access causes a signal, not an error.
    if (ftruncate(made, (off_t)count) != 0 || fallocate(made, 0, 0, (off_t)count) != 0 || fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(made);
        return -error;
    }
    return made;
}

void *scrub_memory_map(int descriptor, size_t count, int is_writable) {
    void *made = mmap(NULL, count, is_writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0);
    return made == MAP_FAILED ? NULL : made;
}
