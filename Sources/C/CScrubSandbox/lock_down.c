#define _GNU_SOURCE
#include "CScrubSandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define OWN_ARCHITECTURE 0
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// landlock(7). Its numbers are the same on all architectures; the headers of older systems do not have all of these
// bits.
enum { LANDLOCK_CREATE = 444, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1 };
struct landlock_rules {
    uint64_t files, network, scopes;
};

/// Denies all files and addresses by means of a rule set without rules. Best effort, because the system call filter
/// denies the same.
static int lock_files(void) {
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    if (version < 1) return 0;
    struct landlock_rules rules = {.files = (1u << 13) - 1};
    if (version >= 2) rules.files |= 1u << 13;  // moving between folders
    if (version >= 3) rules.files |= 1u << 14;  // truncating
    if (version >= 5) rules.files |= 1u << 15;  // ioctl of devices
    if (version >= 4) rules.network = 3;        // binding and connecting TCP
    if (version >= 6) rules.scopes = 3;         // abstract sockets, signals
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    long set = syscall(LANDLOCK_CREATE, &rules, size, 0);
    if (set < 0) return 0;
    int bits = syscall(LANDLOCK_RESTRICT, (int)set, 0) == 0 ? SCRUB_LOCKED_FILES | (version >= 4 ? SCRUB_LOCKED_NETWORK : 0) : 0;
    close((int)set);
    return bits;
}

// A filter with a flat list of call numbers, which checks the arguments of some calls.

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
// The low half of an argument; both architectures are little-endian.
#define LOAD_ARGUMENT(number) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[number]))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | ((error) & SECCOMP_RET_DATA))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)
#define ALLOW_CALL(name) UNLESS(SYS_##name, 1), ANSWER(SECCOMP_RET_ALLOW)
#define KILL_CALL(name) UNLESS(SYS_##name, 1), ANSWER(SECCOMP_RET_KILL_PROCESS)
#define REFUSE_CALL(name, error) UNLESS(SYS_##name, 1), REFUSE(error)
// Ends the process if it makes the call with one of these bits in an argument.
#define KILL_BITS(name, number, bits)                                                                   \
    UNLESS(SYS_##name, 4), LOAD_ARGUMENT(number), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), \
        ANSWER(SECCOMP_RET_KILL_PROCESS), ANSWER(SECCOMP_RET_ALLOW)

// The clone flags that create a process, a namespace or a tracer; glibc's and musl's threads use none of them.
#define CLONE_MORE \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_VFORK | \
     CLONE_PTRACE | CLONE_UNTRACED)
// glibc, libav and Swift use none of this advice, which would punch holes in shared memory or take pages from the whole
// machine.
#define REFUSE_ADVICE(advice) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, advice, 0, 1), REFUSE(EINVAL)

static int lock_calls(pid_t own) {
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        // The x32 call numbers.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS),

        // The most frequent calls are first, because the kernel goes through the list on each call.
        ALLOW_CALL(futex),
        // Out-of-band bytes make the other end's poll report readiness without data, and have been an escape from other
        // sandboxes.
        KILL_BITS(sendmsg, 2, ~(uint32_t)(MSG_NOSIGNAL | MSG_DONTWAIT)),
        KILL_BITS(recvmsg, 2, ~(uint32_t)(MSG_CMSG_CLOEXEC | MSG_DONTWAIT)),
        ALLOW_CALL(pread64),
        UNLESS(SYS_madvise, 10),
        LOAD_ARGUMENT(2),
        REFUSE_ADVICE(MADV_REMOVE),
        REFUSE_ADVICE(MADV_MERGEABLE),
        REFUSE_ADVICE(100),  // MADV_HWPOISON
        REFUSE_ADVICE(101),  // MADV_SOFT_OFFLINE
        ANSWER(SECCOMP_RET_ALLOW),
        ALLOW_CALL(munmap),
        ALLOW_CALL(mremap),
        ALLOW_CALL(brk),
        ALLOW_CALL(read),
        ALLOW_CALL(write),
        ALLOW_CALL(lseek),
        // Descriptors 0 to 2 are /dev/null and stay open, so there is room for only one more (open_files).
        UNLESS(SYS_close, 4),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0),
        REFUSE(EPERM),
        ANSWER(SECCOMP_RET_ALLOW),
        ALLOW_CALL(ppoll),
#ifdef SYS_poll
        ALLOW_CALL(poll),
#endif
        ALLOW_CALL(clock_gettime),
        ALLOW_CALL(clock_nanosleep),
        ALLOW_CALL(nanosleep),
        ALLOW_CALL(sched_yield),
        ALLOW_CALL(sched_getaffinity),
        ALLOW_CALL(getrandom),
        ALLOW_CALL(gettid),
        ALLOW_CALL(getpid),
        ALLOW_CALL(rt_sigprocmask),
        ALLOW_CALL(rt_sigaction),
        ALLOW_CALL(rt_sigreturn),
        ALLOW_CALL(sigaltstack),
        ALLOW_CALL(set_robust_list),
        ALLOW_CALL(rseq),
        ALLOW_CALL(restart_syscall),
        ALLOW_CALL(exit),
        ALLOW_CALL(exit_group),

        // From here on, no executable memory can be created.
        KILL_BITS(mmap, 2, PROT_EXEC),
        KILL_BITS(mprotect, 2, PROT_EXEC),
        // Threads are allowed, but not processes. The flags of clone3 are behind a pointer, so it is denied and glibc
        // falls back to clone.
        REFUSE_CALL(clone3, ENOSYS),
        UNLESS(SYS_clone, 6),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_MORE, 0, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        ANSWER(SECCOMP_RET_ALLOW),
        // The process's own abort.
        UNLESS(SYS_tgkill, 4),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        ANSWER(SECCOMP_RET_ALLOW),
        // Thread names.
        UNLESS(SYS_prctl, 4),
        LOAD_ARGUMENT(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 1, 0),
        REFUSE(EPERM),
        ANSWER(SECCOMP_RET_ALLOW),

        // Libraries look for their settings; reporting that there are none is acceptable.
        REFUSE_CALL(openat, EACCES),
        REFUSE_CALL(newfstatat, EACCES),
        REFUSE_CALL(readlinkat, EACCES),
        REFUSE_CALL(ioctl, ENOTTY),
#ifdef SYS_open
        REFUSE_CALL(open, EACCES),
        REFUSE_CALL(readlink, EACCES),
        KILL_CALL(fork),
        KILL_CALL(vfork),
#endif
        // No decoding code does any of this.
        KILL_CALL(socket),
        KILL_CALL(socketpair),
        KILL_CALL(connect),
        KILL_CALL(bind),
        KILL_CALL(listen),
        KILL_CALL(accept4),
        KILL_CALL(execve),
        KILL_CALL(execveat),
        KILL_CALL(kill),
        KILL_CALL(tkill),
        KILL_CALL(ptrace),
        KILL_CALL(process_vm_readv),
        KILL_CALL(process_vm_writev),
        KILL_CALL(pidfd_open),
        KILL_CALL(bpf),
        KILL_CALL(io_uring_setup),
        KILL_CALL(memfd_create),
        KILL_CALL(unshare),
        KILL_CALL(setns),
        KILL_CALL(mount),
        KILL_CALL(keyctl),
        KILL_CALL(perf_event_open),
        KILL_CALL(userfaultfd),
        KILL_CALL(open_by_handle_at),
        // Calls that a later C library may make: they are denied without ending the process.
        REFUSE(ENOSYS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (OWN_ARCHITECTURE == 0) return -ENOSYS;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return -errno;
    return SCRUB_LOCKED_CALLS;
}

static void lower(int what, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(what, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || most < limit.rlim_max) limit.rlim_max = most;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(what, &limit);
}

/// Drops root's capabilities, so that root's worker is like any other. Best effort, because the system call filter
/// denies the same.
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    syscall(SYS_capset, &header, none);
}

int scrub_lock_down(pid_t parent, scrub_worker_limits limits) {
    drop_capabilities();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -errno;
    // The parent may have ended before this was set.
    if (getppid() != parent) return -ESRCH;
    prctl(PR_SET_DUMPABLE, 0);
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_FSIZE, 0);
#if !SANITIZED
    // Sanitizers use terabytes of address space.
    lower(RLIMIT_AS, limits.address_space);
    // Shared memory counts only while it is mapped, so a process that keeps its descriptor could use more than that.
    lower(RLIMIT_NOFILE, (rlim_t)limits.open_files);
#endif
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    int files = lock_files();
    int calls = lock_calls(getpid());
    return calls < 0 ? calls : files | calls;
}

int scrub_can_lock_down(void) {
    // Without a filter to set, the kernel reports a bad address if it supports the call at all.
    errno = 0;
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL);
    return OWN_ARCHITECTURE != 0 && errno == EFAULT;
}
