internal import ScrubBase

/// Throws frames away and counts them: for measuring, and for playing without looking.
///
/// Thread safety: the counts may be read from any thread.
public final class NullSink: FrameSink {
    private let counts = Locked((presented: 0, blank: 0, isFinished: false))

    /// True: it stands for a screen.
    public var showsPreviews: Bool { true }

    /// Makes a sink that has seen nothing.
    public init() {}

    /// Frames whose time came: those of kind ``PlayerFrame/Kind/presented``.
    public var presentedCount: Int { counts.withLock { $0.presented } }
    /// Those of them without a picture.
    public var blankCount: Int { counts.withLock { $0.blank } }
    /// Whether ``finish()`` was called.
    public var isFinished: Bool { counts.withLock { $0.isFinished } }

    /// Counts a frame.
    public func take(_ frame: PlayerFrame) {
        guard frame.kind == .presented else { return }
        counts.withLock { counts in
            counts.presented += 1
            if frame.picture == nil { counts.blank += 1 }
        }
    }

    /// Notes that there are no more.
    public func finish() { counts.withLock { $0.isFinished = true } }
}
