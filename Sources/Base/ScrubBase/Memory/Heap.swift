internal import CScrubHeap

/// The C library's heap.
package enum Heap {
    /// Gives freed memory back to the system.
    ///
    /// glibc has a heap for nearly every thread, and each keeps its freed blocks: what a thread of a session that is
    /// gone had would stay. Cost: a pass over the free blocks of all heaps, some milliseconds. Call it after megabytes
    /// of small blocks were freed.
    package static func trim() { scrub_trim_heaps() }
}
