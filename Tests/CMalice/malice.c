#define _GNU_SOURCE
#include "CMalice.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

long malice_fork(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

long malice_trace(int process) { return syscall(SYS_ptrace, PTRACE_ATTACH, process, 0, 0); }

long malice_read_memory(int process) {
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    return syscall(SYS_process_vm_readv, process, &here, 1, &there, 1, 0);
}
