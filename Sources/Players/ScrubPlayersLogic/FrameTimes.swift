package import ScrubBase

/// The times of one medium's frames on screen, in the medium's own units.
///
/// The first frame starts at 0; starts never decrease, and an end never lies before its start. Frames may share a time:
/// they are told apart by their numbers.
package protocol FrameTimes: Sendable {
    /// The number of frames, 1 or more.
    var frameCount: Int { get }
    /// Seconds that one unit is, above 0.
    var timeBase: Rational { get }
    /// Returns the time at which a frame comes on screen, in units after the first one. The frame exists.
    func start(ofFrame number: Int) -> Int64
    /// Returns the time at which the next one takes its place, in units after the first one. The frame exists.
    func end(ofFrame number: Int) -> Int64
}
