internal import Glibc
internal import ScrubBase

/// Tells from the system's facts whether an open file still has the bytes that it had when it was opened.
///
/// A file to which bytes are only added, as a recording's writer does, still has them: its former last bytes must be in
/// their place. Every other change counts, also one of the time alone, because only the system knows the cause.
///
/// Thread safety: safe from any thread.
final class ContentWatch: Sendable {
    /// So many last bytes are remembered: a file that was written again has others there.
    private static let tailByteCount = 4096

    private let first: FileSource.Identity
    private let tail: [UInt8]
    /// The newest state of which is known that it still has the bytes.
    private let accepted: Locked<FileSource.Identity>

    /// - Parameter read: reads bytes of the file; `nil` if that fails.
    init(_ identity: FileSource.Identity, read: (_ offset: Int64, _ count: Int) -> [UInt8]?) {
        first = identity
        let count = Int(min(identity.byteCount, Int64(ContentWatch.tailByteCount)))
        // Without them an addition is taken for a change.
        tail = read(identity.byteCount - Int64(count), count) ?? []
        accepted = Locked(identity)
    }

    /// Returns the change of the file, as a clause. `nil` if the bytes that were read before this call are those of the
    /// file that was opened.
    func change(_ present: FileSource.Identity, read: (_ offset: Int64, _ count: Int) -> [UInt8]?) -> String? {
        if present == first || accepted.withLock({ $0 == present }) { return nil }
        if present.byteCount < first.byteCount {
            return "was cut to \(present.byteCount) of \(first.byteCount) bytes while it was read"
        }
        let isLonger = present.byteCount > first.byteCount && !tail.isEmpty
        guard isLonger, read(first.byteCount - Int64(tail.count), tail.count) == tail else {
            return "was changed while it was read"
        }
        accepted.withLock { $0 = present }
        return nil
    }
}
