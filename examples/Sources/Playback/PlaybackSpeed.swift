/// The factor by which a film is shown faster than its clock. An app's own Playback.
public struct PlaybackSpeed: Sendable {
    /// Seconds of the film in one of the clock.
    public var factor: Double

    /// Makes a speed; 1 is the film's own.
    public init(factor: Double) { self.factor = factor }

    /// The seconds on the wall for some of the film's.
    public func wallSeconds(for seconds: Double) -> Double { seconds / factor }
}
