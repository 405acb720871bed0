/// A consumer of the frames that a player presents, such as a file, a pipe, a terminal or a test.
///
/// Thread safety: a player calls it from one thread at a time, in presentation order, and never from the cooperative
/// pool, so the sink may block. A slow sink delays a player whose policy is `.wait` or `.unpaced`. With `.drop`, frames
/// are dropped and counted instead.
public protocol FrameSink: AnyObject, Sendable {
    /// Receives the next presented frame.
    ///
    /// - Throws: an error, which ends the output to this sink and pauses the player (``SinkOutput/error``).
    func receive(_ frame: PlayerFrame) throws

    /// Whether the sink receives kept previews, of kind ``PlayerFrame/Kind/nearest``, for frames whose exact pictures
    /// are late (``Player/Options/showsKeptPreviews``). Return true from sinks that show frames live. Default false:
    /// the player's clock waits for the exact pictures.
    var showsPreviews: Bool { get }

    /// Writes any remaining data. It is called once, after the last frame.
    ///
    /// - Throws: the errors of ``receive(_:)``.
    func finish() throws
}

extension FrameSink {
    /// False: the sink receives only presented frames.
    public var showsPreviews: Bool { false }
}
