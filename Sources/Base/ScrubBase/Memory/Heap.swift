internal import CScrubHeap

/// The C library's heap.
package enum Heap {
    /// Returns freed memory to the system.
    ///
    /// glibc has a heap for nearly every thread, and each heap keeps its freed blocks, so the memory of an ended
    /// session's thread would remain allocated. Cost: a pass over the free blocks of all heaps, which takes a few
    /// milliseconds. Call this after freeing megabytes of small blocks.
    package static func trim() { scrub_trim_heaps() }
}
