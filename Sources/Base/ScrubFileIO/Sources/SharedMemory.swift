internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Memory that another process made (`memfd_create`) and handed over by its descriptor.
///
/// It must be sealed against shrinking: memory that is taken away under a writer ends it (SIGBUS). It may grow. Use
/// from one thread at a time.
@safe package struct SharedMemory: ~Copyable {
    private let descriptor: Int32
    private var base: UnsafeMutableRawPointer?
    private var byteCount = 0

    // From <linux/fcntl.h>, which Glibc's module does not show.
    private static let getSeals: Int32 = 1034
    private static let sealShrink: Int32 = 2

    /// - Throws: `usage` if the descriptor is not such memory.
    package init(descriptor: Int32) throws(ScrubError) {
        let seals = fcntl(descriptor, SharedMemory.getSeals)
        guard seals >= 0, seals & SharedMemory.sealShrink != 0 else {
            throw ScrubError(
                .usage, "descriptor \(descriptor) is not shared memory that is sealed against shrinking",
                advice: "make it with memfd_create(MFD_ALLOW_SEALING) and seal it with F_SEAL_SHRINK")
        }
        self.descriptor = descriptor
    }

    deinit { if let base = unsafe base { unsafe munmap(base, byteCount) } }

    /// Lends a part of the memory for writing.
    ///
    /// - Throws: `usage` if it is not there, `unavailable` if it cannot be mapped; and the errors of `body`.
    package mutating func withBytes(
        at offset: Int, count: Int, _ body: (inout MutableSpan<UInt8>) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard offset >= 0, count >= 0, !overflow else {
            throw ScrubError(
                .usage, "\(count) bytes at \(offset) are not in the shared memory",
                advice: "name a place that lies wholly inside it")
        }
        if end > byteCount { try map(to: end) }
        guard let base = unsafe base else {
            throw ScrubError(.usage, "the shared memory is empty", advice: "give it its size with ftruncate first")
        }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: base + offset, count: count).bindMemory(to: UInt8.self)
        var span = unsafe MutableSpan(_unsafeElements: buffer)
        try body(&span)
    }

    /// Maps all that there is by now.
    private mutating func map(to end: Int) throws(ScrubError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw ScrubError(
                .inputOutput, "the shared memory cannot be looked at: \(Errno(rawValue: errno).description)")
        }
        let size = Int(status.st_size)
        guard end <= size else {
            throw ScrubError(
                .usage, "the picture would end at byte \(end) of a shared memory of \(size)",
                advice: "name an earlier place, or make the memory larger")
        }
        if let base = unsafe base { unsafe munmap(base, byteCount) }
        unsafe (base, byteCount) = (nil, 0)
        guard let made = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            unsafe made != MAP_FAILED
        else {
            throw ScrubError(.unavailable, "the shared memory cannot be mapped: \(Errno(rawValue: errno).description)")
        }
        unsafe (base, byteCount) = unsafe (made, size)
    }
}
