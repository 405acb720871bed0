#define _GNU_SOURCE

#include "CScrubShims.h"

#include <stdio.h>

// Takes everything and keeps nothing.
static ssize_t discard(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    (void)bytes;
    return (ssize_t)count;
}

// Every library has the one variable, which glibc lets a program assign (stderr(3), "assignable"). A stream without a
// descriptor: one would take the place of a standard stream that is closed, and is more than a sandbox's worker has.
// What is written to descriptor 2 itself is what the program has to say.
void scrub_silence_stderr(void) {
    FILE *nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){.write = discard});
    if (nowhere)
        stderr = nowhere;
}
