internal import ScrubFileIO
internal import ScrubBase

/// The time that one frame has been worked on, and one packet.
///
/// Nothing interrupts a decoder within a packet, so a picture that took too long is refused when it returns; a sandbox
/// ends its process.
struct RequestWatch: Sendable {
    private let limits: MediaLimits
    private let path: String
    private var end: Int64

    init(_ file: MediaSource) {
        (limits, path) = (file.limits, file.path)
        end = LimitClock.after(limits.requestTime)
    }

    /// Begins with the next frame.
    mutating func begin() { end = LimitClock.after(limits.requestTime) }

    /// Does one packet's work.
    ///
    /// - Throws: `badData` when it, or all that was done for the frame, took longer than it may.
    func step<Result>(_ work: () throws(ScrubError) -> Result) throws(ScrubError) -> Result {
        let (result, refusal) = try timed(work)
        if let refusal { throw refusal }
        return result
    }

    /// Does one packet's work.
    ///
    /// - Returns: with the refusal when it, or all that was done for the frame, took longer than it may.
    func timed<Result>(
        _ work: () throws(ScrubError) -> Result
    ) throws(ScrubError) -> (result: Result, refusal: ScrubError?) {
        let last = LimitClock.after(limits.pictureTime)
        let result = try work()
        let now = LimitClock.now
        guard now > min(end, last) else { return (result, nil) }
        let refusal =
            now > last
            ? limits.timeRefusal(.pictureTime, "reading or decoding one coded picture")
            : limits.timeRefusal(.requestTime, "making one frame")
        return (result, refusal.inFile(path))
    }
}
