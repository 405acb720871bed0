import ScrubBase
import Synchronization

/// Bytes in memory that count what is read of them.
final class CountingSource: ByteSource {
    private let source: MemorySource
    private let count = Atomic<Int>(0)

    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    var byteCount: Int64 { source.byteCount }
    var bytesRead: Int { count.load(ordering: .relaxed) }

    func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        self.count.add(count, ordering: .relaxed)
        return try source.read(at: offset, count: count)
    }
}
