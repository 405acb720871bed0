#ifndef SCRUB_HEAP_H
#define SCRUB_HEAP_H

#include <malloc.h>

/// Sets the number of heaps that the threads of this process share. glibc creates one for nearly every thread, and each
/// keeps its freed memory.
static inline void scrub_share_heaps(int count) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

/// Returns the freed memory of all heaps to the system.
static inline void scrub_trim_heaps(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif
