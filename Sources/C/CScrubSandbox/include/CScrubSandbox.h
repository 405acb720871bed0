#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift cannot say: control messages of sockets, filters of system calls, rule sets of the kernel's. All give 0 or
// more, or the negative number of the error.

/// Starts a program with one end of a pair of sockets as descriptor 3 and only /dev/null open beside it. Its
/// environment has only the loader's own variables. Never a fork of this process: its other threads may hold any lock.
///
/// PR_SET_PDEATHSIG belongs to the thread that starts it: that one must live as long as the process.
int scrub_worker_start(const char *path, char *const words[], int *link, pid_t *child);

/// Waits for the process's end, which was asked for or has come: how it ended, as waitpid(2) says.
int scrub_worker_wait(pid_t child, int *how);

/// The work of a copy of the template: it locks itself in, told its parent and how much memory it may address, and
/// works. It does not return to its caller.
typedef void (*scrub_worker_body)(pid_t parent, uint64_t address_space);

/// Makes a copy of this process as it is now, which waits until it is told to make copies of itself. Loading a
/// program's libraries would take many times longer. It forgets the command line and the environment, and ends with the
/// thread that called this.
///
/// To be called before anything was read, and before there is a second thread (-EBUSY). Gives the link to it.
int scrub_template_start(scrub_worker_body work);

/// Lets a template make a worker; one order at a time.
int scrub_template_copy(int link, uint64_t address_space, int *worker_link, pid_t *child);

/// Ends a worker of a template's: how it ended, as waitpid(2) says.
int scrub_template_end(int link, pid_t child, int *how);

/// The words that this process was started with, as they lie where the kernel put them; null when that is not known.
char *const *scrub_own_words(void);

/// Sends all bytes within some milliseconds (-1: however long the other end takes), with a descriptor when it is not
/// -1. -ETIMEDOUT when the other end does not take them.
int scrub_link_send(int link, const void *bytes, size_t count, int descriptor, int milliseconds);

/// Receives at least one byte within some milliseconds (-1: however long), and a descriptor if one comes; -1 when none
/// does. A second descriptor is closed. With null for it no descriptor is ever taken, and one that comes is -EPROTO. 0
/// when the other end is gone, -ETIMEDOUT when nothing comes, -EPROTO for a message without bytes.
ssize_t scrub_link_receive(int link, void *bytes, size_t count, int *descriptor, int milliseconds);

/// Memory of its own descriptor that can be mapped by two processes, and neither grows nor shrinks.
int scrub_memory_make(size_t count);

/// Maps it; null when it cannot be. For the one that reads only, nothing it does can change the memory.
void *scrub_memory_map(int descriptor, size_t count, int is_writable);

/// The rights of a process that locks itself in.
typedef struct {
    uint64_t address_space;  // bytes
    int open_files;
} scrub_worker_limits;

/// The parts of a lock that the kernel has: bits of scrub_lock_down's answer.
enum { SCRUB_LOCKED_CALLS = 1, SCRUB_LOCKED_FILES = 2, SCRUB_LOCKED_NETWORK = 4 };

/// Ends when the parent does; opens, writes, connects, starts and traces nothing from here on. All threads.
///
/// Returns the bits above; -ENOSYS and the like when the filter of system calls cannot be set, without which there
/// isn't a sandbox.
int scrub_lock_down(pid_t parent, scrub_worker_limits limits);

/// The same, for callers that have to know: whether this kernel has a filter of system calls.
int scrub_can_lock_down(void);

#endif
