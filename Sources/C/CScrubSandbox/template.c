#define _GNU_SOURCE
#include "CScrubSandbox.h"
#include "descriptor_message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINK = 3, START = 1, END = 2 };

/// The orders to the template, and its replies: one datagram each. A start order includes a socket.
typedef struct {
    int32_t what, process;
    uint64_t address_space;
} order;
typedef struct {
    int32_t status, how;
} reply;

// The arguments of the process, where the kernel placed them. Swift's own list is a copy, which a worker would also
// have.
static char **own_words, **own_variables;

__attribute__((constructor)) static void keep_words(int count, char **words, char **variables) {
    (void)count;
    own_words = words;
    own_variables = variables;
}

char *const *scrub_own_words(void) { return own_words; }

/// The number of threads in this process; -1 if it cannot be determined.
static int thread_count(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/// Overwrites the program's arguments and variables: passwords, addresses, tokens. The program's name is kept, for
/// process lists.
static void forget_words(void) {
    if (own_words && own_words[0])
        for (char **word = own_words + 1; *word; word++) explicit_bzero(*word, strlen(*word));
    if (own_variables)
        for (char **word = own_variables; *word; word++) explicit_bzero(*word, strlen(*word));
    static char *none[] = {NULL};
    environ = none;
}

static void close_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
    for (int i = (int)first; i < 65536; i++) close(i);
}

/// Restores the state of a newly started program: default signal handling, with only the link open.
static void begin_anew(int link) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int i = 1; i < NSIG; i++) sigaction(i, &usual, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Ctrl-C is handled by the parent.
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (link != LINK) dup2(link, LINK);
    for (int i = 0; i < LINK; i++)
        if (nothing >= 0) dup2(nothing, i);
        else close(i);
    close_from(LINK + 1);
}

static ssize_t receive(int link, order *out, int *descriptor) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {out, sizeof *out};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    do got = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    *descriptor = -1;
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return got;
}

/// The template's main loop, which waits for orders and creates copies of the process.
static _Noreturn void wait_for_orders(scrub_worker_body work) {
    pid_t own = getpid();
    for (;;) {
        order todo;
        int socket;
        if (receive(LINK, &todo, &socket) != sizeof todo) _exit(0);
        reply answer = {0, 0};
        if (todo.what == START) {
            pid_t made = fork();
            if (made == 0) {
                begin_anew(socket);
                work(own, todo.address_space);
                _exit(0);
            }
            answer.status = made < 0 ? -errno : made;
        } else if (todo.what == END) {
            // A child that has not been waited for keeps its number, so the number identifies this child.
            kill(todo.process, SIGKILL);
            answer.status = scrub_worker_wait(todo.process, &answer.how);
        }
        if (socket >= 0) close(socket);
        if (send(LINK, &answer, sizeof answer, MSG_NOSIGNAL) < 0) _exit(0);
    }
}

int scrub_template_start(scrub_worker_body work) {
    // A copy has only one thread, so locks held by other threads would never be released.
    if (thread_count() != 1) return -EBUSY;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -errno;
    pid_t own = getpid();
    pid_t made = fork();
    if (made == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have ended before this was set.
        if (getppid() != own) _exit(0);
        prctl(PR_SET_DUMPABLE, 0);
        forget_words();
        begin_anew(pair[1]);
        wait_for_orders(work);
    }
    int error = errno;
    close(pair[1]);
    if (made < 0) {
        close(pair[0]);
        return -error;
    }
    return pair[0];
}

static int ask(int link, order todo, int socket, reply *answer) {
    ssize_t done;
    do done = send_with_descriptor(link, &todo, sizeof todo, socket, MSG_NOSIGNAL);
    while (done < 0 && errno == EINTR);
    if (done < 0) return -errno;
    do done = recv(link, answer, sizeof *answer, 0);
    while (done < 0 && errno == EINTR);
    return done == sizeof *answer ? 0 : done < 0 ? -errno : -EPIPE;
}

int scrub_template_copy(int link, uint64_t address_space, int *worker_link, pid_t *child) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -errno;
    reply answer = {0, 0};
    int status = ask(link, (order){START, 0, address_space}, pair[1], &answer);
    close(pair[1]);
    if (status == 0 && answer.status < 0) status = answer.status;
    if (status != 0) {
        close(pair[0]);
        return status;
    }
    *worker_link = pair[0];
    *child = answer.status;
    return 0;
}

int scrub_template_end(int link, pid_t child, int *how) {
    reply answer = {0, 0};
    int status = ask(link, (order){END, child, 0}, -1, &answer);
    *how = answer.how;
    return status != 0 ? status : answer.status;
}
