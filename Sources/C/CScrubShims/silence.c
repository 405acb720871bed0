#define _GNU_SOURCE

#include "CScrubShims.h"

#include <stdio.h>

// Accepts and discards everything.
static ssize_t discard(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    (void)bytes;
    return (ssize_t)count;
}

// All libraries share this variable, which glibc allows a program to assign (stderr(3), "assignable"). The stream has
// no descriptor, because a descriptor could take the place of a closed standard stream and is more than a sandbox's
// worker is allowed. Direct writes to descriptor 2 are the program's own output.
void scrub_silence_stderr(void) {
    FILE *nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){.write = discard});
    if (nowhere)
        stderr = nowhere;
}
