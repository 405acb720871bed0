// Faults for any program, by LD_PRELOAD: the nth call on certain files fails, gives less, or has something happen
// before it.
//
//   FAULT_PATHS   prefixes of the files and folders that are concerned, between colons; a file without a name counts by its folder
//   FAULT_RULES   rules between semicolons: CLASS@N=ACTION, CLASS@NxCOUNT=ACTION, CLASS@*=ACTION, CLASS~PERMILLE=ACTION
//                 CLASS: open create read map write size sync link rename unlink mkdir lock stat message (to a socket, whoever has it); N counts from 1 in each class
//                 ACTION: an error's name; short (half of the bytes, one at least); some (at random: short, EINTR or nothing);
//                 zero (nothing, as at the end of a file); SIGTERM and others (before the call); +SIGTERM (after it);
//                 cut:BYTES, fill (garbage in place, as long as before), longer (bytes behind the end), swap (FAULT_OTHER takes
//                 its name), copy (FAULT_OTHER's bytes are written into it), gone (it loses its name), away (it takes FAULT_OTHER's name): done to FAULT_TARGET
//   FAULT_SEED    for what is at random
//   FAULT_COUNTS  a file of 64 numbers of 8 bytes that is mapped: for each class the calls that there were, then those that
//                 something happened to
//
// Length: a function for each name that the C library has for a call.
// Calls that glibc makes within itself (stdio) do not pass here; strace says which those are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum class { OPEN, CREATE, READ, MAP, WRITE, SIZE, SYNC, LINK, RENAME, UNLINK, MKDIR, LOCK, STAT, MESSAGE, CLASSES };
static const char *const class_names[CLASSES] = {
    "open", "create", "read", "map", "write", "size", "sync", "link", "rename", "unlink", "mkdir", "lock", "stat", "message"};

enum kind { ERROR, SHORT, SOME, ZERO, SIGNAL, SIGNAL_AFTER, CUT, FILL, LONGER, SWAP, COPY, GONE, AWAY, NOTHING };
struct rule {
    enum class class;
    long first, last;   // of calls; permille > 0 in place of them
    int permille;
    enum kind kind;
    long number;        // the error, the signal, the bytes
};

static struct rule rules[32];
static int rule_count;
static char *prefixes[16];
static int prefix_count;
static const char *target, *other;
static atomic_uint_least64_t private_counts[64], *counts = private_counts;
static atomic_uint_least64_t random_state;
static int is_on;

static const struct { const char *name; int number; } names[] = {
    {"EIO", EIO}, {"EINTR", EINTR}, {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"EACCES", EACCES},
    {"EROFS", EROFS}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"ENOENT", ENOENT}, {"EDQUOT", EDQUOT}, {"EFBIG", EFBIG},
    {"ESTALE", ESTALE}, {"ENOLCK", ENOLCK}, {"EPERM", EPERM}, {"EOPNOTSUPP", EOPNOTSUPP}, {"EXDEV", EXDEV},
    {"EPIPE", EPIPE}, {"SIGTERM", SIGTERM}, {"SIGINT", SIGINT}, {"SIGHUP", SIGHUP}, {"SIGPIPE", SIGPIPE},
    {"SIGKILL", SIGKILL}, {"SIGUSR1", SIGUSR1}};

static long number_of(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) return names[i].number;
    fprintf(stderr, "faults: what is %s?\n", name);
    _exit(126);
}

static void parse(char *text) {
    static const struct { const char *name; enum kind kind; } kinds[] = {
        {"short", SHORT}, {"some", SOME}, {"zero", ZERO}, {"fill", FILL}, {"longer", LONGER}, {"swap", SWAP},
        {"copy", COPY}, {"gone", GONE}, {"away", AWAY}};
    for (char *save, *word = strtok_r(text, ";", &save); word; word = strtok_r(NULL, ";", &save)) {
        struct rule rule = {0, 1, LONG_MAX, 0, NOTHING, 0};
        char *equals = strchr(word, '='), *place = strpbrk(word, "@~");
        if (!equals || !place || rule_count == 32) _exit(126);
        *equals = 0;
        const char *action = equals + 1;
        char how = *place;
        *place++ = 0;
        int class = 0;
        while (class < CLASSES && strcmp(class_names[class], word) != 0) class++;
        if (class == CLASSES) _exit(126);
        rule.class = class;
        if (how == '~') {
            rule.permille = atoi(place);
        } else if (*place != '*') {
            char *end;
            rule.first = strtol(place, &end, 10);
            rule.last = *end == 'x' ? rule.first + atol(end + 1) - 1 : rule.first;
        }
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(kinds[i].name, action) == 0) rule.kind = kinds[i].kind;
        if (strncmp(action, "cut:", 4) == 0) {
            rule.kind = CUT;
            rule.number = atol(action + 4);
        } else if (rule.kind == NOTHING) {
            int after = *action == '+';
            rule.number = number_of(action + after);
            rule.kind = after ? SIGNAL_AFTER : strncmp(action, "SIG", 3) == 0 ? SIGNAL : ERROR;
        }
        rules[rule_count++] = rule;
    }
}

__attribute__((constructor)) static void begin(void) {
    char *text = getenv("FAULT_RULES"), *where = getenv("FAULT_PATHS"), *file = getenv("FAULT_COUNTS");
    if (!text || !where) return;
    char *seed = getenv("FAULT_SEED");
    atomic_init(&random_state, seed ? strtoull(seed, NULL, 10) : 1);
    target = getenv("FAULT_TARGET");
    other = getenv("FAULT_OTHER");
    char *copy = strdup(where);
    for (char *save, *word = strtok_r(copy, ":", &save); word && prefix_count < 16; word = strtok_r(NULL, ":", &save))
        prefixes[prefix_count++] = word;
    parse(strdup(text));
    if (file) {
        int opened = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
        void *made = opened < 0 ? MAP_FAILED
            : (void *)syscall(SYS_mmap, NULL, 64 * 8, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
        if (made != MAP_FAILED) counts = made;
        if (opened >= 0) syscall(SYS_close, opened);
    }
    is_on = 1;
}

// What is at random must not depend on which thread comes first more than it has to: SplitMix64 over one counter.
static uint64_t next_random(void) {
    uint64_t z = atomic_fetch_add(&random_state, 0x9E3779B97F4A7C15u) + 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int concerns(const char *path) {
    for (int i = 0; i < prefix_count; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return 1;
    return 0;
}

static int has_descriptor(int file) {
    char link[32], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX);
    if (length <= 0) return 0;
    path[length] = 0;
    return concerns(path);
}

static int has_name(int folder, const char *name) {
    if (!name) return 0;
    if (*name == '/' || folder == AT_FDCWD) return concerns(name);
    char link[32], path[2 * PATH_MAX + 2];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX);
    if (length <= 0) return 0;
    snprintf(path + length, sizeof path - length, "/%s", name);
    return concerns(path);
}

static void garble(int file, off_t from, off_t end) {
    unsigned char bytes[4096];
    for (off_t at = from; at < end; at += sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(next_random() >> 24);
        size_t count = end - at < (off_t)sizeof bytes ? (size_t)(end - at) : sizeof bytes;
        syscall(SYS_pwrite64, file, bytes, count, at);
    }
}

static void change(const struct rule *rule) {
    if (!target) return;
    struct stat facts;
    int file;
    switch (rule->kind) {
    case CUT: syscall(SYS_truncate, target, rule->number); return;
    case SWAP: syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, target, 0); return;
    case AWAY: syscall(SYS_renameat2, AT_FDCWD, target, AT_FDCWD, other, 0); return;
    case GONE: syscall(SYS_unlinkat, AT_FDCWD, target, 0); return;
    case FILL: case LONGER:
        file = syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_CLOEXEC);
        if (file < 0) return;
        if (syscall(SYS_newfstatat, file, "", &facts, AT_EMPTY_PATH) == 0)
            garble(file, rule->kind == FILL ? 0 : facts.st_size, rule->kind == FILL ? facts.st_size : facts.st_size + 70000);
        syscall(SYS_close, file);
        return;
    case COPY: {
        int from = syscall(SYS_openat, AT_FDCWD, other, O_RDONLY | O_CLOEXEC);
        file = syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_TRUNC | O_CLOEXEC);
        char bytes[65536];
        for (long count; from >= 0 && file >= 0 && (count = syscall(SYS_read, from, bytes, sizeof bytes)) > 0;)
            syscall(SYS_write, file, bytes, count);
        if (from >= 0) syscall(SYS_close, from);
        if (file >= 0) syscall(SYS_close, file);
        return;
    }
    default: return;
    }
}

struct verdict { int fails; int error; size_t count; int signal_after; };

/// Counts a call and says what becomes of it; what happens before it has happened then.
static struct verdict judge(enum class class, size_t count) {
    struct verdict verdict = {0, 0, count, 0};
    long number = (long)atomic_fetch_add(&counts[class], 1) + 1;
    for (int i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (rule->class != class) continue;
        if (rule->permille ? next_random() % 1000 >= (uint64_t)rule->permille
                           : number < rule->first || number > rule->last) continue;
        enum kind kind = rule->kind;
        long value = rule->number;
        if (kind == SOME) {
            // Interrupted calls come back in the end, as real ones do.
            kind = next_random() % 2 ? SHORT : ERROR;
            value = EINTR;
        }
        if (kind == SHORT && count < 2) continue;
        atomic_fetch_add(&counts[CLASSES + class], 1);
        switch (kind) {
        case ERROR: verdict.fails = 1; verdict.error = (int)value; break;
        case SHORT: verdict.count = rule->kind == SOME ? 1 + next_random() % (count - 1) : count / 2; break;
        case ZERO: verdict.fails = 1; verdict.error = 0; break;
        case SIGNAL: kill(getpid(), (int)value); break;
        case SIGNAL_AFTER: verdict.signal_after = (int)value; break;
        default: change(rule);
        }
    }
    return verdict;
}

static long after(struct verdict verdict, long result) {
    if (verdict.signal_after) {
        int saved = errno;
        kill(getpid(), verdict.signal_after);
        errno = saved;
    }
    return result;
}

#define JUDGED(is_concerned, class, count) \
    struct verdict verdict = {0, 0, (count), 0}; \
    if (is_on && (is_concerned)) { \
        int saved = errno; \
        verdict = judge((class), (count)); \
        errno = saved; \
        if (verdict.fails) { errno = verdict.error; return verdict.error ? -1 : 0; } \
    }

// Reads.
ssize_t read(int file, void *bytes, size_t count) {
    JUDGED(has_descriptor(file), READ, count);
    return after(verdict, syscall(SYS_read, file, bytes, verdict.count));
}
ssize_t __read_chk(int file, void *bytes, size_t count, size_t room) { (void)room; return read(file, bytes, count); }
ssize_t pread(int file, void *bytes, size_t count, off_t place) {
    JUDGED(has_descriptor(file), READ, count);
    return after(verdict, syscall(SYS_pread64, file, bytes, verdict.count, place));
}
ssize_t pread64(int file, void *bytes, size_t count, off_t place) { return pread(file, bytes, count, place); }
ssize_t __pread_chk(int file, void *bytes, size_t count, off_t place, size_t room) {
    (void)room;
    return pread(file, bytes, count, place);
}
ssize_t __pread64_chk(int file, void *bytes, size_t count, off_t place, size_t room) {
    (void)room;
    return pread(file, bytes, count, place);
}
ssize_t readv(int file, const struct iovec *parts, int count) {
    JUDGED(has_descriptor(file), READ, 1);
    return after(verdict, syscall(SYS_readv, file, parts, count));
}
ssize_t preadv(int file, const struct iovec *parts, int count, off_t place) {
    JUDGED(has_descriptor(file), READ, 1);
    return after(verdict, syscall(SYS_preadv, file, parts, count, place, 0));
}
ssize_t preadv64(int file, const struct iovec *parts, int count, off_t place) {
    return preadv(file, parts, count, place);
}
void *mmap(void *at, size_t count, int protection, int flags, int file, off_t place) {
    if (is_on && file >= 0 && has_descriptor(file)) {
        struct verdict verdict = judge(MAP, 1);
        if (verdict.fails) {
            errno = verdict.error;
            return MAP_FAILED;
        }
    }
    return (void *)syscall(SYS_mmap, at, count, protection, flags, file, place);
}
void *mmap64(void *at, size_t count, int protection, int flags, int file, off_t place) {
    return mmap(at, count, protection, flags, file, place);
}

// Writes.
ssize_t write(int file, const void *bytes, size_t count) {
    JUDGED(has_descriptor(file), WRITE, count);
    return after(verdict, syscall(SYS_write, file, bytes, verdict.count));
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
    JUDGED(has_descriptor(file), WRITE, count);
    return after(verdict, syscall(SYS_pwrite64, file, bytes, verdict.count, place));
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t place) { return pwrite(file, bytes, count, place); }
ssize_t writev(int file, const struct iovec *parts, int count) {
    JUDGED(has_descriptor(file), WRITE, 1);
    return after(verdict, syscall(SYS_writev, file, parts, count));
}
ssize_t copy_file_range(int from, off_t *start, int to, off_t *place, size_t count, unsigned flags) {
    JUDGED(has_descriptor(to), WRITE, count);
    return after(verdict, syscall(SYS_copy_file_range, from, start, to, place, verdict.count, flags));
}
ssize_t sendfile(int to, int from, off_t *place, size_t count) {
    JUDGED(has_descriptor(to), WRITE, count);
    return after(verdict, syscall(SYS_sendfile, to, from, place, verdict.count));
}
int ftruncate(int file, off_t count) {
    JUDGED(has_descriptor(file), SIZE, 1);
    return (int)after(verdict, syscall(SYS_ftruncate, file, count));
}
int ftruncate64(int file, off_t count) { return ftruncate(file, count); }
int fallocate(int file, int mode, off_t place, off_t count) {
    JUDGED(has_descriptor(file), SIZE, 1);
    return (int)after(verdict, syscall(SYS_fallocate, file, mode, place, count));
}
int fallocate64(int file, int mode, off_t place, off_t count) { return fallocate(file, mode, place, count); }
int fsync(int file) {
    JUDGED(has_descriptor(file), SYNC, 1);
    return (int)after(verdict, syscall(SYS_fsync, file));
}
int fdatasync(int file) {
    JUDGED(has_descriptor(file), SYNC, 1);
    return (int)after(verdict, syscall(SYS_fdatasync, file));
}

// Names.
static int opened(int folder, const char *path, int flags, mode_t mode) {
    int makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    JUDGED(has_name(folder, path), makes ? CREATE : OPEN, 1);
    return (int)after(verdict, syscall(SYS_openat, folder, path, flags, mode));
}
#define MODE(flags, last) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list list; \
        va_start(list, last); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }
int open(const char *path, int flags, ...) { MODE(flags, flags); return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags); return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags, flags); return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags, flags); return opened(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char *path, int flags) { return opened(folder, path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return opened(folder, path, flags, 0); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static FILE *opened_stream(const char *name, const char *path, const char *mode) {
    if (is_on && has_name(AT_FDCWD, path)) {
        struct verdict verdict = judge(strpbrk(mode, "wa") ? CREATE : OPEN, 1);
        if (verdict.fails) {
            errno = verdict.error;
            return NULL;
        }
    }
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, name);
    return real(path, mode);
}
FILE *fopen(const char *path, const char *mode) { return opened_stream("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return opened_stream("fopen64", path, mode); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
    JUDGED(has_name(to, new), LINK, 1);
    return (int)after(verdict, syscall(SYS_linkat, from, old, to, new, flags));
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }
int symlinkat(const char *text, int to, const char *new) {
    JUDGED(has_name(to, new), LINK, 1);
    return (int)after(verdict, syscall(SYS_symlinkat, text, to, new));
}
int symlink(const char *text, const char *new) { return symlinkat(text, AT_FDCWD, new); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    JUDGED(has_name(to, new), RENAME, 1);
    return (int)after(verdict, syscall(SYS_renameat2, from, old, to, new, flags));
}
int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }
int unlinkat(int folder, const char *path, int flags) {
    JUDGED(has_name(folder, path), UNLINK, 1);
    return (int)after(verdict, syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdirat(int folder, const char *path, mode_t mode) {
    JUDGED(has_name(folder, path), MKDIR, 1);
    return (int)after(verdict, syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int flock(int file, int operation) {
    JUDGED(has_descriptor(file), LOCK, 1);
    return (int)after(verdict, syscall(SYS_flock, file, operation));
}
static int is_socket(int file) {
    struct stat facts;
    return syscall(SYS_newfstatat, file, "", &facts, AT_EMPTY_PATH) == 0 && S_ISSOCK(facts.st_mode);
}
ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    JUDGED(is_socket(file), MESSAGE, 1);
    return after(verdict, syscall(SYS_sendmsg, file, message, flags));
}
ssize_t recvmsg(int file, struct msghdr *message, int flags) {
    JUDGED(is_socket(file), MESSAGE, 1);
    return after(verdict, syscall(SYS_recvmsg, file, message, flags));
}
int fstat(int file, struct stat *facts) {
    JUDGED(has_descriptor(file), STAT, 1);
    return (int)after(verdict, syscall(SYS_newfstatat, file, "", facts, AT_EMPTY_PATH));
}
int fstat64(int file, struct stat64 *facts) { return fstat(file, (struct stat *)facts); }
