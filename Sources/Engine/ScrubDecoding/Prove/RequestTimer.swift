internal import ScrubFileIO
internal import ScrubBase

/// A timer for the work on a frame and on a packet.
///
/// A decoder cannot be interrupted within a packet, so a picture that took too long is rejected when it returns; in a
/// sandbox, its process is killed.
struct RequestTimer: Sendable {
    private let limits: MediaLimits
    private let path: String
    private var end: Int64

    init(_ file: MediaSource) {
        (limits, path) = (file.limits, file.path)
        end = LimitClock.after(limits.maximumRequestTime)
    }

    /// Starts timing the next frame.
    mutating func begin() { end = LimitClock.after(limits.maximumRequestTime) }

    /// Does one packet's work.
    ///
    /// - Throws: `badData` if this call or the frame's total work took too long.
    func step<Result>(_ work: () throws(ScrubError) -> Result) throws(ScrubError) -> Result {
        let (result, refusal) = try timed(work)
        if let refusal { throw refusal }
        return result
    }

    /// Does one packet's work.
    ///
    /// - Returns: the result, with an error if this call or the frame's total work took too long.
    func timed<Result>(
        _ work: () throws(ScrubError) -> Result
    ) throws(ScrubError) -> (result: Result, refusal: ScrubError?) {
        let last = LimitClock.after(limits.maximumPictureTime)
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
