internal import Glibc
internal import ScrubBase

/// Detects, from the system's information, whether an open file still has the bytes that it had when it was opened.
///
/// A file to which bytes are only appended, such as a recording, still has them; its former last bytes must be in
/// place. Every other change counts, even a change of only the time, because only the system knows its cause.
///
/// Thread safety: safe from any thread.
final class ContentWatch: Sendable {
    /// The number of last bytes to remember. A rewritten file has different bytes there.
    private static let tailByteCount = 4096

    private let first: FileSource.Identity
    private let tail: [UInt8]
    /// The newest state in which the file is known to still have the bytes.
    private let accepted: Locked<FileSource.Identity>

    /// Creates a watch.
    ///
    /// - Parameter read: reads bytes of the file; returns `nil` on failure.
    init(_ identity: FileSource.Identity, read: (_ offset: Int64, _ count: Int) -> [UInt8]?) {
        first = identity
        let count = Int(min(identity.byteCount, Int64(ContentWatch.tailByteCount)))
        // Without these bytes, an append counts as a change.
        tail = read(identity.byteCount - Int64(count), count) ?? []
        accepted = Locked(identity)
    }

    /// Returns how the file changed, as a clause; `nil` if the bytes read before this call are still those of the file
    /// that was opened.
    func change(_ present: FileSource.Identity, read: (_ offset: Int64, _ count: Int) -> [UInt8]?) -> String? {
        if present == first || accepted.withLock({ $0 == present }) { return nil }
        if present.byteCount < first.byteCount {
            return "was truncated from \(first.byteCount) to \(present.byteCount) bytes while being read"
        }
        let isLonger = present.byteCount > first.byteCount && !tail.isEmpty
        guard isLonger, read(first.byteCount - Int64(tail.count), tail.count) == tail else {
            return "was changed while being read"
        }
        accepted.withLock { $0 = present }
        return nil
    }
}
