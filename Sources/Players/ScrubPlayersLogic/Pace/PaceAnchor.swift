internal import ScrubBase

/// The place of a playhead at a moment, and its speed: so it is known when every frame is due.
///
/// Set at the first picture after play or seek, when the rate changes and when a stall ends. It is never set for a
/// frame, a loop or an item, so that nothing adds up.
struct PaceAnchor: Sendable {
    /// The time at which the playhead was at ``mediaTime``.
    var time: ExactTime
    /// Time of the medium after its first frame.
    var mediaTime: ExactTime
    /// Seconds of the medium in one of the clock, not 0.
    private let rate: Rational
    private let inverseRate: Rational
    /// Time of playing before the anchor, without pauses, stalls and seeks.
    var played: ExactTime

    /// `nil` for a rate of 0, or one whose inverse does not fit.
    init?(time: ExactTime, mediaTime: ExactTime, rate: Rational, played: ExactTime) {
        guard let inverseRate = Rational.one.divided(by: rate), rate != .zero else { return nil }
        (self.time, self.mediaTime, self.played) = (time, mediaTime, played)
        (self.rate, self.inverseRate) = (rate, inverseRate)
    }

    /// Returns the time at which the playhead passes a time of the medium.
    func moment(of mediaTime: ExactTime) -> ExactTime {
        time.adding(mediaTime.subtracting(self.mediaTime).scaled(by: inverseRate))
    }

    /// Returns the time that will have been played when the playhead passes a time of the medium.
    func played(at mediaTime: ExactTime) -> ExactTime {
        played.adding(mediaTime.subtracting(self.mediaTime).scaled(by: inverseRate))
    }

    /// Returns the place of the playhead.
    func mediaTime(at nanoseconds: Int64) -> ExactTime {
        mediaTime.adding(ExactTime(nanoseconds).subtracting(time).scaled(by: rate))
    }
}
