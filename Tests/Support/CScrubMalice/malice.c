#define _GNU_SOURCE
#include "CScrubMalice.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
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

long malice_name_space(void) {
    // As a thread is made, and in a network of its own besides. Where that comes through the thread has no stack, and
    // ends the process.
    return syscall(
        SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_NEWNET, 0, 0, 0, 0);
}

static void *sleep_on(void *nothing) {
    for (;;) sleep(1000);
    return nothing;
}

int malice_threads(int count) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    int made = 0;
    for (pthread_t thread; made < count && pthread_create(&thread, &small, sleep_on, NULL) == 0;) made++;
    return made;
}

long malice_out_of_band(int socket) {
    struct iovec part = {"x", 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return sendmsg(socket, &message, MSG_OOB);
}

int malice_hole(void) {
    void *made = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? -1 : madvise(made, 4096, MADV_REMOVE);
}

int malice_unlearn(int error, int seccomp, int landlock) {
    // The numbers of landlock are 444 to 446. A call that is not to be refused is compared with what no call is.
    uint32_t filtered = seccomp ? SYS_seccomp : UINT32_MAX, first = landlock ? 444 : UINT32_MAX;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, filtered, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 446, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
