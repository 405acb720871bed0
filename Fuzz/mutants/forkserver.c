// Starts a program once and runs it many times. Loaded with LD_PRELOAD it stops before main, and for each request makes
// a copy of the process that goes on with other arguments. Loading the codecs' libraries costs more than decoding a
// small clip.
//
// A request is a line on descriptor 198. It has seconds of processor time, seconds in all, the files for its output and
// its errors, and its arguments. There are as many of these as the program was started with, with tabs between. The
// answer, on 199: the status as waitpid gives it, the peak of its memory in KiB, microseconds of processor time,
// microseconds in all.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { requests = 198, answers = 199, most = 256 };
typedef int (*Main)(int, char **, char **);
typedef int (*Start)(Main, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
static Main real_main;

static long microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void place(const char *path, int descriptor) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
    close(file);
}

static void run(int argc, char **argv, char **envp, char **fields) {
    struct rlimit limit = {strtoul(fields[0], 0, 10), strtoul(fields[0], 0, 10) + 2};
    setrlimit(RLIMIT_CPU, &limit);
    limit = (struct rlimit){0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    place(fields[2], 1);
    place(fields[3], 2);
    close(requests);
    close(answers);
    // In the place of the old ones: Swift's runtime has noted where they are, and how many.
    for (int i = 1; i < argc; i++) argv[i] = fields[i + 3];
    exit(real_main(argc, argv, envp));
}

static int serve(int argc, char **argv, char **envp) {
    FILE *in = fdopen(requests, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (in && (length = getline(&line, &room, in)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        char *fields[most], *rest = line;
        int count = 0;
        while (count < most && (fields[count] = strsep(&rest, "\t"))) count++;
        if (count != argc + 3) return 2;
        long begin = microseconds();
        pid_t child = fork();
        if (child == 0) run(argc, argv, envp, fields);
        struct pollfd wait = {(int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0};
        int isLate = poll(&wait, 1, atoi(fields[1]) * 1000) == 0;
        if (isLate) kill(child, SIGKILL);
        close(wait.fd);
        int status = 0;
        struct rusage usage;
        wait4(child, &status, 0, &usage);
        long used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
        dprintf(answers, "%d %d %ld %ld %ld\n", status, isLate, usage.ru_maxrss, used, microseconds() - begin);
    }
    return 0;
}

int __libc_start_main(Main main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*ending)(void), void *end) {
    Start start = (Start)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    unsetenv("LD_PRELOAD");
    return start(fcntl(requests, F_GETFD) < 0 ? main : serve, argc, argv, init, fini, ending, end);
}
