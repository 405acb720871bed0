package import ScrubBase
internal import Synchronization

/// The limits of a medium that is opened: one for all views of its bytes.
///
/// Thread safety: safe from any thread.
package final class OpeningContext: Sendable {
    private let standing = Locked(MediaLimits())
    private let refused = Locked<ScrubError?>(nil)
    /// Until when the file has to be open.
    private let deadline = Deadline()
    private let ownWork = Atomic(false)
    private let number = lastNumber.add(1, ordering: .relaxed).newValue

    private static let lastNumber = Atomic<UInt64>(0)

    init() {}

    /// The limits of the medium.
    package var limits: MediaLimits { standing.withLock { $0 } }

    /// Which sandbox its bytes are decoded in.
    package var origin: UInt64 { ownWork.load(ordering: .relaxed) ? SourceOrigin.ownWork : number }

    /// Says that this program has made it itself, before it is opened.
    package func isOwnWork() { ownWork.store(true, ordering: .relaxed) }

    /// Sets the limits, and begins to count the time that opening takes.
    ///
    /// - Parameter byteCount: all that may have to be read.
    package func begin(_ limits: MediaLimits, byteCount: Int64) {
        standing.withLock { $0 = limits }
        refused.withLock { $0 = nil }
        deadline.begin(limits.requestTime + .seconds(byteCount / (4 << 20)))
    }

    /// Counts no more.
    package func end() { deadline.stop() }

    /// Whether opening it has taken too long.
    var isLate: Bool { deadline.hasPassed }

    /// Why the file is refused, if it is; the first reason.
    package var refusal: ScrubError? { refused.withLock { $0 } }

    func refuse(_ refusal: ScrubError) { refused.withLock { $0 = $0 ?? refusal } }
}
