internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Memory that another process created (`memfd_create`) and passed as a descriptor.
///
/// It must be sealed against shrinking: if it shrank during a write, SIGBUS would kill the process. It may grow. Use
/// from one thread at a time.
@safe package struct SharedMemory: ~Copyable {
    private let descriptor: Int32
    private var base: UnsafeMutableRawPointer?
    private var byteCount = 0

    // From <linux/fcntl.h>, which Glibc's module does not export.
    private static let getSeals: Int32 = 1034
    private static let sealShrink: Int32 = 2

    /// Creates an object for a descriptor.
    ///
    /// - Throws: `usage` if the descriptor is not such memory.
    package init(descriptor: Int32) throws(ScrubError) {
        let seals = fcntl(descriptor, SharedMemory.getSeals)
        guard seals >= 0, seals & SharedMemory.sealShrink != 0 else {
            throw ScrubError(
                .usage, "descriptor \(descriptor) is not shared memory that is sealed against shrinking",
                advice: "create it with memfd_create(MFD_ALLOW_SEALING) and seal it with F_SEAL_SHRINK")
        }
        self.descriptor = descriptor
    }

    deinit { if let base = unsafe base { unsafe munmap(base, byteCount) } }

    /// Calls a closure with a part of the memory for writing.
    ///
    /// - Throws: `usage` if the part does not exist, `unavailable` if it cannot be mapped; also the errors of `body`.
    package mutating func withBytes(
        at offset: Int, count: Int, _ body: (inout MutableSpan<UInt8>) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard offset >= 0, count >= 0, !overflow else {
            throw ScrubError(
                .usage, "\(count) bytes at offset \(offset) extend beyond the shared memory",
                advice: "use a range inside the shared memory")
        }
        if end > byteCount { try map(to: end) }
        guard let base = unsafe base else {
            throw ScrubError(.usage, "the shared memory is empty", advice: "set its size with ftruncate first")
        }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: base + offset, count: count).bindMemory(to: UInt8.self)
        var span = unsafe MutableSpan(_unsafeElements: buffer)
        try body(&span)
    }

    /// Maps all memory that currently exists.
    private mutating func map(to end: Int) throws(ScrubError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw ScrubError(
                .inputOutput, "the shared memory cannot be inspected: \(Errno(rawValue: errno).description)")
        }
        let size = Int(status.st_size)
        guard end <= size else {
            throw ScrubError(
                .usage, "the picture would end at byte \(end), but the shared memory has only \(size) bytes",
                advice: "use an earlier offset, or make the memory larger")
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
