/// Takes the frames that a player presents: a file, a pipe, a terminal, a test.
///
/// Thread safety: a player calls it from one thread at a time, in the order of presentation, and not from the
/// cooperative pool: it may block. A slow sink holds up a player whose policy is to wait, and lets frames be dropped
/// and counted otherwise.
public protocol FrameSink: AnyObject, Sendable {
    /// Takes the next presented frame.
    ///
    /// - Throws: anything that ends the playback for this sink: the player pauses and tells the error.
    func take(_ frame: PlayerFrame) throws

    /// Whether it takes previews of frames whose exact pictures are late, of kind ``PlayerFrame/Kind/nearest``
    /// (``Player/Options/showsKeptPreviews``): for people who look on. Default false: then the player's clock waits.
    var showsPreviews: Bool { get }

    /// Told once, after the last frame: time to write the rest.
    ///
    /// - Throws: as ``take(_:)``.
    func finish() throws
}

extension FrameSink {
    /// False: only presented frames come.
    public var showsPreviews: Bool { false }
}
