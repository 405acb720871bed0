#if CommandLine
internal import ScrubBase
internal import Scrub
internal import Synchronization

/// Counts the bytes that one run writes against the limit `output-bytes`. Safe from any thread.
final class OutputMeter: Sendable {
    private let limits: MediaLimits
    private let byteCount = Atomic<Int>(0)
    private let files = Atomic<Int>(0)

    /// Counts a picture that has its final name.
    func addFile() { files.add(1, ordering: .relaxed) }
    /// The number of pictures that have their final names.
    var fileCount: Int { files.load(ordering: .relaxed) }

    init(_ limits: MediaLimits) { self.limits = limits }

    /// Counts a picture before it is written.
    ///
    /// - Throws: `badData` if it is one too many; earlier pictures stay.
    func add(_ count: Int) throws(ScrubError) {
        let sum = byteCount.add(count, ordering: .relaxed).newValue
        try limits.check(.outputBytes, sum, "the number of bytes written, including this picture")
    }
}
#endif
