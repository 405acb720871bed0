#ifndef SCRUB_HEAP_H
#define SCRUB_HEAP_H

#include <malloc.h>

/// Sets the number of heaps that the threads of this process share. glibc makes one for nearly every thread, and
/// each keeps its freed memory.
static inline void scrub_share_heaps(int count) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

#endif
