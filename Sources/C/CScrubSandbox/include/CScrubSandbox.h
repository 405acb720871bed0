#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Things that Swift cannot express: socket control messages, system call filters, kernel rule sets. All functions
// return 0 or more, or the negative error number.

/// Starts a program with one end of a socket pair as descriptor 3 and otherwise only /dev/null open. Its environment
/// contains only the loader's own variables. It is never a fork of this process, whose other threads may hold any lock.
///
/// PR_SET_PDEATHSIG is tied to the thread that starts the program, so that thread must live as long as the process.
int scrub_worker_start(const char *path, char *const words[], int *link, pid_t *child);

/// Waits for a process that was told to end or has ended. Stores how it ended, as in waitpid(2).
int scrub_worker_wait(pid_t child, int *how);

/// The work of a copy of the template. It receives its parent and the amount of memory that it may address, locks
/// itself down, and works. It does not return to its caller.
typedef void (*scrub_worker_body)(pid_t parent, uint64_t address_space);

/// Creates a copy of this process in its current state, which creates copies of itself on request. Loading a program's
/// libraries would take many times longer. The copy erases the command line and the environment, and ends with the
/// thread that called this function.
///
/// Call this before anything is read and before there is a second thread (-EBUSY). Returns the link to the copy.
int scrub_template_start(scrub_worker_body work);

/// Tells a template to create a worker; one order at a time.
int scrub_template_copy(int link, uint64_t address_space, int *worker_link, pid_t *child);

/// Ends a template's worker. Stores how it ended, as in waitpid(2).
int scrub_template_end(int link, pid_t child, int *how);

/// The arguments with which this process was started, at the address where the kernel placed them; null if unknown.
char *const *scrub_own_words(void);

/// Sends all bytes within some milliseconds (-1 means no limit), with a descriptor if it is not -1. Returns -ETIMEDOUT
/// if the other end does not accept them.
int scrub_link_send(int link, const void *bytes, size_t count, int descriptor, int milliseconds);

/// Receives at least one byte within some milliseconds (-1 means no limit), and a descriptor if one arrives, or else
/// -1. A second descriptor is closed. If the pointer is null, descriptors are not accepted, and one that arrives causes
/// -EPROTO. Returns 0 if the other end is closed, -ETIMEDOUT if nothing arrives, -EPROTO for a message without bytes.
ssize_t scrub_link_receive(int link, void *bytes, size_t count, int *descriptor, int milliseconds);

/// Creates memory with its own descriptor that two processes can map and that neither grows nor shrinks.
int scrub_memory_make(size_t count);

/// Maps the memory; null on failure. A process that maps it for reading only cannot change it.
void *scrub_memory_map(int descriptor, size_t count, int is_writable);

/// The rights of a process that locks itself down.
typedef struct {
    uint64_t address_space;  // bytes
    int open_files;
} scrub_worker_limits;

/// The parts of the lockdown that the kernel supports, as bits of scrub_lock_down's result.
enum { SCRUB_LOCKED_CALLS = 1, SCRUB_LOCKED_FILES = 2, SCRUB_LOCKED_NETWORK = 4 };

/// Locks down the process: it ends with its parent, and from now on it cannot open, write, connect, start or trace
/// anything. Applies to all threads.
///
/// Returns the bits above; -ENOSYS or a similar error if the system call filter cannot be set, without which there is
/// no sandbox.
int scrub_lock_down(pid_t parent, scrub_worker_limits limits);

/// Whether this kernel supports system call filters, for callers that must know.
int scrub_can_lock_down(void);

#endif
