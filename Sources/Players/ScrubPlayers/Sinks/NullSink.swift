internal import ScrubBase

/// A sink that counts and discards frames, for measurements and for playback without a display.
///
/// Thread safety: the counts may be read from any thread.
public final class NullSink: FrameSink {
    private let counts = Locked((presented: 0, blank: 0, isFinished: false))

    /// True, because the sink takes the place of a screen.
    public var showsPreviews: Bool { true }

    /// Creates a sink whose counts are 0.
    public init() {}

    /// The number of frames of kind ``PlayerFrame/Kind/presented``.
    public var presentedCount: Int { counts.withLock { $0.presented } }
    /// The number of presented frames without a picture.
    public var blankCount: Int { counts.withLock { $0.blank } }
    /// Whether ``finish()`` has been called.
    public var isFinished: Bool { counts.withLock { $0.isFinished } }

    /// Counts a frame.
    public func receive(_ frame: PlayerFrame) {
        guard frame.kind == .presented else { return }
        counts.withLock { counts in
            counts.presented += 1
            if frame.picture == nil { counts.blank += 1 }
        }
    }

    /// Marks the sink as finished.
    public func finish() { counts.withLock { $0.isFinished = true } }
}
