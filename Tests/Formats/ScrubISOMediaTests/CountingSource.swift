import ScrubBase
import Synchronization

/// Bytes in memory that count their reads.
final class CountingSource: ByteSource {
    private let source: MemorySource
    private let count = Atomic<Int>(0)
    private let calls = Atomic<Int>(0)

    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    var byteCount: Int64 { source.byteCount }
    var bytesRead: Int { count.load(ordering: .relaxed) }
    var readCount: Int { calls.load(ordering: .relaxed) }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        count.add(buffer.count, ordering: .relaxed)
        calls.add(1, ordering: .relaxed)
        return source.read(fromAbsoluteOffset: offset, into: buffer)
    }
}
