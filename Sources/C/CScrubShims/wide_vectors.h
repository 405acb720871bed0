#ifndef SCRUB_WIDE_VECTORS_H
#define SCRUB_WIDE_VECTORS_H

// The same code for a processor's common vectors and for its wide vectors if it has them, which Swift cannot express.
//
// The loader chooses among them before the sanitizer is initialized, so the sanitizer's calls during that choice would
// crash.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__x86_64__) && defined(__ELF__) && !defined(IS_SANITIZED)
#define FOR_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define FOR_WIDE_VECTORS
#endif
#define INLINE static inline __attribute__((always_inline))

#endif
