internal import ScrubBase

/// The position of a playhead at a moment, and its rate, which determine when every frame is due.
///
/// It is set at the first picture after play or seek, when the rate changes and when a stall ends. It is never set per
/// frame, loop or item, so that errors do not accumulate.
struct TimebaseAnchor: Sendable {
    /// The time at which the playhead was at ``mediaTime``.
    var time: ExactTime
    /// The time in the medium after its first frame.
    var mediaTime: ExactTime
    /// Seconds of the medium per second of the clock, not 0.
    private let rate: Rational
    private let inverseRate: Rational
    /// The playback time before the anchor, without pauses, stalls and seeks.
    var played: ExactTime

    /// Creates an anchor; `nil` for a rate of 0, or one whose inverse does not fit.
    init?(time: ExactTime, mediaTime: ExactTime, rate: Rational, played: ExactTime) {
        guard let inverseRate = Rational.one.divided(by: rate), rate != .zero else { return nil }
        (self.time, self.mediaTime, self.played) = (time, mediaTime, played)
        (self.rate, self.inverseRate) = (rate, inverseRate)
    }

    /// Returns the moment at which the playhead passes a time of the medium.
    func moment(of mediaTime: ExactTime) -> ExactTime {
        time.adding(mediaTime.subtracting(self.mediaTime).scaled(by: inverseRate))
    }

    /// Returns the playback time at the moment when the playhead passes a time of the medium.
    func played(at mediaTime: ExactTime) -> ExactTime {
        played.adding(mediaTime.subtracting(self.mediaTime).scaled(by: inverseRate))
    }

    /// Returns the position of the playhead.
    func mediaTime(at nanoseconds: Int64) -> ExactTime {
        mediaTime.adding(ExactTime(nanoseconds).subtracting(time).scaled(by: rate))
    }
}
