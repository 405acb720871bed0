/// A consumer of the frames that a player presents: a file, a pipe, a terminal, a test.
///
/// Thread safety: a player calls it from one thread at a time, in presentation order, and never from the cooperative
/// pool, so it may block. A slow sink delays a player whose policy is to wait; otherwise frames are dropped and
/// counted.
public protocol FrameSink: AnyObject, Sendable {
    /// Receives the next presented frame.
    ///
    /// - Throws: an error to end playback for this sink. The player pauses and reports the error.
    func take(_ frame: PlayerFrame) throws

    /// Whether the sink receives previews of frames whose exact pictures are late, of kind ``PlayerFrame/Kind/nearest``
    /// (``Player/Options/showsKeptPreviews``). Return true from sinks that show frames live. Default false: the
    /// player's clock waits.
    var showsPreviews: Bool { get }

    /// Called once after the last frame, to write any remaining data.
    ///
    /// - Throws: the errors of ``take(_:)``.
    func finish() throws
}

extension FrameSink {
    /// False: the sink receives presented frames only.
    public var showsPreviews: Bool { false }
}
