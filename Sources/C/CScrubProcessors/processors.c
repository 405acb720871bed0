// The call and its macros are GNU extensions, which Swift's module of the C library omits.
#define _GNU_SOURCE
#include "CScrubProcessors.h"

#include <errno.h>
#include <sched.h>

int scrub_allowed_processors(void) {
    // The system rejects sets that are smaller than its own.
    for (int bits = 1024; bits <= 1 << 20; bits *= 4) {
        cpu_set_t *set = CPU_ALLOC(bits);
        if (set == NULL) return 0;
        size_t size = CPU_ALLOC_SIZE(bits);
        int count = -1;
        if (sched_getaffinity(0, size, set) == 0) {
            count = CPU_COUNT_S(size, set);
        } else if (errno != EINVAL) {
            count = 0;
        }
        CPU_FREE(set);
        if (count >= 0) return count;
    }
    return 0;
}
